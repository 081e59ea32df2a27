/**
 * One line of an import: a header, or a record with everything about it that
 * can be judged without a database.
 *
 * @module
 */
import { isJsonObject } from "../pg/storable.ts";
import { serializeData, type SerializedData } from "../root_data/data.ts";
import { StoreRefusalError } from "../errors.ts";
import { EXPORT_VERSION } from "./export.ts";
import {
  assertCollectionName,
  assertKey,
  assertNamespace,
  shorten,
} from "../root_data/names.ts";
import type { CollectionAddress } from "../root_data/records.ts";

/** A record of an import. */
export interface ImportRecord extends CollectionAddress {
  /** Null for a record without a key. */
  readonly key: string | null;
  /** Its data, as parsed. */
  readonly data: unknown;
  /** Its data, ready to be stored. */
  readonly serialized: SerializedData;
  /** ISO 8601 UTC; undefined is its last write, or the time of the import. */
  readonly createdAt: string | undefined;
  /** ISO 8601 UTC; undefined is the creation time. */
  readonly updatedAt: string | undefined;
  /** ISO 8601 UTC; undefined never expires. */
  readonly expiresAt: string | undefined;
}

/** What a line is. */
export type ImportLine =
  | { readonly kind: "header"; readonly namespace: string | undefined }
  | { readonly kind: "record"; readonly record: ImportRecord };

/** The file was written in a form that this program cannot read. */
export class ExportVersionError extends StoreRefusalError {}

const TIME_REGEXP =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$/;
const FIELDS = new Set([
  "namespace",
  "collection",
  "key",
  "data",
  "created_at",
  "updated_at",
  "expires_at",
  // Information for people: ids and sessions differ from database to database.
  "id",
  "writing_session_id",
]);

/**
 * Reads a line. `fallback` is the namespace of a record that names none,
 * `override` that of all records.
 *
 * @throws {StoreRefusalError} The line is no record that could be stored.
 * @throws {ExportVersionError} A header of another version.
 */
export function parseImportLine(
  text: string,
  { fallback, override }: {
    readonly fallback: string | undefined;
    readonly override: string | undefined;
  },
): ImportLine {
  const line = parseObject(text);
  if (Object.hasOwn(line, "rootcellar_export")) return headerOf(line);
  const unknown = Object.keys(line).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) {
    throw refusal(`There is no field "${shorten(unknown)}" in a record`);
  }
  const namespace = override ?? textOf(line, "namespace") ?? fallback;
  if (namespace === undefined) throw refusal("The record names no namespace");
  const collection = textOf(line, "collection");
  if (collection === undefined) throw refusal("The record names no collection");
  const key = textOf(line, "key") ?? null;
  assertNamespace(namespace);
  assertCollectionName(collection);
  if (key !== null) assertKey(key, "; leave it out for a record without one");
  const { data } = line;
  const serialized = serializeData(data);
  const createdAt = timeOf(line, "created_at");
  const updatedAt = timeOf(line, "updated_at");
  assertOrder(createdAt, updatedAt);
  return {
    kind: "record",
    record: {
      namespace,
      collection,
      key,
      data,
      serialized,
      createdAt,
      updatedAt,
      expiresAt: timeOf(line, "expires_at"),
    },
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refusal(`The line is not JSON: ${shorten(reason)}`);
  }
  if (!isJsonObject(value)) throw refusal("The line is not a JSON object");
  return value;
}

function headerOf(line: Readonly<Record<string, unknown>>): ImportLine {
  const version = line.rootcellar_export;
  if (version === EXPORT_VERSION) {
    return { kind: "header", namespace: textOf(line, "namespace") };
  }
  throw new ExportVersionError(
    "bad_argument",
    `The export is of version ${
      shorten(JSON.stringify(version))
    }, and this program reads version ${EXPORT_VERSION}; use the release that wrote it`,
  );
}

function textOf(
  line: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  const value = line[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw refusal(`"${name}" must be text`);
}

function timeOf(
  line: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  const text = textOf(line, name);
  if (text === undefined || isTime(text)) return text;
  throw refusal(
    `"${name}" must be a time such as 2026-01-31T12:00:00.000000Z: it is "${
      shorten(text)
    }"`,
  );
}

/** A record is never written before it is made. */
function assertOrder(
  createdAt: string | undefined,
  updatedAt: string | undefined,
): void {
  if (createdAt === undefined || updatedAt === undefined) return;
  if (microseconds(updatedAt) >= microseconds(createdAt)) return;
  throw refusal(
    `"updated_at" is before "created_at": ${updatedAt} and ${createdAt}`,
  );
}

/** A time with all its digits, so that texts compare as times. */
function microseconds(time: string): string {
  const [seconds = "", fraction = ""] = time.slice(0, -1).split(".");
  return `${seconds}.${fraction.padEnd(6, "0")}`;
}

/** A time that exists: a 30th of February would silently be another day. */
function isTime(text: string): boolean {
  const ms = TIME_REGEXP.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(ms) && !text.startsWith("0000") &&
    new Date(ms).toISOString().slice(0, 19) === text.slice(0, 19);
}

function refusal(message: string): StoreRefusalError {
  return new StoreRefusalError("bad_argument", message);
}
