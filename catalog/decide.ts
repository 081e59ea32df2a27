/**
 * Decisions that a catalog may be too old for.
 *
 * @module
 */

import type { CatalogLoader, CatalogSnapshot } from "./types.ts";

/**
 * Decides by the catalog. Before a decision that throws is passed on, it is made
 * again by what the source says now, so that nobody is refused by a catalog that
 * was only not read again.
 *
 * @throws {CatalogUnavailableError} There is no catalog at all.
 */
export async function decideBy<T>(
  catalog: CatalogLoader,
  decide: (snapshot: CatalogSnapshot) => T | Promise<T>,
): Promise<T> {
  const current = await catalog.current();
  try {
    return await decide(current);
  } catch (refusal) {
    const latest = await catalog.latest();
    if (latest === current) throw refusal;
    return await decide(latest);
  }
}
