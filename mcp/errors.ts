/**
 * The only place where errors become wire text and status.
 *
 * What a caller can act on is passed on in its own words. Everything else gets
 * a reference, is logged in full, and answers with that reference only: nothing
 * that a driver or a bug says leaves the process.
 *
 * @module
 */
import { CatalogUnavailableError, DeclarationError } from "../catalog/mod.ts";
import {
  CortexConfigError,
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
  ScopeSyntaxError,
} from "../cortex/words.ts";
import { type FleetRefusalCode, FleetRefusalError } from "../fleet/mod.ts";
import { ClusterError } from "../store/embedded/mod.ts";
import {
  MigrationError,
  type RefusalCode,
  StoreRefusalError,
  StoreUnavailableError,
} from "../store/mod.ts";
import type { Log } from "./log.ts";

/** The caller can fix its call: the message says how. */
export class ToolError extends Error {
  /** Always `ToolError`. */
  override readonly name = "ToolError";
  /** What kind of fault it is. */
  readonly reason: "invalid_call" | "not_found" | "conflict";
  /** What is wrong, one text each. */
  readonly problems: readonly string[];

  /** Takes the message, and its parts where it has several. */
  constructor(
    message: string,
    options: {
      /** @default {"invalid_call"} */
      readonly reason?: ToolError["reason"];
      /** @default {the message} */
      readonly problems?: readonly string[];
    } = {},
  ) {
    super(message);
    this.reason = options.reason ?? "invalid_call";
    this.problems = options.problems ?? [message];
  }
}

/** What an error is, apart from its text. */
export interface ErrorKind {
  /** `refused`: the caller can act on it. `failed`: a fault on this side. */
  readonly outcome: "refused" | "unavailable" | "failed";
  /** One of a fixed set of labels, for programs and counters. */
  readonly reason: string;
  /** The same as an HTTP status. */
  readonly status: 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503;
}

const REFUSAL_STATUSES: Readonly<Record<RefusalCode, ErrorKind["status"]>> = {
  bad_argument: 422,
  collection_cap: 409,
  conflict: 409,
  data_too_large: 413,
  not_found: 404,
  rate_limited: 429,
  row_cap: 409,
  unstorable_data: 422,
};

const FLEET_STATUSES: Readonly<Record<FleetRefusalCode, ErrorKind["status"]>> =
  {
    bad_argument: 422,
    conflict: 409,
    cooldown: 429,
    data_too_large: 413,
    fenced: 403,
    lease_lost: 409,
    not_found: 404,
    out_of_reach: 403,
    unavailable: 503,
    unknown_group: 422,
    unknown_root: 422,
    wrong_state: 409,
  };

const CALL_STATUSES: Readonly<
  Record<ToolError["reason"], ErrorKind["status"]>
> = { invalid_call: 422, not_found: 404, conflict: 409 };

/** Sorts an error. */
export function kindOf(error: unknown): ErrorKind {
  if (error instanceof ToolError) {
    const { reason } = error;
    return { outcome: "refused", reason, status: CALL_STATUSES[reason] };
  }
  if (error instanceof StoreRefusalError) {
    const status = REFUSAL_STATUSES[error.code];
    return { outcome: "refused", reason: error.code, status };
  }
  if (error instanceof FleetRefusalError) {
    const status = FLEET_STATUSES[error.code];
    return { outcome: "refused", reason: error.code, status };
  }
  if (error instanceof DeclarationError) {
    const reason = `declaration_${error.code}`;
    return { outcome: "refused", reason, status: 422 };
  }
  if (isCortexFault(error)) return kindOfCortexFault(error);
  if (isOfNulCharacter(error)) {
    return { outcome: "refused", reason: "unstorable_data", status: 422 };
  }
  if (isCancellation(error)) {
    return { outcome: "refused", reason: "cancelled", status: 503 };
  }
  const reason = error instanceof CatalogUnavailableError
    ? "catalog_unavailable"
    : error instanceof StoreUnavailableError
    ? `database_${error.code}`
    : error instanceof MigrationError || error instanceof ClusterError
    ? "database_unusable"
    : undefined;
  return reason === undefined
    ? { outcome: "failed", reason: "internal", status: 500 }
    : { outcome: "unavailable", reason, status: 503 };
}

/** Whether the database was asked for a text that no database can hold. */
function isOfNulCharacter(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.sqlState === "22021";
}

/** Whether the caller itself cancelled the call, or has left. */
function isCancellation(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * A refusal for programs: its label, and the numbers behind the rule. Undefined
 * for what is no refusal.
 */
export function refusalFacts(
  error: unknown,
): Readonly<Record<string, unknown>> | undefined {
  const { outcome, reason } = kindOf(error);
  if (outcome !== "refused") return undefined;
  return { reason, ...(error instanceof StoreRefusalError ? error.data : {}) };
}

/** What a call that failed may have done: `changed`, something for certain. */
export type Effect = "read" | "write" | "changed";

/**
 * Text of an error for the caller. A call that changes things may have done so
 * before it failed, and its text must not read as if it had not.
 */
export function toCallerText(
  error: unknown,
  log: Log,
  effect: Effect = "read",
): string {
  if (kindOf(error).outcome === "refused" && error instanceof Error) {
    return error.message;
  }
  if (error instanceof CatalogUnavailableError) {
    log.warn("catalog_unavailable", { error });
    return "The catalog could not be read, so the root's namespace is unknown; nothing was read or written. Try again shortly, and tell the operator if it lasts";
  }
  const reference = crypto.randomUUID().slice(0, 8);
  if (isCortexFault(error)) return toMemoryText(error, { log, reference });
  if (error instanceof StoreUnavailableError) {
    log.warn("database_unavailable", { reference, error });
    return effect === "changed"
      ? `The database went away in the middle of the call, after something of it was done: read what stands before trying again (reference ${reference})`
      : `${error.message} (reference ${reference})`;
  }
  log.error("unexpected_error", { reference, error });
  if (error instanceof MigrationError || error instanceof ClusterError) {
    return `The database cannot be used; nothing was read or written. The operator finds the reason in the server's log under reference ${reference}`;
  }
  const place = "the operator finds the reason in the server's log";
  return effect === "read"
    ? `Internal error ${reference}: ${place}`
    : `Internal error ${reference}: the call may have taken effect all the same, so read before trying again; ${place}`;
}

const MEMORY_STATUSES: Readonly<Record<string, 404 | 409 | undefined>> = {
  not_found: 404,
  conflict: 409,
};

/** What cortex rejects with. */
type CortexFault =
  | CortexConfigError
  | CortexProtocolError
  | CortexRefusalError
  | CortexUnavailableError
  | ScopeSyntaxError;

function isCortexFault(error: unknown): error is CortexFault {
  return error instanceof CortexConfigError ||
    error instanceof CortexProtocolError ||
    error instanceof CortexRefusalError ||
    error instanceof CortexUnavailableError ||
    error instanceof ScopeSyntaxError;
}

function kindOfCortexFault(error: CortexFault): ErrorKind {
  switch (error.name) {
    case "ScopeSyntaxError":
      return { outcome: "refused", reason: "memory_bad_node", status: 422 };
    case "CortexRefusalError":
      // That one is for the operator: no other call would be let through.
      if (error.reason === "unauthorized") break;
      // Turned away for good, for a reason on the other side: a full disk.
      if (isFaultOfService(error)) break;
      return {
        outcome: "refused",
        reason: `memory_${error.reason}`,
        status: MEMORY_STATUSES[error.reason] ?? 422,
      };
    case "CortexUnavailableError":
      return {
        outcome: "unavailable",
        reason: "memory_unavailable",
        status: 503,
      };
    case "CortexProtocolError":
    case "CortexConfigError":
  }
  return { outcome: "unavailable", reason: "memory_unusable", status: 503 };
}

/** Whether a refusal is about the service, and not about the call. */
function isFaultOfService({ status = 0 }: CortexRefusalError): boolean {
  return status >= 500;
}

/** Text of an error of memory that is no refusal of the call. */
function toMemoryText(
  error: CortexFault,
  { log, reference }: { readonly log: Log; readonly reference: string },
): string {
  if (error.name === "CortexUnavailableError") {
    log.warn("cortex_unavailable", { reference, error });
    return error.isOutcomeUnknown
      ? `${error.message}. It may have been done all the same; repeating the same call is safe (reference ${reference})`
      : `${error.message}. Try again shortly (reference ${reference})`;
  }
  log.error("cortex_unusable", { reference, error });
  if (error.name === "CortexRefusalError" && isFaultOfService(error)) {
    return `${error.message} (reference ${reference})`;
  }
  const place =
    `the operator finds the reason in the server's log under reference ${reference}`;
  switch (error.name) {
    case "CortexRefusalError":
      return `Memory cannot be used: CortexDB refuses this server. The operator has to check CORTEX_API_KEY and CORTEX_ACTOR (reference ${reference})`;
    case "CortexProtocolError":
      return `Memory failed: CortexDB gave an answer that this server does not understand; ${place}`;
    default:
      return `Memory cannot be used as it is configured: ${place}`;
  }
}
