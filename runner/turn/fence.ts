/**
 * Ends an agent before its lease can be somebody else's.
 *
 * Counted from when the last good beat was sent, on the clock that only goes
 * forward. A machine that slept does not count the sleep there: the wall clock
 * does, so a jump of it asks for a beat at once, and counts unless that is good.
 * Specification: docs/spec/runner.md section 2.
 *
 * @module
 */

/** Clocks, in milliseconds. */
export interface Clocks {
  /** Goes forward only. */
  monotonic(): number;
  /** What the machine believes that it is. */
  wall(): number;
}

/** The clocks of this machine. */
export const MACHINE_CLOCKS: Clocks = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};

/** What a fence does. */
export interface FenceOptions {
  /** Without a good beat for so long, `interrupt` is called. */
  readonly interruptMs: number;
  /** Without a good beat for so long, `kill` is called. */
  readonly killMs: number;
  /** How far clocks may part before a beat is asked for. */
  readonly jumpMs: number;
  /** How long that beat may take before the wall clock counts. */
  readonly graceMs: number;
}

/** What the fence wants, once each. */
export type FenceOrder = "beat" | "interrupt" | "kill";

/** The fence of a turn. Looked at often; it has no timer of its own. */
export class Fence {
  readonly #clocks: Clocks;
  readonly #options: FenceOptions;
  #goodMonotonic: number;
  #goodWall: number;
  #jumpedAt: number | undefined;
  #given: FenceOrder | undefined;

  /** Begins with a good beat. */
  constructor(clocks: Clocks, options: FenceOptions) {
    this.#clocks = clocks;
    this.#options = options;
    this.#goodMonotonic = clocks.monotonic();
    this.#goodWall = clocks.wall();
  }

  /** When a beat is sent, to be handed to {@link good} when it was good. */
  mark(): { readonly monotonic: number; readonly wall: number } {
    return { monotonic: this.#clocks.monotonic(), wall: this.#clocks.wall() };
  }

  /** A beat that was sent then was good. */
  good({ monotonic, wall }: ReturnType<Fence["mark"]>): void {
    if (monotonic < this.#goodMonotonic) return;
    this.#goodMonotonic = monotonic;
    this.#goodWall = wall;
    this.#jumpedAt = undefined;
    if (this.#given === "beat") this.#given = undefined;
  }

  /** What to do now; undefined where there is nothing new. */
  look(): FenceOrder | undefined {
    const { interruptMs, killMs, jumpMs, graceMs } = this.#options;
    const now = this.#clocks.monotonic();
    const age = now - this.#goodMonotonic;
    const wallAge = this.#clocks.wall() - this.#goodWall;
    if (Math.abs(wallAge - age) > jumpMs) this.#jumpedAt ??= now;
    const counts = this.#jumpedAt !== undefined &&
      now - this.#jumpedAt >= graceMs;
    const known = counts ? Math.max(age, wallAge) : age;
    if (known >= killMs) return this.#give("kill");
    if (known >= interruptMs) return this.#give("interrupt");
    return this.#jumpedAt === undefined ? undefined : this.#give("beat");
  }

  #give(order: FenceOrder): FenceOrder | undefined {
    const ranks: readonly FenceOrder[] = ["beat", "interrupt", "kill"];
    const before = this.#given === undefined ? -1 : ranks.indexOf(this.#given);
    if (ranks.indexOf(order) <= before) return undefined;
    this.#given = order;
    return order;
  }
}
