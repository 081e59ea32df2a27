/**
 * One timer for any number of statements under way.
 *
 * A timer of its own for each costs as much as sending the statement. All have
 * the same time, so the one that began first is due first.
 *
 * @module
 */

/** A statement that has begun. */
interface Running {
  readonly dueAt: number;
  readonly expire: () => void;
}

/** Tells what has not ended in time. */
export class Deadlines {
  readonly #timeMs: number;
  /** In the order in which they began, as a set keeps it. */
  readonly #running = new Set<Running>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** Gives everything so many milliseconds. */
  constructor(timeMs: number) {
    this.#timeMs = timeMs;
  }

  /** Calls `expire` at the deadline, unless the returned function was called. */
  begin(expire: () => void): () => void {
    const one = { dueAt: performance.now() + this.#timeMs, expire };
    this.#running.add(one);
    if (this.#timer === undefined && !this.#isClosed) this.#arm(this.#timeMs);
    return () => {
      this.#running.delete(one);
    };
  }

  /** Ends the timer; what begins later is refused by the pool, and not timed. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(ms: number): void {
    const timer = setTimeout(() => this.#check(), ms);
    // It runs on when all has ended, and must not keep the process from ending.
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  #check(): void {
    // What begins meanwhile is reached by this loop.
    for (const one of this.#running) {
      const left = one.dueAt - performance.now();
      if (left > 0) return this.#arm(left);
      this.#running.delete(one);
      one.expire();
    }
    this.#timer = undefined;
  }
}
