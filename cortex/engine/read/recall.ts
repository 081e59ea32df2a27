/**
 * Recall: the items that match words best.
 *
 * Every scope is asked by itself; the answers are taken rank by rank, so that
 * no scope crowds out another. A recalled text may be cut or marked, so only
 * its label is taken from it, and the item is read from the listing.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import { type Reach, upFrom } from "../../layout/reach.ts";
import { ROOT_NODE } from "../../words.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
  type ReadReport,
} from "../context.ts";
import {
  checkFilter,
  type Filter,
  isByLabel,
  matches,
  narrowingLabels,
  toScopeQuery,
} from "./filter.ts";
import { scopesToRead } from "./find_scopes.ts";
import type { ItemId } from "../item/item.ts";
import { invalidRequest } from "../item/item_check.ts";
import { checkLimit } from "./list.ts";
import { findItemLabel, itemLabel } from "../item/lookup.ts";
import { type ReadableHit, rebuild } from "../item/rebuild.ts";
import { batches, findLabelled, NO_TEXT, type ReadOptions } from "./walk.ts";
import { findTwins, prefer, twinOf } from "./walk_items.ts";

/** What to recall. */
export interface RecallRequest {
  /** What to look for, in words. */
  readonly query: string;
  /** Which items; its reach is the root node alone when left out. */
  readonly filter: Filter;
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
  readonly items: readonly ReadableHit[];
  /** What to pass as `offset` for more; undefined when there is no more. */
  readonly nextOffset: number | undefined;
  /**
   * Whether a scope has more events that match than are looked at, so that
   * items may be missing. A listing finds those that pass the filter.
   */
  readonly isRankingCut: boolean;
}

/** The most events one scope is asked for. */
const MAX_EVENTS = 200;
/** Room for long events: of a budget's own size, one document may fill it. */
const MAX_TOKENS = 64_000;
/** Events asked for beyond the items wanted: one item may have several. */
const SPARE = 4;
/** Items that are read together. */
const READ_BATCH = 50;

/** The best items of every scope in reach. */
export async function recallItems(
  context: EngineContext,
  { query, filter, limit, offset = 0, textLimit }: RecallRequest,
  options: OperationOptions,
): Promise<Recalled> {
  checkFilter(filter);
  checkLimit(limit);
  checkQuery(query);
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw invalidRequest(`offset must be 0 or more, not ${offset}`);
  }
  const asked = toScopeQuery({ ...filter, reach: reachOf(filter) });
  const { scopes, isCut } = await scopesToRead(context, asked, options);
  const wanted = offset + limit + 1;
  const how = { ...options, textLimit };
  const found = await forEachScope(
    scopes,
    (scope) => recallScope(context, scope, { query, filter, wanted }, how),
  );
  const all = interleave(found.map(({ hits }) => hits));
  const end = offset + limit;
  return {
    items: all.slice(offset, end),
    nextOffset: all.length > end ? end : undefined,
    isRankingCut: found.some((one) => one.isCut),
    scopes: scopes.map(({ path }) => path),
    isCut,
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

/** The filter's reach; the root node and nothing below it without one. */
export function reachOf({ reach }: Filter): Reach {
  return reach ?? upFrom(ROOT_NODE);
}

interface RankedScope {
  /** Best first. */
  readonly hits: readonly ReadableHit[];
  /** Whether there are events that were not looked at. */
  readonly isCut: boolean;
}

/**
 * The best items of a scope, read only until there are enough. Where many of
 * the events are of few items, or of none that pass, more are asked for.
 */
async function recallScope(
  context: EngineContext,
  scope: Scope,
  { query, filter, wanted }: {
    readonly query: string;
    readonly filter: Filter;
    readonly wanted: number;
  },
  options: ReadOptions,
): Promise<RankedScope> {
  const hits: ReadableHit[] = [];
  const read = new Set<string>();
  const few = Math.min(wanted * SPARE, MAX_EVENTS);
  for (let maxEvents = isByLabel(filter) ? few : MAX_EVENTS;;) {
    const { events } = await context.client.recall({
      scope: scope.path,
      query,
      maxEvents,
      maxTokens: MAX_TOKENS,
      labels: narrowingLabels(filter),
      ...NO_TEXT,
    }, options);
    const labels = new Set(
      events.flatMap((event) => findItemLabel(event.labels) ?? []),
    );
    const fresh = [...labels].filter((label) => !read.has(label));
    for (const some of batches(fresh, Math.min(wanted, READ_BATCH))) {
      if (hits.length >= wanted) return { hits, isCut: false };
      hits.push(
        ...await hitsOf(context, scope, { labels: some, filter }, options),
      );
      for (const label of some) read.add(label);
    }
    const isAll = events.length < maxEvents;
    if (hits.length >= wanted || isAll) return { hits, isCut: false };
    if (maxEvents >= MAX_EVENTS) return { hits, isCut: true };
    maxEvents = MAX_EVENTS;
  }
}

/** The items with the labels that pass the filter, in the labels' order. */
async function hitsOf(
  context: EngineContext,
  scope: Scope,
  { labels, filter }: {
    readonly labels: readonly string[];
    readonly filter: Filter;
  },
  options: ReadOptions,
): Promise<readonly ReadableHit[]> {
  const found = await findLabelled(context, scope, labels, options);
  const hits = [...found.values()]
    .flatMap((own) => rebuild(scope, own, options) ?? [])
    .sort((a, b) =>
      labels.indexOf(itemLabel(a.id)) - labels.indexOf(itemLabel(b.id))
    );
  const better = await withTwins(context, scope, hits, options);
  return better.filter(({ item }) => matches(filter, item.meta));
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

/** Rank by rank through all scopes; each item at its best rank. */
function interleave(
  ranked: readonly (readonly ReadableHit[])[],
): readonly ReadableHit[] {
  const best = new Map<ItemId, ReadableHit>();
  const longest = Math.max(0, ...ranked.map((hits) => hits.length));
  for (let rank = 0; rank < longest; rank++) {
    for (const hits of ranked) {
      const hit = hits[rank];
      if (hit === undefined || best.has(hit.id)) continue;
      best.set(hit.id, { ...hit, score: 1 / (1 + rank) });
    }
  }
  return [...best.values()];
}
