/**
 * What can stand between an operator and a running cluster.
 *
 * Each message is one line that says what is wrong and what to do about it.
 *
 * @module
 */

/** Why the embedded PostgreSQL cannot be used. */
export type ClusterErrorCode =
  /** The home cannot be created or written. */
  | "unwritable_home"
  /** The path of the home holds characters that PostgreSQL's tools mishandle. */
  | "unusable_home"
  /** The home links to a cluster folder that is gone. */
  | "missing_cluster"
  /** No package of binaries for this operating system and processor. */
  | "unsupported_platform"
  /** Running as root, and no other user exists to run PostgreSQL as. */
  | "no_server_user"
  /** The data folder was made by another major version of PostgreSQL. */
  | "other_major_version"
  /** The binaries could not be copied into the home. */
  | "unpack_failed"
  /** The data folder could not be made. */
  | "initdb_failed"
  /** PostgreSQL did not start, or not in time. */
  | "start_failed"
  /** PostgreSQL did not stop in time. */
  | "stop_failed"
  /** Another process holds the lock for too long. */
  | "locked"
  /** The cluster was released by this process and then used again. */
  | "released";

/** The embedded PostgreSQL cannot be used. The message is for the operator. */
export class ClusterError extends Error {
  /** Always `ClusterError`. */
  override readonly name = "ClusterError";
  /** What stands in the way. */
  readonly code: ClusterErrorCode;

  /** Takes the code, a one-line message and the underlying error. */
  constructor(
    code: ClusterErrorCode,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message.replaceAll(/\s*\n\s*/g, " "), options);
    this.code = code;
  }
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
