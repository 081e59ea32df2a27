/**
 * What a refusal should say about the catalog it refuses by: how old it is, and
 * what of a declaration was left out.
 *
 * @module
 */

import { toPointer } from "./parse/ignored.ts";
import { cutText } from "./parse/problems.ts";
import type { CatalogSnapshot, Ignored } from "./types.ts";

const MAX_SHOWN = 3;
const MAX_REASON_CHARS = 300;

/**
 * A sentence to append where the catalog is stale: since when, and why. Empty
 * where it is not.
 */
export function staleNote(
  { stale, readAt, staleReason }: Pick<
    CatalogSnapshot,
    "stale" | "readAt" | "staleReason"
  >,
): string {
  if (!stale) return "";
  const reason = cutText(staleReason ?? "it could not be read", 500);
  return `. This is what the catalog said at ${readAt.toISOString()}; it could not be read since: ${reason}`;
}

/**
 * What was left out of an entry that bears on it, or on one collection of it:
 * places and reasons in one text. Undefined where nothing was.
 */
export function leftOut(
  { ignored }: Pick<CatalogSnapshot, "ignored">,
  root: string,
  collection?: string,
): string | undefined {
  const entry = toPointer([root]);
  const declarations = toPointer([root, "data_collections"]);
  const places = new Set([entry]);
  const item = `${declarations}/`;
  if (collection !== undefined) {
    places.add(declarations).add(item + collection);
  }
  const found = ignored.filter(({ pointer }) =>
    places.has(pointer) ||
    // Names are not known of items that are none: each may be the one.
    (collection !== undefined && pointer.startsWith(item) &&
      /^[0-9]+$/.test(pointer.slice(item.length)))
  );
  return found.length === 0 ? undefined : list(found);
}

function list(found: readonly Ignored[]): string {
  const shown = found.slice(0, MAX_SHOWN).map(({ source, pointer, reason }) =>
    `${source}#${pointer}: ${cutText(reason, MAX_REASON_CHARS)}`
  );
  const rest = found.length - shown.length;
  return shown.join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}
