/**
 * How well a text fits a query: BM25 over its fields, and how close together
 * the words of the query stand.
 *
 * Specification: docs/spec/recall.md section 3.
 *
 * @module
 */
import type { AnalysedQuery, QueryTerm } from "./analyser.ts";

/** What parts of an item are searched, and what a word in each counts. */
export const FIELD_WEIGHTS = {
  /** Its title. */
  title: 1.6,
  /** Tags, file path and url. */
  tags: 1.3,
  /** Evidence, speaker and other facts around it. */
  meta: 0.7,
  /** The text itself. */
  text: 1,
} as const;

/** A part of an item that is searched. */
export type Field = keyof typeof FIELD_WEIGHTS;

/** Where a term stands in an item. */
export interface Occurrences {
  /** Sum of the weights of its fields, each occurrence counted. */
  readonly worth: number;
  /** Places in the text, ascending. */
  readonly positions: readonly number[];
}

/** What is known of one text. */
export interface RankedFacts {
  /** Words of it that say something. */
  readonly length: number;
  /** Of every term that a query looks for, where it stands. */
  occurrences(term: string): Occurrences | undefined;
}

/** What is known of all texts together. */
export interface Statistics {
  /** How many texts there are. */
  readonly count: number;
  /** Mean of their lengths. */
  readonly meanLength: number;
  /** In how many of them a term of the query stands. */
  frequency(term: QueryTerm): number;
}

/** How well a text fits. */
export interface Fit {
  /** Relevance from 0 to 1; 0: it shares no word that says something. */
  readonly score: number;
  /** Share of the query that the text covers, by weight, from 0 to 1. */
  readonly coverage: number;
  /** Words of the query that it has, in their order; those that say nothing are left out. */
  readonly words: readonly string[];
}

/** How soon further occurrences of a word stop to count. */
const K1 = 0.6;
/** How much a long text is held against its words. */
const B = 0.4;
/** What words side by side add, beside what they count by themselves. */
const CLOSENESS = 0.2;
/** Words further apart than this are not close. */
const MAX_DISTANCE = 8;
/** What a name counts in a score, beside another word. */
const NAME = 1.2;
/** What a word counts that says nothing, where nothing else is asked. */
const STOP_IDF = 0.1;

/** How much a word says that stands in so many of the texts. */
export function inverseFrequency(count: number, frequency: number): number {
  return Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5));
}

/** Builds the function that rates one text after the other. */
export function createRanker(
  { terms }: AnalysedQuery,
  statistics: Statistics,
): (facts: RankedFacts) => Fit {
  const isPhraseOnly = terms.every(({ isStop, isBonus }) => isStop || isBonus);
  const weighed = terms.map((term) => ({
    term,
    weight: term.isStop
      ? (isPhraseOnly ? STOP_IDF * term.weight : 0)
      : term.weight *
        inverseFrequency(statistics.count, statistics.frequency(term)),
  }));
  const total = weighed.reduce(
    (sum, { term, weight }) => term.isBonus ? sum : sum + weight,
    0,
  );
  return (facts) => {
    let found = 0;
    let covered = 0;
    const words: string[] = [];
    const norm = 1 - B + B * facts.length / Math.max(1, statistics.meanLength);
    const places: Place[] = [];
    for (const { term, weight } of weighed) {
      const best = bestOf(term, facts);
      if (best === undefined) continue;
      places.push({ term, weight, positions: best.positions });
      const share = best.worth / (best.worth + K1 * norm);
      found += (term.isName ? NAME : 1) * weight * best.quality * share;
      if (term.isBonus) continue;
      covered += weight * best.quality;
      if (weight > 0) words.push(term.word);
    }
    if (words.length === 0 || total === 0) {
      return { score: 0, coverage: 0, words: [] };
    }
    const close = Math.min(1, closenessOf(places) / total);
    const score = (found / total + CLOSENESS * close) / (1 + CLOSENESS);
    return {
      score: Math.min(1, score),
      coverage: Math.min(1, covered / total),
      words,
    };
  };
}

interface Place {
  readonly term: QueryTerm;
  readonly weight: number;
  readonly positions: readonly number[];
}

function bestOf(
  { alternatives }: QueryTerm,
  facts: RankedFacts,
): (Occurrences & { readonly quality: number }) | undefined {
  let best: (Occurrences & { readonly quality: number }) | undefined;
  for (const [term, quality] of alternatives) {
    const found = facts.occurrences(term);
    if (found === undefined) continue;
    const isBetter = best === undefined ||
      quality * found.worth > best.quality * best.worth;
    if (isBetter) best = { ...found, quality };
  }
  return best;
}

/** What neighbours of the query add that are neighbours in the text, too. */
function closenessOf(places: readonly Place[]): number {
  const row = places.filter(({ term, positions }) =>
    !term.isBonus && positions.length > 0
  );
  let sum = 0;
  for (const [index, here] of row.entries()) {
    const next = row[index + 1];
    if (next === undefined) break;
    const apart = next.term.position - here.term.position;
    const off = nearest(here.positions, next.positions, apart);
    if (off >= MAX_DISTANCE) continue;
    // A word that says nothing makes a phrase with one that does.
    const weight = Math.min(...[here.weight, next.weight].filter((w) => w > 0));
    if (weight === Infinity) continue;
    sum += weight * (1 - off / MAX_DISTANCE) ** 2;
  }
  return sum;
}

/** How far two words are from standing as the query has them. */
function nearest(
  first: readonly number[],
  second: readonly number[],
  apart: number,
): number {
  let least = MAX_DISTANCE;
  let a = 0;
  let b = 0;
  while (a < first.length && b < second.length) {
    const distance = (second[b] ?? 0) - (first[a] ?? 0);
    // The other way round counts, but less.
    const off = distance > 0 ? Math.abs(distance - apart) : -distance + 1;
    if (off < least) least = off;
    if (distance < apart) b++;
    else a++;
  }
  return least;
}
