/**
 * What the six root data tools share: argument schemas, record shapes, the
 * declaration of a collection.
 *
 * @module
 */
import { type CollectionDeclaration, formatProblems } from "../catalog/mod.ts";
import {
  MAX_KEY_CHARACTERS,
  MAX_RECORDS_PER_COLLECTION,
  type RecordHead,
  type RecordSelector,
  type StoredRecord,
  type WriteReceipt,
} from "../store/mod.ts";
import { ToolError } from "./errors.ts";
import type { RootData } from "./namespace.ts";
import { isoTime } from "./render.ts";
import type { ToolArguments } from "./tool.ts";

/** Schema of `collection`. */
export const COLLECTION_INPUT = {
  type: "string",
  description: "Name of the collection, as list_root_collections shows it",
} as const;

/** Schema of `key`. */
export const KEY_INPUT = {
  type: "string",
  maxLength: MAX_KEY_CHARACTERS,
  description: "The record's key, unique in its collection",
} as const;

/** Schema of `id`. */
export const ID_INPUT = {
  type: "integer",
  minimum: 1,
  description: "The record's id, as the other tools return it",
} as const;

/** Schema of `data`. */
export const DATA_INPUT = {
  type: "object",
  description:
    "The JSON object to store: at most 32 KB as compact JSON, and it must match the collection's schema where there is one",
} as const;

/** Reads exactly one of key and id. @throws {ToolError} Both or neither. */
export function selectorOf(args: ToolArguments): RecordSelector {
  const { key, id } = args;
  const hasKey = key !== undefined && key !== null;
  const hasId = id !== undefined && id !== null;
  if (hasKey && hasId) {
    throw new ToolError("Pass key or id, not both: each names a record alone");
  }
  if (hasKey) return { key: String(key) };
  if (hasId) return { id: Number(id) };
  throw new ToolError(
    "Pass key or id: neither was given, so no record is named",
  );
}

/**
 * The collection's declaration, for a write.
 *
 * @throws {ToolError} The root does not declare it; lists what it does declare.
 */
export function declarationOf(
  { root }: RootData,
  collection: string,
): CollectionDeclaration {
  const declaration = root.collections.get(collection);
  if (declaration !== undefined) return declaration;
  const names = [...root.collections.keys()].sort();
  throw new ToolError(
    `Collection "${collection}" is not declared by root "${root.name}"; ${
      names.length === 0 ? "it declares none" : `declared: ${names.join(", ")}`
    }. Add it to data_collections in the root's catalog entry to write to it`,
  );
}

/** Checks data against the declared schema. @throws {ToolError} Lists why not. */
export async function assertMatches(
  { catalog, root }: RootData,
  collection: string,
  data: unknown,
): Promise<void> {
  const verdict = await catalog.checkData(root, collection, data);
  if (verdict.ok) return;
  throw new ToolError(
    `Data does not match the schema of "${collection}": ${
      formatProblems(verdict.problems, verdict)
    }`,
  );
}

/** A record without its data, as tools show it. */
export function headShape(record: RecordHead): Record<string, unknown> {
  return {
    id: record.id,
    key: record.key,
    bytes: record.bytes,
    created_at: isoTime(record.createdAt),
    updated_at: isoTime(record.updatedAt),
    expires_at: isoTime(record.expiresAt),
    writing_session_id: record.writingSessionId,
  };
}

/** A record, as tools show it. */
export function recordShape(record: StoredRecord): Record<string, unknown> {
  const { id, key, ...rest } = headShape(record);
  return { id, key, data: record.data, ...rest };
}

/** What a put or append answers. */
export function receiptShape(
  collection: string,
  receipt: WriteReceipt,
): Record<string, unknown> {
  return {
    result: receipt.outcome,
    collection,
    record: headShape(receipt.record),
    usage: {
      records: receipt.records,
      records_limit: MAX_RECORDS_PER_COLLECTION,
      writes_left_this_minute: receipt.writesLeft,
    },
  };
}
