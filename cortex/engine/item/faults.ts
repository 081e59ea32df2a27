/**
 * What can be wrong with the fields of an item, said so that a caller can mend
 * it; undefined where nothing is.
 *
 * @module
 */

import { quote } from "../../errors.ts";
import { MAX_META_CHARACTERS } from "../../words.ts";
import type { ToolCall } from "./item.ts";

const TIME_REGEXP =
  /^\d{4}-\d{2}-(\d{2})T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** Whether a text is a time as RFC 3339 writes it, of a day that exists. */
export function isTime(text: string): boolean {
  const day = Number(TIME_REGEXP.exec(text)?.[1] ?? NaN);
  const time = new Date(text.toUpperCase());
  const year = time.getUTCFullYear(); // NaN for a time that is none.
  // Not every reader refuses the 30th of February, or knows other years.
  if (Number.isNaN(day) || !(year >= 1 && year <= 9999)) return false;
  return new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day;
}

/** What is wrong with the name or id of a tool call. */
export function toolCallFault({ name, id }: ToolCall): string | undefined {
  return fieldFault("tool name", name) ?? fieldFault("tool call id", id);
}

/** The first fault of a list. */
export function firstFault<T>(
  all: readonly T[],
  faultOf: (one: T) => string | undefined,
): string | undefined {
  for (const one of all) {
    const fault = faultOf(one);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What is wrong with a field of meta, if it is set. */
export function fieldFault(
  what: string,
  text: string | undefined,
): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > MAX_META_CHARACTERS) {
    return `${what} has at most ${MAX_META_CHARACTERS} characters, this one has ${text.length}`;
  }
  return textFault(what, text);
}

/** What is wrong with a text that has to be there. */
export function textFault(what: string, text: string): string | undefined {
  if (text.trim() === "") return `${what} is blank`;
  // PostgreSQL cannot keep the one, and UTF-8 cannot write the other.
  if (text.includes("\0")) return `${what} holds a NUL character`;
  return text.isWellFormed() ? undefined : `${what} holds half a character`;
}

/** What is wrong with a time, if it is set. */
export function timeFault(
  what: string,
  text: string | undefined,
): string | undefined {
  if (text === undefined || isTime(text)) return undefined;
  return `${what} must be a time like 2026-09-01T09:00:00Z, not ${quote(text)}`;
}

/** What is wrong with a word that has to be one of a list. */
export function wordFault(
  what: string,
  word: string,
  words: readonly string[],
): string | undefined {
  if (words.includes(word)) return undefined;
  return `${what} must be one of ${words.join(", ")}, not ${quote(word)}`;
}
