import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { fill, openWriter } from "../../tests/support/root_data.ts";
import { openTestDb, type TestDb } from "../../tests/support/test_db.ts";
import {
  browseCounters,
  browseRecords,
  browseStatement,
  type RecordBrowseRequest,
} from "./browse.ts";
import { encodeCursor } from "./browse_cursor.ts";
import type { Db } from "../pg/db.ts";
import { MAX_PAGE_BYTES } from "./limits.ts";
import { deleteRecord } from "./records.ts";

/** Walks all pages; addresses and keys in order. */
async function walk(
  db: Db,
  request: Partial<RecordBrowseRequest> = {},
  afterPage: () => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = await browseRecords(db, { limit: 3, ...request, after });
    seen.push(
      ...page.records.map((one) =>
        `${one.namespace}/${one.collection}/${one.key}`
      ),
    );
    ok(page.next === undefined || page.next !== after, "It stands still");
    after = page.next;
    await afterPage();
  } while (after !== undefined);
  return seen;
}

async function openGarden(): Promise<TestDb> {
  const test = await openTestDb();
  const writer = await openWriter(test.db);
  for (const namespace of ["b", "a"]) {
    for (const collection of ["y", "x"]) {
      for (const key of ["k1", "k2", "other"]) {
        await writer.put(key, { key }, { namespace, collection });
      }
    }
  }
  return test;
}

const EVERYTHING = ["a/x", "a/y", "b/x", "b/y"].flatMap((place) =>
  ["other", "k2", "k1"].map((key) => `${place}/${key}`)
);

Deno.test("records come by namespace and collection, newest first, on pages of any size", async () => {
  await using test = await openGarden();
  for (const limit of [1, 2, 3, 5, 100]) {
    deepEqual(await walk(test.db, { limit }), EVERYTHING);
  }
});

Deno.test("records are narrowed to a namespace, a collection, a key and a beginning of keys", async () => {
  await using test = await openGarden();
  const { db } = test;
  const of = (pattern: RegExp) => EVERYTHING.filter((one) => pattern.test(one));
  deepEqual(await walk(db, { namespace: "b" }), of(/^b/));
  deepEqual(await walk(db, { collection: "y" }), of(/\/y\//));
  deepEqual(await walk(db, { namespace: "a", collection: "y" }), of(/^a\/y/));
  const key = (text: string, isPrefix: boolean) => ({
    namespace: "b",
    key: { text, isPrefix },
    limit: 1,
  });
  deepEqual(await walk(db, key("k1", false)), of(/^b.*k1/));
  deepEqual(await walk(db, key("k", true)), of(/^b.*k/));
  deepEqual(await walk(db, key("k", false)), []);
  deepEqual(await walk(db, key("%", true)), []);
});

Deno.test("a page says how many records are stored under its filter, as counted", async () => {
  await using test = await openGarden();
  const stored = async (request: Partial<RecordBrowseRequest>) =>
    (await browseRecords(test.db, { limit: 1, ...request })).stored;
  deepEqual([
    await stored({}),
    await stored({ namespace: "a" }),
    await stored({ namespace: "a", collection: "x" }),
    await stored({ namespace: "none" }),
  ], [12, 6, 3, 0]);
});

Deno.test("equal times neither repeat nor skip records", async () => {
  await using test = await openTestDb();
  const place = { namespace: "garden", collection: "notes" };
  await fill(test.db, 50, place);
  await test.db.write("update agent_root_records set created_at = now()");
  const seen = await walk(test.db, { limit: 7 });
  equal(seen.length, 50);
  equal(new Set(seen).size, 50);
});

Deno.test("what is written or deleted between pages moves nothing else", async () => {
  await using test = await openGarden();
  const writer = await openWriter(test.db);
  let turn = 0;
  const seen = await walk(test.db, { limit: 2 }, async () => {
    if (turn++ > 0) return;
    // Before the cursor, and at it.
    const place = { namespace: "a", collection: "x" };
    await writer.put("new", {}, place);
    await deleteRecord(test.db, place, { key: "k2" });
  });
  deepEqual(seen, EVERYTHING);
});

Deno.test("a page stops before its data is too much, and its cursor goes on from there", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  for (let n = 0; n < 8; n++) {
    await writer.put(`k${n}`, { text: "x".repeat(32_000) });
  }
  const page = await browseRecords(test.db, { limit: 100 });
  ok(page.isTruncated);
  equal(page.records.length, Math.floor(MAX_PAGE_BYTES / 32_011));
  equal((await walk(test.db, { limit: 100 })).length, 8);
});

Deno.test("a record that is larger than a page has one of its own, and the rest follows", async () => {
  await using test = await openGarden();
  await test.db.write(
    "update agent_root_records set data_bytes = $1 where key = 'k2'",
    [MAX_PAGE_BYTES + 1],
  );
  deepEqual(await walk(test.db, { limit: 100 }), EVERYTHING);
});

Deno.test("rows without a counter are shown where their collection is named", async () => {
  await using test = await openGarden();
  await test.db.write("delete from agent_root_record_counters");
  const request = { namespace: "a", collection: "x" };
  equal((await walk(test.db, request)).length, 3);
});

Deno.test("filters and cursors that nothing can match are refused, and say why", async () => {
  await using test = await openTestDb();
  const refused = (request: Partial<RecordBrowseRequest>, reason: RegExp) =>
    rejects(browseRecords(test.db, { limit: 3, ...request }), reason);
  await refused({ namespace: "A b" }, /Namespace "A b" cannot exist/);
  await refused({ collection: "'" }, /Collection "'" cannot exist/);
  await refused(
    { key: { text: "k", isPrefix: true } },
    /filter by key needs a namespace/,
  );
  for (const text of ["\0", "\ud800", "x".repeat(201)]) {
    await refused(
      { namespace: "a", key: { text, isPrefix: true } },
      /No key can match/,
    );
  }
  await refused({ limit: 101 }, /1 to 100 rows/);
  for (
    const after of [
      "",
      "%",
      "e30",
      encodeCursor(["a", "b"]),
      encodeCursor(["a", "b", "2026-02-30T00:00:00.000000Z", "1"]),
      encodeCursor(["a", "\0", "2026-02-03T00:00:00.000000Z", "1"]),
      encodeCursor(["a", "b", "2026-02-03T00:00:00.000000Z", "-1"]),
      "A".repeat(5_000),
    ]
  ) {
    await refused({ after }, /not one that a page gave/);
  }
});

Deno.test("counters come by name, with the writes of the window that is open", async () => {
  await using test = await openGarden();
  const { db } = test;
  await db.write(
    `update agent_root_record_counters
     set window_started_at = now() - interval '61 seconds' where namespace = 'b'`,
  );
  const first = await browseCounters(db, { limit: 3 });
  const second = await browseCounters(db, { limit: 3, after: first.next });
  deepEqual(
    [...first.counters, ...second.counters].map((one) => [
      `${one.namespace}/${one.collection}`,
      one.records,
      one.windowWrites,
      one.actual,
    ]),
    [
      ["a/x", 3, 3, undefined],
      ["a/y", 3, 3, undefined],
      ["b/x", 3, 0, undefined],
      ["b/y", 3, 0, undefined],
    ],
  );
  equal(second.next, undefined);
  const one = await browseCounters(db, {
    namespace: "a",
    collection: "y",
    limit: 3,
  });
  equal(one.counters.length, 1);
});

Deno.test("counters are compared with what is stored when that is asked for", async () => {
  await using test = await openGarden();
  await test.db.write(
    `update agent_root_record_counters set records_count = 7, data_bytes = 1
     where namespace = 'a' and collection = 'x'`,
  );
  const page = await browseCounters(test.db, { limit: 1, isCounted: true });
  const [counter] = page.counters;
  deepEqual([counter?.records, counter?.bytes], [7, 1]);
  deepEqual(counter?.actual, { records: 3, bytes: 39 });
});

Deno.test("pages of records are read through indexes, whatever the filter", async () => {
  await using test = await openTestDb({ statementTimeoutMs: 120_000 });
  const { db } = test;
  await db.write(
    `insert into agent_root_records
       (namespace, collection, key, data, data_bytes, created_at, updated_at)
     select 'ns' || n % 5, 'c' || (n / 5) % 10, 'k' || n, jsonb_build_object('n', n),
       20, now() - make_interval(secs => n), now() from generate_series(1, 100000) n`,
  );
  await db.write(
    `insert into agent_root_record_counters (namespace, collection, records_count)
     select namespace, collection, count(*) from agent_root_records group by 1, 2`,
  );
  await db.write("analyze agent_root_records, agent_root_record_counters");
  const place = { namespace: "ns3", collection: "c4" };
  const { next } = await browseRecords(db, { ...place, limit: 25 });
  for (
    const [request, index] of [
      [{}, /agent_root_records_created/],
      [{ after: next }, /agent_root_records_created/],
      [{ ...place, after: next }, /agent_root_records_created/],
      [{ namespace: "ns3" }, /agent_root_records_created/],
      [
        { namespace: "ns3", key: { text: "k23", isPrefix: false } },
        /agent_root_records_key/,
      ],
      [
        { namespace: "ns3", key: { text: "k23", isPrefix: true } },
        /agent_root_records_/,
      ],
    ] as const
  ) {
    const { text, params } = browseStatement({ limit: 25, ...request });
    const rows = await db.read<Record<string, string>>(
      `explain (analyze, costs off, timing off, summary off, buffers off) ${text}`,
      params,
    );
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    match(plan, index);
    ok(!/Seq Scan on agent_root_records\b/.test(plan), plan);
    if ("key" in request && request.key.isPrefix) continue;
    ok(!/Rows Removed by Filter: \d{3}/.test(plan), plan);
    // One collection or two give the page; the rest is never looked at.
    const loops = [...plan.matchAll(/agent_root_records_created.*loops=(\d+)/g)]
      .map(([, count]) => Number(count));
    ok(loops.every((count) => count <= 3), plan);
  }
});
