/**
 * Coming to an end: no new requests, and a wait for those under way.
 *
 * @module
 */

/** Counts requests, and says when there are none after a stop was asked for. */
export class Draining {
  readonly #drained = Promise.withResolvers<void>();
  #underWay = 0;
  #hasBegun = false;

  /** Whether a stop was asked for, so that new requests are refused. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Counts a request for as long as `answer` and `after` take. */
  async count<T>(
    answer: () => Promise<T>,
    after: () => Promise<void> = () => Promise.resolve(),
  ): Promise<T> {
    this.#underWay++;
    try {
      return await answer();
    } finally {
      await after();
      this.#underWay--;
      this.#settle();
    }
  }

  /** Begins; resolves when no request is under way. */
  begin(): Promise<void> {
    this.#hasBegun = true;
    this.#settle();
    return this.#drained.promise;
  }

  #settle(): void {
    if (this.#hasBegun && this.#underWay === 0) this.#drained.resolve();
  }
}
