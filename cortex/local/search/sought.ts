/**
 * Which passages a search looks at: those that have the rarer words, and where
 * all words are common those that have several, or are among the newest.
 *
 * @module
 */
import type { QueryTerm } from "../analyser/analyser.ts";
import { inverseFrequency, type Statistics } from "../analyser/rank.ts";
import type { LogCandidateRequest } from "../port.ts";

/** Passages that the rarer words may bring in. */
const MAX_CANDIDATES = 1_500;
/** The fewest that they may, however many words are asked for. */
const MIN_CANDIDATES = 400;
/** The newest passages that are looked at where all words are common. */
const MAX_NEWEST = 800;
/** Words that are looked for in passages, all passages together. */
const MAX_LOOKS = 4_000;
/** Entries of the index that are read for several common words at once. */
const MAX_ENTRIES = 60_000;

/** A word of a query, and in how many passages it stands. */
export interface CountedTerm {
  readonly term: QueryTerm;
  readonly frequency: number;
}

/** What is looked for, and where. */
interface Sought
  extends
    Pick<LogCandidateRequest, "queries" | "groups" | "newest" | "others"> {
  /** How many of the newest passages the common words may be looked for in. */
  readonly further: number;
}

/** Whether no word says anything by itself. */
export function isPhraseOnly(terms: readonly QueryTerm[]): boolean {
  return terms.every(({ isStop, isBonus }) => isStop || isBonus);
}

/** What satisfies a word. */
export function termsOf({ alternatives }: QueryTerm): readonly string[] {
  return [...alternatives.keys()];
}

/** Which passages are looked at. */
export function soughtOf(
  terms: readonly CountedTerm[],
  { count }: Statistics,
): Sought {
  const isPhrase = isPhraseOnly(terms.map(({ term }) => term));
  const counts = terms.filter(({ term, frequency }) =>
    frequency > 0 && (isPhrase || !term.isStop)
  );
  const queries = counts.map(({ term, frequency }) => ({
    terms: termsOf(term),
    weight: term.weight * inverseFrequency(count, Math.min(count, frequency)),
  }));
  const others = terms.flatMap(({ term }) => termsOf(term));
  const byRarity = counts.map(({ term, frequency }, place) => ({
    place,
    frequency,
    isBonus: term.isBonus,
  })).filter(({ isBonus }) => !isBonus)
    .sort((a, b) => a.frequency - b.frequency);
  const most = mostCandidates(queries.length);
  const groups: number[][] = [];
  let left = most;
  const common = byRarity.filter(({ place, frequency }) => {
    left -= frequency;
    if (left < 0) return true;
    groups.push([place]);
    return false;
  });
  const together = commonGroup(common, { count, most });
  if (together !== undefined) groups.push(together);
  const isCommonOnly = groups.length === 0 ||
    (groups.length === 1 && together !== undefined);
  const mostNewest = common.length > 0 ? Math.min(most, MAX_NEWEST) : 0;
  return {
    queries,
    groups,
    newest: isCommonOnly ? mostNewest : 0,
    further: isCommonOnly ? 0 : mostNewest,
    others,
  };
}

/** How many passages are looked at for so many words. */
function mostCandidates(words: number): number {
  const most = Math.floor(MAX_LOOKS / Math.max(1, words));
  return Math.min(MAX_CANDIDATES, Math.max(MIN_CANDIDATES, most));
}

/** As many of the common words, the rarest first, as make a small group. */
function commonGroup(
  common: readonly { readonly place: number; readonly frequency: number }[],
  { count, most }: { readonly count: number; readonly most: number },
): number[] | undefined {
  let expected = count;
  let entries = 0;
  for (const [index, { frequency }] of common.entries()) {
    expected *= Math.min(1, frequency / count);
    entries += frequency;
    if (entries > MAX_ENTRIES) return undefined;
    if (index === 0 || expected > most) continue;
    return common.slice(0, index + 1).map(({ place }) => place);
  }
  return undefined;
}
