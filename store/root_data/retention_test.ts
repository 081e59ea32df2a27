import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  drift,
  fill,
  NOTES,
  openWriter,
} from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { waitUntilBlocked } from "../../tests/support/wait_until_blocked.ts";
import { watchedDb } from "../../tests/support/watched_db.ts";
import type { Db, Row } from "../pg/db.ts";
import { LOCK_KEYS } from "../pg/locks.ts";
import { openPool } from "../pg/postgres.ts";
import { putRecord } from "./records.ts";
import { serializeData } from "./data.ts";
import { DUE_STATEMENT, sweep, SWEEP_SLICE_MS } from "./retention.ts";

/** Makes every stored record due. */
async function expireAll(db: Db): Promise<void> {
  await db.write(
    "update agent_root_records set expires_at = now() - interval '1 minute'",
  );
}

async function countRecords(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number }>(
    "select count(*)::int as n from agent_root_records",
  );
  return row?.n ?? 0;
}

Deno.test("[case 60] due records are deleted and their counters follow", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await fill(test.db, 1_200);
  await expireAll(test.db);
  await writer.put("kept", {}, { retentionDays: 1 });
  await writer.put("forever", {});
  const report = await sweep(test.db);
  deepEqual(
    [report.isSkipped, report.deleted, report.batches, report.isTimedOut],
    [false, 1_200, 3, false],
  );
  equal(await countRecords(test.db), 2);
  deepEqual(await drift(test.db), []);
});

Deno.test("an expired record stays readable until it is swept, and a put renews it", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await writer.put("k", { a: 1 }, { retentionDays: 1 });
  await expireAll(test.db);
  const again = await writer.put("k", { a: 2 }, { retentionDays: 1 });
  equal(again.outcome, "replaced");
  equal((await sweep(test.db)).deleted, 0);
});

Deno.test("[case 61] a record renewed between scan and lock survives", async () => {
  await using test = await openTestDb();
  await using other = disposable(openPool(test.target));
  const writer = await openWriter(test.db);
  await writer.put("renewed", {}, { retentionDays: 1 });
  await writer.put("due", {}, { retentionDays: 1 });
  await expireAll(test.db);
  // The put holds the counter's lock while the sweep has already scanned.
  const sweeping = await other.db.transaction(async (tx) => {
    await tx.write(
      `select root_data_put($1, $2, 'renewed', '{}', 2, null, 1, 10000, 25, 60, 60)`,
      [NOTES.namespace, NOTES.collection],
    );
    const report = sweep(test.db);
    await waitUntilBlocked(test.db);
    return { report };
  });
  equal((await sweeping.report).deleted, 1);
  deepEqual(
    await test.db.read("select key from agent_root_records"),
    [{ key: "renewed" }],
  );
  deepEqual(await drift(test.db), []);
});

Deno.test("[case 62] the slice stops between batches at 60 seconds and says so", async () => {
  await using test = await openTestDb();
  await fill(test.db, 30);
  await expireAll(test.db);
  let at = 0;
  const report = await sweep(test.db, {
    batchRecords: 10,
    now: () => at,
    report: () => at += SWEEP_SLICE_MS / 2,
  });
  deepEqual([report.deleted, report.isTimedOut], [20, true]);
  equal((await sweep(test.db)).deleted, 10);
});

Deno.test("a sweep that is asked to stop ends after the batch under way", async () => {
  await using test = await openTestDb();
  await fill(test.db, 30);
  await expireAll(test.db);
  const stopping = new AbortController();
  const report = await sweep(test.db, {
    batchRecords: 10,
    signal: stopping.signal,
    report: () => stopping.abort(),
  });
  deepEqual(
    [report.deleted, report.isTimedOut, report.recounted],
    [10, true, 0],
  );
  equal(await countRecords(test.db), 20);
});

Deno.test("[case 63] the sweep finds due records through its partial index alone", async () => {
  await using test = await openTestDb();
  await fill(test.db, 10_000);
  await test.db.write("analyze agent_root_records");
  const rows = await test.db.read<Row>(`explain ${DUE_STATEMENT}`, [500]);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  match(plan, /Index (Only )?Scan using agent_root_records_due/);
  ok(!plan.includes("Seq Scan"), plan);
});

Deno.test("[case 64] the recount repairs a drifted counter, reports it, and rotates", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  for (let n = 0; n < 30; n++) {
    await writer.put("k", {}, { namespace: `ns${n}` });
  }
  await test.db.write(
    `update agent_root_record_counters set records_count = 7, data_bytes = 1,
       updated_at = now() - interval '1 day' where namespace = 'ns29'`,
  );
  const first = await sweep(test.db);
  equal(first.recounted, 25);
  deepEqual(first.drift, [{
    namespace: "ns29",
    collection: "notes",
    records: { before: 7, after: 1 },
    bytes: { before: 1, after: 2 },
  }]);
  await sweep(test.db);
  const [row] = await test.db.read<{ n: number }>(
    "select count(*)::int as n from agent_root_record_counters where recounted_at is null",
  );
  equal(row?.n, 0);
  deepEqual(await drift(test.db), []);
});

Deno.test("[case 65] sweeps and puts at once neither deadlock nor drift", async () => {
  await using test = await openTestDb({ max: 8 });
  const writer = await openWriter(test.db);
  await fill(test.db, 300);
  await expireAll(test.db);
  const work: Promise<unknown>[] = [];
  for (let n = 0; n < 30; n++) {
    work.push(writer.put(`k${n * 10}`, { n }, { retentionDays: 1 }));
    if (n % 3 === 0) work.push(sweep(test.db, { batchRecords: 7 }));
  }
  await Promise.all(work);
  await sweep(test.db);
  deepEqual(await drift(test.db), []);
  equal(await countRecords(test.db), 30);
});

Deno.test("[case 65] a sweep touches no record before it has the counter, so no writer deadlocks with it", async () => {
  await using test = await openTestDb();
  await using other = disposable(openPool(test.target));
  await fill(test.db, 2);
  await expireAll(test.db);
  // A writer between its two locks: the counter is its own, the record not yet.
  const { report } = await other.db.transaction(async (tx) => {
    await tx.write("select root_data_lock_counter($1, $2)", [
      NOTES.namespace,
      NOTES.collection,
    ]);
    const report = sweep(test.db);
    report.catch(() => {}); // Judged below; a writer that fails comes first.
    await waitUntilBlocked(test.db);
    for (const key of ["k1", "k2"]) {
      await tx.write(
        `select root_data_put($1, $2, $3, '{}', 2, null, 1, 10000, 25, 60, 60)`,
        [NOTES.namespace, NOTES.collection, key],
      );
    }
    return { report };
  });
  equal((await report).deleted, 0);
  equal(await countRecords(test.db), 2);
  deepEqual(await drift(test.db), []);
});

Deno.test("a sweep that loses its lock deletes nothing more: another may have taken it", async () => {
  await using test = await openTestDb();
  await using other = disposable(openPool(test.target));
  await fill(test.db, 40);
  await expireAll(test.db);
  const taken = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<void>();
  let rival: Promise<void> | undefined;
  const losing = watchedDb(test.db, async (text, run) => {
    const rows = await run();
    if (!text.includes("root_data_sweep") || rival !== undefined) return rows;
    rival = other.db.transaction(async (tx) => {
      await tx.read(
        `select pg_terminate_backend(pid, 5000) from pg_locks
         where locktype = 'advisory' and granted and database = (
           select oid from pg_database where datname = current_database())`,
      );
      await tx.read("select pg_advisory_xact_lock($1)", [LOCK_KEYS.sweep]);
      taken.resolve();
      await isOver.promise;
    });
    await Promise.race([taken.promise, rival]);
    return rows;
  });
  await Promise.allSettled([sweep(losing, { batchRecords: 10 })]);
  equal(await countRecords(test.db), 30);
  isOver.resolve();
  await rival;
});

Deno.test("of two sweeps at once one does the work and the other says it did nothing", async () => {
  await using test = await openTestDb();
  await using other = disposable(openPool(test.target));
  await fill(test.db, 100);
  await expireAll(test.db);
  await other.db.transaction(async (tx) => {
    await tx.read("select pg_advisory_xact_lock($1)", [LOCK_KEYS.sweep]);
    const report = await sweep(test.db);
    deepEqual([report.isSkipped, report.deleted], [true, 0]);
  });
  equal((await sweep(test.db)).deleted, 100);
});

Deno.test("a sweep that dies in the middle keeps what it did, and the next one goes on", async () => {
  await using test = await openTestDb();
  await fill(test.db, 40);
  await expireAll(test.db);
  const died = sweep(test.db, {
    batchRecords: 10,
    report: (deleted) => {
      if (deleted === 20) throw new Error("Killed");
    },
  });
  await died.then(() => ok(false), (error) => match(error.message, /Killed/));
  equal(await countRecords(test.db), 20);
  deepEqual(await drift(test.db), []);
  equal((await sweep(test.db)).deleted, 20);
});

Deno.test("records without a counter are swept, and the counter is made", async () => {
  await using test = await openTestDb();
  await fill(test.db, 10);
  await expireAll(test.db);
  await test.db.write("delete from agent_root_record_counters");
  equal((await sweep(test.db)).deleted, 10);
  deepEqual(await drift(test.db), []);
  await putRecord(test.db, {
    ...NOTES,
    key: "k",
    sessionId: (await openWriter(test.db)).sessionId,
    data: serializeData({}),
    retentionDays: undefined,
  });
});

function disposable(db: Db): AsyncDisposable & { readonly db: Db } {
  return { db, [Symbol.asyncDispose]: () => db.close() };
}
