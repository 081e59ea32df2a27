/**
 * Answers in words, from recalled packs.
 *
 * A pack confines what an answer may use. Packs live for about a minute and
 * any forgetting drops them all: then they are built anew, a few times.
 *
 * @module
 */

import { CortexRefusalError, CortexUnavailableError } from "../../errors.ts";
import type { ScopePath } from "../../layout/scope.ts";
import type { Marks } from "../item/mark.ts";
import type {
  Answer,
  EventId,
  PackId,
  StoredEvent,
} from "../../client/wire.ts";
import { analyseQuery } from "../../local/analyser/analyser.ts";
import { rankTexts } from "../../local/analyser/rank_texts.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
  type ReadReport,
} from "../context.ts";
import {
  checkFilter,
  type Filter,
  matches,
  narrowingLabels,
} from "./filter.ts";
import type { ItemId } from "../item/item.ts";
import { findItemLabel } from "../item/lookup.ts";
import { readOwnEvent } from "../item/rebuild.ts";
import { checkQuery, viewsOf } from "./recall.ts";
import { requestsOf } from "./rank_together.ts";
import { type Place, placesOf, type View } from "./ranking.ts";
import { findHits } from "./find_hits.ts";
import { NO_TEXT } from "./walk.ts";

/** What to answer. */
export interface AnswerRequest {
  /** The question. */
  readonly question: string;
  /**
   * What the answer may rest on; its reach is the root node when left out. Of
   * several, an item passes one.
   */
  readonly filter: Filter | readonly Filter[];
}

/** An answer. */
export interface Answered extends ReadReport {
  /** The words; undefined when nothing was found to answer from. */
  readonly text: string | undefined;
  /** What wrote them. */
  readonly model: string | undefined;
  /**
   * The items found for the question, each once; first those that the words
   * rest on, the best of them first.
   */
  readonly cited: readonly ItemId[];
}

const MAX_ROUNDS = 3;
const PACK_EVENTS = 20;
/** What is read of an event to see how well it fits. */
const MAX_CHARACTERS = 4_000;

interface OwnPack {
  /** A scope that the pack was recalled from. */
  readonly scope: ScopePath;
  readonly packId: PackId;
  readonly events: readonly StoredEvent[];
  /** The items of its events; none where one of them is not meant. */
  readonly ids: readonly ItemId[];
  /** Those of its events that are meant, where that is not all. */
  readonly eventIds?: readonly EventId[] | undefined;
}

/** Answers from what fits best, of all scopes where they are ranked together. */
export async function answerQuestion(
  context: EngineContext,
  { question, filter }: AnswerRequest,
  options: OperationOptions,
): Promise<Answered> {
  const filters = [filter].flat();
  filters.forEach(checkFilter);
  checkQuery(question);
  const views = await viewsOf(context, filters, options);
  const places = placesOf(views);
  const reading = {
    scopes: [...places.values()].map(({ scope }) => scope.path),
    isCut: views.some((view) => view.isCut),
  };
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const packs = await buildPacks(context, views, question, options);
    const best = await bestOf(packs, question);
    // Markers in the words count through the pack that they rest on.
    const cited = [
      ...new Set([best, ...packs].flatMap((pack) => pack?.ids ?? [])),
    ];
    if (best === undefined) {
      return { text: undefined, model: undefined, cited, ...reading };
    }
    const answer = await ask(context, best, question, options);
    if (answer === undefined) continue;
    return { text: answer.text, model: answer.model, cited, ...reading };
  }
  throw new CortexUnavailableError(
    `Not answered: what was recalled was gone again ${MAX_ROUNDS} times; ask again`,
    { attempts: MAX_ROUNDS },
  );
}

/** One pack of all scopes, where that is possible; else one of each. */
async function buildPacks(
  context: EngineContext,
  views: readonly View[],
  question: string,
  options: OperationOptions,
): Promise<readonly OwnPack[]> {
  const asked = { textLimit: MAX_CHARACTERS, maxEvents: PACK_EVENTS };
  const places = placesOf(views);
  const [request, ...others] = requestsOf(views);
  const isOne = request !== undefined && others.length === 0;
  const across = isOne
    ? await context.client.recallAcross(
      { ...request, ...NO_TEXT, query: question, maxEvents: PACK_EVENTS },
      options,
    )
    : undefined;
  if (across !== undefined) {
    const events = across.ranked.map(({ event }) => event);
    const ids = await itemsOf(context, places, events, options);
    const scope = events[0]?.scope ?? request?.scopes[0];
    if (scope === undefined) return [];
    const { packId } = across;
    const meant = events.filter((_, index) => ids[index] !== undefined);
    const isAll = meant.length === events.length;
    return [{
      scope: scope as ScopePath, // As it was asked for.
      packId,
      events: meant,
      ids: ids.filter((id) => id !== undefined),
      eventIds: isAll ? undefined : meant.map(({ id }) => id),
    }];
  }
  const found = await forEachScope([...places.values()], async (place) => {
    const { scope: { path }, filters } = place;
    const { packId, events } = await context.client.recall({
      scope: path,
      ...asked,
      query: question,
      labels: filters.length === 1 ? filters.flatMap(narrowingLabels) : [],
    }, options);
    const own = new Map([[path, place]]);
    const ids = await itemsOf(context, own, events, options);
    // An answer rests on the whole pack: one with strangers is no source.
    const isOurs = ids.every((id) => id !== undefined);
    return { scope: path, packId, events, ids: isOurs ? ids : [] };
  });
  return found;
}

/**
 * For each event its item; undefined for one that is not ours or not meant. A
 * recalled text may be cut or marked, so the listing says what it is.
 */
async function itemsOf(
  context: EngineContext,
  places: ReadonlyMap<string, Place>,
  events: readonly StoredEvent[],
  options: OperationOptions,
): Promise<readonly (ItemId | undefined)[]> {
  const admitted = new Map<EventId, ItemId>();
  const marks: Marks = new Map();
  const byPlace = Map.groupBy(events, ({ scope }) => placeAt(places, scope));
  await Promise.all([...byPlace].map(async ([place, own]) => {
    if (place === undefined) return;
    const { scope, filters } = place;
    const labels = own.flatMap((event) => findItemLabel(event.labels) ?? []);
    const hits = await findHits(context, scope, [...new Set(labels)], {
      ...options,
      ...NO_TEXT,
      marks,
      turns: own.map(({ id }) => id),
    });
    for (const { id, item: { meta }, parts } of hits) {
      // What is replaced is no source any more.
      const isSource = !marks.has(id) &&
        filters.some((filter) => matches(filter, meta));
      if (!isSource) continue;
      for (const { eventId } of parts) admitted.set(eventId, id);
      // There may be several copies, of which one is read.
      for (const event of own) {
        const { envelope } = readOwnEvent(scope, event) ?? {};
        if (envelope?.id === id) admitted.set(event.id, id);
      }
    }
  }));
  return events.map(({ id }) => admitted.get(id));
}

/** The place of a path, which a backend may show with the tenant in front. */
function placeAt(
  places: ReadonlyMap<string, Place>,
  path: string | undefined,
): Place | undefined {
  const [only, ...others] = places.values();
  if (path === undefined) return others.length === 0 ? only : undefined;
  return places.get(path) ??
    [...places].find(([own]) => path.endsWith(`/${own}`))?.[1];
}

/** The pack with the event that fits best; else the one that has most. */
async function bestOf(
  packs: readonly OwnPack[],
  question: string,
): Promise<OwnPack | undefined> {
  const sources = packs.filter(({ ids }) => ids.length > 0);
  if (sources.length < 2) return sources[0];
  const [best] = await rankTexts(
    analyseQuery(question),
    sources.flatMap((own) => own.events.map(({ text }) => ({ own, text }))),
    ({ text }) => ({ text }),
  );
  return best?.candidate.own ??
    sources.toSorted((a, b) => b.ids.length - a.ids.length)[0];
}

/** The answer; undefined when the pack is gone. */
async function ask(
  { client }: EngineContext,
  { scope, packId, eventIds }: OwnPack,
  question: string,
  options: OperationOptions,
): Promise<Answer | undefined> {
  try {
    return await client.answer({ scope, packId, eventIds, question }, options);
  } catch (error) {
    const isGone = error instanceof CortexRefusalError &&
      (error.reason === "not_found" || error.errorCode === "MISSING_PACK");
    if (!isGone) throw error;
    return undefined;
  }
}
