import { deepEqual, equal, match, ok } from "node:assert/strict";
import { fill, openWriter } from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Db, Row } from "../pg/db.ts";
import { StoreUnavailableError } from "../errors.ts";
import { LIST_STATEMENT } from "./records.ts";
import { sweep } from "./retention.ts";
import {
  HEALTH_STATEMENTS,
  readRootDataHealth,
  type RootDataHealth,
} from "./health.ts";

type Figures = Exclude<RootDataHealth, { status: "unavailable" }>;

async function healthOf(db: Db): Promise<Figures> {
  const health = await readRootDataHealth(() => Promise.resolve(db));
  if (health.status === "unavailable") throw new Error(health.error);
  return health;
}

Deno.test("health of an empty store is fine and all zero", async () => {
  await using test = await openTestDb();
  deepEqual(await healthOf(test.db), {
    status: "ok",
    reasons: [],
    totals: { namespaces: 0, collections: 0, records: 0, bytes: 0 },
    namespaces: [],
    namespaces_omitted: 0,
    overdue: {
      records: 0,
      is_floor: false,
      oldest_expires_at: null,
      threshold_hours: 2,
    },
    near_cap: [],
    last_recount_at: null,
  });
});

Deno.test("health that cannot be read names the nodes of a distributed database that do not answer", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const read = () => readRootDataHealth(() => Promise.resolve(db));
  await db.write("alter table agent_root_record_counters rename to elsewhere");
  deepEqual(await read(), {
    status: "unavailable",
    error: "StoreUnavailableError: failed",
  });
  // In the form of Citus 13; what the dead node would say of others is null.
  await db.write(
    `create function citus_check_cluster_node_health() returns table (
       from_nodename text, from_nodeport int, to_nodename text, to_nodeport int, result bool)
     language sql as $$
       values ('one', 5432, 'two', 5432, false), ('one', 5432, 'one', 5432, true),
         ('two', 5432, 'one', 5432, null), ('three', 5432, 'two', 5432, false) $$`,
  );
  deepEqual(await read(), {
    status: "unavailable",
    error:
      "StoreUnavailableError: failed; these nodes of the database do not answer: two:5432. Namespaces on other nodes go on",
  });
});

Deno.test("health says when a sweep last recounted, also of what was emptied", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await writer.put("a", {});
  equal((await healthOf(test.db)).last_recount_at, null);
  await sweep(test.db);
  const [row] = await test.db.read<{ at: Date }>(
    "select max(recounted_at) as at from agent_root_record_counters",
  );
  await test.db.write(
    "update agent_root_record_counters set records_count = 0",
  );
  const health = await healthOf(test.db);
  equal(health.last_recount_at, row?.at.toISOString());
  deepEqual([health.totals.namespaces, health.totals.collections], [0, 0]);
});

Deno.test("health shows each namespace with its records, bytes and last write", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await writer.put("a", { x: 1 }, { namespace: "one", collection: "c" });
  await writer.put("a", { x: 1 }, { namespace: "one", collection: "d" });
  const { record } = await writer.put("a", {}, { namespace: "two" });
  const health = await healthOf(test.db);
  deepEqual(health.totals, {
    namespaces: 2,
    collections: 3,
    records: 3,
    bytes: 16,
  });
  deepEqual(
    health.namespaces.map((row) => [row.namespace, row.collections, row.bytes]),
    [["one", 2, 14], ["two", 1, 2]],
  );
  equal(health.namespaces[1]?.last_write_at, record.updatedAt.toISOString());
});

Deno.test("[case 66] records count as overdue only past two hours", async () => {
  await using test = await openTestDb();
  await fill(test.db, 3);
  const expire = (age: string) =>
    test.db.write(
      `update agent_root_records set expires_at = now() - $1::text::interval`,
      [age],
    );
  await expire("1 hour 59 minutes");
  equal((await healthOf(test.db)).status, "ok");
  await expire("2 hours 1 minute");
  const health = await healthOf(test.db);
  equal(health.status, "warning");
  equal(health.overdue.records, 3);
  match(health.reasons[0] ?? "", /3 records expired more than 2 hours ago/);
  ok(health.overdue.oldest_expires_at !== null);
});

Deno.test("[case 67] a collection is near the cap at 9,000 records, not at 8,999", async () => {
  await using test = await openTestDb();
  const set = (count: number) =>
    test.db.write(
      `insert into agent_root_record_counters (namespace, collection, records_count)
       values ('garden', 'runs', $1) on conflict (namespace, collection)
       do update set records_count = excluded.records_count`,
      [count],
    );
  await set(8_999);
  deepEqual((await healthOf(test.db)).near_cap, []);
  await set(9_000);
  const health = await healthOf(test.db);
  deepEqual(health.near_cap, [{
    namespace: "garden",
    collection: "runs",
    records: 9_000,
    limit: 10_000,
    pct: 90,
  }]);
  match(health.reasons[0] ?? "", /"runs" of namespace "garden" holds 9000/);
});

Deno.test("[case 68] a failing read gives a report that says so, without its text", async () => {
  const failure = new StoreUnavailableError("unreachable", "secret host");
  deepEqual(await readRootDataHealth(() => Promise.reject(failure)), {
    status: "unavailable",
    error: "StoreUnavailableError: unreachable",
  });
});

Deno.test("a list reads counters and no record", async () => {
  await using test = await openTestDb();
  await fill(test.db, 1_000);
  const rows = await test.db.read<Row>(`explain ${LIST_STATEMENT}`, [
    "garden",
    false,
  ]);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  match(plan, /agent_root_record_counters/);
  ok(!/agent_root_records/.test(plan), plan);
});

Deno.test("health never scans records: counters and the partial index only", async () => {
  await using test = await openTestDb();
  await fill(test.db, 10_000);
  await test.db.write("analyze agent_root_records");
  const params: Record<keyof typeof HEALTH_STATEMENTS, unknown[]> = {
    namespaces: [1_000],
    totals: [],
    overdue: [2, 100_000],
    nearCap: [9_000],
  };
  for (const name of Object.keys(params) as (keyof typeof params)[]) {
    const rows = await test.db.read<Row>(
      `explain ${HEALTH_STATEMENTS[name]}`,
      params[name],
    );
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    ok(!/Seq Scan on agent_root_records\b/.test(plan), plan);
    if (name === "overdue") match(plan, /agent_root_records_due/);
    else ok(!/agent_root_records_/.test(plan), plan);
  }
});
