/**
 * Choices that follow from a seed.
 *
 * @module
 */

/** A stream of choices (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** True in so many of a hundred cases. */
  chance(percent: number): boolean {
    return this.next() * 100 < percent;
  }

  pick<T>(list: readonly T[]): T {
    const one = list[this.below(list.length)];
    if (one === undefined) throw new Error("Nothing to pick from");
    return one;
  }

  /** The same items in another order. */
  shuffle<T>(list: readonly T[]): T[] {
    return list.map((item) => ({ item, at: this.next() }))
      .sort((a, b) => a.at - b.at).map(({ item }) => item);
  }
}
