/**
 * Ranking by scope, as every CortexDB can: each is asked by itself and ranks
 * its own, by means that are not known and without scores. What came is put
 * into one order by how well its words fit; what shares none, and was found by
 * its meaning, follows rank by rank.
 *
 * @module
 */

import { analyseQuery } from "../../local/analyser/analyser.ts";
import { rankTexts, type Searchable } from "../../local/analyser/rank_texts.ts";
import { type EngineContext, forEachScope } from "../context.ts";
import { narrowingLabels } from "./filter.ts";
import { findItemLabel, itemLabel } from "../item/lookup.ts";
import type { OwnEvent } from "../item/rebuild.ts";
import {
  type Candidate,
  isAdmitted,
  keyOf,
  type Place,
  placesOf,
  type Rankings,
  type RankRequest,
} from "./ranking.ts";
import { batches, findLabelled, NO_TEXT, type ReadOptions } from "./walk.ts";

/** Room for long events: of a budget's own size, one document may fill it. */
const MAX_TOKENS = 64_000;
/** What is read of an event to see how well it fits. */
const MAX_CHARACTERS = 20_000;
/** Items that are read together. */
const READ_BATCH = 50;

/** What one scope found. */
interface OfScope {
  /** For each phrasing the labels it brought up, best first. */
  readonly labels: readonly (readonly string[])[];
  /** By label, what is searched. */
  readonly texts: ReadonlyMap<string, Searchable>;
  readonly place: Place;
  readonly isFull: boolean;
}

/** Ranks. */
export async function rankByScope(
  context: EngineContext,
  request: RankRequest,
  options: ReadOptions,
): Promise<Rankings> {
  const found = await forEachScope(
    [...placesOf(request.views).values()],
    (place) => askScope(context, place, request, options),
  );
  const byPhrasing: (readonly Candidate[])[] = [];
  for (const [index, phrasing] of request.phrasings.entries()) {
    const inOrder = interleave(
      found.map((one) =>
        (one.labels[index] ?? []).flatMap((label) => {
          const text = one.texts.get(label);
          return text === undefined ? [] : [{ place: one.place, label, text }];
        })
      ),
    );
    const ranked = await rankTexts(
      analyseQuery(phrasing),
      inOrder,
      ({ text }) => text,
    );
    const fitting = ranked.map(({ candidate: { place, label }, score }) => ({
      place,
      label,
      score,
      passage: undefined,
    }));
    const keys = new Set(fitting.map(keyOf));
    const others = inOrder
      .map(({ place, label }) => ({
        place,
        label,
        score: 0,
        passage: undefined,
      }))
      .filter((one) => !keys.has(keyOf(one)));
    byPhrasing.push([...fitting, ...others]);
  }
  return {
    byPhrasing,
    isFull: found.some((one) => one.isFull),
    repaired: [],
    unindexed: 0,
  };
}

async function askScope(
  context: EngineContext,
  place: Place,
  { phrasings, maxEvents, wanted }: RankRequest,
  options: ReadOptions,
): Promise<OfScope> {
  const { scope, filters } = place;
  const labels: (readonly string[])[] = [];
  const texts = new Map<string, Searchable>();
  let isFull = false;
  for (const query of phrasings) {
    const { events } = await context.client.recall({
      scope: scope.path,
      query,
      maxEvents,
      maxTokens: MAX_TOKENS,
      labels: filters.length === 1 ? filters.flatMap(narrowingLabels) : [],
      ...NO_TEXT,
    }, options);
    isFull ||= events.length >= maxEvents;
    const own = new Set(
      events.flatMap((event) => findItemLabel(event.labels) ?? []),
    );
    const fresh = [...own].filter((label) => !texts.has(label));
    const best = new Set(events.map(({ id }) => id));
    for (const some of batches(fresh, Math.min(wanted, READ_BATCH))) {
      const admitted = [...own].filter((label) => texts.has(label));
      if (admitted.length >= wanted) break;
      const read = await findLabelled(context, scope, some, {
        ...options,
        textLimit: MAX_CHARACTERS,
      });
      for (const [id, parts] of read) {
        const [first] = parts;
        if (first === undefined || !isAdmitted(place, first)) continue;
        texts.set(itemLabel(id), searchableOf(parts, best));
      }
    }
    labels.push([...own].filter((label) => texts.has(label)));
  }
  return { labels, texts, place, isFull };
}

/** What of an item is searched: the events that were found, and all facts. */
function searchableOf(
  parts: readonly OwnEvent[],
  best: ReadonlySet<string>,
): Searchable {
  const found = parts.filter(({ eventId }) => best.has(eventId));
  const envelope = parts[0]?.envelope;
  const title = envelope?.title;
  const evidence = envelope?.evidence;
  const { tags = [], filePath, url, agentId } = envelope?.meta ?? {};
  return {
    title: typeof title === "string" ? title : undefined,
    tags: [...tags, filePath, url].filter((one) => one !== undefined)
      .join("\n"),
    meta: [typeof evidence === "string" ? evidence : undefined, agentId]
      .filter((one) => one !== undefined).join("\n"),
    text: found.map(({ text }) => text).join("\n"),
  };
}

/** Rank by rank through all scopes. */
function interleave<T>(ranked: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...ranked.map((own) => own.length));
  return Array.from({ length: longest }, (_, rank) => rank)
    .flatMap((rank) => ranked.flatMap((own) => own[rank] ?? []));
}
