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

/** An object or array that is still to be walked, and the way to it. */
interface Open {
  readonly value: object;
  readonly depth: number;
  readonly key: string;
  readonly parent: Open | undefined;
}

/**
 * Checks that every text and number of a JSON value survives storage. It walks
 * all of it: whoever takes values of any size measures them before.
 *
 * @throws {StoreRefusalError} `unstorable_data`, naming the JSON pointer.
 */
export function assertStorable(value: unknown, label: string): void {
  const open: Open[] = [];
  const visit = (item: unknown, key: string, parent: Open | undefined) => {
    if (typeof item === "object" && item !== null) {
      open.push({ value: item, key, parent, depth: (parent?.depth ?? 0) + 1 });
      return;
    }
    const fault = typeof item === "string"
      ? faultOfText(item, "a text")
      : typeof item === "number"
      ? faultOfNumber(item)
      : undefined;
    if (fault !== undefined) throw refusal(label, pathTo(parent, key), fault);
  };
  visit(value, "", undefined);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > MAX_DATA_DEPTH) throw tooDeep(label, next);
    for (const [key, item] of Object.entries(next.value)) {
      const fault = faultOfText(key, "a key");
      if (fault !== undefined) {
        throw refusal(label, pathTo(next.parent, next.key), fault);
      }
      visit(item, key, next);
    }
  }
}

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function faultOfText(
  text: string,
  what: "a key" | "a text",
): string | undefined {
  const fault = text.includes("\u0000")
    ? "the NUL character"
    : text.isWellFormed()
    ? undefined
    : "half of a surrogate pair";
  return fault === undefined
    ? undefined
    : `holds ${what} with ${fault}, which the store cannot hold. Remove or escape it`;
}

function faultOfNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) {
    return "holds a number beyond the range of a double; send it as a string";
  }
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? "holds an integer beyond 2^53, which JSON parsers round; send it as a string"
    : undefined;
}

function tooDeep(label: string, place: Open): StoreRefusalError {
  return refusal(
    label,
    pathTo(place.parent, place.key),
    `is nested deeper than ${MAX_DATA_DEPTH} levels, the most that is stored`,
  );
}

/** The JSON pointer of a member; made only when it is shown. */
function pathTo(parent: Open | undefined, key: string): string {
  const tokens: string[] = [];
  for (
    let at: { key: string; parent: Open | undefined } | undefined = {
      key,
      parent,
    };
    at?.parent !== undefined;
    at = at.parent
  ) tokens.push(pointerToken(at.key));
  return tokens.reverse().map((token) => `/${token}`).join("");
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
    `Cannot use ${label}: ${place} ${what}`,
    { pointer: shown.toWellFormed() },
  );
}

function pointerToken(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1")
    .replaceAll("\u0000", "\\u0000");
}
