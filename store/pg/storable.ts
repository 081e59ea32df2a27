/**
 * What PostgreSQL gives back exactly as it came: texts and numbers of a JSON
 * value that jsonb can hold.
 *
 * Refused, each with its path: text that jsonb cannot hold (NUL, lone
 * surrogates), numbers that a JSON parser has already changed (integers beyond
 * 2^53, values beyond the double range), nesting past the limit. The walk is
 * iterative, so no depth overflows the stack.
 *
 * @module
 */
import { StoreRefusalError } from "../errors.ts";

/** A JSON object as parsed: keys such as `__proto__` are plain data. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Deepest nesting, the value itself being level 1. */
export const MAX_DATA_DEPTH = 32;

/**
 * Checks that every text and number of a JSON value survives storage.
 *
 * @throws {StoreRefusalError} `unstorable_data`, naming the JSON pointer.
 */
export function assertStorable(value: unknown, label: string): void {
  const open: { value: unknown; path: string; depth: number }[] = [
    { value, path: "", depth: 1 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === "string") assertText(value, path, label, "text");
    else if (typeof value === "number") assertNumber(value, path, label);
    else if (typeof value === "object" && value !== null) {
      if (depth > MAX_DATA_DEPTH) {
        throw refusal(
          label,
          path,
          `nested deeper than ${MAX_DATA_DEPTH} levels, the most that is stored`,
        );
      }
      for (const [key, item] of Object.entries(value)) {
        if (!Array.isArray(value)) assertText(key, path, label, "key");
        open.push({
          value: item,
          path: `${path}/${pointerToken(key)}`,
          depth: depth + 1,
        });
      }
    }
  }
}

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function assertText(
  text: string,
  path: string,
  label: string,
  what: "key" | "text",
): void {
  const fault = text.includes("\u0000")
    ? "the NUL character"
    : text.isWellFormed()
    ? undefined
    : "half of a surrogate pair";
  if (fault === undefined) return;
  throw refusal(
    label,
    path,
    `${
      what === "key" ? "a key" : "a text"
    } with ${fault}, which the store cannot hold. Remove or escape it`,
  );
}

function assertNumber(value: number, path: string, label: string): void {
  if (!Number.isFinite(value)) {
    throw refusal(
      label,
      path,
      "a number beyond the range of a double; send it as a string",
    );
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw refusal(
      label,
      path,
      "an integer beyond 2^53, which JSON parsers round; send it as a string",
    );
  }
}

function refusal(
  label: string,
  path: string,
  what: string,
): StoreRefusalError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  const place = shown === "" ? "it" : `at ${shown.toWellFormed()} it`;
  return new StoreRefusalError(
    "unstorable_data",
    `Cannot use ${label}: ${place} holds ${what}`,
    { pointer: shown.toWellFormed() },
  );
}

function pointerToken(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1")
    .replaceAll("\u0000", "\\u0000");
}
