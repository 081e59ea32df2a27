/**
 * JSON values of unknown shape: telling them apart and naming them in messages.
 *
 * @module
 */

import { cutText } from "./problems.ts";

const MAX_SHOWN_CHARS = 80;

/** A JSON object, as opposed to a list or null. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a field counts as not declared. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Names a value for people, short whatever its size. */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") {
    return JSON.stringify(cutText(value, MAX_SHOWN_CHARS));
  }
  return cutText(String(value), MAX_SHOWN_CHARS);
}
