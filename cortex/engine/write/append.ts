/**
 * Sending the events of one item, so that they are there afterwards.
 *
 * An event has its own key, so that one sent twice is stored once. A key may
 * outlive its event, and one store may serve several tenants: a key that is
 * taken by what is gone or not ours is replaced.
 *
 * @module
 */

import { MAX_APPENDED } from "../../client/request_checks.ts";
import type { WriteOptions } from "../../client/client_types.ts";
import { CortexRefusalError, CortexUnavailableError } from "../../errors.ts";
import type { Scope } from "../../layout/layouts.ts";
import {
  type AppendReceipt,
  draftKey,
  type EventDraft,
} from "../../client/wire.ts";
import type { EngineContext } from "../context.ts";
import { open } from "../item/envelope.ts";
import { findItemEvents } from "../read/walk.ts";

/** What sending takes besides the events. */
export type SendOptions = Pick<WriteOptions, "signal" | "wait">;

/** What one request holds at most, unless a single event is larger. */
const MAX_BULK_BYTES = 8 * 1024 * 1024;
/** How often an item may have been forgotten while its keys live. */
const MAX_KEYS = 32;

/** Stores events, in order; a replay is one that was there before. */
export async function appendDrafts(
  context: EngineContext,
  scope: Scope,
  drafts: readonly EventDraft[],
  send: SendOptions,
): Promise<readonly AppendReceipt[]> {
  const receipts: AppendReceipt[] = [];
  for (const bulk of bulks(context, drafts)) {
    receipts.push(...await appendBulk(context, scope, bulk, send));
  }
  return receipts;
}

/** One by one where each is a request of its own, else in few requests. */
function bulks(
  { client }: EngineContext,
  drafts: readonly EventDraft[],
): readonly (readonly EventDraft[])[] {
  if (client.wire === "hosted") return drafts.map((draft) => [draft]);
  const all: EventDraft[][] = [];
  let bytes = Infinity;
  for (const draft of drafts) {
    const size = JSON.stringify(draft).length;
    const last = all.at(-1);
    const isFull = last === undefined || last.length >= MAX_APPENDED ||
      bytes + size > MAX_BULK_BYTES;
    if (isFull) all.push([draft]);
    else last.push(draft);
    bytes = isFull ? size : bytes + size;
  }
  return all;
}

async function appendBulk(
  context: EngineContext,
  scope: Scope,
  drafts: readonly EventDraft[],
  send: SendOptions,
): Promise<readonly AppendReceipt[]> {
  if (drafts.length > 1) {
    try {
      const receipts = await context.client.appendAll(drafts, send);
      return await Promise.all(receipts.map((receipt, index) => {
        const draft = drafts[index];
        return draft === undefined
          ? receipt
          : settle(context, draft, receipt, send);
      }));
    } catch (error) {
      // Which key is taken, only single writes tell.
      if (!isKeyTaken(error)) throw error;
    }
  }
  const receipts: AppendReceipt[] = [];
  for (const draft of drafts) {
    receipts.push(await appendOne(context, scope, draft, send));
  }
  return receipts;
}

async function appendOne(
  context: EngineContext,
  scope: Scope,
  draft: EventDraft,
  send: SendOptions,
): Promise<AppendReceipt> {
  try {
    const receipt = await context.client.append(draft, send);
    return await settle(context, draft, receipt, send);
  } catch (error) {
    if (isKeyTaken(error)) {
      const idempotencyKey = await keyAfter(draft, crypto.randomUUID());
      return await context.client.append({ ...draft, idempotencyKey }, send);
    }
    const isUnknown = error instanceof CortexUnavailableError &&
      error.isOutcomeUnknown;
    const there = isUnknown
      ? await findWritten(context, scope, draft, send)
      : undefined;
    if (there === undefined) throw error;
    return there;
  }
}

/** A write whose outcome is unknown may be there all the same. */
async function findWritten(
  context: EngineContext,
  scope: Scope,
  draft: EventDraft,
  { signal }: SendOptions,
): Promise<AppendReceipt | undefined> {
  const own = open(draft)?.envelope;
  if (own === undefined) return undefined;
  const found = await findItemEvents(context, scope, [own.id], { signal });
  const there = found.get(own.id)?.find(({ envelope: { part } }) =>
    part.index === own.part.index && part.count === own.part.count
  );
  return there && { eventId: there.eventId, isReplay: false };
}

/**
 * A key that was written before may belong to an event that is gone: then the
 * event is written again under the next key, which is the same for everybody.
 */
async function settle(
  { client }: EngineContext,
  draft: EventDraft,
  first: AppendReceipt,
  send: SendOptions,
): Promise<AppendReceipt> {
  let receipt = first;
  for (let keys = 1; receipt.isReplay; keys++) {
    const { signal } = send;
    const event = await client.readEvent(receipt.eventId, { signal });
    if (event?.text === draft.text) return receipt;
    if (keys >= MAX_KEYS) {
      throw new CortexUnavailableError(
        "Not stored: CortexDB answers every key as written, and the events are gone; store it again tomorrow",
        { attempts: keys },
      );
    }
    const idempotencyKey = await keyAfter(draft, receipt.eventId);
    receipt = await client.append({ ...draft, idempotencyKey }, send);
  }
  return receipt;
}

async function keyAfter(draft: EventDraft, salt: string): Promise<string> {
  return await draftKey({ ...draft, labels: [...draft.labels, salt] });
}

function isKeyTaken(error: unknown): boolean {
  return error instanceof CortexRefusalError &&
    error.errorCode === "IDEMPOTENCY_CONFLICT";
}
