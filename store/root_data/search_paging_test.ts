/** What bounds a search, and how its pages follow each other. */
import {
  deepEqual,
  equal,
  match,
  ok,
  rejects,
  throws,
} from "node:assert/strict";
import fc from "fast-check";
import {
  fill,
  NOTES,
  openWindows,
  openWriter,
} from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Db } from "../pg/db.ts";
import { StoreRefusalError } from "../errors.ts";
import { MAX_FILTER_BYTES, MAX_FILTER_LEAVES } from "./limits.ts";
import { deleteRecord } from "./records.ts";
import {
  type SearchOrder,
  type SearchPage,
  searchRecords,
  type SearchRequest,
} from "./search.ts";
import { afterPrefix, operatorIn, serializeFilter } from "./search_filter.ts";

const ALL: SearchRequest = {
  ...NOTES,
  filter: {},
  order: "oldest",
  limit: 20,
  offset: 0,
};

function search(
  db: Db,
  request: Partial<SearchRequest> = {},
): Promise<SearchPage> {
  return searchRecords(db, { ...ALL, ...request });
}

function refusalOf(filter: Record<string, unknown>): string {
  let message = "";
  throws(() => serializeFilter(filter), (error) => {
    ok(error instanceof StoreRefusalError);
    message = error.message;
    return true;
  });
  return message;
}

Deno.test("[case 69] a filter takes 8 KiB of compact JSON and not a byte more", () => {
  const room = MAX_FILTER_BYTES - JSON.stringify({ a: "" }).length;
  equal(serializeFilter({ a: "x".repeat(room) }).length, MAX_FILTER_BYTES);
  match(refusalOf({ a: "x".repeat(room + 1) }), /8193 bytes.*8192/);
  match(refusalOf({ a: "é".repeat(room / 2 + 1) }), /819\d bytes/);
});

Deno.test("[case 69] a filter takes 256 values and not one more", () => {
  const { length } = { length: MAX_FILTER_LEAVES };
  equal(typeof serializeFilter({ a: Array(length).fill(1) }), "string");
  match(refusalOf({ a: Array(length).fill(1), b: 1 }), /257 values.*256/);
  match(refusalOf({ a: Array(length).fill({}), b: [] }), /257 values/);
});

Deno.test("[case 69] a filter of 4 MB is measured once and not walked, before the database", async () => {
  let lists = 0;
  const inner = new Proxy({ a: "x".repeat(4 * 1024 * 1024) }, {
    ownKeys(target) {
      lists++;
      return Reflect.ownKeys(target);
    },
  });
  const db = {
    read: () => Promise.reject(new Error("The database was asked")),
  } as unknown as Db;
  await rejects(
    search(db, { filter: { inner } }),
    (error: Error) => {
      match(error.message, /limit is 8192/);
      ok(error.message.length < 400);
      return true;
    },
  );
  equal(lists, 1);
});

Deno.test("names that look like operators are found where they stand", () => {
  equal(operatorIn({ q: { $gt: 2 } }), "$gt");
  equal(operatorIn({ $or: [{ a: 1 }] }), "$or");
  equal(operatorIn({ a: [{ b: { $in: [1] } }] }), "$in");
  equal(operatorIn({ a: { gte: 1 }, $: 1, "$5": 2, b: ["$gt"] }), undefined);
});

const WRITES = fc.constantFrom("append", "put", "update", "delete");

Deno.test("[case 71] pages by cursor neither skip nor repeat while others write", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const writer = await openWriter(db);
  let run = 0;
  /** Records in the order of their creation; `written` counts writes. */
  interface Held {
    readonly id: number;
    readonly key: string | null;
    written: number;
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<SearchOrder>("newest", "oldest", "recently_updated"),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.array(fc.array(fc.tuple(WRITES, fc.nat())), {
        minLength: 1,
        maxLength: 8,
      }),
      async (order, limit, isFiltered, rounds) => {
        await openWindows(db);
        const collection = `c${run % 20}`;
        run++;
        await db.write("delete from agent_root_records");
        await db.write(
          "update agent_root_record_counters set records_count = 0, data_bytes = 0, window_writes = 0",
        );
        let held: Held[] = [];
        let writes = 0;
        const change = async (what: string, at: number) => {
          if (writes >= 58) return;
          writes++;
          const one = held[at % Math.max(1, held.length)];
          const place = { collection };
          if (what === "delete" && one !== undefined) {
            await deleteRecord(db, { ...NOTES, collection }, { id: one.id });
            held = held.filter((other) => other !== one);
          } else if (
            what === "update" && one !== undefined && one.key !== null
          ) {
            await writer.put(one.key, { all: true }, place);
            one.written = writes;
          } else if (what === "put") {
            const key = `k${writes}`;
            const { record } = await writer.put(key, { all: true }, place);
            held.push({ id: record.id, key, written: writes });
          } else {
            const { record } = await writer.append({ all: true }, place);
            held.push({ id: record.id, key: null, written: writes });
          }
        };
        for (let n = 0; n < 6; n++) await change(n % 2 ? "put" : "append", n);
        const rank = (one: Held) =>
          order === "oldest"
            ? one.id
            : order === "newest"
            ? -one.id
            : -one.written;
        let behind = -Infinity;
        let cursor: string | undefined;
        for (const round of [...rounds, []]) {
          const page = await search(db, {
            collection,
            order,
            limit,
            cursor,
            filter: isFiltered ? { all: true } : {},
          });
          const rest = held.filter((one) => rank(one) > behind)
            .sort((a, b) => rank(a) - rank(b));
          deepEqual(
            page.records.map(({ id }) => id),
            rest.slice(0, limit).map(({ id }) => id),
          );
          equal(page.hasMore, rest.length > limit);
          equal(page.next !== undefined, page.hasMore);
          equal(page.total, held.length);
          const last = rest[page.records.length - 1];
          if (page.next === undefined || last === undefined) break;
          behind = rank(last);
          cursor = page.next;
          for (const [what, at] of round) await change(what, at);
        }
      },
    ),
    { numRuns: 25 },
  );
});

Deno.test("[case 71] a cursor of another search is refused with what differs", async () => {
  await using test = await openTestDb();
  await fill(test.db, 5);
  const request = { filter: { even: true, n: 2 }, limit: 1, keyPrefix: "k" };
  const first = await search(test.db, { filter: { even: true }, limit: 1 });
  const cursor = first.next ?? "";
  await rejects(search(test.db, { cursor }), /another filter or key_prefix/);
  await rejects(
    search(test.db, { cursor, filter: { even: true }, order: "newest" }),
    /another order/,
  );
  await rejects(
    search(test.db, { cursor, filter: { even: true }, collection: "runs" }),
    /another collection/,
  );
  await rejects(
    search(test.db, { cursor, filter: { even: true }, offset: 1 }),
    /cursor or offset, not both/,
  );
  for (
    const odd of [
      "",
      "x",
      cursor.slice(1),
      btoa('["a","b"]'),
      "z".repeat(9_999),
    ]
  ) {
    await rejects(search(test.db, { cursor: odd }), /not one that a page gave/);
  }
  // The order of a filter's members does not matter.
  await fill(test.db, 5, { ...NOTES, namespace: "n2" });
  const keyed = { ...request, filter: { even: true }, namespace: "n2" };
  const { next = "" } = await search(test.db, keyed);
  equal(
    (await search(test.db, { ...keyed, cursor: next })).records.length,
    1,
  );
  await rejects(
    search(test.db, { ...keyed, cursor: next, keyPrefix: "k1" }),
    /another filter or key_prefix/,
  );
});

Deno.test("[case 72] a page counts bytes as they are sent, and returns its first record whatever its size", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  for (const n of [1, 2, 3, 4]) await writer.put(`k${n}`, { n });
  const sizes = new Map([["k1", 90], ["k2", 10], ["k3", 1], ["k4", 50]]);
  const page = async (maxBytes: number) => {
    const { records, isTruncated, hasMore } = await search(test.db, {
      maxBytes,
      sizeOf: ({ key }) => sizes.get(key ?? "") ?? 0,
    });
    return [records.length, isTruncated, hasMore];
  };
  deepEqual(await page(151), [4, false, false]);
  deepEqual(await page(150), [3, true, true]);
  deepEqual(await page(99), [1, true, true]);
  deepEqual(await page(1), [1, true, true]);
});

Deno.test("[case 74] a key prefix is literal text, with or without a filter", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const keys = [
    "a%b",
    "a%c",
    "axb",
    "a_b",
    "a\\b",
    "A%b",
    "é1",
    "é2",
    "e\u0301",
    "\u{10ffff}",
    "\u{10ffff}x",
    "\ud7ff1",
    "\ue0001",
  ];
  for (const key of keys) await writer.put(key, { all: true });
  await writer.append({ all: true });
  const prefixes = [
    ...keys.flatMap((key) => [[...key][0] ?? "", key]),
    "a%",
    "a\\",
    "zz",
  ];
  for (const keyPrefix of prefixes) {
    for (const filter of [{}, { all: true }, { all: false }]) {
      const page = await search(test.db, { keyPrefix, filter, limit: 100 });
      const wanted = "all" in filter && !filter.all
        ? []
        : keys.filter((key) => key.startsWith(keyPrefix));
      deepEqual(page.records.map((one) => one.key), wanted, keyPrefix);
      equal(page.total, wanted.length);
      equal(page.stored, keys.length + 1);
    }
  }
  await rejects(search(test.db, { keyPrefix: "" }), /must not be empty/i);
  await rejects(search(test.db, { keyPrefix: "x".repeat(201) }), /201 char/);
  await rejects(search(test.db, { keyPrefix: "\u0000" }), /NUL/);
});

Deno.test.each([["a", "b"], ["a\u{10ffff}", "b"], ["\ud7ff", "\ue000"], [
  "\u{10ffff}\u{10ffff}",
  undefined,
], ["\uffff", "\u{10000}"]])("after the prefix %j comes %j", (prefix, next) => {
  equal(afterPrefix(String(prefix)), next);
});

Deno.test("[case 74] a limit of 0 counts and returns nothing", async () => {
  await using test = await openTestDb();
  await fill(test.db, 30);
  const page = await search(test.db, { limit: 0, filter: { even: true } });
  deepEqual({ ...page }, {
    records: [],
    total: 15,
    stored: 30,
    hasMore: false,
    isTruncated: false,
  });
  equal((await search(test.db, { limit: 0 })).total, 30);
  equal((await search(test.db, { limit: 0, keyPrefix: "k2" })).total, 11);
});

Deno.test("[case 78] a search does not contradict itself where a counter is missing or wrong", async () => {
  await using test = await openTestDb();
  await fill(test.db, 6);
  await test.db.write(
    "update agent_root_record_counters set records_count = 0",
  );
  const wrong = await search(test.db, { limit: 2, offset: 1 });
  deepEqual([wrong.records.length, wrong.hasMore, wrong.total > 3], [
    2,
    true,
    true,
  ]);
  ok(wrong.stored > 0);
  await test.db.write("delete from agent_root_record_counters");
  const missing = await search(test.db, { limit: 2 });
  deepEqual([missing.total, missing.stored, missing.hasMore], [6, 6, true]);
});

Deno.test("[case 79] a session that was deleted finds nothing", async () => {
  await using test = await openTestDb();
  const { sessionId } = await openWriter(test.db);
  equal((await search(test.db, { sessionId })).total, 0);
  await test.db.write("delete from sessions");
  await rejects(
    search(test.db, { sessionId }),
    new RegExp(`Session ${sessionId} no longer exists`),
  );
});
