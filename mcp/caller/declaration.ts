/**
 * What a root declares for a collection, and how a write is refused where it
 * declares nothing.
 *
 * @module
 */
import {
  type CollectionDeclaration,
  leftOut,
  staleNote,
} from "../../catalog/mod.ts";
import { ToolError } from "../errors.ts";
import type { CallingRoot } from "./calling_root.ts";

const MAX_NAMES = 30;

/** The declaration of a collection. @throws {ToolError} There is none. */
export function declarationOf(
  { root, catalog }: Pick<CallingRoot, "root" | "catalog">,
  collection: string,
): CollectionDeclaration {
  const declaration = root.collections.get(collection);
  if (declaration !== undefined) return declaration;
  const skipped = leftOut(catalog, root.name, collection);
  throw new ToolError(
    `Collection "${collection}" is not declared by root "${root.name}"; ${
      listNames([...root.collections.keys()])
    }. ${
      skipped === undefined
        ? "Add it to data_collections in the root's catalog entry to write to it"
        : `The catalog's entry has a fault that may be why: ${skipped}`
    }${staleNote(catalog)}`,
  );
}

function listNames(names: readonly string[]): string {
  if (names.length === 0) return "it declares none";
  const shown = names.toSorted().slice(0, MAX_NAMES).join(", ");
  const rest = names.length - MAX_NAMES;
  return `declared: ${shown}${rest > 0 ? ` and ${rest} more` : ""}`;
}
