/**
 * The field of a root that declares what it may store: `data_collections`.
 *
 * Total: any JSON value is accepted, and what cannot be understood counts as
 * not declared. A wrong retention never shortens the life of a record.
 *
 * @module
 */

import { type IgnoredList, type Place, within } from "./ignored.ts";
import { describeValue, isAbsent, isJsonObject } from "./json.ts";
import type { CollectionDeclaration } from "../types.ts";

/** Most days a record may be kept after its last write. */
export const MAX_RETENTION_DAYS = 3_650;

/** Names a collection may have. */
export const COLLECTION_NAME_REGEXP = /^[a-z][a-z0-9_-]*$/;
const DIGITS_REGEXP = /^[0-9]+$/;

/** Reads `data_collections`: an object of declarations or a bare list of names. */
export function parseCollections(
  value: unknown,
  place: Place,
  ignored: IgnoredList,
): ReadonlyMap<string, CollectionDeclaration> {
  if (isAbsent(value)) return NO_COLLECTIONS;
  if (Array.isArray(value)) return parseNames(value, place, ignored);
  if (isJsonObject(value)) return parseDeclarations(value, place, ignored);
  ignored.add(
    place,
    `No collection is declared: expected an object or a list of names, got ${
      describeValue(value)
    }`,
  );
  return NO_COLLECTIONS;
}

const NO_COLLECTIONS: ReadonlyMap<string, CollectionDeclaration> = new Map();

function parseNames(
  names: readonly unknown[],
  place: Place,
  ignored: IgnoredList,
): ReadonlyMap<string, CollectionDeclaration> {
  const collections = new Map<string, CollectionDeclaration>();
  names.forEach((name, index) => {
    const here = within(place, index);
    if (typeof name !== "string") {
      ignored.add(
        here,
        `Collection skipped: expected a name, got ${describeValue(name)}`,
      );
      return;
    }
    if (!isCollectionName(name, here, ignored)) return;
    collections.set(name, { name, schemaIgnored: false });
  });
  return collections;
}

function parseDeclarations(
  value: Readonly<Record<string, unknown>>,
  place: Place,
  ignored: IgnoredList,
): ReadonlyMap<string, CollectionDeclaration> {
  const collections = new Map<string, CollectionDeclaration>();
  for (const [name, declared] of Object.entries(value)) {
    const here = within(place, name);
    if (!isCollectionName(name, here, ignored)) continue;
    if (!isJsonObject(declared)) {
      ignored.add(
        here,
        `Collection skipped: expected an object, got ${
          describeValue(declared)
        }; use {} to declare it with nothing set`,
      );
      continue;
    }
    collections.set(name, parseDeclaration(name, declared, here, ignored));
  }
  return collections;
}

function isCollectionName(
  name: string,
  place: Place,
  ignored: IgnoredList,
): boolean {
  if (COLLECTION_NAME_REGEXP.test(name)) return true;
  ignored.add(
    place,
    `Collection skipped: ${describeValue(name)} is not a collection name; ` +
      `use a lowercase letter, then lowercase letters, digits, "_" or "-"`,
  );
  return false;
}

function parseDeclaration(
  name: string,
  declared: Readonly<Record<string, unknown>>,
  place: Place,
  ignored: IgnoredList,
): CollectionDeclaration {
  const { description, schema, retention_days } = declared;
  const retentionDays = parseRetention(
    retention_days,
    within(place, "retention_days"),
    ignored,
  );
  if (!isAbsent(description) && typeof description !== "string") {
    ignored.add(
      within(place, "description"),
      `Description ignored: expected text, got ${describeValue(description)}`,
      "warning",
    );
  }
  const schemaIgnored = !isAbsent(schema) && !isJsonObject(schema);
  if (schemaIgnored) {
    ignored.add(
      within(place, "schema"),
      `Schema ignored, so any object is accepted: expected an object, got ${
        describeValue(schema)
      }`,
    );
  }
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    ...(isJsonObject(schema) ? { schema } : {}),
    schemaIgnored,
    ...(retentionDays === undefined ? {} : { retentionDays }),
  };
}

function parseRetention(
  value: unknown,
  place: Place,
  ignored: IgnoredList,
): number | undefined {
  if (isAbsent(value)) return undefined;
  const isDigits = typeof value === "string" && DIGITS_REGEXP.test(value);
  const days = isDigits ? Number(value) : value;
  // Written this way round so that NaN is refused too.
  if (typeof days !== "number" || !(days >= 1)) {
    ignored.add(
      place,
      `Retention ignored, so records stay until deleted: expected 1 to ${MAX_RETENTION_DAYS} days, got ${
        describeValue(value)
      }`,
      "warning",
    );
    return undefined;
  }
  if (days > MAX_RETENTION_DAYS) {
    ignored.add(
      place,
      `Retention cut to ${MAX_RETENTION_DAYS} days: ${
        describeValue(value)
      } is more than the most allowed`,
      "warning",
    );
    return MAX_RETENTION_DAYS;
  }
  if (Number.isInteger(days)) return days;
  // Up, never down: a record must not go earlier than declared.
  const rounded = Math.ceil(days);
  ignored.add(
    place,
    `Retention rounded up to ${rounded} days: ${
      describeValue(value)
    } is not a whole number`,
    "warning",
  );
  return rounded;
}
