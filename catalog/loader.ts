/**
 * Keeps the catalog: one snapshot in memory, renewed in the background.
 *
 * @module
 */

import type { CatalogLoader, CatalogOptions } from "./types.ts";

/** Opens a catalog. Nothing is read before the first call. */
export function openCatalog(_options: CatalogOptions = {}): CatalogLoader {
  throw new Error("Cannot open a catalog yet");
}
