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
  type EventDraft,
  eventKey,
} from "../../client/wire.ts";
import type { EngineContext } from "../context.ts";
import { open } from "../item/envelope.ts";
import { type Mark, markLabelOf, readMark } from "../item/mark.ts";
import { poll } from "./visibility.ts";
import { findItemEvents, NO_TEXT, walkEvents } from "../read/walk.ts";

/** What sending takes besides the events. */
export type SendOptions = Pick<WriteOptions, "signal" | "wait">;

/** What one request holds at most, unless a single event is larger. */
const MAX_BULK_BYTES = 8 * 1024 * 1024;
/** How often an item may have been forgotten while its keys live. */
const MAX_KEYS = 32;
/** How long the owner of a key that is taken is looked for. */
const LAG_MS = 2_000;

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

/**
 * All at once. Where a key is taken, nothing is written: what another store of
 * the item has written by now is left, and the rest is sent one by one.
 */
async function appendBulk(
  context: EngineContext,
  scope: Scope,
  drafts: readonly EventDraft[],
  send: SendOptions,
): Promise<readonly AppendReceipt[]> {
  let receipts: readonly (AppendReceipt | undefined)[] = [];
  if (drafts.length > 1) {
    try {
      receipts = await context.client.appendAll(drafts, send);
    } catch (error) {
      if (!isKeyTaken(error)) throw error;
      receipts = await findWritten(context, scope, drafts, send);
    }
  }
  const settled: AppendReceipt[] = [];
  for (const [index, draft] of drafts.entries()) {
    const first = receipts[index];
    settled.push(await settle(context, scope, { draft, first }, send));
  }
  return settled;
}

/**
 * Sends an event until it is there. A key that was written before may belong to
 * what is gone, or is not ours: then the event is written under the next key,
 * which is the same for everybody, so that two stores at once leave one event.
 */
async function settle(
  context: EngineContext,
  scope: Scope,
  { draft, first }: {
    readonly draft: EventDraft;
    readonly first: AppendReceipt | undefined;
  },
  send: SendOptions,
): Promise<AppendReceipt> {
  const { client } = context;
  const { signal } = send;
  let key = draft.idempotencyKey;
  let receipt = first;
  for (let keys = 1;; keys++) {
    receipt ??= await appendOne(context, scope, {
      ...draft,
      idempotencyKey: key,
    }, { ...send, isFirstKey: keys === 1 });
    if (receipt?.isReplay === false) return receipt;
    if (receipt !== undefined) {
      const event = await client.readEvent(receipt.eventId, { signal });
      if (event?.text === draft.text) return receipt;
      if (keys >= MAX_KEYS) {
        throw new CortexUnavailableError(
          "Not stored: CortexDB answers every key as written, and the events are gone; store it again tomorrow",
          { attempts: keys },
        );
      }
      receipt = undefined;
    }
    key = keys < MAX_KEYS ? keyAfter(key) : keyAfter(crypto.randomUUID());
  }
}

/** One try; undefined when the key is taken by what is not this event. */
async function appendOne(
  context: EngineContext,
  scope: Scope,
  draft: EventDraft,
  send: SendOptions & { readonly isFirstKey: boolean },
): Promise<AppendReceipt | undefined> {
  const { signal } = send;
  try {
    return await context.client.append(draft, send);
  } catch (error) {
    const isTaken = isKeyTaken(error);
    const isUnknown = error instanceof CortexUnavailableError &&
      error.isOutcomeUnknown;
    if (!isTaken && !isUnknown) throw error;
    let there: AppendReceipt | undefined;
    const find = async () => {
      [there] = await findWritten(context, scope, [draft], send);
      return there !== undefined;
    };
    // What another store has just written may not be listed yet.
    const isAwaited = isTaken && send.isFirstKey && !context.isVisibleAtOnce;
    await poll(context, isAwaited ? LAG_MS : 0, { signal }, find);
    if (there === undefined && isUnknown) throw error;
    // A write whose outcome was unknown may well be our own.
    return there && { ...there, isReplay: isTaken };
  }
}

/** For each event of an item, or mark of one, the one that is listed already. */
async function findWritten(
  context: EngineContext,
  scope: Scope,
  drafts: readonly EventDraft[],
  { signal }: SendOptions,
): Promise<readonly (AppendReceipt | undefined)[]> {
  const own = drafts.map((draft) => open(draft)?.envelope);
  const ids = [...new Set(own.flatMap((envelope) => envelope?.id ?? []))];
  const how = { signal, ...NO_TEXT };
  const found = await findItemEvents(context, scope, ids, how);
  return await Promise.all(own.map(async (envelope, index) => {
    const there = envelope === undefined
      ? await findMark(context, scope, drafts[index]?.labels ?? [], how)
      : found.get(envelope.id)?.find((one) =>
        one.envelope.part.index === envelope.part.index &&
        one.envelope.part.count === envelope.part.count
      );
    return there && { eventId: there.eventId, isReplay: true };
  }));
}

/** The mark that has the same label, which says all of it. */
async function findMark(
  context: EngineContext,
  scope: Scope,
  labels: readonly string[],
  options: Parameters<typeof findItemEvents>[3],
): Promise<Mark | undefined> {
  const label = markLabelOf(labels);
  if (label === undefined) return undefined;
  const query = { labels: [label] };
  for await (const { event } of walkEvents(context, scope, query, options)) {
    const mark = readMark(scope.path, event);
    if (mark !== undefined && event.labels.includes(label)) return mark;
  }
  return undefined;
}

function keyAfter(key: string): string {
  return eventKey("next", key);
}

function isKeyTaken(error: unknown): boolean {
  return error instanceof CortexRefusalError &&
    error.errorCode === "IDEMPOTENCY_CONFLICT";
}
