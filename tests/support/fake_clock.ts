/**
 * Time that passes when somebody sleeps.
 *
 * @module
 */

/** A clock for `ClientOptions.clock`. */
export class FakeClock {
  /** Every sleep, in milliseconds. */
  readonly slept: number[] = [];
  #now = 0;

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    this.slept.push(ms);
    this.#now += ms;
    return Promise.resolve();
  }
}
