/**
 * Records of root data: put, append, delete, get, search, list.
 *
 * A write is one call of a database function (migration 0002), which takes the
 * collection's counter row first and then decides: rate window, target, caps,
 * write, counter. Refusals are decided before the first change. Nothing here
 * knows what a catalog is: the declaration's retention comes in as a number.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import type { JsonObject } from "../pg/storable.ts";
import type { SerializedData } from "./data.ts";
import { StoreRefusalError, StoreUnavailableError } from "../errors.ts";
import {
  MAX_COLLECTIONS_PER_NAMESPACE,
  MAX_RECORDS_PER_COLLECTION,
  MAX_WRITES_PER_WINDOW,
  RATE_WINDOW_SECONDS,
} from "./limits.ts";
import {
  assertCollectionName,
  assertKey,
  type RecordSelector,
  selectorParams,
  shorten,
} from "./names.ts";

/** Where a record lives. */
export interface CollectionAddress {
  /** Resolved by the server from the calling session, never by a caller. */
  readonly namespace: string;
  /** The collection's name. */
  readonly collection: string;
}

/** A write of data. */
export interface WriteRequest extends CollectionAddress {
  /** Session that writes; stamped on the record. */
  readonly sessionId: number;
  /** JSON object to store, as {@link serializeData} made it. */
  readonly data: SerializedData;
  /** Days until it expires; undefined keeps it until deleted. */
  readonly retentionDays: number | undefined;
}

/** A stored record without its data. */
export interface RecordHead {
  /** Never reused. */
  readonly id: number;
  /** Null for an appended record. */
  readonly key: string | null;
  /** Size of the data: UTF-8 bytes of compact JSON. */
  readonly bytes: number;
  /** Survives replacement. */
  readonly createdAt: Date;
  /** When it was last written. */
  readonly updatedAt: Date;
  /** Fixed at the last write; null keeps it. */
  readonly expiresAt: Date | null;
  /** Session that wrote it last; null when that session was deleted. */
  readonly writingSessionId: number | null;
}

/** A stored record. */
export interface StoredRecord extends RecordHead {
  /** What was stored. */
  readonly data: JsonObject;
}

/** What a put or append did. */
export interface WriteReceipt {
  /** Whether a record was made, replaced or appended. */
  readonly outcome: "created" | "replaced" | "appended";
  /** The record as it is now. */
  readonly record: RecordHead;
  /** Records in the collection now. */
  readonly records: number;
  /** Writes that the current window still takes. */
  readonly writesLeft: number;
}

/** What a delete did. */
export interface DeleteReceipt {
  /** The deleted record's id. */
  readonly id: number;
  /** The deleted record's key. */
  readonly key: string | null;
  /** Records left in the collection. */
  readonly records: number;
  /** Writes that the current window still takes. */
  readonly writesLeft: number;
}

/** A collection that holds or held records. */
export interface CollectionUsage {
  /** The collection's name. */
  readonly collection: string;
  /** Records it holds. */
  readonly records: number;
  /** Sum of their data's bytes. */
  readonly bytes: number;
  /** Last accepted write. */
  readonly lastWriteAt: Date | null;
}

/** What a write function of the database answers. */
export interface OutcomeRow extends Row {
  readonly outcome: string;
  readonly records_count: number;
  readonly window_writes: number;
  readonly retry_after_seconds: number;
  readonly holding: string[] | null;
}

/** Columns of a record without its data, as {@link toHead} reads them. */
export const HEAD_COLUMNS =
  "id, key, data_bytes, created_at, updated_at, expires_at, writing_session_id";

/** Inserts or wholly replaces the record at `key`. @throws {StoreRefusalError} */
export async function putRecord(
  db: Db,
  request: WriteRequest & { readonly key: string },
): Promise<WriteReceipt> {
  assertKey(request.key);
  return await write(db, request, request.key);
}

/** Inserts a record without a key. @throws {StoreRefusalError} */
export function appendRecord(
  db: Db,
  request: WriteRequest,
): Promise<WriteReceipt> {
  return write(db, request, null);
}

/** Deletes one record; it counts as a write. @throws {StoreRefusalError} */
export async function deleteRecord(
  db: Db,
  address: CollectionAddress,
  selector: RecordSelector,
): Promise<DeleteReceipt> {
  assertCollectionName(address.collection);
  const [key, id] = selectorParams(selector);
  const [row] = await db.write<OutcomeRow>(
    "select * from root_data_delete($1, $2, $3, $4, $5, $6)",
    [
      address.namespace,
      address.collection,
      key,
      id,
      MAX_WRITES_PER_WINDOW,
      RATE_WINDOW_SECONDS,
    ],
  );
  const done = accepted(row, address, selector);
  return {
    id: Number(done.id),
    key: done.key as string | null,
    records: done.records_count,
    writesLeft: MAX_WRITES_PER_WINDOW - done.window_writes,
  };
}

/** Reads one record. @throws {StoreRefusalError} Code `not_found`. */
export async function getRecord(
  db: Db,
  address: CollectionAddress,
  selector: RecordSelector,
): Promise<StoredRecord> {
  assertCollectionName(address.collection);
  const { namespace, collection } = address;
  const [key, id] = selectorParams(selector);
  const [row] = await db.read<Row>(
    key === null
      ? `select ${HEAD_COLUMNS}, data from agent_root_records
           where namespace = $1 and collection = $2 and id = $3`
      : `select ${HEAD_COLUMNS}, data from agent_root_records
           where namespace = $1 and collection = $2 and key = $3`,
    [namespace, collection, key ?? id],
  );
  if (row === undefined) {
    const [counter] = await db.read<{ records_count: number }>(
      "select records_count from agent_root_record_counters where namespace = $1 and collection = $2",
      [namespace, collection],
    );
    throw notFound(address, selector, counter?.records_count ?? 0);
  }
  return toRecord(row);
}

/** The statement behind a list, exported so that its plan can be asserted. */
export const LIST_STATEMENT = `
  select collection, records_count, data_bytes, last_write_at
  from agent_root_record_counters
  where namespace = $1 and records_count > 0
  order by collection collate "C"`;

/** Lists the collections of a namespace that hold records, by name. */
export async function listCollections(
  db: Db,
  namespace: string,
): Promise<CollectionUsage[]> {
  const rows = await db.read<Row>(LIST_STATEMENT, [namespace]);
  return rows.map((row) => ({
    collection: String(row.collection),
    records: Number(row.records_count),
    bytes: Number(row.data_bytes),
    lastWriteAt: row.last_write_at as Date | null,
  }));
}

/** Reads the columns of {@link HEAD_COLUMNS}. */
export function toHead(row: Row): RecordHead {
  return {
    id: Number(row.id),
    key: row.key as string | null,
    bytes: Number(row.data_bytes),
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
    expiresAt: row.expires_at as Date | null,
    writingSessionId: row.writing_session_id === null
      ? null
      : Number(row.writing_session_id),
  };
}

/** Reads {@link HEAD_COLUMNS} and `data`. */
export function toRecord(row: Row): StoredRecord {
  return { ...toHead(row), data: row.data as JsonObject };
}

async function write(
  db: Db,
  request: WriteRequest,
  key: string | null,
): Promise<WriteReceipt> {
  assertCollectionName(request.collection);
  let row: OutcomeRow | undefined;
  try {
    [row] = await db.write<OutcomeRow>(
      `select * from root_data_put($1, $2, $3, $4::text::jsonb, $5, $6, $7, $8, $9, $10, $11)`,
      [
        request.namespace,
        request.collection,
        key,
        request.data.json,
        request.data.bytes,
        request.sessionId,
        request.retentionDays ?? null,
        MAX_RECORDS_PER_COLLECTION,
        MAX_COLLECTIONS_PER_NAMESPACE,
        MAX_WRITES_PER_WINDOW,
        RATE_WINDOW_SECONDS,
      ],
    );
  } catch (error) {
    throw withoutSession(error, request.sessionId);
  }
  const done = accepted(row, request, undefined);
  return {
    outcome: done.outcome as WriteReceipt["outcome"],
    record: toHead(done),
    records: done.records_count,
    writesLeft: MAX_WRITES_PER_WINDOW - done.window_writes,
  };
}

/** A foreign key fault means the session was deleted since it was looked up. */
function withoutSession(error: unknown, sessionId: number): unknown {
  const isGone = error instanceof StoreUnavailableError &&
    error.sqlState === "23503";
  return isGone
    ? new StoreRefusalError(
      "not_found",
      `Session ${sessionId} no longer exists; nothing was written`,
    )
    : error;
}

/** Turns a refused outcome into its refusal. @throws {StoreRefusalError} */
export function accepted(
  row: OutcomeRow | undefined,
  address: CollectionAddress,
  selector: RecordSelector | undefined,
): OutcomeRow {
  const { collection } = address;
  if (row === undefined) {
    throw new StoreUnavailableError(
      "failed",
      "The database answered a write with nothing",
    );
  }
  switch (row.outcome) {
    case "rate_limited":
      throw new StoreRefusalError(
        "rate_limited",
        `The ${MAX_WRITES_PER_WINDOW} writes a minute to "${collection}" are used up; the next window opens in ${row.retry_after_seconds} seconds`,
        {
          limit: MAX_WRITES_PER_WINDOW,
          retry_after_seconds: row.retry_after_seconds,
        },
      );
    case "row_cap":
      throw new StoreRefusalError(
        "row_cap",
        `Collection "${collection}" holds ${row.records_count} records, and ${MAX_RECORDS_PER_COLLECTION} is the most it may; delete some or let retention remove them. Replacing an existing key still works`,
        { records: row.records_count, limit: MAX_RECORDS_PER_COLLECTION },
      );
    case "collection_cap": {
      const holding = row.holding ?? [];
      throw new StoreRefusalError(
        "collection_cap",
        `The namespace already has ${holding.length} collections that hold records, and ${MAX_COLLECTIONS_PER_NAMESPACE} is the most it may: ${
          holding.join(", ")
        }. Empty one of them first`,
        { limit: MAX_COLLECTIONS_PER_NAMESPACE, holding },
      );
    }
    case "not_found":
      throw notFound(address, selector, row.records_count);
    default:
      return row;
  }
}

function notFound(
  { collection }: CollectionAddress,
  selector: RecordSelector | undefined,
  stored: number,
): StoreRefusalError {
  const what = selector === undefined
    ? "such record"
    : "key" in selector
    ? `record with key "${shorten(selector.key)}"`
    : `record with id ${selector.id}`;
  const rest = stored === 0
    ? "the collection holds no records"
    : `the collection holds ${stored} record${stored === 1 ? "" : "s"}`;
  return new StoreRefusalError(
    "not_found",
    `Collection "${collection}" has no ${what}; ${rest}`,
    { records: stored },
  );
}
