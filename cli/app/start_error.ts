/**
 * What keeps a server from starting.
 *
 * @module
 */

/** The server cannot start; one line for the operator, exit code 1. */
export class StartError extends Error {
  /** Always `StartError`. */
  override readonly name = "StartError";
}
