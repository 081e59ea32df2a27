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

/** ISO 8601 in UTC, or null. */
export function isoTime(date: Date): string;
/** The same, where there may be none. */
export function isoTime(date: Date | null): string | null;
export function isoTime(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
