/**
 * Records of root data: put, append, delete, get, search, list.
 *
 * A write is one call of a database function (migration 0007), which takes the
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
import { accepted, notFound, type OutcomeRow, sessionGone } from "./outcome.ts";

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

/** A put: data under a key, and perhaps what must be so for it to happen. */
export interface PutRequest extends WriteRequest {
  /** The key. */
  readonly key: string;
  /** Only where the record was last written then, as a read shows it. */
  readonly ifUpdatedAt?: string | undefined;
  /** Only where there is no record at the key. */
  readonly ifAbsent?: boolean | undefined;
}

/** A delete. */
export interface DeleteRequest extends CollectionAddress {
  /** Session that deletes; it must exist. */
  readonly sessionId?: number | undefined;
  /** Only where the record was last written then, as a read shows it. */
  readonly ifUpdatedAt?: string | undefined;
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

/** Columns of a record without its data, as {@link toHead} reads them. */
export const HEAD_COLUMNS =
  "id, key, data_bytes, created_at, updated_at, expires_at, writing_session_id";

/** Inserts or wholly replaces the record at `key`. @throws {StoreRefusalError} */
export async function putRecord(
  db: Db,
  request: PutRequest,
): Promise<WriteReceipt> {
  assertKey(
    request.key,
    "; use append_root_record for a record without a key",
  );
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
  address: DeleteRequest,
  selector: RecordSelector,
): Promise<DeleteReceipt> {
  assertCollectionName(address.collection);
  const [key, id] = selectorParams(selector);
  const [row] = await db.write<OutcomeRow>(
    "select * from root_data_delete($1, $2, $3, $4, $5, $6, $7, $8)",
    [
      address.namespace,
      address.collection,
      key,
      id,
      MAX_WRITES_PER_WINDOW,
      RATE_WINDOW_SECONDS,
      address.sessionId ?? null,
      versionParam(address.ifUpdatedAt),
    ],
  );
  const done = accepted(row, address, {
    selector,
    twinId: isMissed(row) ? await findTwin(db, address, key) : undefined,
  });
  return {
    id: Number(done.id),
    key: done.key as string | null,
    records: done.records_count,
    writesLeft: MAX_WRITES_PER_WINDOW - done.window_writes,
  };
}

/**
 * Reads one record. A session that is named must exist.
 *
 * @throws {StoreRefusalError} Code `not_found`.
 */
export async function getRecord(
  db: Db,
  address: CollectionAddress & { readonly sessionId?: number | undefined },
  selector: RecordSelector,
): Promise<StoredRecord> {
  assertCollectionName(address.collection);
  const { namespace, collection, sessionId } = address;
  const [key, id] = selectorParams(selector);
  const [row] = await db.read<Row>(
    `select ${HEAD_COLUMNS}, data from agent_root_records
       where namespace = $1 and collection = $2
         and ${key === null ? "id" : "key"} = $3
         and ($4::bigint is null or exists (select from sessions where sessions.id = $4))`,
    [namespace, collection, key ?? id, sessionId ?? null],
  );
  if (row !== undefined) return toRecord(row);
  const [rest] = await db.read<{ stored: number; is_there: boolean }>(
    `select ${storedColumn("$1", "$2")} as stored,
       $3::bigint is null or exists (select from sessions where id = $3) as is_there`,
    [namespace, collection, sessionId ?? null],
  );
  if (sessionId !== undefined && rest?.is_there === false) {
    throw sessionGone(sessionId);
  }
  throw notFound(address, rest?.stored ?? 0, {
    selector,
    twinId: await findTwin(db, address, key),
  });
}

/** Whether there was no record where one was expected, or a version of one. */
function isMissed(row: OutcomeRow | undefined): boolean {
  return row?.outcome === "not_found" ||
    (row?.outcome === "conflict" && row.updated_at === null);
}

/** The record whose key looks like one that is not there, in other code points. */
async function findTwin(
  db: Db,
  { namespace, collection }: CollectionAddress,
  key: string | null,
): Promise<number | undefined> {
  const forms = [key?.normalize("NFC"), key?.normalize("NFD")]
    .filter((form) => form !== undefined && form !== key);
  for (const form of forms) {
    const [row] = await db.read<{ id: string }>(
      "select id from agent_root_records where namespace = $1 and collection = $2 and key = $3",
      [namespace, collection, form],
    );
    if (row !== undefined) return Number(row.id);
  }
  return undefined;
}

/**
 * How many records a collection holds, as its counter says; where that is
 * missing (a hand-edited database) they are counted.
 */
export function storedColumn(namespace: string, collection: string): string {
  return `coalesce(
    (select records_count from agent_root_record_counters
      where namespace = ${namespace} and collection = ${collection}),
    (select count(*)::int from agent_root_records
      where namespace = ${namespace} and collection = ${collection}))`;
}

/** The statement behind a list, exported so that its plan can be asserted. */
export const LIST_STATEMENT = `
  select collection, records_count, data_bytes, last_write_at
  from agent_root_record_counters
  where namespace = $1 and (records_count > 0 or $2)
  order by collection collate "C"`;

/**
 * Lists the collections of a namespace that hold records, by name; with
 * `withEmptied` also those that held some once.
 */
export async function listCollections(
  db: Db,
  namespace: string,
  { withEmptied = false }: { readonly withEmptied?: boolean } = {},
): Promise<CollectionUsage[]> {
  const rows = await db.read<Row>(LIST_STATEMENT, [namespace, withEmptied]);
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
  request: WriteRequest & Partial<PutRequest>,
  key: string | null,
): Promise<WriteReceipt> {
  assertCollectionName(request.collection);
  let row: OutcomeRow | undefined;
  try {
    [row] = await db.write<OutcomeRow>(
      `select * from root_data_put($1, $2, $3, $4::text::jsonb, $5, $6, $7, $8, $9, $10, $11,
         p_if_updated_at => $12, p_if_absent => $13)`,
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
        versionParam(request.ifUpdatedAt),
        request.ifAbsent === true,
      ],
    );
  } catch (error) {
    throw withoutSession(error, request.sessionId);
  }
  if (row?.outcome === "row_cap") {
    row = { ...row, expires_at: await anyExpiry(db, request) };
  }
  const done = accepted(row, request, {
    twinId: isMissed(row) ? await findTwin(db, request, key) : undefined,
  });
  return {
    outcome: done.outcome as WriteReceipt["outcome"],
    record: toHead(done),
    records: done.records_count,
    writesLeft: MAX_WRITES_PER_WINDOW - done.window_writes,
  };
}

/** When one of a collection's records expires; null where none ever will. */
async function anyExpiry(
  db: Db,
  { namespace, collection }: CollectionAddress,
): Promise<Date | null> {
  const [row] = await db.read<{ expires_at: Date }>(
    `select expires_at from agent_root_records
     where namespace = $1 and collection = $2 and expires_at is not null limit 1`,
    [namespace, collection],
  );
  return row?.expires_at ?? null;
}

/** A foreign key fault means the session was deleted since it was looked up. */
function withoutSession(error: unknown, sessionId: number): unknown {
  const isGone = error instanceof StoreUnavailableError &&
    error.sqlState === "23503";
  return isGone ? sessionGone(sessionId) : error;
}

const TIME_REGEXP =
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** A version as it is compared, in milliseconds. @throws {StoreRefusalError} */
function versionParam(shown: string | undefined): string | null {
  if (shown === undefined) return null;
  const ms = TIME_REGEXP.test(shown) ? Date.parse(shown) : NaN;
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new StoreRefusalError(
    "bad_argument",
    `if_updated_at must be a record's updated_at, such as 2026-01-31T12:00:00.000Z: it is "${
      shorten(shown)
    }"`,
  );
}
