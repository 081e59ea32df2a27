/**
 * Storing items: checked as a batch, looked up, and written where they lack.
 *
 * Specification: cortex-engine section 7.
 *
 * @module
 */

import { CortexUnavailableError } from "../errors.ts";
import type { Scope } from "../layouts.ts";
import type { ScopePath } from "../scope.ts";
import type { WriteOptions } from "../client_types.ts";
import { type AppendReceipt, draftKey, type EventDraft } from "../wire.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
} from "./context.ts";
import { open } from "./envelope.ts";
import type { Item, ItemId } from "./item.ts";
import { checkItems, invalidRequest } from "./item_check.ts";
import { type LaidOut, layOut } from "./layout_events.ts";
import type { Ownership } from "./ownership.ts";
import type { OwnEvent } from "./rebuild.ts";
import { awaitVisible, type Written } from "./visibility.ts";
import { batches, findItemEvents } from "./walk.ts";

/** An item that is stored. */
export interface StoreReceipt {
  /** Its id. */
  readonly id: ItemId;
  /** Where it lies. */
  readonly scope: ScopePath;
  /** Whether all of it had been there before. */
  readonly isReplay: boolean;
}

/** What storing takes besides the items. */
export interface StoreOptions extends OperationOptions {
  /**
   * `accepted`: CortexDB has it. `visible`: readers see it.
   *
   * @default {"visible"}
   */
  readonly wait?: "accepted" | "visible" | undefined;
}

interface Placed extends LaidOut {
  readonly scope: Scope;
}

type SendOptions = Pick<WriteOptions, "signal" | "wait">;

const MAX_BULK = 1_000;

/** Stores a batch, in order. On an error the items before it are stored. */
export async function storeItems(
  context: EngineContext,
  ownership: Ownership,
  items: readonly Item[],
  options: StoreOptions,
): Promise<readonly StoreReceipt[]> {
  checkItems(items);
  const placed = await placeAll(context, items);
  await ownership.ensure();
  const held = await lookUp(context, placed, options);
  const written: Written[] = [];
  const receipts: StoreReceipt[] = [];
  for (const { id, scope, drafts } of placed) {
    const there = held.get(scope.path)?.get(id) ?? new Set();
    const missing = drafts.filter((_, index) => !there.has(index));
    receipts.push({ id, scope: scope.path, isReplay: missing.length === 0 });
    if (missing.length === 0) continue;
    const eventIds = await append(context, scope, missing, options);
    written.push({ scope, id, eventIds });
    // An item that the batch repeats is a replay of its first copy.
    const scopeHeld = held.get(scope.path) ?? new Map();
    scopeHeld.set(id, new Set(drafts.keys()));
    held.set(scope.path, scopeHeld);
  }
  if (options.wait !== "accepted") {
    await awaitVisible(context, written, placed.at(-1)?.drafts.at(-1), options);
  }
  return receipts;
}

/** Checks every node and lays every item out, before anything is sent. */
async function placeAll(
  { layout }: EngineContext,
  items: readonly Item[],
): Promise<readonly Placed[]> {
  for (const { meta: { node }, kind } of items) {
    const check = layout.checkNode(node, kind);
    if (!check.ok) {
      throw invalidRequest(`Nothing may be stored there: ${check.reason}`);
    }
  }
  return await Promise.all(items.map(async (item) => {
    const path = layout.render(item.meta.node, item.kind);
    const { node } = item.meta;
    const scope: Scope = { node, kind: item.kind, below: "root", path };
    return { ...await layOut(item, path), scope };
  }));
}

/** Which parts of which items lie below the root already, by scope. */
async function lookUp(
  context: EngineContext,
  placed: readonly Placed[],
  options: StoreOptions,
): Promise<Map<ScopePath, Map<ItemId, Set<number>>>> {
  const byPath = Map.groupBy(placed, ({ scope }) => scope.path);
  const [only] = placed;
  const isKeyEnough = context.client.wire === "direct" &&
    options.wait === "accepted" && placed.length === 1 &&
    only?.scope.kind === "conversation" && only.drafts.length === 1;
  if (isKeyEnough) return new Map();
  const found = await forEachScope([...byPath], async ([path, group]) => {
    const [{ scope }] = group as [Placed, ...Placed[]]; // A group has members.
    const ids = group.map(({ id }) => id);
    const events = await findItemEvents(context, scope, ids, options);
    const parts = new Map(
      [...events].map(([id, own]) => [id, indexesOf(own)] as const),
    );
    return [path, parts] as const;
  });
  return new Map(found);
}

function indexesOf(events: readonly OwnEvent[]): Set<number> {
  return new Set(events.map(({ envelope }) => envelope.part.index));
}

async function append(
  context: EngineContext,
  scope: Scope,
  drafts: readonly EventDraft[],
  options: StoreOptions,
): Promise<Written["eventIds"]> {
  const wait = options.wait === "accepted" ? undefined : "indexed";
  const receipts: AppendReceipt[] = [];
  const send: SendOptions = { signal: options.signal, wait };
  for (const batch of batches(drafts, MAX_BULK)) {
    const [only, ...others] = batch;
    if (only === undefined) continue;
    const answers = others.length === 0
      ? [await appendOne(context, scope, only, send)]
      : await context.client.appendAll(batch, send);
    receipts.push(...answers);
  }
  return await Promise.all(
    receipts.map((receipt, index) =>
      settle(context, scope, drafts[index], receipt, options)
    ),
  );
}

/** A write whose outcome is unknown may be there all the same. */
async function appendOne(
  context: EngineContext,
  scope: Scope,
  draft: EventDraft,
  options: SendOptions,
): Promise<AppendReceipt> {
  try {
    return await context.client.append(draft, options);
  } catch (error) {
    const isUnknown = error instanceof CortexUnavailableError &&
      error.isOutcomeUnknown;
    const own = isUnknown ? open(draft)?.envelope : undefined;
    if (own === undefined) throw error;
    const found = await findItemEvents(context, scope, [own.id], options);
    const there = found.get(own.id)?.find(({ envelope }) =>
      envelope.part.index === own.part.index
    );
    if (there === undefined) throw error;
    return { eventId: there.eventId, isReplay: false };
  }
}

/**
 * The lookup missed the event, and its key says it was written: it was written
 * a moment ago, or it was forgotten since and its key lives on. In the second
 * case the event is gone, and is written again under another key.
 */
async function settle(
  { client }: EngineContext,
  scope: Scope,
  draft: EventDraft | undefined,
  receipt: AppendReceipt,
  options: StoreOptions,
): Promise<AppendReceipt["eventId"]> {
  if (!receipt.isReplay || draft === undefined) return receipt.eventId;
  const event = await client.readEvent(receipt.eventId, options);
  const isThere = event !== undefined && event.text === draft.text;
  if (isThere) return receipt.eventId;
  const salted = await draftKey({
    ...draft,
    labels: [...draft.labels, `after:${receipt.eventId}`],
  });
  const again = { ...draft, scope: scope.path, idempotencyKey: salted };
  return (await client.append(again, { signal: options.signal })).eventId;
}
