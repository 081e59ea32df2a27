/**
 * Recall: the items that match words best, of all scopes in reach.
 *
 * Several phrasings are ranked each by itself and merged by reciprocal rank. A
 * recalled text may be cut or marked, so only its label is taken from it, and
 * the item is read from the listing.
 *
 * Specification: docs/spec/recall.md section 4.
 *
 * @module
 */

import type { RepairedWord } from "../../client/recall_across.ts";
import { type Reach, upFrom } from "../../layout/reach.ts";
import { MAX_ALSO_PHRASINGS, ROOT_NODE } from "../../words.ts";
import type {
  EngineContext,
  OperationOptions,
  ReadReport,
} from "../context.ts";
import { checkFilter, type Filter, isByLabel, toScopeQuery } from "./filter.ts";
import { scopesToRead } from "./find_scopes.ts";
import { fuse } from "./fuse.ts";
import { invalidRequest } from "../item/item_check.ts";
import { checkLimit } from "./list.ts";
import { rankByScope } from "./rank_by_scope.ts";
import { rankTogether } from "./rank_together.ts";
import {
  type Candidate,
  keyOf,
  type Rankings,
  type RankRequest,
  type View,
} from "./ranking.ts";
import { readCandidates, type RecalledHit } from "./recalled_items.ts";
import type { ReadOptions } from "./walk.ts";

/** What to recall. */
export interface RecallRequest {
  /** What to look for, in words. */
  readonly query: string;
  /** The same in other words or languages, at most four. */
  readonly also?: readonly string[] | undefined;
  /**
   * Which items; its reach is the root node alone when left out. Of several, an
   * item passes one.
   */
  readonly filter: Filter | readonly Filter[];
  /** The most items. */
  readonly limit: number;
  /** How many of the best to leave out. */
  readonly offset?: number | undefined;
  /** Only so many characters of each text; whole texts when left out. */
  readonly textLimit?: number | undefined;
}

/** What was recalled. */
export interface Recalled extends ReadReport {
  /** Best first. */
  readonly items: readonly RecalledHit[];
  /** What to pass as `offset` for more; undefined when there is no more. */
  readonly nextOffset: number | undefined;
  /**
   * Whether there are more events that match than are looked at, so that items
   * may be missing. A listing finds those that pass the filter.
   */
  readonly isRankingCut: boolean;
  /** Words of the query that nothing holds, and what was looked for instead. */
  readonly repaired: readonly RepairedWord[];
  /** Events that are stored and not indexed yet: they may be missing. */
  readonly unindexed: number;
  /** Whether the query has any word; without one nothing is recalled. */
  readonly hasWords: boolean;
}

/** The most events one request asks for. */
const MAX_EVENTS = 200;
/** Events asked for beyond the items wanted: one item may have several. */
const SPARE = 4;
const WORD_REGEXP = /[\p{L}\p{N}]/u;

/** The best items of every scope in reach. */
export async function recallItems(
  context: EngineContext,
  request: RecallRequest,
  options: OperationOptions,
): Promise<Recalled> {
  const { query, also = [], limit, offset = 0, textLimit } = request;
  const filters = [request.filter].flat();
  filters.forEach(checkFilter);
  checkLimit(limit);
  checkQuery(query);
  if (also.length > MAX_ALSO_PHRASINGS) {
    throw invalidRequest(
      `A recall has at most ${MAX_ALSO_PHRASINGS} other phrasings, not ${also.length}`,
    );
  }
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw invalidRequest(`offset must be 0 or more, not ${offset}`);
  }
  const views = await viewsOf(context, filters, options);
  const phrasings = [...new Set([query, ...also])]
    .filter((one) => WORD_REGEXP.test(one));
  const end = offset + limit;
  const { items, isCut, repaired, unindexed } = phrasings.length === 0
    ? { items: [], isCut: false, repaired: [], unindexed: 0 }
    : await recallPhrasings(
      context,
      { phrasings, views, wanted: end + 1 },
      { ...options, textLimit },
    );
  return {
    items: items.slice(offset, end),
    nextOffset: items.length > end ? end : undefined,
    isRankingCut: isCut,
    repaired,
    unindexed,
    hasWords: phrasings.length > 0,
    scopes: [
      ...new Set(views.flatMap(({ scopes }) => scopes.map(({ path }) => path))),
    ],
    isCut: views.some((view) => view.isCut),
    sandboxes: [...new Set(views.flatMap((view) => view.sandboxes))],
  };
}

/**
 * Refuses a query without words.
 *
 * @throws {CortexRefusalError} `invalid_request`
 */
export function checkQuery(query: string): void {
  if (query.trim() === "") throw invalidRequest("The query is blank");
}

/** For each filter the scopes in its reach: the root node's without one. */
export async function viewsOf(
  context: EngineContext,
  filters: readonly Filter[],
  options: OperationOptions,
): Promise<readonly View[]> {
  return await Promise.all(filters.map(async (filter) => {
    const reach: Reach = filter.reach ?? upFrom(ROOT_NODE);
    const asked = toScopeQuery({ ...filter, reach });
    return { filter, ...await scopesToRead(context, asked, options) };
  }));
}

/**
 * The items of all phrasings, read only until there are enough. Where many of
 * the events are of few items, or of none that pass, more are asked for.
 */
async function recallPhrasings(
  context: EngineContext,
  request: Omit<RankRequest, "maxEvents">,
  options: ReadOptions,
): Promise<
  & { readonly items: readonly RecalledHit[]; readonly isCut: boolean }
  & Pick<Rankings, "repaired" | "unindexed">
> {
  const { views, wanted } = request;
  const few = Math.min(wanted * SPARE, MAX_EVENTS);
  const isByLabels = views.every(({ filter }) => isByLabel(filter));
  for (let maxEvents = isByLabels ? few : MAX_EVENTS;; maxEvents = MAX_EVENTS) {
    const { byPhrasing, isFull, repaired, unindexed } = await rank(context, {
      ...request,
      maxEvents,
    }, options);
    const candidates = withBestScores(fuse(byPhrasing, keyOf), byPhrasing);
    const items = await readCandidates(context, candidates, wanted, options);
    const isEnough = items.length >= wanted || !isFull;
    if (isEnough || maxEvents >= MAX_EVENTS) {
      return { items, isCut: !isEnough, repaired, unindexed };
    }
  }
}

/** All scopes together, where the other side can. */
async function rank(
  context: EngineContext,
  request: RankRequest,
  options: ReadOptions,
): Promise<Rankings> {
  return await rankTogether(context, request, options) ??
    await rankByScope(context, request, options);
}

/** Each candidate with the best that a phrasing says of it. */
function withBestScores(
  candidates: readonly Candidate[],
  byPhrasing: readonly (readonly Candidate[])[],
): readonly Candidate[] {
  if (byPhrasing.length === 1) return candidates;
  const best = new Map<string, Candidate>();
  for (const candidate of byPhrasing.flat()) {
    const known = best.get(keyOf(candidate));
    if (known === undefined || known.score < candidate.score) {
      best.set(keyOf(candidate), candidate);
    }
  }
  return candidates.map((one) => best.get(keyOf(one)) ?? one);
}
