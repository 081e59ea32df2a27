/**
 * What an answer says beside what was done.
 *
 * @module
 */
import { StoreUnavailableError } from "../store/mod.ts";

/**
 * Reads something for the answer to a change that stands already; `otherwise`
 * where the database went away meanwhile: its words, that nothing was changed,
 * would make the caller do it a second time.
 */
export async function readBeside<T>(
  read: () => Promise<T>,
  otherwise: T,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return otherwise;
  }
}
