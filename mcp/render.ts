/**
 * Cuts that the reader can see, and times as text.
 *
 * One rule: whatever is left out says so, says how much, and names the call
 * that returns it.
 *
 * @module
 */

/** A text of at most `limit` characters; a cut one ends in its real length. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  // A character has two units at most: what is cut off is only counted.
  const beginning = [...text.slice(0, 2 * limit)].slice(0, limit).join("");
  return cutAt(beginning, countCharacters(text));
}

/** The beginning of a text of so many characters; cut, it ends in that number. */
export function cutAt(beginning: string, characters: number): string {
  const shown = countCharacters(beginning);
  const text = beginning.toWellFormed();
  return shown >= characters
    ? text
    : `${text}… [${shown} of ${characters} characters]`;
}

/** How many characters a text has, a pair of surrogates counted once. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Longest field that is shown beside others, in characters. */
const MAX_FIELD = 200;

/** A field beside others, cut where it is long. */
export function cutField(text: string): string;
/** The same, where there may be none. */
export function cutField(text: string | undefined): string | undefined;
export function cutField(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cutText(text, MAX_FIELD);
}

/** ISO 8601 in UTC, or null. */
export function isoTime(date: Date): string;
/** The same, where there may be none. */
export function isoTime(date: Date | null): string | null;
export function isoTime(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
