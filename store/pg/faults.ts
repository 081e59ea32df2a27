/**
 * What a fault of the driver or the server means for the statement: never sent,
 * rolled back, or left open. Its own text stays in `cause`.
 *
 * @module
 */
import { StoreUnavailableError } from "../errors.ts";

/** Stands for a server that answers nothing, not even a cancellation. */
export const HUNG = Object.freeze({ code: "CONNECTION_CLOSED" });

/** Faults after which the statement cannot have reached the server. */
const NOT_SENT = new Set([
  "ECONNREFUSED",
  "ENOENT",
  "ENOTFOUND",
  "CONNECT_TIMEOUT",
  "57P03", // cannot_connect_now: starting up, shutting down or in recovery
  "57P01", // admin_shutdown: the statement was cancelled and rolled back
]);

/** Faults that leave it open whether the statement took effect. */
const OUTCOME_UNKNOWN = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "ECONNRESET",
  "EPIPE",
  "57P02", // crash_shutdown
  "08006", // connection_failure
]);

/** Faults of the network, which also break a connection that is in use. */
const NETWORK = new Set(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"]);

const TIMEOUTS = new Set([
  "57014", // query_canceled
  "55P03", // lock_not_available
  "40P01", // deadlock_detected
  "40001", // serialization_failure
]);

/** Codes of the server; those of the machine, such as EPIPE, have no digit. */
const SQLSTATE_REGEXP = /^(?=.*[0-9])[0-9A-Z]{5}$/;

/** Reads the code of a driver or server error, structurally. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Whether a fault came up before there was a connection. */
function isOfConnecting(error: unknown, code: string): boolean {
  if (NOT_SENT.has(code)) return true;
  return NETWORK.has(code) && typeof error === "object" && error !== null &&
    "syscall" in error &&
    (error.syscall === "connect" || error.syscall === "getaddrinfo");
}

/** Turns whatever the driver threw into the store's own error. */
export function toUnavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const code = codeOf(error);
  const sqlState = code !== undefined && SQLSTATE_REGEXP.test(code)
    ? code
    : undefined;
  const options = { cause: error, sqlState };
  if (code !== undefined && isOfConnecting(error, code)) {
    return new StoreUnavailableError(
      "unreachable",
      "The database cannot be reached; nothing was read or written. Try again shortly",
      options,
    );
  }
  if (
    code !== undefined && (OUTCOME_UNKNOWN.has(code) || NETWORK.has(code))
  ) {
    return new StoreUnavailableError(
      "outcome_unknown",
      "The connection to the database broke while the call was under way; it may or may not have taken effect. Read before trying again",
      options,
    );
  }
  if (sqlState !== undefined && TIMEOUTS.has(sqlState)) {
    return new StoreUnavailableError(
      "timeout",
      "The database took too long; nothing was changed. Try again shortly",
      options,
    );
  }
  if (sqlState === "53100") {
    return new StoreUnavailableError(
      "failed",
      "The database has no space left on its disk; nothing was changed. Tell the operator",
      options,
    );
  }
  if (sqlState !== undefined && /^(28|3D|53300|42501)/.test(sqlState)) {
    return new StoreUnavailableError(
      "rejected",
      `The database refused the connection or the right to do this (SQLSTATE ${sqlState}). Tell the operator`,
      options,
    );
  }
  return new StoreUnavailableError(
    "failed",
    sqlState === undefined
      ? "The database failed; nothing was changed. Tell the operator"
      : `The database failed (SQLSTATE ${sqlState}); nothing was changed. Tell the operator`,
    options,
  );
}

/** Whether the connection is closed, or about to be, after this error. */
export function breaksConnection(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (OUTCOME_UNKNOWN.has(code) || code === "57P01");
}
