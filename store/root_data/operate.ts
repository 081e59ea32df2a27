/**
 * What an operator does to records, past sessions and their rate windows:
 * empties a collection, drops a namespace, moves one.
 *
 * Everything goes in batches, a transaction each, under the locks that writers
 * take; one that breaks off is run again. What is written while it runs is left
 * alone, so that it ends.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import { StoreRefusalError } from "../errors.ts";
import {
  MAX_COLLECTIONS_PER_NAMESPACE,
  MAX_RECORDS_PER_COLLECTION,
} from "./limits.ts";
import { assertCollectionName, assertNamespace } from "./names.ts";

const BATCH_RECORDS = 500;

/** What is meant: a namespace, or one collection of it. */
export interface Holding {
  /** The namespace. */
  readonly namespace: string;
  /** Only this collection. */
  readonly collection?: string | undefined;
}

/** What a collection holds, counted. */
export interface HeldRecords {
  /** The collection. */
  readonly collection: string;
  /** Its records. */
  readonly records: number;
  /** Bytes of their data. */
  readonly bytes: number;
}

/** What a move would do, or did, to a collection. */
export interface MovedRecords {
  /** The collection. */
  readonly collection: string;
  /** Records that moved. */
  readonly moved: number;
  /** Records that stay, since their key is taken there. */
  readonly keyTaken: number;
  /** Records that stay for want of room: a cap of the target. */
  readonly noRoom: number;
}

interface HeldRow extends Row {
  readonly collection: string;
  readonly records: number;
  readonly bytes: string;
  readonly last_id: string;
  readonly key_taken: number;
}

/** Counts what is stored, by collection. @throws {StoreRefusalError} Bad name. */
export async function countHeld(
  db: Db,
  holding: Holding,
): Promise<HeldRecords[]> {
  const rows = await held(db, holding);
  return rows.map(({ collection, records, bytes }) => ({
    collection,
    records,
    bytes: Number(bytes),
  }));
}

/**
 * Deletes what is stored now; returns how many records.
 *
 * @throws {StoreRefusalError} Bad name.
 */
export async function emptyHeld(db: Db, holding: Holding): Promise<number> {
  let deleted = 0;
  for (const { collection, last_id: lastId } of await held(db, holding)) {
    for (;;) {
      const [row] = await db.write<{ n: number }>(
        "select root_data_empty($1, $2, $3::text::bigint, $4) as n",
        [holding.namespace, collection, lastId, BATCH_RECORDS],
      );
      if (row === undefined || row.n === 0) break;
      deleted += row.n;
    }
  }
  return deleted;
}

/**
 * Empties a namespace and forgets its counters; returns how many records went.
 *
 * @throws {StoreRefusalError} Bad name.
 */
export async function dropNamespace(
  db: Db,
  namespace: string,
): Promise<number> {
  const deleted = await emptyHeld(db, { namespace });
  await dropCounters(db, { namespace });
  return deleted;
}

/** What a move would do; caps are judged by what is stored now. */
export async function planMove(
  db: Db,
  from: Holding,
  to: string,
): Promise<MovedRecords[]> {
  assertMove(from, to);
  const room = new Map(
    (await countHeld(db, { namespace: to }))
      .map(({ collection, records }) => [collection, records]),
  );
  return (await held(db, from, to)).map((row) => {
    const free = row.records - row.key_taken;
    const stored = room.get(row.collection) ?? 0;
    const isFull = stored === 0 && room.size >= MAX_COLLECTIONS_PER_NAMESPACE;
    const places = isFull ? 0 : MAX_RECORDS_PER_COLLECTION - stored;
    const moved = Math.max(0, Math.min(free, places));
    if (moved > 0) room.set(row.collection, stored + moved);
    return {
      collection: row.collection,
      moved,
      keyTaken: row.key_taken,
      noRoom: free - moved,
    };
  });
}

/**
 * Moves records into another namespace, with their ids, times and writers. A
 * record stays where its key is taken there, or a cap of the target is reached.
 *
 * @throws {StoreRefusalError} Bad name, or a move onto itself.
 */
export async function moveHeld(
  db: Db,
  from: Holding,
  to: string,
): Promise<MovedRecords[]> {
  assertMove(from, to);
  const done: MovedRecords[] = [];
  for (const { collection, last_id: lastId } of await held(db, from)) {
    let after = "0";
    let [moved, keyTaken, seen] = [0, 0, 0];
    for (;;) {
      const [row] = await db.write<Row>(
        `select next_id::text, seen, moved, key_taken
         from root_data_move($1, $2, $3, $4::text::bigint, $5::text::bigint, $6, $7, $8)`,
        [
          from.namespace,
          to,
          collection,
          after,
          lastId,
          BATCH_RECORDS,
          MAX_RECORDS_PER_COLLECTION,
          MAX_COLLECTIONS_PER_NAMESPACE,
        ],
      );
      if (row === undefined || Number(row.seen) === 0) break;
      after = String(row.next_id);
      moved += Number(row.moved);
      keyTaken += Number(row.key_taken);
      seen += Number(row.seen);
    }
    done.push({ collection, moved, keyTaken, noRoom: seen - moved - keyTaken });
  }
  await dropCounters(db, from);
  return done;
}

/** What is stored, and how many of the keys `other` has, too. */
async function held(
  db: Db,
  { namespace, collection }: Holding,
  other: string | null = null,
): Promise<HeldRow[]> {
  assertNamespace(namespace);
  if (collection !== undefined) assertCollectionName(collection);
  return await db.read<HeldRow>(
    `select r.collection collate "C" as collection, count(*)::int as records,
       sum(r.data_bytes)::text as bytes, max(r.id)::text as last_id,
       count(*) filter (where r.key is not null and exists (
         select from agent_root_records t
         where t.namespace = $3 and t.collection = r.collection and t.key = r.key
       ))::int as key_taken
     from agent_root_records r
     where r.namespace = $1 and ($2::text is null or r.collection = $2)
     group by 1 order by 1`,
    [namespace, collection ?? null, other],
  );
}

/** Forgets the counters of what holds nothing any more. */
async function dropCounters(
  db: Db,
  { namespace, collection }: Holding,
): Promise<void> {
  const rows = await db.read<{ collection: string }>(
    `select collection from agent_root_record_counters
     where namespace = $1 and ($2::text is null or collection = $2)
     order by collection`,
    [namespace, collection ?? null],
  );
  for (const row of rows) {
    await db.write("select root_data_drop_counter($1, $2)", [
      namespace,
      row.collection,
    ]);
  }
}

function assertMove({ namespace }: Holding, to: string): void {
  assertNamespace(to);
  if (namespace !== to) return;
  throw new StoreRefusalError(
    "bad_argument",
    `Cannot move "${namespace}" onto itself: name another namespace`,
  );
}
