/**
 * Reading JSON that somebody else may have written.
 *
 * @module
 */

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The value as an object, if it is one. */
export function record(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Json // All there is to know of an object that came as JSON.
    : undefined;
}

/** The value as a text, if it is one. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value as a whole number from 0 on, if it is one. */
export function whole(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0
    ? Number(value)
    : undefined;
}

/** The texts of a list; undefined when it is none. */
export function texts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((one): one is string => typeof one === "string");
}

/** The same JSON in ASCII, so that it may be cut anywhere. */
export function toAscii(json: string): string {
  return json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
