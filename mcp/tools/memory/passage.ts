/**
 * The passage of a long text that a query is about, for where the beginning
 * that is shown does not have it.
 *
 * The text is read and looked through in stretches, so that no text holds up
 * everybody else, and nothing is kept of it but where words stand.
 *
 * @module
 */
import { countCharacters } from "../../render.ts";

/** Longest passage. */
const MAX_PASSAGE = 500;
/** What is shown in front of the first word. */
const LEAD = 100;
/** Words of a query that are looked for, and characters of one. */
const MAX_WORDS = 24;
const MAX_WORD = 200;
/** How much of a text is looked through, and how much at once. */
const MAX_SEARCHED = 1_000_000;
const STRETCH = 50_000;

/** A part of a text. */
export interface Passage {
  /** Where it begins, in characters, as `get_memory` counts them. */
  readonly text_offset: number;
  /** The part. */
  readonly text: string;
}

/** A long text of which the beginning is at hand. */
export interface LongText {
  /** What is shown of it. */
  readonly beginning: string;
  /** Reads characters of it. */
  read(
    range: { readonly from: number; readonly count: number },
  ): Promise<string>;
}

/**
 * The part with most of the query's words; undefined when none has one, or
 * when it lies within the beginning.
 */
export async function findPassage(
  query: string,
  { beginning, read }: LongText,
): Promise<Passage | undefined> {
  const words = wordsOf(query);
  if (words.length === 0) return undefined;
  const search = createSearch(words);
  const shown = countCharacters(beginning);
  search.add(beginning.toWellFormed(), 0, shown);
  // The beginning may end within a word, and so may a stretch.
  let from = Math.max(0, shown - MAX_WORD);
  // Where all words stand, no place further on has more.
  while (search.best()?.count !== words.length && from < MAX_SEARCHED) {
    const text = await read({ from, count: STRETCH + MAX_WORD });
    if (text === "") break;
    search.add(text.toWellFormed(), from, from + STRETCH);
    from += STRETCH;
  }
  const at = search.best()?.at;
  if (at === undefined || at + MAX_PASSAGE <= shown) return undefined;
  const start = Math.max(0, at - LEAD);
  const text = await read({ from: start, count: MAX_PASSAGE });
  return { text_offset: start, text: text.toWellFormed() };
}

/**
 * The part of a short text with most of the query's words, however these are
 * inflected; its beginning when it has none of them.
 */
export function bestPart(
  query: string,
  text: string,
): { readonly from: number; readonly part: string } {
  const words = wordsOf(query).map(beginningOf);
  const search = words.length === 0 ? undefined : createSearch(words);
  search?.add(text.toWellFormed(), 0, Infinity);
  const from = Math.max(0, (search?.best()?.at ?? 0) - LEAD);
  const part = [...text].slice(from, from + MAX_PASSAGE).join("");
  return { from, part: part.toWellFormed() };
}

/** What most forms of a word begin with. */
function beginningOf(word: string): string {
  return word.length > 5 ? word.slice(0, -2).toWellFormed() : word;
}

/** The words of some length, as a search looks for them; all if none has it. */
function wordsOf(query: string): readonly string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const long = words.filter((word) => word.length > 2);
  return [...new Set(long.length > 0 ? long : words)].slice(0, MAX_WORDS)
    .map((word) => word.slice(0, MAX_WORD).toWellFormed());
}

/** The stretch with most different words, the first of equals. */
interface Best {
  /** Where it begins, in characters. */
  readonly at: number;
  /** How many words are in it. */
  readonly count: number;
}

/** Looks through a text that comes in order, in stretches that overlap. */
function createSearch(words: readonly string[]): {
  /** Takes a text that begins at a character; counts words that begin before `end`. */
  add(text: string, start: number, end: number): void;
  best(): Best | undefined;
} {
  const pattern = new RegExp(words.join("|"), "giu");
  const inside = new Map<string, number>();
  const window: { readonly word: string; readonly at: number }[] = [];
  let best: Best | undefined;
  /** Where the last word ended: what is read twice is counted once. */
  let done = 0;
  return {
    best: () => best,
    add(text, start, end) {
      let [unit, at] = [0, start];
      for (const { 0: found, index } of text.matchAll(pattern)) {
        at += countCharacters(text.slice(unit, index));
        unit = index;
        if (at >= end) return;
        if (at < done) continue;
        done = at + countCharacters(found);
        const word = found.toLowerCase();
        window.push({ word, at });
        inside.set(word, (inside.get(word) ?? 0) + 1);
        for (;;) {
          const [oldest] = window;
          const isFar = oldest !== undefined &&
            at - oldest.at > MAX_PASSAGE - 2 * LEAD;
          if (!isFar) break;
          window.shift();
          const left = (inside.get(oldest.word) ?? 1) - 1;
          if (left === 0) inside.delete(oldest.word);
          else inside.set(oldest.word, left);
        }
        if (inside.size > (best?.count ?? 0)) {
          best = { at: window[0]?.at ?? at, count: inside.size };
        }
      }
    },
  };
}
