/**
 * What narrows a search: a filter within its limits, a beginning of keys.
 *
 * Containment costs filter times record and cannot be interrupted inside one
 * comparison, so a filter is bounded in bytes and in leaves; bytes are measured
 * first, before anything walks it.
 *
 * @module
 */
import { StoreRefusalError } from "../errors.ts";
import {
  assertStorable,
  isJsonObject,
  type JsonObject,
} from "../pg/storable.ts";
import { measureJson } from "./data.ts";
import { MAX_FILTER_BYTES, MAX_FILTER_LEAVES } from "./limits.ts";

/**
 * The filter as compact JSON.
 *
 * @throws {StoreRefusalError} It is too large, or nothing stored can hold it.
 */
export function serializeFilter(filter: JsonObject): string {
  const { json, bytes } = measureJson(filter, "the filter");
  if (bytes > MAX_FILTER_BYTES) {
    throw new StoreRefusalError(
      "data_too_large",
      `The filter is ${bytes} bytes of JSON; the limit is ${MAX_FILTER_BYTES}. Name fewer members, and filter the rest yourself`,
      { bytes, limit: MAX_FILTER_BYTES },
    );
  }
  assertStorable(filter, "the filter");
  const leaves = countLeaves(filter);
  if (leaves > MAX_FILTER_LEAVES) {
    throw new StoreRefusalError(
      "data_too_large",
      `The filter has ${leaves} values; the limit is ${MAX_FILTER_LEAVES}. Name fewer members, and filter the rest yourself`,
      { leaves, limit: MAX_FILTER_LEAVES },
    );
  }
  return json;
}

/** Scalars, empty objects and empty arrays; no deeper than what is stored. */
function countLeaves(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const items = Object.values(value);
  return items.length === 0
    ? 1
    : items.reduce((sum, item) => sum + countLeaves(item), 0);
}

/** The first member whose name looks like an operator, such as `$gt`. */
export function operatorIn(filter: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(filter)) {
    if (/^\$[A-Za-z]+$/.test(name)) return name;
    for (const item of Array.isArray(value) ? value : [value]) {
      const found = isJsonObject(item) ? operatorIn(item) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/**
 * The first text, by bytes, that no key with this beginning reaches; undefined
 * where there is none.
 */
export function afterPrefix(prefix: string): string | undefined {
  const characters = [...prefix];
  for (
    let last = characters.pop();
    last !== undefined;
    last = characters.pop()
  ) {
    const code = (last.codePointAt(0) ?? 0) + 1;
    // Half surrogate pairs are no characters.
    const next = code === 0xd800 ? 0xe000 : code;
    if (next <= 0x10ffff) {
      return characters.join("") + String.fromCodePoint(next);
    }
  }
  return undefined;
}
