/**
 * What a check of `doctor` says.
 *
 * @module
 */

/** How a check came out. */
export interface Finding {
  /** What was looked at. */
  readonly check: string;
  /** `wrong` makes the exit code 1. */
  readonly verdict: "ok" | "warning" | "wrong";
  /** What was seen, and what to do. */
  readonly detail: string;
}
