/**
 * Waiting for work that goes on by itself.
 *
 * @module
 */

/** Waits for work, so many milliseconds at most; the work may fail. */
export async function waitFor(
  work: Promise<unknown>,
  limitMs: number,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work.then(() => {}, () => {}), limit]);
  clearTimeout(timer);
}
