import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { fill, NOTES, openWriter } from "../../tests/support/root_data.ts";
import { openTestDb, type TestDb } from "../../tests/support/test_db.ts";
import type { JsonObject } from "../pg/storable.ts";
import type { Db } from "../pg/db.ts";
import { MAX_PAGE_BYTES } from "./limits.ts";
import { deleteRecord } from "./records.ts";
import {
  type SearchOrder,
  type SearchPage,
  searchRecords,
  type SearchRequest,
  searchStatement,
} from "./search.ts";

function search(
  db: Db,
  request: Partial<SearchRequest> = {},
): Promise<SearchPage> {
  return searchRecords(db, {
    ...NOTES,
    filter: {},
    order: "newest",
    limit: 20,
    offset: 0,
    ...request,
  });
}

/** Whether `filter` finds a record that holds `data`. */
async function finds(
  { db }: TestDb,
  data: JsonObject,
  filter: JsonObject,
): Promise<boolean> {
  const writer = await openWriter(db);
  await writer.put("k", data);
  const page = await search(db, { filter });
  await deleteRecord(db, NOTES, { key: "k" });
  return page.records.length === 1;
}

const CONTAINMENT: readonly (readonly [
  text: string,
  data: JsonObject,
  filter: JsonObject,
  isFound: boolean,
])[] = [
  ["an empty filter finds everything", { a: 1 }, {}, true],
  ["an equal value", { status: "open", n: 1 }, { status: "open" }, true],
  ["another value", { status: "open" }, { status: "closed" }, false],
  ["text is case-sensitive", { a: "Open" }, { a: "open" }, false],
  ["text has no wildcards", { a: "open" }, { a: "op%" }, false],
  ["numbers compare by value", { a: 1.0 }, { a: 1 }, true],
  ["a number is no text", { a: 1 }, { a: "1" }, false],
  ["null finds an explicit null", { a: null }, { a: null }, true],
  ["null does not find a missing key", { b: 1 }, { a: null }, false],
  [
    "nested objects",
    { a: { b: { c: 1, d: 2 } } },
    { a: { b: { c: 1 } } },
    true,
  ],
  ["an empty object finds any object", { a: { b: 1 } }, { a: {} }, true],
  ["an empty object finds no array", { a: [1] }, { a: {} }, false],
  ["array elements in any order", { a: [1, 2, 3] }, { a: [3, 1] }, true],
  ["array duplicates do not count", { a: [1] }, { a: [1, 1] }, true],
  ["an absent array element", { a: [1] }, { a: [1, 4] }, false],
  ["an empty array finds any array", { a: [1] }, { a: [] }, true],
  ["objects inside arrays", { a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }, true],
  ["a scalar does not find an array", { tags: ["a"] }, { tags: "a" }, false],
  ["a missing nested key", { a: { b: 1 } }, { a: { c: 1 } }, false],
  [
    "a key named __proto__",
    JSON.parse('{"__proto__":{"a":1}}'),
    JSON.parse('{"__proto__":{"a":1}}'),
    true,
  ],
  [
    "a key named __proto__ with another value",
    JSON.parse('{"__proto__":{"a":1}}'),
    JSON.parse('{"__proto__":{"a":2}}'),
    false,
  ],
];

Deno.test("[case 49] a filter has exactly PostgreSQL's meaning of containment", async (t) => {
  await using test = await openTestDb();
  for (const [text, data, filter, isFound] of CONTAINMENT) {
    await t.step(text, async () => {
      equal(await finds(test, data, filter), isFound);
    });
  }
});

Deno.test("a filter never reaches another collection or namespace", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const data = { status: "open", at: { x: 1 }, tags: ["a"] };
  await writer.put("mine", data);
  await writer.put("k", data, { collection: "runs" });
  await writer.put("k", data, { namespace: "other" });
  // With a value to look for, without one, and without anything.
  const filters = [{ status: "open" }, { at: {} }, { tags: [] }, {}];
  for (const filter of filters) {
    const page = await search(test.db, { filter });
    deepEqual(page.records.map((one) => one.key), ["mine"]);
    equal(page.total, 1);
  }
});

Deno.test("a filter that jsonb cannot hold is refused", async () => {
  await using test = await openTestDb();
  await rejects(
    search(test.db, { filter: { a: "\u0000" } }),
    /Cannot use the filter: at \/a it holds a text with the NUL/,
  );
});

Deno.test.each<[SearchOrder, string[]]>([
  ["newest", ["c", "b", "a"]],
  ["oldest", ["a", "b", "c"]],
  ["recently_updated", ["a", "c", "b"]],
])("[case 50] order %s", async (order, keys) => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  for (const key of ["a", "b", "c"]) await writer.put(key, {});
  await writer.put("a", { again: true });
  const page = await search(test.db, { order });
  deepEqual(page.records.map((one) => one.key), keys);
});

Deno.test("[case 50] equal times are ordered by id, so pages never repeat or skip", async () => {
  await using test = await openTestDb();
  await fill(test.db, 50);
  await test.db.write(
    "update agent_root_records set created_at = now(), updated_at = now()",
  );
  for (const order of ["newest", "oldest", "recently_updated"] as const) {
    const ids: number[] = [];
    for (let offset = 0; offset < 50; offset += 7) {
      const page = await search(test.db, { order, limit: 7, offset });
      ids.push(...page.records.map((one) => one.id));
    }
    const sorted = ids.toSorted((a, b) => order === "oldest" ? a - b : b - a);
    deepEqual(ids, sorted);
    equal(new Set(ids).size, 50);
  }
});

Deno.test("[case 52] an offset past the end gives an empty last page", async () => {
  await using test = await openTestDb();
  await fill(test.db, 3);
  const page = await search(test.db, { offset: 3 });
  deepEqual(page, {
    records: [],
    total: 3,
    stored: 3,
    hasMore: false,
    isTruncated: false,
  });
});

Deno.test("a page that ends on its limit is not truncated and says there is more", async () => {
  await using test = await openTestDb();
  await fill(test.db, 30);
  const page = await search(test.db, { filter: { even: true }, limit: 10 });
  equal(page.records.length, 10);
  equal(page.total, 15);
  equal(page.stored, 30);
  ok(page.hasMore);
  ok(!page.isTruncated);
});

Deno.test("[case 53] a page stops at 200 KB, and its offset continues without loss or repeat", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  for (let n = 0; n < 20; n++) {
    await writer.put(`k${n}`, { text: "x".repeat(30_000), all: true });
  }
  for (const filter of [{}, { all: true }]) {
    const keys: (string | null)[] = [];
    let pages = 0;
    for (let hasMore = true; hasMore; pages++) {
      const page = await search(test.db, {
        filter,
        order: "oldest",
        limit: 100,
        offset: keys.length,
      });
      const bytes = page.records.reduce((sum, one) => sum + one.bytes, 0);
      ok(bytes <= MAX_PAGE_BYTES);
      equal(page.isTruncated, page.hasMore);
      keys.push(...page.records.map((one) => one.key));
      hasMore = page.hasMore;
    }
    deepEqual(keys, Array.from({ length: 20 }, (_, n) => `k${n}`));
    equal(pages, 4); // Six records of 30,024 bytes fit a page.
  }
});

Deno.test("[case 53] the first record is returned whatever its size", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await writer.put("a", {});
  await test.db.write(
    "update agent_root_records set data_bytes = $1",
    [MAX_PAGE_BYTES + 1],
  );
  const page = await search(test.db);
  equal(page.records.length, 1);
  ok(!page.isTruncated);
});

Deno.test("[case 56] a name that holds nothing gives an empty page that says so", async () => {
  await using test = await openTestDb();
  const page = await search(test.db, { filter: { a: 1 } });
  deepEqual([page.records, page.total, page.stored], [[], 0, 0]);
});

/** Runs a search and returns its plan as text. */
async function planOf(db: Db, request: SearchRequest): Promise<string> {
  const { text, params } = searchStatement(request);
  const rows = await db.read<Record<string, string>>(
    `explain (analyze, costs off, timing off, summary off, buffers off) ${text}`,
    params,
  );
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

/** The plan of the query inside `root_data_hits` that a filter leads to. */
async function hitsPlan(
  db: Db,
  filter: string,
  mode: string,
): Promise<string> {
  return await db.transaction(async (tx) => {
    const [made] = await tx.read(
      "select prosrc from pg_proc where proname = 'root_data_hits'",
    );
    const queries = String(made?.prosrc).matchAll(/return query([^;]+);/g);
    const [indexed, keyless] = [...queries].map(([, query]) => query);
    const query = filter.includes("{}") ? keyless : indexed;
    await tx.exec(`set local plan_cache_mode = ${mode}`);
    await tx.exec(
      `prepare hits (text, text, jsonb) as ${
        String(query).replaceAll("p_namespace", "$1")
          .replaceAll("p_collection", "$2").replaceAll("p_filter", "$3")
      }`,
    );
    const rows = await tx.read<Record<string, string>>(
      `explain execute hits ('ns3', 'c4', '${filter}')`,
    );
    await tx.exec("deallocate hits");
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
}

Deno.test({
  name: "search uses the GIN index for 10,000 records among 1,000,000",
  async fn() {
    await using test = await openTestDb({ statementTimeoutMs: 300_000 });
    const { db } = test;
    // 100 collections of 10,000 records; index entries built by the inserts.
    await db.write(
      `insert into agent_root_records
         (namespace, collection, key, data, data_bytes, created_at, updated_at)
       select 'ns' || n % 10, 'c' || (n / 10) % 10, 'k' || n,
         jsonb_build_object('n', n, 'status', case n % 3 when 0 then 'open' else 'done' end),
         30, now() - make_interval(secs => n), now()
       from generate_series(1, 1000000) n`,
    );
    await db.write("analyze agent_root_records");
    const generic = await hitsPlan(db, '{"n": 123443}', "force_generic_plan");
    const custom = await hitsPlan(db, '{"n": 123443}', "force_custom_plan");
    for (const plan of [custom, generic]) {
      match(plan, /Bitmap Index Scan on agent_root_records_data/);
      ok(!/Seq Scan/.test(plan), plan);
    }
    const request = {
      namespace: "ns3",
      collection: "c4",
      filter: {},
      order: "newest" as const,
      limit: 20,
      offset: 0,
    };
    const filtered = { ...request, filter: { n: 123443 } };
    const page = await planOf(db, filtered);
    match(page, /Function Scan on root_data_hits/);
    ok(!/Seq Scan/.test(page), page);
    const keyless = await hitsPlan(db, '{"n": {}}', "auto");
    ok(!/Seq Scan|agent_root_records_data/.test(keyless), keyless);
    const unfiltered = await planOf(db, request);
    match(unfiltered, /agent_root_records_created/);
    ok(!/Seq Scan on agent_root_records\b/.test(unfiltered), unfiltered);
    const { next: cursor = "" } = await searchRecords(db, request);
    const later = await planOf(db, { ...request, cursor });
    match(
      later,
      /Index Scan.* using agent_root_records_created[^]*Index Cond: .*ROW\(created_at, id\) </,
    );
    const keyed = { ...request, keyPrefix: "k12344" };
    const keys = await planOf(db, keyed);
    match(keys, /agent_root_records_key[^]*Index Cond: .*~>=~ .*~<~ /);
    ok(!/Seq Scan on agent_root_records\b/.test(keys), keys);
    const found = await searchRecords(db, keyed);
    deepEqual(found.records.map((one) => one.key), ["k123443"]);
  },
});
