/**
 * When a runner that waits asks for a turn: at once for one that it has not been
 * refused, and rarely for one that it was, since what holds a turn back (a gate,
 * a login at its limit, a home elsewhere) shows in no turn.
 *
 * @module
 */

/** Between two tries for the same turn, in milliseconds. */
const TRY_MS = 1_000;

/** What one request has tried for. */
export class DueTurns {
  readonly #now: () => number;
  #tried: { readonly turn: number; readonly at: number } | undefined;

  /** `now` is a clock that never goes back, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether to try now that this is the newest turn that is due. */
  isWorthTrying(newest: number | null): boolean {
    if (newest === null) return false;
    const at = this.#now();
    const isKnown = newest === this.#tried?.turn &&
      at - this.#tried.at < TRY_MS;
    if (!isKnown) this.#tried = { turn: newest, at };
    return !isKnown;
  }
}
