/**
 * Whether the source of a catalog answers, and what is reported about it.
 *
 * Each state is reported when it begins, not at every refresh: a source that is
 * down for a day fills no log.
 *
 * @module
 */

import type { CatalogEvent } from "./events.ts";
import type { CatalogFailure } from "./types.ts";

/** Follows the failures of one source. */
export class SourceHealth {
  readonly #report: (event: CatalogEvent) => void;
  #failing: { readonly since: number; readonly reason: string } | undefined;
  #lastError: CatalogFailure | undefined;

  /** Takes what to call for each event. */
  constructor(report: (event: CatalogEvent) => void = () => {}) {
    this.#report = report;
  }

  /** The latest failure, kept after recovery. */
  get lastError(): CatalogFailure | undefined {
    return this.#lastError;
  }

  /** When the source began to fail; undefined while it answers. */
  get failingSince(): number | undefined {
    return this.#failing?.since;
  }

  /** Notes a failed reading. */
  fail(
    reason: string,
    { source, at, servesStale }: {
      source: string;
      at: number;
      servesStale: boolean;
    },
  ): void {
    this.#lastError = { at: new Date(at), reason };
    if (this.#failing?.reason === reason) return;
    this.#failing = { since: this.#failing?.since ?? at, reason };
    this.emit({ kind: "failed", source, reason, servesStale });
  }

  /** Notes a reading that succeeded. */
  succeed({ source, at }: { source: string; at: number }): void {
    if (this.#failing === undefined) return;
    const downSeconds = Math.round((at - this.#failing.since) / 1_000);
    this.#failing = undefined;
    this.emit({ kind: "recovered", source, downSeconds });
  }

  /** Passes an event on; a listener that throws does no harm. */
  emit(event: CatalogEvent): void {
    try {
      this.#report(event);
    } catch {
      // The listener's fault must not take the catalog away.
    }
  }
}
