/**
 * Agent roots as callers name them.
 *
 * @module
 */
import {
  type AgentRoot,
  type CatalogSnapshot,
  cutText,
  leftOut,
  lookAlikeNote,
  staleNote,
} from "../../catalog/mod.ts";
import { FleetRefusalError } from "../errors.ts";

/** Names that a refusal lists. */
const MAX_NAMES = 20;

/**
 * The root of the catalog that a name stands for, aliases applied.
 *
 * @throws {FleetRefusalError} There is none; the message lists those there are.
 */
export function knownRoot(catalog: CatalogSnapshot, name: string): AgentRoot {
  const root = catalog.findRoot(name);
  if (root !== undefined) return root;
  const names = [...catalog.roots.keys()].sort();
  const more = names.length - MAX_NAMES;
  const skipped = leftOut(catalog, name);
  throw new FleetRefusalError(
    "unknown_root",
    `Agent root "${
      cutText(name, 100)
    }" is not in the catalog ${catalog.source}; it has: ${
      names.slice(0, MAX_NAMES).join(", ") || "none"
    }${more > 0 ? `, and ${more} more` : ""}${
      skipped === undefined ? "" : `. Its entry is not used: ${skipped}`
    }${lookAlikeNote(name, names)}${staleNote(catalog)}`,
  );
}
