/**
 * Ranking all scopes in one request, which our own service does: an item's
 * score is how well it fits, wherever it lies.
 *
 * @module
 */

import {
  MAX_SCOPES_ACROSS,
  type RankedPack,
  type RecallAcrossQuery,
} from "../../client/recall_across.ts";
import type { EngineContext } from "../context.ts";
import { narrowingLabels } from "./filter.ts";
import { findItemLabel } from "../item/lookup.ts";
import {
  type Candidate,
  type Place,
  placesOf,
  type Rankings,
  type RankRequest,
  type View,
} from "./ranking.ts";
import { batches, NO_TEXT, type ReadOptions } from "./walk.ts";

/** Ranks; undefined where the other side cannot. */
export async function rankTogether(
  { client }: EngineContext,
  { phrasings, views, maxEvents }: RankRequest,
  options: ReadOptions,
): Promise<Rankings | undefined> {
  const requests = requestsOf(views);
  // All at once: a phrasing more costs the caller no time of its own.
  const answers = await Promise.all(
    phrasings.map((query) =>
      Promise.all(requests.map((request) => {
        const asked = { ...request, query, maxEvents, ...NO_TEXT };
        return client.recallAcross(asked, options);
      }))
    ),
  );
  const found = answers.map((packs) =>
    packs.filter((pack) => pack !== undefined)
  );
  if (answers.flat().length > found.flat().length) return undefined;
  const places = placesOf(views);
  return {
    byPhrasing: found.map((packs) => candidatesOf(places, packs)),
    isFull: found.flat().some(({ hasMore }) => hasMore),
    repaired: found[0]?.flatMap(({ repaired }) => repaired) ?? [],
    unindexed: Math.max(0, ...found.flat().map(({ unindexed }) => unindexed)),
  };
}

/** A request for each way of narrowing, and for each root. */
export function requestsOf(
  views: readonly View[],
): readonly Pick<RecallAcrossQuery, "scopes" | "labels">[] {
  const ways = Map.groupBy(
    views,
    ({ filter }) => narrowingLabels(filter).join(),
  );
  return [...ways.values()].flatMap((own) => {
    const labels = [
      ...new Set(own.flatMap(({ filter }) => narrowingLabels(filter))),
    ];
    const scopes = new Set(own.flatMap((view) => view.scopes));
    const paths = new Map([...scopes].map((scope) => [scope.path, scope]));
    return [...Map.groupBy(paths.values(), ({ below }) => below).values()]
      .flatMap((all) => batches(all, MAX_SCOPES_ACROSS))
      .map((some) => ({ scopes: some.map(({ path }) => path), labels }));
  });
}

/** Each item at the best of its events. */
function candidatesOf(
  places: ReadonlyMap<string, Place>,
  packs: readonly RankedPack[],
): readonly Candidate[] {
  const ranked = packs.flatMap((pack) => pack.ranked);
  // Stable: of equals the one that came first.
  const events = packs.length < 2
    ? ranked
    : ranked.toSorted((a, b) => b.score - a.score);
  return events.flatMap(({ event, score, passage, ...why }) => {
    const place = places.get(event.scope ?? "");
    const label = findItemLabel(event.labels);
    if (place === undefined || label === undefined) return [];
    return [{
      place,
      label,
      score,
      reasons: {
        coverage: why.coverage,
        words: why.words,
        likeness: why.likeness,
      },
      passage: passage && { ...passage, eventId: event.id },
    }];
  });
}
