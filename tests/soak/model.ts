/**
 * What callers may rely on: each place in the database, and which values an
 * honest server may show there.
 *
 * Only one worker ever writes to a place. After a call whose outcome is unknown
 * the worker leaves it alone, since the call may still land; until the end the
 * place may then be as it was before or as the call would leave it.
 *
 * @module
 */

/** A record that a worker wrote, or tried to. */
export interface Place {
  readonly root: string;
  readonly collection: string;
  /** Undefined for an appended record, which is known by its first value. */
  readonly key: string | undefined;
  readonly first: number;
  readonly worker: number;
  /** Values that it may have; null stands for no record. */
  may: readonly (number | null)[];
  /** Whether a call is, or may still be, under way. */
  isOpen: boolean;
  id: number | undefined;
  /** What happened to it, for the report. */
  readonly history: string[];
}

/** A write that a server acknowledged, by the clock of the caller. */
export interface Accepted {
  readonly sent: number;
  readonly answered: number;
}

/** Everything that workers know. */
export class Model {
  readonly places: Place[] = [];
  readonly violations: string[] = [];
  readonly counts: Record<string, number> = {};
  readonly #tell: (violation: string) => void;
  readonly #accepted = new Map<string, Accepted[]>();
  /** When the windows of all collections were moved. */
  readonly windowMoves: number[] = [];

  /** Takes who is told of what never should be, at once. */
  constructor(tell: (violation: string) => void) {
    this.#tell = tell;
  }

  count(name: string, count = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + count;
  }

  violate(text: string): void {
    this.count("violations");
    if (this.violations.length >= 100 || this.violations.includes(text)) return;
    this.violations.push(text);
    this.#tell(text);
  }

  accept(place: Place, accepted: Accepted): void {
    const name = `${place.root}/${place.collection}`;
    const list = this.#accepted.get(name) ?? [];
    list.push(accepted);
    this.#accepted.set(name, list);
  }

  /** Records of a collection that has expired: the sweep may take any of them. */
  expire(collection: string): void {
    for (const place of this.places) {
      if (place.collection === collection && !place.may.includes(null)) {
        place.may = [...place.may, null];
      }
    }
  }

  /**
   * Collections that took more writes in 60 seconds than two windows hold, and
   * one more for each time that the windows were moved.
   */
  rateViolations(): string[] {
    const found: string[] = [];
    for (const [name, list] of this.#accepted) {
      const sorted = list.toSorted((a, b) => a.sent - b.sent);
      let end = 0;
      for (const [start, { sent }] of sorted.entries()) {
        const until = sent + 60_000;
        while (end < sorted.length && (sorted[end]?.answered ?? 0) <= until) {
          end++;
        }
        const moves = this.windowMoves.filter((at) =>
          at >= sent - 1_000 && at <= until
        ).length;
        if (end - start <= 120 + 60 * moves) continue;
        found.push(`${name}: ${end - start} writes in 60 s`);
        break;
      }
    }
    return found;
  }
}
