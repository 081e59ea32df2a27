/**
 * The passage of a long text that a query is about, for where the beginning
 * that is shown does not have it.
 *
 * @module
 */

/** Longest passage. */
const MAX_PASSAGE = 500;
/** What is shown in front of the first word. */
const LEAD = 100;
/** Words of a query that are looked for. */
const MAX_WORDS = 24;
/** How much of a text is looked through. */
const MAX_SEARCHED = 1_000_000;

/** A part of a text. */
export interface Passage {
  /** Where it begins, in characters, as `get_memory` counts them. */
  readonly text_offset: number;
  /** The part. */
  readonly text: string;
}

/**
 * The part with most of the query's words; undefined when none has one, or
 * when it lies within the first `shown` characters.
 */
export function passageOf(
  whole: string,
  query: string,
  shown: number,
): Passage | undefined {
  const text = whole.slice(0, MAX_SEARCHED).toWellFormed();
  const at = bestPlace(text, wordsOf(query));
  // A character has one unit or two: what ends here is shown for certain.
  if (at === undefined || at + MAX_PASSAGE <= shown) return undefined;
  const start = Math.max(0, at - LEAD);
  return {
    text_offset: [...text.slice(0, start)].length,
    text: text.slice(start, start + MAX_PASSAGE).toWellFormed(),
  };
}

/** The words of some length, as a search looks for them; all if none has it. */
function wordsOf(query: string): readonly string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const long = words.filter((word) => word.length > 2);
  return [...new Set(long.length > 0 ? long : words)].slice(0, MAX_WORDS);
}

/** Where the stretch with most different words begins, the first of equals. */
function bestPlace(text: string, words: readonly string[]): number | undefined {
  if (words.length === 0) return undefined;
  const found = [...text.matchAll(new RegExp(words.join("|"), "giu"))]
    .map(({ 0: word, index }) => ({ word: word.toLowerCase(), index }));
  const inside = new Map<string, number>();
  let best: { readonly at: number; readonly count: number } | undefined;
  let first = 0;
  for (const { word, index } of found) {
    inside.set(word, (inside.get(word) ?? 0) + 1);
    for (;;) {
      const oldest = found[first];
      if (
        oldest === undefined || index - oldest.index <= MAX_PASSAGE - 2 * LEAD
      ) break;
      const left = (inside.get(oldest.word) ?? 1) - 1;
      if (left === 0) inside.delete(oldest.word);
      else inside.set(oldest.word, left);
      first++;
    }
    const at = found[first]?.index ?? index;
    if (inside.size > (best?.count ?? 0)) best = { at, count: inside.size };
  }
  return best?.at;
}
