/**
 * What a fault of the driver or the server means for the statement: never sent,
 * rolled back, or left open. Its own text stays in `cause`.
 *
 * @module
 */
import { StoreUnavailableError } from "../errors.ts";

/** Stands for a server that answers nothing, not even a cancellation. */
export const HUNG = Object.freeze({ code: "CONNECTION_CLOSED" });

/** What is known of the statement that a fault ended. */
export interface Circumstances {
  /** Whether it was under way; otherwise the server has not seen it. */
  readonly isSent: boolean;
  /** Whether it may stand, should it have reached its end unseen. */
  readonly mayStand: boolean;
}

/** A write under way, where nothing better is known. */
const WRITE: Circumstances = { isSent: true, mayStand: true };

/** Faults after which the statement cannot have reached the server. */
const NOT_SENT = new Set([
  "ECONNREFUSED",
  "ENOENT",
  "ENOTFOUND",
  "CONNECT_TIMEOUT",
  "57P03", // cannot_connect_now: starting up, shutting down or in recovery
]);

/** Ends of a connection that come between statements, or cancel one. */
const ENDED_CLEANLY = new Set([
  "57P01", // admin_shutdown
  "57P05", // idle_session_timeout
  "25P03", // idle_in_transaction_session_timeout
  "25P04", // transaction_timeout
]);

/** Faults of the driver and of the socket when a connection ends. */
const CONNECTION_ENDED = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "ECONNRESET",
  "EPIPE",
]);

/** Faults of the network, which also break a connection that is in use. */
const NETWORK = new Set(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"]);

/** Codes of a certificate that will not do. */
const CERTIFICATE_REGEXP =
  /^(?:ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

const TIMEOUTS = new Set([
  "57014", // query_canceled
  "55P03", // lock_not_available
  "40P01", // deadlock_detected
  "40001", // serialization_failure
]);

/** Codes of the server; those of the machine, such as EPIPE, have no digit. */
const SQLSTATE_REGEXP = /^(?=.*[0-9])[0-9A-Z]{5}$/;

/** What is said of faults that have a text of their own, by SQLSTATE. */
const TEXTS: Readonly<Record<string, string>> = {
  // character_not_in_repertoire: the caller's own text, wherever it was to go.
  "22021":
    "A text of the call holds the NUL character, which nothing that is stored has; nothing was changed. Remove it",
  "25006":
    "The database takes no writes now, for it is read-only (SQLSTATE 25006); nothing was changed. Try again shortly, and tell the operator if it lasts",
  "53100":
    "The database has no space left on its disk; nothing was changed. Tell the operator",
  "53200":
    "The database ran out of memory (SQLSTATE 53200); nothing was changed. Try again shortly, and tell the operator if it lasts",
  "53300":
    "The database has no connection left for this server (SQLSTATE 53300); nothing was read or written. Try again shortly, and tell the operator if it lasts",
  "57P03":
    "The database is starting or stopping (SQLSTATE 57P03); nothing was read or written. Try again shortly",
  "58030":
    "The database cannot use its disk (SQLSTATE 58030); nothing was changed. Tell the operator",
};

/** Reads a text of a driver or server error, structurally. */
function textOf(
  error: unknown,
  name: "code" | "severity" | "severity_local" | "syscall",
): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const value: unknown = name in error ? Reflect.get(error, name) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** How bad the server calls it; undefined for what the driver made up. */
function severityOf(error: unknown): string | undefined {
  return textOf(error, "severity") ?? textOf(error, "severity_local");
}

/** Whether a fault came up before there was a connection. */
function isOfConnecting(error: unknown, code: string): boolean {
  if (severityOf(error) === "ERROR") return false;
  if (NOT_SENT.has(code)) return true;
  return NETWORK.has(code) &&
    ["connect", "getaddrinfo"].includes(textOf(error, "syscall") ?? "");
}

/**
 * Whether the connection is closed, or about to be, after this error: the
 * socket's end, or an error that the server calls fatal. A function may raise
 * any SQLSTATE, and the connection lives on.
 */
export function breaksConnection(error: unknown): boolean {
  const code = textOf(error, "code");
  if (code === undefined) return false;
  const severity = severityOf(error);
  return severity === undefined
    ? CONNECTION_ENDED.has(code) || NETWORK.has(code)
    : severity === "FATAL" || severity === "PANIC";
}

/** Turns whatever the driver threw into the store's own error. */
export function toUnavailable(
  error: unknown,
  { isSent, mayStand }: Circumstances = WRITE,
): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const code = textOf(error, "code");
  const sqlState = code !== undefined && SQLSTATE_REGEXP.test(code)
    ? code
    : undefined;
  const options = { cause: error, sqlState };
  // Whatever ends a connection while it is made, a start or stop aside, is a
  // refusal: a setting that the server or a pooler does not take, say.
  const isRefused = sqlState !== undefined && !isSent &&
    !sqlState.startsWith("57") && breaksConnection(error);
  if (
    sqlState !== undefined &&
    (isRefused || /^(28|3D|53300|42501)/.test(sqlState))
  ) {
    return new StoreUnavailableError(
      "rejected",
      TEXTS[sqlState] ??
        `The database refused the connection or the right to do this (SQLSTATE ${sqlState}). Tell the operator`,
      options,
    );
  }
  if (code !== undefined && CERTIFICATE_REGEXP.test(code)) {
    return new StoreUnavailableError(
      "rejected",
      `The database's certificate is not trusted (${code}); nothing was read or written. Tell the operator`,
      options,
    );
  }
  const isBroken = breaksConnection(error);
  if (
    code !== undefined &&
    (isOfConnecting(error, code) || (isBroken && !isSent))
  ) {
    return new StoreUnavailableError(
      "unreachable",
      TEXTS[code] ??
        "The database cannot be reached; nothing was read or written. Try again shortly",
      options,
    );
  }
  if (isBroken && mayStand && !ENDED_CLEANLY.has(code ?? "")) {
    return new StoreUnavailableError(
      "outcome_unknown",
      "The connection to the database broke while the call was under way; it may or may not have taken effect. Read before trying again",
      options,
    );
  }
  if (isBroken) {
    return new StoreUnavailableError(
      "unreachable",
      "The connection to the database broke while the call was under way; nothing was changed. Try again shortly",
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
  const text = sqlState === undefined
    ? "The database failed; nothing was changed. Tell the operator"
    : TEXTS[sqlState] ??
      `The database failed (SQLSTATE ${sqlState}); nothing was changed. Tell the operator`;
  return new StoreUnavailableError("failed", text, options);
}
