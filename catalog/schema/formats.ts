/**
 * Formats of JSON Schema, each with a limit on the length of the text.
 *
 * The expressions behind some formats take quadratic time. A text longer than
 * anything the format allows in practice does not match, and is not tried.
 *
 * @module
 */

import { fullFormats } from "ajv-formats/dist/formats.js";

/** Most characters of a text with a format not listed below. */
export const MAX_FORMAT_CHARS = 256;

/** Longer limits; formats whose expressions are linear have none. */
const LIMITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    email: 320,
    uri: 2_048,
    "uri-reference": 2_048,
    "uri-template": 2_048,
    url: 2_048,
    regex: 4_096,
    "json-pointer": Infinity,
    "json-pointer-uri-fragment": Infinity,
    "relative-json-pointer": Infinity,
    byte: Infinity,
    binary: Infinity,
    password: Infinity,
  }),
);

/** A check of one format, in the form schema compilers take. */
export type FormatCheck =
  | true
  | { readonly type: "string"; readonly validate: (text: string) => boolean }
  | { readonly type: "number"; readonly validate: (value: number) => boolean };

/** All formats by name. */
export function boundedFormats(): Record<string, FormatCheck> {
  const formats: Record<string, FormatCheck> = {};
  for (const [name, format] of Object.entries(fullFormats)) {
    const check = boundFormat(format, LIMITS.get(name) ?? MAX_FORMAT_CHARS);
    if (check !== undefined) formats[name] = check;
  }
  return formats;
}

function boundFormat(
  format: unknown,
  maxChars: number,
): FormatCheck | undefined {
  if (format === true) return true;
  if (format instanceof RegExp || typeof format === "function") {
    const test = toTest(format);
    return {
      type: "string",
      validate: (text) => text.length <= maxChars && test(text),
    };
  }
  if (typeof format !== "object" || format === null) return undefined;
  if (!("validate" in format)) return undefined;
  const { validate } = format;
  if ("type" in format && format.type === "number") {
    if (typeof validate !== "function") return undefined;
    return { type: "number", validate: (value) => validate(value) === true };
  }
  return boundFormat(validate, maxChars);
}

function toTest(format: RegExp | CallableFunction): (text: string) => boolean {
  if (format instanceof RegExp) return (text) => format.test(text);
  return (text) => format(text) === true;
}
