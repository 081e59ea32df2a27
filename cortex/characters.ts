/**
 * Texts counted and cut by characters, as readers and PostgreSQL count them: a
 * pair of surrogates is one. Nothing is copied to be counted.
 *
 * @module
 */

/** How many characters a text has. */
export function countCharacters(text: string): number {
  return text.length - countPairs(text, text.length);
}

/** So many characters of a text, from one on; all that follow for Infinity. */
export function sliceCharacters(
  text: string,
  from: number,
  count: number,
): string {
  const start = unitOf(text, 0, from);
  return text.slice(start, unitOf(text, start, count));
}

function countPairs(text: string, end: number): number {
  let pairs = 0;
  for (let at = 1; at < end; at++) {
    if (isPair(text, at - 1)) {
      pairs++;
      at++;
    }
  }
  return pairs;
}

/** The place behind so many characters, counted from a place on. */
function unitOf(text: string, start: number, characters: number): number {
  // No text has more characters than places.
  if (characters >= text.length - start) return text.length;
  let at = start;
  for (let left = characters; left > 0 && at < text.length; left--) {
    at += isPair(text, at) ? 2 : 1;
  }
  return at;
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 &&
    (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}
