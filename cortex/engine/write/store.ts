/**
 * Storing items: checked as a batch, looked up, and written where they lack.
 *
 * Specification: docs/spec/cortex_engine.md section 7.
 *
 * @module
 */

import { pause } from "../../pause.ts";
import type { Scope } from "../../layout/layouts.ts";
import { abortable } from "../../client/response_body.ts";
import type { ScopePath } from "../../layout/scope.ts";
import { appendDrafts, type SendOptions } from "./append.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
} from "../context.ts";
import type { Item, ItemId } from "../item/item.ts";
import { checkItems, invalidRequest } from "../item/item_check.ts";
import { type LaidOut, layOut } from "../item/layout_events.ts";
import type { Ownership } from "./ownership.ts";
import { awaitVisible, type Written } from "./visibility.ts";
import type { Marks } from "../item/mark.ts";
import { findItemEvents, NO_TEXT, type ReadOptions } from "../read/walk.ts";
import { findReplaced, markReplaced, unmark } from "./replace.ts";

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
export interface StoreItemsOptions extends OperationOptions {
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

/** Stores a batch, in order. On an error the items before it are stored. */
export async function storeItems(
  context: EngineContext,
  ownership: Ownership,
  items: readonly Item[],
  options: StoreItemsOptions,
): Promise<readonly StoreReceipt[]> {
  const { signal, wait = "visible" } = options;
  checkItems(items);
  await pause();
  const placed = placeAll(context, items);
  signal?.throwIfAborted();
  // Others may be waiting for the same registration: it goes on without us.
  await abortable(ownership.ensure(), signal);
  const marks: Marks = new Map();
  const held = await lookUp(context, placed, { ...options, marks });
  const replaced = await findReplaced(context, items, options);
  const send: SendOptions = wait === "visible"
    ? { signal, wait: "indexed" }
    : { signal };
  const written: Written[] = [];
  const receipts: StoreReceipt[] = [];
  for (const { id, scope, drafts } of placed) {
    const there = held.get(partsKey(scope.path, id, drafts.length));
    const missing = drafts.filter((_, index) => there?.has(index) !== true);
    const sent = await appendDrafts(context, scope, missing, send);
    // What was replaced, and is stored again, is so again.
    const own = marks.get(id) ?? [];
    if (own.length > 0) await unmark(context, scope, own, options);
    const marked = await markReplaced(
      context,
      id,
      replaced.get(id) ?? [],
      send,
    );
    const isReplay = own.length === 0 &&
      sent.every((one) => one.isReplay && one.mayBeOwn !== true);
    receipts.push({ id, scope: scope.path, isReplay });
    const last = sent.at(-1);
    const lastText = missing.at(-1)?.text;
    if (last !== undefined && lastText !== undefined) {
      written.push({ scope, id, lastId: last.eventId, lastText });
    }
    written.push(...marked);
    // An item that the batch repeats is a replay of its first copy.
    const parts = new Set(drafts.keys());
    held.set(partsKey(scope.path, id, drafts.length), parts);
  }
  if (wait === "visible" && !context.isVisibleAtOnce) {
    await awaitVisible(context, written, options);
  }
  return receipts;
}

/** Checks every node and lays every item out, before anything is sent. */
function placeAll(
  { layout }: EngineContext,
  items: readonly Item[],
): readonly Placed[] {
  for (const { meta: { node }, kind } of items) {
    const check = layout.checkNode(node, kind);
    if (!check.ok) {
      throw invalidRequest(`Nothing may be stored there: ${check.reason}`);
    }
  }
  return items.map((item) => {
    const path = layout.render(item.meta.node, item.kind);
    const { node } = item.meta;
    const scope: Scope = { node, kind: item.kind, below: "root", path };
    return { ...layOut(item, path), scope };
  });
}

/**
 * Which parts of which items lie below the root already. Parts of another
 * number belong to a copy that was cut otherwise.
 */
async function lookUp(
  context: EngineContext,
  placed: readonly Placed[],
  options: StoreItemsOptions & Pick<ReadOptions, "marks">,
): Promise<Map<string, Set<number>>> {
  const held = new Map<string, Set<number>>();
  if (isKeyEnough(context, placed, options)) return held;
  const groups = Map.groupBy(placed, ({ scope }) => scope.path).values();
  await forEachScope([...groups], async (group) => {
    const [{ scope }] = group as [Placed, ...Placed[]]; // A group has members.
    const ids = group.map(({ id }) => id);
    const found = await findItemEvents(context, scope, ids, {
      ...options,
      ...NO_TEXT,
    });
    for (const { envelope: { id, part } } of [...found.values()].flat()) {
      const key = partsKey(scope.path, id, part.count);
      held.set(key, (held.get(key) ?? new Set()).add(part.index));
    }
  });
  return held;
}

function partsKey(path: ScopePath, id: ItemId, count: number): string {
  return `${path} ${id} ${count}`;
}

/** A single turn that nobody waits for: its key tells a repeat by itself. */
function isKeyEnough(
  { client }: EngineContext,
  placed: readonly Placed[],
  { wait }: StoreItemsOptions,
): boolean {
  const [only] = placed;
  return client.wire === "direct" && wait === "accepted" &&
    placed.length === 1 && only?.scope.kind === "conversation" &&
    only.drafts.length === 1;
}
