/**
 * A text cut into passages at the ends of sentences, so that each can be found
 * and shown by itself, and no part of the text is left out.
 *
 * @module
 */

/** A stretch of a text. */
export interface Passage {
  /** Where it begins in the text, in UTF-16 units. */
  readonly from: number;
  /** Its text. */
  readonly text: string;
}

/** What a passage aims at, in UTF-16 units. */
export const PASSAGE_LENGTH = 2_000;
/** Where the last border of a passage is looked for from. */
const MIN_LENGTH = 1_000;

/** Borders, the best first. */
const BORDERS: readonly RegExp[] = [
  /\n\s*\n/g,
  /[.!?…]["'”’)\]]*\s|[。！？]["」』）]*|\n/g,
  /[,;:，、；：]\s*|\s/g,
];

/** The passages of a text, one by one, in order; one for an empty text. */
export function* passagesOf(text: string): Generator<Passage> {
  let from = 0;
  do {
    const to = endOf(text, from);
    yield { from, text: text.slice(from, to) };
    from = to;
  } while (from < text.length);
}

function endOf(text: string, from: number): number {
  const most = from + PASSAGE_LENGTH;
  if (text.length <= most) return text.length;
  const window = text.slice(from + MIN_LENGTH, most);
  for (const border of BORDERS) {
    let last = 0;
    for (const match of window.matchAll(border)) {
      last = match.index + match[0].length;
    }
    if (last > 0) return from + MIN_LENGTH + last;
  }
  // No border at all: not within a pair of surrogates.
  const unit = text.charCodeAt(most - 1);
  return (unit & 0xfc00) === 0xd800 ? most - 1 : most;
}
