/**
 * Cursors of a search: where a page ended, and of which search.
 *
 * A page after a cursor is the same whatever is written or deleted meanwhile,
 * since it begins behind a place and not behind a number of records. A cursor
 * holds for the search that gave it, and another is told apart by what differs.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { StoreRefusalError } from "../errors.ts";
import { isJsonObject } from "../pg/storable.ts";
import { encodeCursor, readCursor } from "./browse_cursor.ts";
import type { SearchRequest } from "./search.ts";

/** Where a page ended. */
export interface SearchPlace {
  /** The order's time of its last record, with microseconds. */
  readonly time: string;
  /** Id of its last record. */
  readonly id: string;
}

/** The cursor behind a record. */
export function searchCursor(
  request: SearchRequest,
  { time, id }: SearchPlace,
): string {
  return encodeCursor([...marksOf(request), time, id]);
}

/** Where a page begins. @throws {StoreRefusalError} It is not of this search. */
export function placeOfCursor(
  request: SearchRequest,
  cursor: string,
): SearchPlace {
  const parts = readCursor(cursor, 5);
  if (parts === undefined) {
    throw refusal("That cursor is not one that a page gave");
  }
  const marks = marksOf(request);
  const at = marks.findIndex((mark, at) => mark !== parts[at]);
  if (at >= 0) {
    const what = ["collection", "order", "filter or key_prefix"][at];
    throw refusal(`That cursor is of a search with another ${what}`);
  }
  const [, , , time = "", id = ""] = parts;
  return { time, id };
}

function refusal(what: string): StoreRefusalError {
  return new StoreRefusalError(
    "bad_argument",
    `${what}: pass next_cursor as it came, with the same collection, order, filter and key_prefix, or leave it out to begin again`,
  );
}

function marksOf(
  { namespace, collection, order, filter, keyPrefix }: SearchRequest,
): string[] {
  return [
    digest([namespace, collection]),
    order,
    digest([filter, keyPrefix ?? null]),
  ];
}

/** A short mark of a value, whatever the order of its members. */
function digest(value: unknown): string {
  const json = JSON.stringify(
    value,
    (_name, item: unknown) =>
      isJsonObject(item)
        ? Object.fromEntries(Object.entries(item).sort())
        : item,
  );
  return createHash("sha256").update(json).digest("base64url").slice(0, 12);
}
