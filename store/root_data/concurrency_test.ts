import { deepEqual, equal, ok } from "node:assert/strict";
import {
  drift,
  fill,
  NOTES,
  openWriter,
  stretchWindows,
  type Writer,
} from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Db } from "../pg/db.ts";
import { StoreRefusalError } from "../errors.ts";
import { openPool } from "../pg/postgres.ts";
import { deleteRecord } from "./records.ts";

/** Runs all at once; returns the outcomes, refusals by their code. */
async function outcomes(
  work: readonly Promise<{ readonly outcome: string }>[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const one of await Promise.allSettled(work)) {
    const name = one.status === "fulfilled"
      ? one.value.outcome
      : one.reason instanceof StoreRefusalError
      ? one.reason.code
      : String(one.reason);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Several pools on one database, as several processes have them. */
async function withPools(
  work: (db: Db, writers: readonly Writer[]) => Promise<void>,
): Promise<void> {
  await using test = await openTestDb();
  const pools = Array.from({ length: 4 }, () => openPool(test.target));
  try {
    const writers = await Promise.all(pools.map(openWriter));
    await work(test.db, writers);
    deepEqual(await drift(test.db), []);
  } finally {
    await Promise.all(pools.map((db) => db.close()));
  }
}

/** Calls `work` for 0 … count-1, spread over the writers. */
function spread<T>(
  writers: readonly Writer[],
  count: number,
  work: (writer: Writer, n: number) => Promise<T>,
): Promise<T>[] {
  return Array.from({ length: count }, (_, n) => {
    const writer = writers[n % writers.length];
    if (writer === undefined) throw new Error("No writers");
    return work(writer, n);
  });
}

Deno.test("[case 42] 64 writers at cap - 1 leave exactly the cap", async () => {
  await withPools(async (db, writers) => {
    await fill(db, 9_999);
    const counts = await outcomes(
      spread(writers, 64, (writer, n) => writer.put(`new${n}`, { n })),
    );
    deepEqual(counts, { created: 1, row_cap: 63 });
    const [row] = await db.read<{ n: number }>(
      "select count(*)::int as n from agent_root_records",
    );
    equal(row?.n, 10_000);
  });
});

Deno.test("[case 43] 200 puts of one new key make one record", async () => {
  await withPools(async (db, writers) => {
    await stretchWindows(db);
    const counts = await outcomes(
      spread(writers, 200, (writer, n) => writer.put("key", { n })),
    );
    deepEqual(counts, { created: 1, replaced: 59, rate_limited: 140 });
    const rows = await db.read("select key from agent_root_records");
    equal(rows.length, 1);
  });
});

Deno.test("[case 44] 30 first writes to new collections leave exactly 25", async () => {
  await withPools(async (db, writers) => {
    const counts = await outcomes(
      spread(
        writers,
        30,
        (writer, n) => writer.append({ n }, { collection: `c${n}` }),
      ),
    );
    deepEqual(counts, { appended: 25, collection_cap: 5 });
    const rows = await db.read(
      "select distinct collection from agent_root_records",
    );
    equal(rows.length, 25);
  });
});

Deno.test("[case 40] of 100 writes at once in a minute exactly 60 are taken", async () => {
  await withPools(async (db, writers) => {
    await stretchWindows(db);
    const counts = await outcomes(
      spread(writers, 100, (writer, n) => writer.append({ n })),
    );
    deepEqual(counts, { appended: 60, rate_limited: 40 });
  });
});

Deno.test("writes and deletes of many keys at once keep counters and counts equal", async () => {
  await withPools(async (db, writers) => {
    const work = spread(writers, 55, async (writer, n) => {
      if (n % 3 !== 2) return await writer.put(`k${n % 10}`, { n });
      await deleteRecord(db, NOTES, { key: `k${n % 10}` });
      return { outcome: "deleted" };
    });
    const counts = await outcomes(work);
    ok((counts.created ?? 0) > 0);
    deepEqual(
      Object.keys(counts).filter((name) =>
        !["created", "replaced", "deleted", "not_found"].includes(name)
      ),
      [],
    );
  });
});
