/**
 * Cursors of the ledger's search: where a page ended, and of which search.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { StoreRefusalError } from "../errors.ts";
import { encodeCursor, readParts } from "../root_data/browse_cursor.ts";
import type { DecisionFilter, Place } from "./search_statement.ts";

const DAY_REGEXP = /^(?:\d{4}-\d{2}-\d{2}|-infinity)$/;
const ID_REGEXP = /^\d{1,18}$/;

/** The cursor behind a decision. */
export function decisionCursor(
  filter: DecisionFilter,
  { day, id }: Place,
): string {
  return encodeCursor([markOf(filter), day, id]);
}

/** Where a page begins. @throws {StoreRefusalError} It is not of this search. */
export function placeOfCursor(filter: DecisionFilter, cursor: string): Place {
  const [mark, day = "", id = "", more] = readParts(cursor) ?? [];
  const isPlace = DAY_REGEXP.test(day) && isDay(day) && ID_REGEXP.test(id) &&
    more === undefined;
  if (isPlace && mark === markOf(filter)) return { day, id };
  throw new StoreRefusalError(
    "bad_argument",
    isPlace
      ? "That cursor is of another search: pass it with the same filters, or begin again without it"
      : "That cursor is not one that a page gave: begin again without it",
  );
}

function isDay(day: string): boolean {
  if (day === "-infinity") return true;
  try {
    Temporal.PlainDate.from(day);
    return !day.startsWith("0000");
  } catch {
    return false;
  }
}

function markOf(filter: DecisionFilter): string {
  const { gate, surface, decision, artifactUrl, artifactQuery } = filter;
  const { query, withFeedback, from, to } = filter;
  const told = [gate, surface, decision, artifactUrl, artifactQuery]
    .concat(query, withFeedback === true ? "1" : undefined, from, to)
    .map((one) => one ?? null);
  return createHash("sha256").update(JSON.stringify(told)).digest("base64url")
    .slice(0, 16);
}
