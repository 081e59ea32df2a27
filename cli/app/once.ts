/**
 * Work that is done once, however often it is asked for.
 *
 * @module
 */

/** Runs at most once; a failure is forgotten, so that the next call tries. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () =>
    running ??= work().catch((error) => {
      running = undefined;
      throw error;
    });
}
