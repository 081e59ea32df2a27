/**
 * Words of a query that stand nowhere, and terms of the index that are spelt
 * like them.
 *
 * Likeness is told here, by letters and by groups of three, and not by an
 * extension of the database: that may not be there, and its index would not be
 * one for each root.
 *
 * @module
 */
import type { QueryTerm } from "../analyser/analyser.ts";
import type { EventLog } from "../port.ts";

/** A term that may be meant, and how well it stands for the word. */
export interface SimilarTerm {
  /** The term. */
  readonly term: string;
  /** From 0 to 1. */
  readonly quality: number;
}

const REPAIRED_REGEXP =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{4,32}$/u;
/** Terms that one word is taken for at most. */
const MAX_TERMS = 4;
/** What each wrong letter takes from a term. */
const LOST_A_LETTER = 0.15;
/** Longest ending that a stem may lack. */
const MAX_ENDING = 5;
/** Least share of groups of three letters in common. */
const MIN_COMMON = 0.2;

/** Terms that an unknown word may stand for, the likest first. */
export async function findSimilar(
  log: EventLog,
  scope: string,
  { word, alternatives }: QueryTerm,
): Promise<readonly SimilarTerm[]> {
  if (!REPAIRED_REGEXP.test(word)) return [];
  const forms = [word, ...alternatives.keys()];
  const terms = await log.similarTerms(scope, word);
  const rated = terms.flatMap((term) => {
    if (forms.includes(term)) return [];
    const errors = errorsOf(forms, term);
    return errors === undefined ? [] : [{ term, errors }];
  }).sort((a, b) =>
    a.errors - b.errors || commonShare(word, b.term) - commonShare(word, a.term)
  );
  const [best] = rated;
  return rated
    .filter(({ errors }) => errors === best?.errors)
    .slice(0, MAX_TERMS)
    .map(({ term, errors }) => ({
      term,
      quality: 1 - LOST_A_LETTER * errors,
    }));
}

/** How many letters are wrong; undefined: too many for it to be the word. */
function errorsOf(
  forms: readonly string[],
  term: string,
): number | undefined {
  const [word = ""] = forms;
  let least = Infinity;
  for (const form of forms) {
    const most = Math.min(form.length, term.length) >= 7 ? 2 : 1;
    const errors = distance(form, term);
    const isLike = errors <= 1 || commonShare(form, term) >= MIN_COMMON;
    if (errors <= most && isLike) least = Math.min(least, errors);
  }
  // The stem of a misspelt word may have kept an ending that its own lost.
  if (term.length >= 5) {
    const errors = distance(word, term, { ending: MAX_ENDING });
    if (errors <= 1) least = Math.min(least, errors + 0.5);
  }
  return least === Infinity ? undefined : least;
}

/**
 * Letters to insert, leave out, change or swap with the next one to get from a
 * word to a term. An ending of the word up to a length may be left out for
 * nothing.
 */
export function distance(
  word: string,
  term: string,
  { ending = 0 }: { readonly ending?: number } = {},
): number {
  let before: number[] = [];
  let last = Array.from({ length: word.length + 1 }, (_, index) => index);
  for (let i = 1; i <= term.length; i++) {
    const row = [i];
    for (let j = 1; j <= word.length; j++) {
      const isSame = term[i - 1] === word[j - 1];
      let least = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap = i > 1 && j > 1 && term[i - 1] === word[j - 2] &&
        term[i - 2] === word[j - 1];
      if (isSwap) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return Math.min(...last.slice(Math.max(0, word.length - ending)));
}

/** Share of the groups of three letters that two words have in common. */
function commonShare(a: string, b: string): number {
  const [first, second] = [groups(a), groups(b)];
  const common = [...first].filter((group) => second.has(group)).length;
  return common / (first.size + second.size - common);
}

function groups(word: string): ReadonlySet<string> {
  const padded = `  ${word} `;
  return new Set(
    Array.from(
      { length: padded.length - 2 },
      (_, at) => padded.slice(at, at + 3),
    ),
  );
}
