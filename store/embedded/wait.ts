/**
 * Waiting on a condition, always with a deadline.
 *
 * @module
 */

/** Resolves after a while. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A point in time after which waiting ends. */
export class Deadline {
  readonly #end: number;

  /** Takes the time from now, in milliseconds. */
  constructor(ms: number) {
    this.#end = performance.now() + ms;
  }

  /** Whether the time is up. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }
}

/**
 * Asks again and again until the condition holds or the time is up; answers
 * whether it holds.
 */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs: number = 15,
): Promise<boolean> {
  const deadline = new Deadline(timeoutMs);
  while (!await holds()) {
    if (deadline.isOver) return false;
    await pause(everyMs);
  }
  return true;
}

/** The promise's value, or undefined when it takes longer or rejects. */
export async function within<T>(
  promise: Promise<T>,
  timeoutMs: number,
): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([promise.catch(() => undefined), limit]);
  } finally {
    clearTimeout(timer);
  }
}
