/**
 * The retention sweep: deletes expired records in bounded batches, then
 * recounts the counters that have been quiet longest.
 *
 * It reads `expires_at` and nothing else of a record, and never the catalog.
 * One sweep runs at a time, whatever the number of processes: a transaction
 * holds an advisory lock for as long as the sweep lasts.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import { LOCK_KEYS } from "../pg/locks.ts";

/** Records of one batch. */
export const SWEEP_BATCH_RECORDS = 500;
/** How long one sweep may delete, in milliseconds. */
export const SWEEP_SLICE_MS = 60_000;
/** Counters that one sweep recounts. */
export const RECOUNTS_PER_SWEEP = 25;

/** A counter that did not say what was stored. */
export interface Drift {
  /** Namespace of the collection. */
  readonly namespace: string;
  /** The collection. */
  readonly collection: string;
  /** Records as counted before and after. */
  readonly records: { readonly before: number; readonly after: number };
  /** Bytes as counted before and after. */
  readonly bytes: { readonly before: number; readonly after: number };
}

/** What a sweep did. */
export interface SweepReport {
  /** Whether another sweep was running, so that this one did nothing. */
  readonly isSkipped: boolean;
  /** Records deleted. */
  readonly deleted: number;
  /** Batches read. */
  readonly batches: number;
  /** Whether it stopped, at the time limit or asked to, with records due. */
  readonly isTimedOut: boolean;
  /** Counters recounted. */
  readonly recounted: number;
  /** Counters that were wrong and are right now. */
  readonly drift: readonly Drift[];
  /** How long it took, in milliseconds. */
  readonly elapsedMs: number;
}

/** Settings of a sweep. */
export interface SweepOptions {
  /** Clock of the time limit, in milliseconds. */
  readonly now?: () => number;
  /** Told after each batch how many records are deleted so far. */
  readonly report?: (deleted: number) => void;
  /** Asks it to stop after the batch under way. */
  readonly signal?: AbortSignal;
  /** Records of one batch. @default {SWEEP_BATCH_RECORDS} */
  readonly batchRecords?: number;
  /**
   * Whether to look for records without a counter, as a hand-edited database
   * has them. It reads through all records.
   *
   * @default {false}
   */
  readonly findsMissing?: boolean;
}

interface DueRow extends Row {
  readonly namespace: string;
  readonly collection: string;
  readonly ids: readonly string[];
}

/** The statement that finds a batch, exported so that its plan can be asserted. */
export const DUE_STATEMENT = `
  select namespace, collection, array_agg(id) as ids from (
    select namespace, collection, id from agent_root_records
    where expires_at <= now() order by expires_at, id limit $1
  ) due
  group by namespace, collection order by namespace, collection`;

/** Sweeps once. @throws {StoreUnavailableError} The database could not do it. */
export async function sweep(
  db: Db,
  options: SweepOptions = {},
): Promise<SweepReport> {
  const now = options.now ?? (() => performance.now());
  const began = now();
  const idle = {
    isSkipped: true,
    deleted: 0,
    batches: 0,
    isTimedOut: false,
    recounted: 0,
    drift: [],
  };
  return await db.transaction(async (tx) => {
    const [lock] = await tx.read<{ taken: boolean }>(
      "select pg_try_advisory_xact_lock($1) as taken",
      [LOCK_KEYS.sweep],
    );
    if (lock?.taken !== true) return { ...idle, elapsedMs: now() - began };
    const swept = await sweepDue(db, { ...options, now }, began, async () => {
      // Fails when the lock's connection is gone, and keeps it from being
      // closed as idle.
      await tx.read("select 1");
    });
    if (options.findsMissing === true) await makeMissing(db);
    const drift = await recountQuietest(db, options.signal);
    return {
      ...swept,
      isSkipped: false,
      recounted: drift.recounted,
      drift: drift.found,
      elapsedMs: now() - began,
    };
  });
}

async function sweepDue(
  db: Db,
  options: SweepOptions & { readonly now: () => number },
  began: number,
  keepLock: () => Promise<void>,
): Promise<Pick<SweepReport, "deleted" | "batches" | "isTimedOut">> {
  const batchRecords = options.batchRecords ?? SWEEP_BATCH_RECORDS;
  let deleted = 0;
  for (let batches = 0;; batches++) {
    const groups = await db.read<DueRow>(DUE_STATEMENT, [batchRecords]);
    if (groups.length === 0) return { deleted, batches, isTimedOut: false };
    const isOver = options.now() - began >= SWEEP_SLICE_MS;
    if (isOver || options.signal?.aborted === true) {
      return { deleted, batches, isTimedOut: true };
    }
    await keepLock();
    for (const { namespace, collection, ids } of groups) {
      // One transaction a collection: a sweep that dies keeps what it did.
      const [row] = await db.write<{ deleted: number }>(
        "select root_data_sweep($1, $2, $3::text::bigint[]) as deleted",
        [namespace, collection, `{${ids.join(",")}}`],
      );
      deleted += row?.deleted ?? 0;
    }
    options.report?.(deleted);
  }
}

/** Makes the counters that are missing, each from a count. */
async function makeMissing(db: Db): Promise<void> {
  const places = await db.read<{ namespace: string; collection: string }>(
    `select distinct namespace, collection from agent_root_records r
     where not exists (
       select from agent_root_record_counters c
       where c.namespace = r.namespace and c.collection = r.collection)`,
  );
  for (const { namespace, collection } of places) {
    await db.write("select root_data_recount($1, $2)", [namespace, collection]);
  }
}

async function recountQuietest(
  db: Db,
  signal: AbortSignal | undefined,
): Promise<{ recounted: number; found: Drift[] }> {
  const quiet = await db.read<{ namespace: string; collection: string }>(
    `select namespace, collection from agent_root_record_counters
     order by updated_at, namespace, collection limit $1`,
    [RECOUNTS_PER_SWEEP],
  );
  const found: Drift[] = [];
  let recounted = 0;
  for (const { namespace, collection } of quiet) {
    if (signal?.aborted === true) break;
    const [row] = await db.write<Row>(
      "select * from root_data_recount($1, $2)",
      [namespace, collection],
    );
    recounted++;
    if (row === undefined) continue;
    const records = {
      before: Number(row.records_before),
      after: Number(row.records_after),
    };
    const bytes = {
      before: Number(row.bytes_before),
      after: Number(row.bytes_after),
    };
    if (records.before !== records.after || bytes.before !== bytes.after) {
      found.push({ namespace, collection, records, bytes });
    }
  }
  return { recounted, found };
}
