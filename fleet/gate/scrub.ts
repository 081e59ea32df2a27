/**
 * Takes out of a gate's entry what only a person may say: any member called
 * `human_feedback`, however it is spelled and however deep it lies. Pure.
 *
 * Names are compared by what a reader sees in them: case, accents, signs,
 * blanks and letters of other scripts that look the same make no difference.
 *
 * @module
 */

/** How the name reads once all that is folded. */
const NAMES: ReadonlySet<string> = new Set([
  "humanfeedback",
  "humanfeedbacks",
  "humansfeedback",
  "feedbackhuman",
]);

/** Letters of other scripts that look like one of the name's. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  "\u04bb": "h", // Cyrillic shha
  "\u057b": "h", // Armenian jheh
  "\u03c5": "u", // Greek upsilon
  "\u057d": "u", // Armenian seh
  "\u043c": "m", // Cyrillic em
  "\u0430": "a", // Cyrillic a
  "\u03b1": "a", // Greek alpha
  "\u0251": "a", // Latin alpha
  "\u043f": "n", // Cyrillic pe
  "\u0578": "n", // Armenian vo
  "\u03b7": "n", // Greek eta
  "\u0192": "f", // Latin f with hook
  "\u0584": "f", // Armenian keh
  "\u0435": "e", // Cyrillic ie
  "\u03b5": "e", // Greek epsilon
  "\u0501": "d", // Cyrillic komi de
  "\u044c": "b", // Cyrillic soft sign
  "\u0432": "b", // Cyrillic ve
  "\u03b2": "b", // Greek beta
  "\u0441": "c", // Cyrillic es
  "\u03f2": "c", // Greek lunate sigma
  "\u043a": "k", // Cyrillic ka
  "\u03ba": "k", // Greek kappa
  "\u0131": "i", // Latin dotless i
};

/** A JSON value without feedback, and how many members were taken out. */
export interface Scrubbed<T> {
  /** What is left. */
  readonly value: T;
  /** Members that were taken out. */
  readonly removed: number;
}

/**
 * Takes feedback out of a JSON value. It walks all of it: whoever takes values
 * of any size or depth measures them before.
 */
export function withoutFeedback<T>(value: T): Scrubbed<T> {
  let removed = 0;
  const clean = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(clean);
    if (typeof item !== "object" || item === null) return item;
    const members = Object.entries(item).filter(([name]) => {
      if (!isFeedbackName(name)) return true;
      removed++;
      return false;
    });
    return Object.fromEntries(
      members.map(([name, member]) => [name, clean(member)]),
    );
  };
  // A walk that only drops members keeps the kind of the value.
  const kept = clean(value) as T;
  return { value: kept, removed };
}

/** Whether a member's name reads as `human_feedback`. */
export function isFeedbackName(name: string): boolean {
  if (name.length > MAX_NAME_CHARACTERS) return false;
  const letters = name.normalize("NFKD").toLowerCase()
    .replace(/[^\p{L}]/gu, "");
  const read = [...letters].map((letter) => LOOKALIKES[letter] ?? letter)
    .join("");
  return NAMES.has(read);
}

/** A name that is padded beyond this reads as something else. */
const MAX_NAME_CHARACTERS = 1_000;
