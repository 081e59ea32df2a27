/**
 * From candidates to items: read from the listing, held against the filter,
 * one for each statement.
 *
 * @module
 */

import type { FitReasons } from "../../client/recall_across.ts";
import { countCharacters } from "../../characters.ts";
import type { Scope } from "../../layout/layouts.ts";
import type { EngineContext } from "../context.ts";
import { matches } from "./filter.ts";
import type { ItemId } from "../item/item.ts";
import { itemLabel } from "../item/lookup.ts";
import type { Marks } from "../item/mark.ts";
import { type ReadableHit, rebuild } from "../item/rebuild.ts";
import { type Candidate, keyOf } from "./ranking.ts";
import { statementOf } from "./same_statement.ts";
import { findHits } from "./find_hits.ts";
import { batches, type ReadOptions } from "./walk.ts";
import { findTwins, prefer, twinOf } from "./walk_items.ts";

/** A part of an item's text. */
export interface HitPassage {
  /** Where it begins in the text, in characters. */
  readonly offset: number;
  /** The part. */
  readonly text: string;
}

/** An item that was recalled. */
export interface RecalledHit extends ReadableHit {
  /** Why it fits as well as it does, where that is known. */
  readonly reasons: FitReasons | undefined;
  /** The part of a long text that fits best, where one is known. */
  readonly passage: HitPassage | undefined;
  /** Items that say the same and fit no better; they are left out. */
  readonly sameAs: readonly ItemId[];
}

/** Items that are read together. */
const READ_BATCH = 50;

/** The items of the candidates, in their order, until there are enough. */
export async function readCandidates(
  context: EngineContext,
  candidates: readonly Candidate[],
  wanted: number,
  options: ReadOptions,
): Promise<readonly RecalledHit[]> {
  const kept = new Map<string, RecalledHit>();
  const seen = new Set<ItemId>();
  for (const some of batches(candidates, Math.min(wanted, READ_BATCH))) {
    if (kept.size >= wanted) break;
    const found = await readBatch(context, some, options);
    for (const candidate of some) {
      for (const hit of found.get(keyOf(candidate)) ?? []) {
        if (seen.has(hit.id)) continue;
        seen.add(hit.id);
        const statement = statementOf(hit);
        const first = kept.get(statement);
        kept.set(
          statement,
          first === undefined
            ? {
              ...hit,
              score: candidate.score,
              reasons: candidate.reasons,
              passage: passageOf(hit, candidate),
              sameAs: [],
            }
            : { ...first, sameAs: [...first.sameAs, hit.id] },
        );
      }
    }
  }
  return [...kept.values()].slice(0, wanted);
}

/** By candidate, the items that carry its label and pass the filter. */
async function readBatch(
  context: EngineContext,
  candidates: readonly Candidate[],
  options: ReadOptions,
): Promise<ReadonlyMap<string, readonly ReadableHit[]>> {
  const byKey = new Map<string, ReadableHit[]>();
  const byScope = Map.groupBy(candidates, ({ place }) => place);
  await Promise.all(
    [...byScope].map(async ([place, own]) => {
      const labels = [...new Set(own.map(({ label }) => label))];
      const marks: Marks = new Map();
      const how = { ...options, marks };
      const turns = own.flatMap(({ passage }) => passage?.eventId ?? []);
      const found = await findHits(context, place.scope, labels, {
        ...how,
        turns,
      });
      const hits = await withTwins(context, place.scope, found, how);
      for (const hit of hits) {
        if (marks.has(hit.id)) continue;
        const { meta } = hit.item;
        if (!place.filters.some((filter) => matches(filter, meta))) continue;
        const key = `${place.scope.path} ${itemLabel(hit.id)}`;
        byKey.set(key, [...byKey.get(key) ?? [], hit]);
      }
    }),
  );
  return byKey;
}

/** Of an item that the other root holds as well, the better copy. */
async function withTwins(
  context: EngineContext,
  scope: Scope,
  hits: readonly ReadableHit[],
  options: ReadOptions,
): Promise<readonly ReadableHit[]> {
  const twin = twinOf(context, scope);
  if (twin === undefined) return hits;
  if (scope.below === "root") {
    return await Promise.all(
      hits.map((hit) => prefer(context, scope, hit, options)),
    );
  }
  const ids = hits.map(({ id }) => id);
  const twins = await findTwins(context, scope, ids, options);
  return hits.map((hit) => {
    const other = rebuild(twin, twins.get(hit.id) ?? [], options);
    return other?.isWhole === true || (other !== undefined && !hit.isWhole)
      ? other
      : hit;
  });
}

/** The candidate's passage, where the item's text has it. */
function passageOf(
  { parts }: ReadableHit,
  { passage }: Candidate,
): HitPassage | undefined {
  const part = parts.find(({ eventId }) => eventId === passage?.eventId);
  if (passage === undefined || part === undefined) return undefined;
  const { from, text } = passage;
  return { offset: part.start + countCharacters(part.lead) + from, text };
}
