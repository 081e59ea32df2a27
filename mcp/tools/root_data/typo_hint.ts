/**
 * What a read or delete says of a collection that the root does not declare:
 * where nothing is stored under its name, it is most likely misspelt.
 *
 * @module
 */
import type { AgentRoot } from "../../../catalog/mod.ts";
import { StoreRefusalError } from "../../../store/mod.ts";

/** Adds to the refusal of a record that is not there. */
export async function hintAtTypo<T>(
  root: AgentRoot,
  collection: string,
  done: Promise<T>,
): Promise<T> {
  try {
    return await done;
  } catch (error) {
    const isUnknown = error instanceof StoreRefusalError &&
      error.code === "not_found" && error.data.records === 0 &&
      !root.collections.has(collection);
    if (!isUnknown) throw error;
    throw new StoreRefusalError(
      error.code,
      `${error.message}, and the root does not declare it; list_root_collections shows the names`,
      error.data,
    );
  }
}
