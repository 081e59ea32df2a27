/**
 * What a record's `data` may be: a JSON object that PostgreSQL gives back
 * exactly as it came, within the size limit.
 *
 * @module
 */
import { StoreRefusalError } from "../errors.ts";
import {
  assertStorable,
  isJsonObject,
  type JsonObject,
} from "../pg/storable.ts";
import { MAX_DATA_BYTES } from "./limits.ts";

/** Data ready to be stored. */
export interface SerializedData {
  /** Compact JSON text. */
  readonly json: string;
  /** Its length in UTF-8 bytes. */
  readonly bytes: number;
}

const encoder = new TextEncoder();

/**
 * Checks that a value is storable and serializes it.
 *
 * @throws {StoreRefusalError} `bad_argument` when it is not an object,
 * `unstorable_data` with a JSON pointer, `data_too_large`.
 */
export function serializeData(data: unknown): SerializedData {
  if (!isJsonObject(data)) {
    throw new StoreRefusalError(
      "bad_argument",
      `Data must be a JSON object, and this is ${describe(data)}`,
    );
  }
  const { json, bytes } = measureJson(data, "data");
  if (bytes > MAX_DATA_BYTES) {
    throw new StoreRefusalError(
      "data_too_large",
      `Data is ${bytes} bytes of JSON; the limit is ${MAX_DATA_BYTES}. Split it over several records`,
      { bytes, limit: MAX_DATA_BYTES },
    );
  }
  assertStorable(data, "data");
  return { json, bytes };
}

/**
 * Serializes a value of any size: what it costs is known before it is walked.
 *
 * @throws {StoreRefusalError} It is nested too deep to be serialized.
 */
export function measureJson(value: JsonObject, label: string): SerializedData {
  try {
    const json = JSON.stringify(value);
    return { json, bytes: utf8Bytes(json) };
  } catch (error) {
    // Only nesting overflows the stack, and the walk says where it is.
    if (error instanceof RangeError) assertStorable(value, label);
    throw error;
  }
}

/** Bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
