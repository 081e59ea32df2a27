/**
 * Bounds the work of compiling and applying one schema by the clock.
 *
 * Generated validators and pattern matches say what they are about to do; the
 * clock is read once for every thousand units, so that an honest check pays
 * next to nothing and a schema built to explode is stopped.
 *
 * @module
 */

const UNITS_BETWEEN_READINGS = 1_000;

/** Thrown out of a validator that used up its time. */
export class WorkLimitError extends Error {
  override readonly name = "WorkLimitError";
}

/** Counts units of work and stops at a time limit. */
export class WorkMeter {
  #units = 0;
  #deadline = Infinity;
  readonly #clock: () => number;

  /** Takes a clock in milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Allows this many milliseconds from now. */
  restart(limitMs: number): void {
    this.#units = 0;
    this.#deadline = this.#clock() + limitMs;
  }

  /** Announces work. @throws {WorkLimitError} The time is used up. */
  spend(units: number): void {
    this.#units += units;
    if (this.#units < UNITS_BETWEEN_READINGS) return;
    this.#units = 0;
    if (this.#clock() > this.#deadline) {
      throw new WorkLimitError("Cannot go on: the time is used up");
    }
  }
}
