/**
 * Items by their ids, wherever in some scopes they lie.
 *
 * @module
 */

import { MAX_LISTED_LABELS } from "../../../client/request_checks.ts";
import type { StoredEvent } from "../../../client/wire.ts";
import type { Scope } from "../../../layout/layouts.ts";
import type { EngineContext } from "../../context.ts";
import type { ItemId } from "../../item/item.ts";
import { itemLabel } from "../../item/lookup.ts";
import { type OwnEvent, readOwnEvent } from "../../item/rebuild.ts";
import { batches, noteMark, type ReadOptions } from "../walk.ts";
import { walkAcross } from "./walk_across.ts";

/** The events of items, by scope and item. */
export type FoundAcross = ReadonlyMap<Scope, ReadonlyMap<ItemId, OwnEvent[]>>;

/** The events of the items in the scopes; scopes without any are left out. */
export async function findAcross(
  context: EngineContext,
  scopes: readonly Scope[],
  ids: readonly ItemId[],
  options: ReadOptions,
): Promise<FoundAcross> {
  const found = new Map<Scope, Map<ItemId, OwnEvent[]>>();
  for (const some of batches([...new Set(ids)], MAX_LISTED_LABELS)) {
    const visit = (scope: Scope, event: StoredEvent) => {
      const own = readOwnEvent(scope, event);
      if (own === undefined) {
        noteMark(options.marks, scope, event);
        return;
      }
      // A label is a short digest, and anybody's: only the id itself decides.
      const { id } = own.envelope;
      if (!some.includes(id)) return;
      const items = found.get(scope) ?? new Map<ItemId, OwnEvent[]>();
      const events = items.get(id);
      if (events === undefined) items.set(id, [own]);
      else events.push(own);
      found.set(scope, items);
    };
    const labels = some.map(itemLabel);
    await walkAcross(context, scopes, { labels, visit }, options);
  }
  return found;
}
