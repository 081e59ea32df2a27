/** What an import leaves as it is, and what a dry run says of it. */
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import {
  drift,
  fill,
  NOTES,
  openWriter,
} from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Db } from "../pg/db.ts";
import { getRecord, putRecord } from "../root_data/records.ts";
import { serializeData } from "../root_data/data.ts";
import { type ImportOptions, importRecords } from "./import.ts";

async function imported(
  db: Db,
  lines: readonly object[],
  options: Partial<ImportOptions> = {},
) {
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const refused: [number, string][] = [];
  const report = await importRecords(
    db,
    (async function* () {
      await Promise.resolve();
      yield new TextEncoder().encode(text);
    })(),
    { refuse: (line, reason) => refused.push([line, reason]), ...options },
  );
  return { report, refused };
}

const NONE = {
  imported: 0,
  replaced: 0,
  unchanged: 0,
  keptNewer: 0,
  refused: 0,
};
const OLD = {
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
};

async function dataOf(db: Db, key: string): Promise<unknown> {
  return (await getRecord(db, NOTES, { key })).data;
}

Deno.test("[case 75] an import run again takes back nothing that was written since", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const lines = [{ ...NOTES, key: "k", data: { pos: 1 }, ...OLD }];
  deepEqual((await imported(db, lines)).report, { ...NONE, imported: 1 });
  const writer = await openWriter(db);
  const { record } = await writer.put("k", { pos: 2 });
  deepEqual((await imported(db, lines)).report, { ...NONE, keptNewer: 1 });
  deepEqual(await dataOf(db, "k"), { pos: 2 });
  const found = await getRecord(db, NOTES, { key: "k" });
  deepEqual(found.updatedAt, record.updatedAt);
  equal(found.writingSessionId, writer.sessionId);
  const forced = await imported(db, lines, { isOverwrite: true });
  deepEqual(forced.report, { ...NONE, replaced: 1 });
  deepEqual(await dataOf(db, "k"), { pos: 1 });
});

Deno.test("[case 75] a newer line replaces, an equal one changes nothing", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const line = { ...NOTES, key: "k", data: { pos: 1 }, ...OLD };
  await imported(db, [line]);
  const newer = {
    ...line,
    data: { pos: 2 },
    updated_at: "2026-01-01T00:00:00.000001Z",
  };
  deepEqual((await imported(db, [newer])).report, { ...NONE, replaced: 1 });
  deepEqual((await imported(db, [newer])).report, { ...NONE, unchanged: 1 });
  deepEqual((await imported(db, [line])).report, { ...NONE, keptNewer: 1 });
});

Deno.test("[case 75] a line without a time is older than anything that is stored", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const line = { ...NOTES, key: "k", data: { pos: 1 } };
  deepEqual((await imported(db, [line])).report, { ...NONE, imported: 1 });
  deepEqual((await imported(db, [line])).report, { ...NONE, unchanged: 1 });
  await (await openWriter(db)).put("k", { pos: 2 });
  deepEqual((await imported(db, [line])).report, { ...NONE, keptNewer: 1 });
  const forced = await imported(db, [line], { isOverwrite: true });
  deepEqual(forced.report, { ...NONE, replaced: 1 });
});

Deno.test("[case 75] a line with the time of its last write alone was made then", async () => {
  await using test = await openTestDb();
  const { updated_at } = OLD;
  await imported(test.db, [{ ...NOTES, key: "k", data: {}, updated_at }]);
  const { createdAt, updatedAt } = await getRecord(test.db, NOTES, {
    key: "k",
  });
  deepEqual(createdAt, updatedAt);
});

const TIMES = fc.constantFrom(
  "2026-01-01T00:00:00Z",
  "2026-01-01T00:00:00.000001Z",
  "2026-01-02T00:00:00.5Z",
);
const LINE = fc.record({
  namespace: fc.constant(NOTES.namespace),
  collection: fc.constantFrom("notes", "runs", "c30"),
  key: fc.option(fc.constantFrom("a", "b", "c", "k1")),
  data: fc.constantFrom({}, { a: 1, b: 2 }, { b: 2, a: 1 }, { a: 2 }),
  created_at: fc.option(TIMES, { nil: undefined }),
  updated_at: fc.option(TIMES, { nil: undefined }),
  expires_at: fc.option(TIMES, { nil: undefined }),
});

Deno.test("[case 76] a dry run says what the import then does", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const writer = await openWriter(db);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(LINE, { maxLength: 12 }), { maxLength: 3 }),
      fc.boolean(),
      fc.constantFrom(0, 9_997, 10_000),
      fc.constantFrom(0, 23, 24),
      async (files, isOverwrite, records, collections) => {
        await db.write("delete from agent_root_records");
        await db.write("delete from agent_root_record_counters");
        if (records > 0) await fill(db, records);
        for (let n = 0; n < collections; n++) {
          await writer.put("k", {}, { collection: `other${n}` });
        }
        for (const file of files) {
          const dry = await imported(db, file, { isOverwrite, isDryRun: true });
          const real = await imported(db, file, { isOverwrite });
          deepEqual(dry, real);
        }
        deepEqual(await drift(db), []);
      },
    ),
    { numRuns: 25 },
  );
});

Deno.test("[case 76] a dry run writes nothing, and waits for nobody", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const { sessionId } = await openWriter(db);
  const request = {
    ...NOTES,
    sessionId,
    data: serializeData({}),
    retentionDays: undefined,
  };
  await putRecord(db, { ...request, key: "k" });
  const lines = Array.from({ length: 500 }, (_, n) => ({
    ...NOTES,
    key: `k${n}`,
    data: {},
  }));
  await db.transaction(async (tx) => {
    // Whoever locks, waits for this.
    await tx.read("select 1 from agent_root_record_counters for update");
    const { report } = await imported(db, lines, { isDryRun: true });
    deepEqual(report, { ...NONE, imported: 500 });
  });
  const [row] = await db.read<{ n: number }>(
    "select count(*)::int as n from agent_root_records",
  );
  equal(row?.n, 1);
});
