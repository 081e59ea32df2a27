/**
 * What a record's `data` may be: a JSON object that PostgreSQL gives back
 * exactly as it came, within the size limit.
 *
 * @module
 */
import { StoreRefusalError } from "../errors.ts";
import { assertStorable, isJsonObject } from "../pg/storable.ts";
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
  assertStorable(data, "data");
  const json = JSON.stringify(data);
  const bytes = encoder.encode(json).length;
  if (bytes > MAX_DATA_BYTES) {
    throw new StoreRefusalError(
      "data_too_large",
      `Data is ${bytes} bytes of JSON; the limit is ${MAX_DATA_BYTES}. Split it over several records`,
      { bytes, limit: MAX_DATA_BYTES },
    );
  }
  return { json, bytes };
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
