/**
 * Reads fields of a body against a closed schema: what is not known is refused
 * by name, so that a misspelt field never means "nothing said".
 *
 * @module
 */
import { quote } from "../errors.ts";
import { invalid } from "./wire_error.ts";
import { isRecord, type JsonRecord } from "./json_body.ts";

/** Refuses fields that are not in the list. */
export function assertKnown(
  body: JsonRecord,
  known: readonly string[],
  place = "",
): void {
  const stranger = Object.keys(body).find((name) => !known.includes(name));
  if (stranger === undefined) return;
  throw invalid(
    `Unknown field ${quote(place + stranger)}; known: ${known.join(", ")}`,
  );
}

/** A text, or undefined where the field is absent or null. */
export function optionalText(
  body: JsonRecord,
  name: string,
  maxLength: number,
): string | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw invalid(`${name} must be a text`);
  if (value.length > maxLength) {
    throw invalid(`${name} has more than ${maxLength} characters`);
  }
  return value;
}

/** A text that has to be there and is not blank. */
export function requiredText(
  body: JsonRecord,
  name: string,
  maxLength: number,
): string {
  const value = optionalText(body, name, maxLength);
  if (value === undefined || value.trim() === "") {
    throw invalid(`${name} is required`);
  }
  return value;
}

/** One of the words, or undefined where the field is absent or null. */
export function optionalWord<T extends string>(
  body: JsonRecord,
  name: string,
  words: readonly T[],
): T | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const word = words.find((one) => one === value);
  if (word === undefined) {
    throw invalid(`${name} must be one of ${words.join(", ")}`);
  }
  return word;
}

/** Texts, or none where the field is absent or null. */
export function optionalTexts(
  body: JsonRecord,
  name: string,
  max: { readonly items: number; readonly length: number },
): readonly string[] {
  const value = body[name] ?? [];
  if (!Array.isArray(value) || value.length > max.items) {
    throw invalid(`${name} must be a list of at most ${max.items} texts`);
  }
  return value.map((one) => {
    if (typeof one === "string" && one.length <= max.length) return one;
    throw invalid(`${name} holds texts of at most ${max.length} characters`);
  });
}

/** An object, or undefined where the field is absent or null. */
export function optionalRecord(
  body: JsonRecord,
  name: string,
): JsonRecord | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || isRecord(value)) return value;
  throw invalid(`${name} must be an object`);
}

/** A whole number in a range, or undefined where it is absent or null. */
export function optionalWhole(
  body: JsonRecord,
  name: string,
  [from, to]: readonly [number, number],
): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (
    typeof value === "number" && Number.isInteger(value) && value >= from &&
    value <= to
  ) return value;
  throw invalid(`${name} must be a whole number from ${from} to ${to}`);
}

/** A switch, or undefined where it is absent or null. */
export function optionalSwitch(
  body: JsonRecord,
  name: string,
): boolean | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw invalid(`${name} must be true or false`);
}

const TIME_REGEXP =
  /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

/** A point in time as RFC 3339 in UTC. */
export function parseTime(text: string, name: string): string {
  const time = TIME_REGEXP.test(text) ? new Date(text) : undefined;
  // Year 0 is one that databases do not know.
  if (time !== undefined && time.getUTCFullYear() >= 1) {
    return time.toISOString();
  }
  throw invalid(`${name} must be a time as in 2026-09-01T09:00:00Z`);
}

/** A point in time, or undefined where the field is absent or null. */
export function optionalTime(
  body: JsonRecord,
  name: string,
): string | undefined {
  const text = optionalText(body, name, 40);
  return text === undefined ? undefined : parseTime(text, name);
}
