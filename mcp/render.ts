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
  const characters = [...text.toWellFormed()];
  if (characters.length <= limit) return characters.join("");
  return `${
    characters.slice(0, limit).join("")
  }… [${limit} of ${characters.length} characters]`;
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
