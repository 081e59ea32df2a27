/**
 * The items of a scope that carry labels, conversations by their beginnings
 * where those are told.
 *
 * @module
 */

import type { EventId } from "../../client/wire.ts";
import type { Scope } from "../../layout/layouts.ts";
import type { EngineContext } from "../context.ts";
import { rebuildFolded } from "../item/folded.ts";
import { itemLabel } from "../item/lookup.ts";
import type { ItemId } from "../item/item.ts";
import {
  type OwnEvent,
  type ReadableHit,
  readOwnEvent,
  rebuild,
} from "../item/rebuild.ts";
import { MAX_LISTED_LABELS } from "../../client/request_checks.ts";
import {
  batches,
  findItemEvents,
  noteMark,
  type ReadOptions,
  walkEvents,
} from "./walk.ts";
import { isFoldable } from "./walk_items.ts";

/** The items with any of the item labels, and of folded ones these turns. */
export async function findHits(
  context: EngineContext,
  scope: Scope,
  labels: readonly string[],
  { turns = [], ...options }: ReadOptions & {
    readonly turns?: readonly EventId[];
  },
): Promise<readonly ReadableHit[]> {
  const hits: ReadableHit[] = [];
  const unfolded = new Map<ItemId, OwnEvent[]>();
  const doubtful = new Set<ItemId>();
  const foldWith = isFoldable(scope, options) ? turns : undefined;
  for (const some of batches(labels, MAX_LISTED_LABELS)) {
    const walk = { labels: some, foldWith };
    for await (const { event } of walkEvents(context, scope, walk, options)) {
      const own = readOwnEvent(scope, event);
      if (own === undefined) {
        noteMark(options.marks, scope, event);
        continue;
      }
      const { envelope: { id } } = own;
      // Somebody may have put an item's label on another one's event.
      if (!some.includes(itemLabel(id))) continue;
      if (event.fold === undefined) {
        const events = unfolded.get(id);
        if (events === undefined) unfolded.set(id, [own]);
        else events.push(own);
        continue;
      }
      const hit = rebuildFolded(scope, own, event.fold, options);
      if (hit === undefined) doubtful.add(id);
      else hits.push(hit);
    }
  }
  const read = await findItemEvents(context, scope, [...doubtful], options);
  const rebuilt = [...unfolded.values(), ...read.values()]
    .flatMap((events) => rebuild(scope, events, options) ?? []);
  return [...hits, ...rebuilt];
}
