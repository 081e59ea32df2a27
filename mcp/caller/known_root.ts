/**
 * Agent roots as callers name them.
 *
 * @module
 */
import type { CatalogSnapshot } from "../../catalog/mod.ts";
import { ToolError } from "../errors.ts";
import { cutText } from "../render.ts";

/** Names that a refusal lists. */
const MAX_NAMES = 20;

/**
 * The name of a root of the catalog, aliases applied.
 *
 * @throws {ToolError} There is none; the message lists those there are.
 */
export function rootOfCatalog(catalog: CatalogSnapshot, name: string): string {
  const root = catalog.findRoot(name);
  if (root !== undefined) return root.name;
  const names = [...catalog.roots.keys()].sort();
  const more = names.length - MAX_NAMES;
  throw new ToolError(
    `Agent root "${
      cutText(name, 100)
    }" is not in the catalog ${catalog.source}; it has: ${
      names.slice(0, MAX_NAMES).join(", ") || "none"
    }${more > 0 ? `, and ${more} more` : ""}`,
  );
}
