/**
 * Items by their ids, wherever in some scopes they lie: in one listing of all
 * that lies below the roots, where the other side lists that, else scope by
 * scope.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import { type EngineContext, forEachScope } from "../context.ts";
import type { ItemId } from "../item/item.ts";
import { itemLabel } from "../item/lookup.ts";
import { type OwnEvent, readOwnEvent } from "../item/rebuild.ts";
import { MAX_LISTED_LABELS } from "../../client/request_checks.ts";
import {
  batches,
  findItemEvents,
  noteMark,
  type ReadOptions,
  walkEvents,
} from "./walk.ts";

/** The events of items, by scope and item. */
export type FoundAcross = ReadonlyMap<Scope, ReadonlyMap<ItemId, OwnEvent[]>>;

/** So many scopes are asked one by one. */
const FEW_SCOPES = 8;

/** The events of the items in the scopes; scopes without any may be left out. */
export async function findAcross(
  context: EngineContext,
  scopes: readonly Scope[],
  ids: readonly ItemId[],
  options: ReadOptions,
): Promise<FoundAcross> {
  const { layout, listsBelow } = context;
  if (!listsBelow || scopes.length <= FEW_SCOPES) {
    const found = await forEachScope(
      scopes,
      async (scope) =>
        [scope, await findItemEvents(context, scope, ids, options)] as const,
    );
    return new Map(found);
  }
  const byPath = new Map(scopes.map((scope) => [String(scope.path), scope]));
  const found = new Map<Scope, Map<ItemId, OwnEvent[]>>();
  const wanted = new Set(ids);
  const labels = [...wanted].map(itemLabel);
  for (const path of [layout.root, layout.retired]) {
    if (path === undefined) continue;
    for (const some of batches(labels, MAX_LISTED_LABELS)) {
      const walk = { labels: some, below: true };
      for await (
        const { event } of walkEvents(context, { path }, walk, options)
      ) {
        const scope = byPath.get(event.scope ?? "");
        if (scope === undefined) continue;
        const own = readOwnEvent(scope, event);
        if (own === undefined) {
          noteMark(options.marks, scope, event);
          continue;
        }
        // A label is a short digest: only the id itself decides.
        const { id } = own.envelope;
        if (!wanted.has(id)) continue;
        const items = found.get(scope) ?? new Map<ItemId, OwnEvent[]>();
        items.set(id, [...items.get(id) ?? [], own]);
        found.set(scope, items);
      }
    }
  }
  return found;
}
