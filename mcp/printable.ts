/**
 * Texts of others on a terminal: names and titles must not drive it.
 *
 * @module
 */

/** Controls, and what turns the direction of writing; not line end and tab. */
const UNPRINTABLE_REGEXP =
  /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text with a sign in the place of what would drive a terminal. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE_REGEXP, "\ufffd");
}

/** JSON that says the same and does not drive a terminal. */
export function toPrintableJson(json: string): string {
  return json.replace(
    UNPRINTABLE_REGEXP,
    (character) =>
      `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
