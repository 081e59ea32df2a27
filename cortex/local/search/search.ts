/**
 * Search: the events of some scopes that fit a query best, in one order.
 *
 * The log tells how often each word is met, and gives the passages that have
 * the rarer ones, roughly in order; the best of them are ranked here.
 *
 * Specification: docs/spec/recall.md sections 3 and 5.
 *
 * @module
 */
import {
  type AnalysedQuery,
  analyseQuery,
  type QueryTerm,
} from "../analyser/analyser.ts";
import {
  createRanker,
  FIELD_WEIGHTS,
  type Occurrences,
  type Statistics,
} from "../analyser/rank.ts";
import type {
  EventLog,
  LogCandidate,
  LogFilter,
  LogFrequencies,
  LogNearest,
  LogPlace,
} from "../port.ts";
import type { QueryVectors } from "../embeddings/query_vectors.ts";
import { blend } from "./blend.ts";
import { inOrder, type RankedHit, type SearchHit } from "./ranked_hit.ts";
import type { Indexing } from "./indexer.ts";
import { findSimilar } from "./repair.ts";
import { type CountedTerm, isPhraseOnly, soughtOf, termsOf } from "./sought.ts";

export type { SearchHit } from "./ranked_hit.ts";

/** What to search for. */
export interface SearchRequest {
  /** The scopes, all of one root; at least one. */
  readonly scopes: readonly string[];
  /** What to look for. */
  readonly query: string;
  /** Which events. */
  readonly filter: LogFilter;
  /** Events at most. */
  readonly limit: number;
}

/** An unknown word, and the terms that were looked for instead. */
export interface Repair {
  /** The word, as asked. */
  readonly word: string;
  /** Terms like it. */
  readonly terms: readonly string[];
}

/** What a search found. */
export interface Found {
  /** The events, best first. */
  readonly hits: readonly SearchHit[];
  /** Whether more fit. */
  readonly hasMore: boolean;
  /** Words that nothing has. */
  readonly repairs: readonly Repair[];
  /** Whether the query has no word at all. */
  readonly isWordless: boolean;
  /** Events of the root that are not indexed yet. */
  readonly unindexed: number;
}

/** Words of a query that are looked for; what follows is left out. */
const MAX_TERMS = 32;
/** Unknown words that are repaired. */
const MAX_REPAIRS = 4;
/** Passages that are ranked exactly. */
const MIN_RANKED = 60;
/** Events that are looked for by meaning. */
const MIN_NEAR = 20;

/** Nothing waited for it. */
const INDEXED: Promise<Indexing> = Promise.resolve({
  left: 0,
  isChanged: false,
});

/**
 * Searches: by words, and by meaning where queries have vectors. What is being
 * indexed is waited for, and found.
 */
export async function search(
  log: EventLog,
  request: SearchRequest,
  { vectors, indexing = INDEXED }: {
    readonly vectors?: QueryVectors | undefined;
    readonly indexing?: Promise<Indexing> | undefined;
  } = {},
): Promise<Found> {
  const [found, nearest] = await Promise.all([
    searchWords(log, request, indexing),
    searchMeaning(log, request, vectors),
  ]);
  const hits = inOrder(
    nearest === undefined ? found.hits : blend(found.hits, nearest),
  );
  return {
    ...found,
    hits: hits.slice(0, request.limit),
    hasMore: hits.length > request.limit,
  };
}

async function searchWords(
  log: EventLog,
  { scopes, filter, limit, query: text }: SearchRequest,
  indexing: Promise<Indexing>,
): Promise<
  Pick<Found, "repairs" | "isWordless" | "unindexed"> & {
    readonly hits: readonly RankedHit[];
  }
> {
  // Most often there is nothing to index, and the words are counted by then.
  const [early, { left: unindexed, isChanged }] = await Promise.all([
    readQuery(log, scopes, text),
    indexing,
  ]);
  const read = isChanged ? await readQuery(log, scopes, text) : early;
  const { query, statistics, repairs } = read;
  const isWordless = query.terms.length === 0;
  const sought = soughtOf(read.terms, statistics);
  if (sought.groups.length === 0 && sought.newest === 0) {
    return { repairs, isWordless, unindexed, hits: [] };
  }
  const { further, ...first } = sought;
  const find = (what: typeof first) =>
    log.candidates({
      scopes,
      filter,
      ...what,
      meanLength: statistics.meanLength,
      limit: Math.max(MIN_RANKED, 2 * limit),
    });
  const found = await find(first);
  // What has the rarer words may all be left out by the filter.
  const isLeftOut = found.length === 0 && further > 0;
  const candidates = isLeftOut
    ? await find({ ...first, groups: [], newest: further })
    : found;
  const hits = rank(candidates, query, statistics);
  return { repairs, isWordless, unindexed, hits };
}

/** What is near in meaning; undefined: the query has no vector. */
async function searchMeaning(
  log: EventLog,
  { scopes, filter, limit, query }: SearchRequest,
  vectors: QueryVectors | undefined,
): Promise<LogNearest | undefined> {
  const vector = await vectors?.of(query);
  if (vector === undefined) return undefined;
  const near = Math.max(MIN_NEAR, limit);
  return await log.nearest({ scopes, filter, ...vector, limit: near });
}

/** A query with what is known of its words, for ranking by it. */
export async function readQuestion(
  log: EventLog,
  scopes: readonly string[],
  text: string,
): Promise<Pick<ReadQuery, "query" | "statistics">> {
  const { query, statistics, repairs } = await readQuery(log, scopes, text);
  // A word that stands nowhere is what the question is about, whatever it was
  // looked for under: an answer about something else does not cover it.
  const unknown = new Set(repairs.map(({ word }) => word));
  return {
    query,
    statistics: {
      ...statistics,
      frequency: (term) =>
        unknown.has(term.word) ? 0 : statistics.frequency(term),
    },
  };
}

interface ReadQuery {
  readonly query: AnalysedQuery;
  readonly statistics: Statistics;
  readonly terms: readonly CountedTerm[];
  readonly repairs: readonly Repair[];
}

async function readQuery(
  log: EventLog,
  scopes: readonly string[],
  text: string,
): Promise<ReadQuery> {
  const asked = limited(analyseQuery(text));
  const counted = await count(log, scopes, asked.terms);
  const { terms, repairs } = await repair(log, scopes, counted);
  const frequencies = new Map(terms.map((one) => [one.term, one.frequency]));
  return {
    query: { ...asked, terms: terms.map(({ term }) => term) },
    statistics: {
      count: Math.max(1, counted.passages),
      meanLength: Math.max(1, counted.meanLength),
      frequency: (term) => frequencies.get(term) ?? 0,
    },
    terms,
    repairs,
  };
}

interface Counted extends Omit<LogFrequencies, "frequencies"> {
  readonly terms: readonly CountedTerm[];
}

function limited(query: AnalysedQuery): AnalysedQuery {
  return { ...query, terms: query.terms.slice(0, MAX_TERMS) };
}

async function count(
  log: EventLog,
  scopes: readonly string[],
  terms: readonly QueryTerm[],
): Promise<Counted> {
  const isPhrase = isPhraseOnly(terms);
  const asked = terms.filter(({ isStop }) => isPhrase || !isStop);
  const { frequencies, ...figures } = await log.frequencies({
    scopes,
    queries: asked.map(termsOf),
  });
  return {
    ...figures,
    terms: terms.map((term) => {
      const place = asked.indexOf(term);
      // A word that says nothing is everywhere.
      const frequency = place < 0 ? figures.passages : frequencies[place] ?? 0;
      return { term, frequency };
    }),
  };
}

/** Gives unknown words the terms that are spelt like them. */
async function repair(
  log: EventLog,
  scopes: readonly string[],
  { terms }: Counted,
): Promise<
  { readonly terms: readonly CountedTerm[]; readonly repairs: Repair[] }
> {
  const [scope = ""] = scopes;
  const unknown = terms.filter(({ term, frequency }) =>
    frequency === 0 && !term.isStop && !term.isBonus
  );
  if (unknown.length === 0) return { terms, repairs: [] };
  const similar = await Promise.all(
    unknown.slice(0, MAX_REPAIRS)
      .map(({ term }) => findSimilar(log, scope, term)),
  );
  // What stands in other scopes only is none of the asker's business.
  const { frequencies } = await log.frequencies({
    scopes,
    queries: similar.flatMap((ones) => ones.map(({ term }) => [term])),
  });
  let place = 0;
  const repaired = new Map<QueryTerm, CountedTerm>();
  const repairs = unknown.map(({ term }, index): Repair => {
    const there = (similar[index] ?? []).flatMap((one) => {
      const frequency = frequencies[place++] ?? 0;
      return frequency > 0 ? [{ ...one, frequency }] : [];
    });
    if (there.length > 0) {
      repaired.set(term, {
        term: {
          ...term,
          alternatives: new Map(
            there.map((one) => [one.term, one.quality]),
          ),
        },
        frequency: there.reduce((sum, one) => sum + one.frequency, 0),
      });
    }
    return { word: term.word, terms: there.map((one) => one.term) };
  });
  return {
    terms: terms.map((one) => repaired.get(one.term) ?? one),
    repairs,
  };
}

/** The events of the passages, each with its best passage. */
function rank(
  candidates: readonly LogCandidate[],
  query: AnalysedQuery,
  statistics: Statistics,
): readonly RankedHit[] {
  const rate = createRanker(query, statistics);
  const best = new Map<string, RankedHit>();
  for (const { id, observedAt, from, characters, ...facts } of candidates) {
    const fit = rate({
      length: facts.length,
      occurrences: (term) =>
        occurrencesOf([
          ...facts.terms.get(term) ?? [],
          ...(facts.head.get(term) ?? [])
            .filter(({ field }) => field !== "text"),
        ]),
    });
    if (fit.score <= (best.get(id)?.score ?? 0)) continue;
    best.set(id, { id, observedAt, from, characters, ...fit, likeness: 0 });
  }
  return [...best.values()];
}

function occurrencesOf(places: readonly LogPlace[]): Occurrences | undefined {
  if (places.length === 0) return undefined;
  return {
    worth: places.reduce((sum, { field }) => sum + FIELD_WEIGHTS[field], 0),
    positions: places.map(({ at }) => at),
  };
}
