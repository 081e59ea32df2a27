/**
 * What the fleet rejects with when a rule says no.
 *
 * @module
 */

/** Which rule refused. */
export type FleetRefusalCode =
  | "bad_argument"
  | "conflict"
  | "cooldown"
  | "data_too_large"
  | "fenced"
  | "lease_lost"
  | "not_found"
  | "out_of_reach"
  | "unavailable"
  | "unknown_group"
  | "unknown_root"
  | "wrong_state";

/** A rule said no; nothing was changed. The message is written for the caller. */
export class FleetRefusalError extends Error {
  /** Always `FleetRefusalError`. */
  override readonly name = "FleetRefusalError";
  /** Which rule refused. */
  readonly code: FleetRefusalCode;

  /** Takes the rule's code and the message for the caller. */
  constructor(code: FleetRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
