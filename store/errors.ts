/**
 * Error classes of the store.
 *
 * They answer two questions: can the caller fix it, and may the text cross the
 * wire? Refusals carry both a code and text written for the caller; everything
 * a driver says stays in `cause`.
 *
 * @module
 */

/** Why the store refused a call that it understood. */
export type RefusalCode =
  | "bad_argument"
  | "collection_cap"
  | "conflict"
  | "data_too_large"
  | "not_found"
  | "rate_limited"
  | "row_cap"
  | "unstorable_data";

/** A rule said no; nothing was changed. The message is written for the caller. */
export class StoreRefusalError extends Error {
  /** Always `StoreRefusalError`. */
  override readonly name = "StoreRefusalError";
  /** Which rule refused. */
  readonly code: RefusalCode;
  /** The numbers behind the rule, safe to show. */
  readonly data: Readonly<Record<string, unknown>>;

  /** Takes the rule's code, the message for the caller and its figures. */
  constructor(
    code: RefusalCode,
    message: string,
    data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** What is wrong with the database. */
export type UnavailableCode =
  /** Nothing answers, or the server is starting or stopping. */
  | "unreachable"
  /** It answers and refuses us: password, database name, connections used up. */
  | "rejected"
  /** A lock or statement took longer than allowed; it was rolled back. */
  | "timeout"
  /** The connection broke under a write that may stand; no read ends so. */
  | "outcome_unknown"
  /** Anything else the server reported. */
  | "failed";

/** What passes by itself although the code alone does not say so. */
const PASSING_STATES: ReadonlySet<string> = new Set([
  "25006", // read_only_sql_transaction: a failover is under way
  "53200", // out_of_memory
  "53300", // too_many_connections
]);

/** The database could not do it now. The message names no host and no secret. */
export class StoreUnavailableError extends Error {
  /** Always `StoreUnavailableError`. */
  override readonly name = "StoreUnavailableError";
  /** What is wrong. */
  readonly code: UnavailableCode;
  /** PostgreSQL's SQLSTATE, where the server gave one. */
  readonly sqlState: string | undefined;

  /** Takes the code, the message for the caller and the driver's error. */
  constructor(
    code: UnavailableCode,
    message: string,
    options: { cause?: unknown; sqlState?: string | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.sqlState = options.sqlState;
  }

  /** Whether the same call may succeed in a while, with nobody's help. */
  get isPassing(): boolean {
    return !["rejected", "failed"].includes(this.code) ||
      PASSING_STATES.has(this.sqlState ?? "");
  }
}

/** Why a database does not fit this program. */
export type MigrationErrorCode =
  | "changed_migration"
  | "newer_schema"
  | "no_schema"
  | "old_server"
  | "wrong_encoding"
  | "wrong_isolation";

/** The schema cannot be brought to the version that this program needs. */
export class MigrationError extends Error {
  /** Always `MigrationError`. */
  override readonly name = "MigrationError";
  /** What stands in the way. */
  readonly code: MigrationErrorCode;

  /** Takes the code and the message for the operator. */
  constructor(code: MigrationErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Why a backup cannot be made or restored. */
export type BackupErrorCode =
  | "damaged"
  | "newer"
  | "not_a_backup"
  | "not_empty";

/** A backup that cannot be made or restored; nothing was changed. */
export class BackupError extends Error {
  /** Always `BackupError`. */
  override readonly name = "BackupError";
  /** What stands in the way. */
  readonly code: BackupErrorCode;

  /** Takes the code and the message for the operator. */
  constructor(code: BackupErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
