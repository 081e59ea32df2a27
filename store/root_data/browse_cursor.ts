/**
 * Cursors: where a page of rows ended, as text that a URL carries.
 *
 * A cursor says nothing that the page did not show, so it is not secret; what
 * comes back is checked all the same, because anyone can write one.
 *
 * @module
 */
import { StoreRefusalError } from "../errors.ts";

const TIME_REGEXP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const ID_REGEXP = /^\d{1,18}$/;
/** Two names, a time and an id take far less. */
const MAX_CHARACTERS = 2_000;

/** Names, and for a record its time and id, as text. */
export function encodeCursor(parts: readonly unknown[]): string {
  return new TextEncoder().encode(JSON.stringify(parts.map(String)))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * The two names of a cursor, and with `length` 4 the time and id behind them.
 *
 * @throws {StoreRefusalError} No page gave it.
 */
export function decodeCursor(cursor: string, length: 2 | 4): readonly string[] {
  const parts = readCursor(cursor, length);
  if (parts !== undefined) return parts;
  throw new StoreRefusalError(
    "bad_argument",
    "That cursor is not one that a page gave: begin again at the first page",
  );
}

/**
 * The parts of a cursor, undefined where no page can have given it; where there
 * are more than two, the last two are a time and an id.
 */
export function readCursor(
  cursor: string,
  length: number,
): readonly string[] | undefined {
  const parts = readParts(cursor);
  if (parts?.length !== length) return undefined;
  const isPlace = length === 2 ||
    (isTime(parts.at(-2)) && ID_REGEXP.test(parts.at(-1) ?? ""));
  return isPlace ? parts : undefined;
}

/** The parts of any cursor; undefined where it is none. */
export function readParts(cursor: string): readonly string[] | undefined {
  const parts = cursor.length <= MAX_CHARACTERS ? partsOf(cursor) : undefined;
  return parts?.every(isStorableText) === true ? parts : undefined;
}

/** Whether PostgreSQL can take a text: no NUL, no half surrogate pair. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function partsOf(cursor: string): string[] | undefined {
  try {
    const bytes = Uint8Array.fromBase64(cursor, { alphabet: "base64url" });
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!Array.isArray(value)) return undefined;
    return value.every((one) => typeof one === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A time that exists: the 30th of February is none to PostgreSQL. */
function isTime(text: string | undefined): boolean {
  if (text === undefined || !TIME_REGEXP.test(text)) return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && !text.startsWith("0000") &&
    new Date(ms).toISOString().slice(0, 19) === text.slice(0, 19);
}
