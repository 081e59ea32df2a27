/**
 * What keeps an entry out of a file.
 *
 * @module
 */

/** The entry cannot be put into a file, which is left as it was; exit code 1. */
export class EntryError extends Error {
  /** Always `EntryError`. */
  override readonly name = "EntryError";
}
