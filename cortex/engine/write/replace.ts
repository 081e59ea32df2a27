/**
 * Replacing items: what a new item says is no longer so is marked, and comes in
 * no recall and no list from then on.
 *
 * Specification: docs/spec/recall.md section 7.
 *
 * @module
 */

import type { EngineContext, OperationOptions } from "../context.ts";
import { type Item, type ItemId, itemId } from "../item/item.ts";
import { invalidRequest } from "../item/item_check.ts";
import { type Mark, markDraft } from "../item/mark.ts";
import type { Scope } from "../../layout/layouts.ts";
import type { ReadableHit } from "../item/rebuild.ts";
import { getItems } from "../read/get.ts";
import { NO_TEXT } from "../read/walk.ts";
import { forgetEvents } from "../remove/forget.ts";
import { appendDrafts, type SendOptions } from "./append.ts";
import type { Written } from "./visibility.ts";

/** Of each item of a batch, what it replaces. */
export type Replaced = ReadonlyMap<ItemId, readonly ReadableHit[]>;

/**
 * Finds what the items of a batch replace, before anything is written.
 *
 * @throws {CortexRefusalError} `invalid_request` for what is not there
 */
export async function findReplaced(
  context: EngineContext,
  items: readonly Item[],
  options: OperationOptions,
): Promise<Replaced> {
  const asked = items.map((item) => ({
    id: itemId(item),
    ids: item.meta.replaces ?? [],
  }));
  const ids = [...new Set(asked.flatMap((one) => one.ids))];
  if (ids.length === 0) return new Map();
  const itself = asked.find(({ id, ids }) => ids.includes(id));
  if (itself !== undefined) {
    throw invalidRequest(
      `${itself.id} says the very same and cannot replace itself`,
    );
  }
  const { items: found } = await getItems(
    context,
    { ids, reach: "everywhere", ...NO_TEXT },
    options,
  );
  const there = new Map(found.map((hit) => [hit.id, hit]));
  const missing = ids.filter((id) => !there.has(id));
  if (missing.length > 0) {
    throw invalidRequest(
      `Nothing was stored: there is no item ${
        missing.join(", ")
      } to replace; leave it out, or look for its id anew`,
    );
  }
  return new Map(
    asked.map((
      { id, ids },
    ) => [id, ids.flatMap((old) => there.get(old) ?? [])]),
  );
}

/** Marks what an item replaces, where it is not marked so already. */
export async function markReplaced(
  context: EngineContext,
  by: ItemId,
  replaced: readonly ReadableHit[],
  send: SendOptions,
): Promise<readonly Written[]> {
  const written: Written[] = [];
  for (const { id, item } of replaced) {
    const { kind, meta: { node } } = item;
    const path = context.layout.render(node, kind);
    const scope: Scope = { node, kind, below: "root", path };
    const draft = markDraft(path, { id, item }, by);
    const [receipt] = await appendDrafts(context, scope, [draft], send);
    if (receipt === undefined) continue;
    written.push({ scope, id, lastId: receipt.eventId, lastText: draft.text });
  }
  return written;
}

/** Takes marks off again: what they are of is said anew. */
export async function unmark(
  context: EngineContext,
  scope: Scope,
  marks: readonly Mark[],
  options: OperationOptions,
): Promise<void> {
  const ids = marks.map(({ eventId }) => eventId);
  await forgetEvents(context, scope, ids, "said anew", options);
}
