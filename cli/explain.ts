/**
 * What a failed verb tells the operator: one line a problem, never a stack, and
 * the exit code.
 *
 * @module
 */
import { CatalogUnavailableError } from "../catalog/mod.ts";
import { type FleetRefusalCode, FleetRefusalError } from "../fleet/mod.ts";
import { withoutCredentials } from "../mcp/mod.ts";
import {
  BackupError,
  MigrationError,
  StoreRefusalError,
  StoreUnavailableError,
} from "../store/mod.ts";
import { ClusterError } from "../store/embedded/mod.ts";
import { ConfigError } from "./settings/config.ts";
import { EntryError } from "./entry/entry_error.ts";
import { StartError } from "./app/start_error.ts";

/** Refusals of a verb that was called wrongly. */
const WRONG_CALLS: readonly FleetRefusalCode[] = [
  "bad_argument",
  "unknown_group",
  "unknown_root",
];

/** Lines and exit code for an error. */
export function explain(
  error: unknown,
): { readonly lines: readonly string[]; readonly code: number } {
  // Whoever read our output has gone: there is nobody to tell.
  if (error instanceof Deno.errors.BrokenPipe) return { lines: [], code: 1 };
  if (error instanceof ConfigError) return { lines: error.problems, code: 2 };
  if (isWrongCall(error)) return { lines: [oneLine(error.message)], code: 2 };
  if (error instanceof StoreUnavailableError) {
    return {
      lines: [oneLine(`${error.message}: ${reasonOf(error)}`)],
      code: 1,
    };
  }
  const isKnown = error instanceof ClusterError ||
    error instanceof MigrationError || error instanceof StoreRefusalError ||
    error instanceof FleetRefusalError ||
    error instanceof BackupError ||
    error instanceof CatalogUnavailableError ||
    error instanceof EntryError || error instanceof StartError;
  const text = error instanceof Error ? error.message : String(error);
  return {
    lines: [oneLine(isKnown ? text : `Unexpected failure: ${text}`)],
    code: 1,
  };
}

function isWrongCall(error: unknown): error is Error {
  return error instanceof FleetRefusalError
    ? WRONG_CALLS.includes(error.code)
    : error instanceof StoreRefusalError && error.code === "bad_argument";
}

/** What the driver says helps an operator, once its credentials are gone. */
function reasonOf(error: StoreUnavailableError): string {
  const { cause } = error;
  return cause instanceof Error ? cause.message : String(cause ?? error.code);
}

function oneLine(text: string): string {
  return withoutCredentials(text.replaceAll(/\s*\n\s*/g, " "));
}
