/**
 * What breaks a trigger, and what only has to be tried again.
 *
 * @module
 */
import { CatalogUnavailableError } from "../../catalog/mod.ts";
import { StoreUnavailableError } from "../../store/mod.ts";

/** Classes of SQLSTATE that say no to what was to be written. */
const DATA_REGEXP = /^2[23]/;

/**
 * Whether a firing that failed so would fail again. A database or catalog that
 * cannot answer breaks nothing; one that cannot hold what it is given does.
 */
export function breaksForGood(error: unknown): error is Error {
  if (error instanceof StoreUnavailableError) {
    return DATA_REGEXP.test(error.sqlState ?? "");
  }
  return error instanceof Error && !(error instanceof CatalogUnavailableError);
}
