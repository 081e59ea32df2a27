/**
 * The only place where errors become wire text.
 *
 * What a caller can act on is passed on in its own words. Everything else gets
 * a reference, is logged in full, and answers with that reference only: nothing
 * that a driver or a bug says leaves the process.
 *
 * @module
 */
import { CatalogUnavailableError, DeclarationError } from "../catalog/mod.ts";
import {
  ClusterError,
  MigrationError,
  StoreRefusalError,
  StoreUnavailableError,
} from "../store/mod.ts";
import type { Log } from "./log.ts";

/** The model can fix its call: the message says how. */
export class ToolError extends Error {
  /** Always `ToolError`. */
  override readonly name = "ToolError";
}

/** Text of an error for the caller of a tool. */
export function toCallerText(error: unknown, log: Log): string {
  if (
    error instanceof ToolError || error instanceof StoreRefusalError ||
    error instanceof DeclarationError
  ) return error.message;
  if (error instanceof CatalogUnavailableError) {
    log.warn("catalog_unavailable", { error });
    return "The catalog could not be read, so the root's namespace is unknown; nothing was read or written. Try again shortly, and tell the operator if it lasts";
  }
  const reference = crypto.randomUUID().slice(0, 8);
  if (error instanceof StoreUnavailableError) {
    log.warn("database_unavailable", { reference, error });
    return `${error.message} (reference ${reference})`;
  }
  log.error("unexpected_error", { reference, error });
  if (error instanceof MigrationError || error instanceof ClusterError) {
    return `The database cannot be used: the operator finds the reason in the server's log under reference ${reference}`;
  }
  return `Internal error ${reference}: the operator finds it in the server's log`;
}
