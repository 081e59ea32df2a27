/**
 * Names that look like a known one and are written with other code points: é is
 * one (NFC) or two (NFD), as the keyboard or the file system had it.
 *
 * @module
 */

/**
 * A sentence to append where a name is unknown and one that looks the same is
 * known; empty where none does.
 */
export function lookAlikeNote(name: string, known: Iterable<string>): string {
  const form = name.normalize("NFC");
  for (const one of known) {
    if (one !== name && one.normalize("NFC") === form) {
      return `. "${one}" looks the same and is written with other code points (Unicode NFC or NFD): copy the name from the catalog`;
    }
  }
  return "";
}

/** The sentence for the first of several unknown names that has one. */
export function firstLookAlike(
  names: readonly string[],
  known: Iterable<string>,
): string {
  const all = [...known];
  return names.map((name) => lookAlikeNote(name, all))
    .find((note) => note !== "") ?? "";
}
