/**
 * One spelling of what readers take for the same: compatibility forms, case,
 * and accents.
 *
 * @module
 */

const PLAIN_REGEXP = /^[a-z0-9]*$/;
/** Accents of Latin, Greek and Cyrillic, and the points of Hebrew and Arabic. */
const MARKS_REGEXP = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0670]/g;
/** Letters that no decomposition takes apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
};
const LETTERS_REGEXP = /[ßæœøđðþłı]/g;

/** A text in compatibility form and lower case, its accents kept. */
export function lower(text: string): string {
  return PLAIN_REGEXP.test(text) ? text : text.normalize("NFKC").toLowerCase();
}

/** A lower-case word without its accents. */
export function fold(word: string): string {
  if (PLAIN_REGEXP.test(word)) return word;
  return word.normalize("NFD").replace(MARKS_REGEXP, "").normalize("NFC")
    .replace(LETTERS_REGEXP, (letter) => LETTERS[letter] ?? letter);
}
