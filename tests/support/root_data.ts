/**
 * Short ways to write and read records in tests.
 *
 * @module
 */
import { serializeData } from "../../store/root_data/data.ts";
import type { Db } from "../../store/pg/db.ts";
import {
  appendRecord,
  putRecord,
  type WriteReceipt,
} from "../../store/root_data/records.ts";
import { startSession } from "./sessions.ts";

/** Where and how to write. */
export interface Place {
  readonly namespace?: string;
  readonly collection?: string;
  readonly retentionDays?: number;
  /** Only where the record was last written then. */
  readonly ifUpdatedAt?: string;
}

/** A writer with a session of its own. */
export interface Writer {
  readonly sessionId: number;
  put(key: string, data: unknown, place?: Place): Promise<WriteReceipt>;
  append(data: unknown, place?: Place): Promise<WriteReceipt>;
}

/** The default place of a {@link Writer}. */
export const NOTES = { namespace: "garden", collection: "notes" } as const;

/** Registers a session and returns its writer. */
export async function openWriter(db: Db): Promise<Writer> {
  const { session } = await startSession(db, { agentRootKey: "gardener" });
  const request = (data: unknown, place: Place) => ({
    ...NOTES,
    sessionId: session.id,
    data: serializeData(data),
    retentionDays: undefined,
    ...place,
  });
  return {
    sessionId: session.id,
    put: (key, data, place = {}) =>
      putRecord(db, { ...request(data, place), key }),
    append: (data, place = {}) => appendRecord(db, request(data, place)),
  };
}

/** Puts many records past all limits, and sets the counter to match. */
export async function fill(
  db: Db,
  count: number,
  place: { namespace: string; collection: string } = NOTES,
): Promise<void> {
  await db.write(
    `insert into agent_root_records
       (namespace, collection, key, data, data_bytes, created_at, updated_at)
     select $1, $2, 'k' || n, jsonb_build_object('n', n, 'even', n % 2 = 0),
       20, now() - make_interval(secs => n), now() - make_interval(secs => n)
     from generate_series(1, $3::int) n`,
    [place.namespace, place.collection, count],
  );
  await db.write(
    `insert into agent_root_record_counters
       (namespace, collection, records_count, data_bytes)
     values ($1, $2, $3, $3 * 20)
     on conflict (namespace, collection) do update
       set records_count = excluded.records_count, data_bytes = excluded.data_bytes`,
    [place.namespace, place.collection, count],
  );
}

/**
 * Makes rate windows last an hour, so that what belongs into one does, however
 * slow the machine is.
 */
export async function stretchWindows(db: Db): Promise<void> {
  await db.transaction((tx) =>
    tx.exec(`
      alter function root_data_window_writes rename to window_writes_of;
      create function root_data_window_writes(
        counter agent_root_record_counters, p_now timestamptz, p_window_seconds integer)
      returns integer language sql immutable as $$
        select window_writes_of(counter, p_now, p_window_seconds * 60)
      $$;`)
  );
}

/** Opens a new rate window for every collection, stretched or not. */
export async function openWindows(db: Db): Promise<void> {
  await db.write(
    `update agent_root_record_counters
     set window_started_at = window_started_at - interval '1 hour'`,
  );
}

/** Counters that do not say what is stored; empty when all is well. */
export async function drift(db: Db): Promise<unknown[]> {
  return await db.read(
    `select c.namespace, c.collection, c.records_count, c.data_bytes,
       count(r.id) as stored, coalesce(sum(r.data_bytes), 0) as bytes
     from agent_root_record_counters c
     full join agent_root_records r
       on r.namespace = c.namespace and r.collection = c.collection
     group by c.namespace, c.collection, c.records_count, c.data_bytes
     having c.records_count is distinct from count(r.id)
       or c.data_bytes is distinct from coalesce(sum(r.data_bytes), 0)`,
  );
}
