/**
 * What the six root data tools share: argument schemas, record shapes, the
 * checks before a write.
 *
 * @module
 */
import {
  type AgentRoot,
  type CollectionDeclaration,
  formatProblems,
} from "../../../catalog/mod.ts";
import {
  assertCollectionName,
  MAX_KEY_CHARACTERS,
  MAX_RECORDS_PER_COLLECTION,
  type RecordHead,
  type RecordSelector,
  serializeData,
  type StoredRecord,
  type WriteReceipt,
  type WriteRequest,
} from "../../../store/root_data/mod.ts";
import type { Db } from "../../../store/pg/mod.ts";
import { ToolError } from "../../errors.ts";
import { resolveRootData } from "../../caller/calling_root.ts";
import { isoTime } from "../../render.ts";
import {
  stringArgument,
  type ToolArguments,
  type ToolContext,
} from "../tool.ts";

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
  maximum: Number.MAX_SAFE_INTEGER,
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

/** A write that the catalog and the store's rules on data have passed. */
export interface PreparedWrite {
  /** The migrated database. */
  readonly db: Db;
  /** What to write, and where. */
  readonly request: WriteRequest;
}

/**
 * Readies a put or append: resolves the namespace, finds the declaration, checks
 * the data. Nothing is locked or written yet.
 *
 * @throws {ToolError} One text a case.
 */
export async function prepareWrite(
  context: ToolContext,
  args: ToolArguments,
): Promise<PreparedWrite> {
  const { db, sessionId, namespace, root, catalog } = await resolveRootData(
    context,
  );
  const collection = stringArgument(args, "collection");
  assertCollectionName(collection);
  const { retentionDays } = declarationOf(root, collection);
  const data = serializeData(args.data);
  const check = await catalog.checkData(root, collection, args.data);
  if (!check.ok) {
    throw new ToolError(
      `Data does not match the schema of "${collection}": ${
        formatProblems(check.problems, check)
      }`,
    );
  }
  const request = { namespace, collection, sessionId, data, retentionDays };
  return { db, request };
}

function declarationOf(
  root: AgentRoot,
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
