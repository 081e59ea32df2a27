/**
 * Bounds the work of compiling and applying one schema in time.
 *
 * Time is up when it is by the clock and by what this process computed: where
 * other programs have the machine, the clock alone would refuse a good schema.
 *
 * Generated validators and pattern matches say what they are about to do; the
 * clock is read once for every thousand units, so that an honest check pays
 * next to nothing and a schema built to explode is stopped.
 *
 * @module
 */

import process from "node:process";

const UNITS_BETWEEN_READINGS = 1_000;

/** Thrown out of a validator that used up its time. */
export class WorkLimitError extends Error {
  override readonly name = "WorkLimitError";
}

/** Counts units of work and stops at a time limit. */
export class WorkMeter {
  #units = 0;
  #limitMs = Infinity;
  #began = 0;
  #computedBefore = 0;
  readonly #clock: () => number;
  readonly #computed: () => number;

  /** Takes a clock, and what tells the computing time, both in milliseconds. */
  constructor(
    clock: () => number = () => performance.now(),
    computed: () => number = processorMs,
  ) {
    this.#clock = clock;
    this.#computed = computed;
  }

  /** Allows this many milliseconds from now. */
  restart(limitMs: number): void {
    this.#units = 0;
    this.#limitMs = limitMs;
    this.#began = this.#clock();
    this.#computedBefore = this.#computed();
  }

  /** Announces work. @throws {WorkLimitError} The time is used up. */
  spend(units: number): void {
    this.#units += units;
    if (this.#units < UNITS_BETWEEN_READINGS) return;
    this.#units = 0;
    if (this.#clock() - this.#began <= this.#limitMs) return;
    if (this.#computed() - this.#computedBefore <= this.#limitMs) return;
    throw new WorkLimitError("Cannot go on: the time is used up");
  }
}

/** What this process has computed so far. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
