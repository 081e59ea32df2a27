/**
 * A limit on how long something is waited for.
 *
 * @module
 */

/** It took longer than it may. */
export class TimeLimitError extends Error {
  /** Always `TimeLimitError`. */
  override readonly name = "TimeLimitError";
}

/**
 * The result of `work`, which is left to itself at the limit.
 *
 * @param limitMs Milliseconds.
 * @throws {TimeLimitError} The limit passed first.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new TimeLimitError(`No answer within ${limitMs} ms`)),
    limitMs,
  );
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
