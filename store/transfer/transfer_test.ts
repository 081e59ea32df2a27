/** Export and import, against each other and against the limits. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import fc from "fast-check";
import {
  drift,
  fill,
  NOTES,
  openWriter,
} from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { waitUntilBlocked } from "../../tests/support/wait_until_blocked.ts";
import { watchedDb } from "../../tests/support/watched_db.ts";
import { serializeData } from "../root_data/data.ts";
import type { Db } from "../pg/db.ts";
import { StoreRefusalError, StoreUnavailableError } from "../errors.ts";
import { exportRecords } from "./export.ts";
import { type ImportOptions, importRecords } from "./import.ts";
import { appendRecord, getRecord, putRecord } from "../root_data/records.ts";

const { namespace } = NOTES;

async function exported(db: Db, from = namespace): Promise<string> {
  let text = "";
  await exportRecords(db, { namespace: from }, (lines) => {
    text += lines;
    return Promise.resolve();
  });
  return text;
}

/** The lines without what differs from database to database. */
function comparable(text: string): unknown[] {
  return text.trimEnd().split("\n").slice(1).map((line) => {
    const { id: _id, writing_session_id: _writer, ...rest } = JSON.parse(line);
    return rest;
  });
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield new TextEncoder().encode(text);
}

/** Imports lines; returns the report and what was refused. */
async function imported(
  db: Db,
  lines: string | readonly unknown[],
  options: Partial<ImportOptions> = {},
) {
  const text = typeof lines === "string"
    ? lines
    : lines.map((line) =>
      typeof line === "string" ? line : JSON.stringify(line)
    ).join("\n");
  const refused: [number, string][] = [];
  const report = await importRecords(db, bytesOf(text), {
    refuse: (line, reason) => refused.push([line, reason]),
    ...options,
  });
  return { report, refused };
}

/** A line for the default collection. */
function line(key: string | null, data: unknown, more = {}) {
  return { ...NOTES, key, data, ...more };
}

async function emptied(db: Db): Promise<void> {
  await db.write("delete from agent_root_records");
  await db.write("delete from agent_root_record_counters");
}

Deno.test("export, import into another database, export again is identity", async () => {
  await using from = await openTestDb();
  await using to = await openTestDb();
  const { sessionId } = await openWriter(from.db);
  const isStorable = (data: unknown) => {
    try {
      return serializeData(data).bytes > 0;
    } catch {
      return false;
    }
  };
  // JSON.parse makes "__proto__" a key like any other.
  const data = fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "")),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 5 },
  ).map((value) => JSON.parse(JSON.stringify(value))).filter(isStorable);
  const key = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((text) => text.trim() !== "" && isStorable({ text }));
  const record = fc.record({
    collection: fc.constantFrom("a", "b-1", "b_1", "z"),
    key: fc.option(key),
    data,
    retentionDays: fc.option(fc.integer({ min: 1, max: 3_650 }), {
      nil: undefined,
    }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 40 }),
      async (records) => {
        await emptied(from.db);
        await emptied(to.db);
        for (const { key, data, ...rest } of records) {
          const request = {
            namespace,
            sessionId,
            data: serializeData(data),
            ...rest,
          };
          if (key === null) await appendRecord(from.db, request);
          else await putRecord(from.db, { ...request, key });
        }
        const text = await exported(from.db);
        const { report, refused } = await imported(to.db, text);
        deepEqual(refused, []);
        equal(report.imported, comparable(text).length);
        const again = await exported(to.db);
        deepEqual(comparable(again), comparable(text));
        deepEqual(await drift(to.db), []);
        // Once more changes nothing.
        const repeated = await imported(to.db, text);
        deepEqual(repeated.report, {
          imported: 0,
          replaced: 0,
          unchanged: report.imported,
          keptNewer: 0,
          refused: 0,
        });
        equal(
          await exported(to.db).then(comparable).then(JSON.stringify),
          JSON.stringify(comparable(again)),
        );
      },
    ),
    { numRuns: 25 },
  );
});

Deno.test("numbers survive as they are", async () => {
  await using from = await openTestDb();
  await using to = await openTestDb();
  const numbers = [
    5e-324,
    1.7976931348623157e-300,
    0.1,
    -0.30000000000000004,
    9007199254740991,
    1e15,
    123456789.12345679,
  ];
  await (await openWriter(from.db)).put("k", { numbers });
  await imported(to.db, await exported(from.db));
  const { data } = await getRecord(to.db, NOTES, { key: "k" });
  deepEqual(data, { numbers });
});

Deno.test("a record full of the longest numbers fits into a line", async () => {
  await using test = await openTestDb();
  const numbers = Array.from({ length: 4_600 }, () => 5e-324);
  await (await openWriter(test.db)).put("k", { numbers });
  const text = await exported(test.db);
  await emptied(test.db);
  const { report } = await imported(test.db, text);
  equal(report.imported, 1);
});

Deno.test("equal records without a key are kept as many as they are", async () => {
  await using test = await openTestDb();
  const at = { created_at: "2026-01-01T00:00:00.000001Z" };
  const lines = [
    line(null, { n: 1 }, at),
    line(null, { n: 2 }, at),
    line(null, { n: 1 }, at),
  ];
  const first = await imported(test.db, lines);
  equal(first.report.imported, 3);
  const second = await imported(test.db, lines);
  equal(second.report.unchanged, 3);
});

for (const isDryRun of [false, true]) {
  const what = isDryRun ? "a dry run" : "an import";
  Deno.test(`equal records without a key whose line has one time are counted by that, in ${what}`, async () => {
    await using test = await openTestDb();
    const at = { updated_at: "2026-01-01T00:00:00Z" };
    const lines = [1, 2].map(() => line(null, { n: 1 }, at));
    const { report } = await imported(test.db, lines, { isDryRun });
    equal(report.imported, 2);
  });
}

Deno.test("an import that gets no answer for its lines fails, and reports none as refused", async () => {
  await using test = await openTestDb();
  const silent = watchedDb(
    test.db,
    (text, run) =>
      text.includes("root_data_import") ? Promise.resolve([]) : run(),
  );
  await rejects(imported(silent, [line("k", {})]), StoreUnavailableError);
});

Deno.test("an import whose connection breaks reports nothing, and ends right when it is run again", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const lines = Array.from({ length: 300 }, (_, n) => line(`k${n}`, { n }));
  await imported(db, lines.slice(0, 1));
  const broken = Promise.withResolvers<unknown>();
  await db.transaction(async (tx) => {
    await tx.read("select root_data_lock_counter($1, $2)", [
      namespace,
      NOTES.collection,
    ]);
    imported(db, lines).then(broken.reject, broken.resolve);
    await waitUntilBlocked(db);
    await db.write(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    const error = await broken.promise;
    ok(error instanceof StoreUnavailableError, String(error));
  });
  const { report } = await imported(db, lines);
  deepEqual([report.imported, report.unchanged + report.keptNewer], [299, 1]);
  deepEqual(await drift(db), []);
});

Deno.test("a record at a key is replaced and takes the times of the line", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const old = await writer.put("k", { old: true }, { retentionDays: 1 });
  const { report } = await imported(test.db, [
    line("k", { new: true }, {
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-02T00:00:00.5Z",
      expires_at: "2030-01-01T00:00:00Z",
    }),
  ], { isOverwrite: true });
  equal(report.replaced, 1);
  const found = await getRecord(test.db, NOTES, { key: "k" });
  equal(found.id, old.record.id);
  deepEqual(found.data, { new: true });
  deepEqual(
    [found.createdAt, found.updatedAt, found.expiresAt].map((one) =>
      one?.toISOString()
    ),
    [
      "2026-01-01T00:00:00.000Z",
      "2026-01-02T00:00:00.500Z",
      "2030-01-01T00:00:00.000Z",
    ],
  );
  deepEqual(await drift(test.db), []);
});

const BAD: readonly (readonly [string, unknown, RegExp])[] = [
  ["no JSON", "{broken", /not JSON/],
  ["no object", "[1]", /not a JSON object/],
  ["no collection", { namespace, data: {} }, /names no collection/],
  ["no namespace", { collection: "notes", data: {} }, /names no namespace/],
  ["no data", { ...NOTES, key: "k" }, /Data must be a JSON object/],
  ["bad collection", { ...NOTES, collection: "No", data: {} }, /cannot exist/],
  ["bad namespace", { ...NOTES, namespace: "A/b", data: {} }, /cannot exist/],
  ["blank key", line(" ", {}), /must not be blank; leave it out/],
  ["long key", line("k".repeat(201), {}), /limit is 200/],
  ["key of another type", line(7 as never, {}), /"key" must be text/],
  ["data of another type", line("k", []), /an array/],
  ["large data", line("k", { x: "x".repeat(32_768) }), /limit is 32768/],
  ["NUL in data", line("k", { x: "\0" }), /NUL/],
  [
    "wide integer",
    `{"namespace":"garden","collection":"notes","data":{"n":9007199254740993}}`,
    /2\^53/,
  ],
  ["no time", line("k", {}, { created_at: "today" }), /must be a time/],
  [
    "no such day",
    line("k", {}, { expires_at: "2026-02-30T00:00:00Z" }),
    /must be a time/,
  ],
  [
    "year 0",
    line("k", {}, { created_at: "0000-01-01T00:00:00Z" }),
    /must be a time/,
  ],
  [
    "written before it was made",
    line("k", {}, {
      created_at: "2026-01-01T00:00:00.1Z",
      updated_at: "2026-01-01T00:00:00.000001Z",
    }),
    /"updated_at" is before "created_at"/,
  ],
  ["unknown field", line("k", {}, { expire_at: null }), /no field "expire_at"/],
  [
    "overlong line",
    JSON.stringify(line("k", { x: "x".repeat(3_000_000) })),
    /The line is \d+ bytes/,
  ],
];

Deno.test("a line that is refused is named, and the rest is imported", async () => {
  await using test = await openTestDb();
  const lines = BAD.flatMap(([, bad], n) => [bad, line(`k${n}`, { n })]);
  const { report, refused } = await imported(test.db, lines);
  deepEqual(refused.map(([at]) => at), BAD.map((_, n) => 2 * n + 1));
  BAD.forEach(([name, , reason], n) =>
    match(refused[n]?.[1] ?? "", reason, name)
  );
  deepEqual(report, {
    imported: BAD.length,
    replaced: 0,
    unchanged: 0,
    keptNewer: 0,
    refused: BAD.length,
  });
  deepEqual(await drift(test.db), []);
});

Deno.test("bytes that are not UTF-8 refuse their line only", async () => {
  await using test = await openTestDb();
  const refused: number[] = [];
  const report = await importRecords(
    test.db,
    (async function* () {
      await Promise.resolve();
      yield new Uint8Array([0xff, 0xfe, 10]);
      yield* bytesOf(JSON.stringify(line("k", {})));
    })(),
    { refuse: (at) => refused.push(at) },
  );
  deepEqual([report.imported, refused], [1, [1]]);
});

Deno.test("an import holds the row cap, and still replaces at it", async () => {
  await using test = await openTestDb();
  await fill(test.db, 9_999);
  const { report, refused } = await imported(test.db, [
    line("new1", {}),
    line("new2", {}),
    line("k1", { replaced: true }),
  ], { isOverwrite: true });
  deepEqual([report.imported, report.replaced], [1, 1]);
  equal(refused[0]?.[0], 2);
  match(refused[0]?.[1] ?? "", /10000 is the most it may/);
  deepEqual(await drift(test.db), []);
});

Deno.test("an import holds the cap of 25 collections", async () => {
  await using test = await openTestDb();
  const { report, refused } = await imported(
    test.db,
    Array.from(
      { length: 30 },
      (_, n) => line("k", {}, { collection: `c${n}` }),
    ),
  );
  deepEqual([report.imported, report.refused], [25, 5]);
  deepEqual(refused.map(([at]) => at), [26, 27, 28, 29, 30]);
});

Deno.test("an import neither heeds nor uses the rate window", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  for (let n = 0; n < 59; n++) await writer.put("k", { n });
  const many = Array.from({ length: 500 }, (_, n) => line(`i${n}`, { n }));
  equal((await imported(test.db, many)).report.imported, 500);
  equal((await writer.put("k", {})).writesLeft, 0);
  await rejects(writer.put("k", {}), { code: "rate_limited" });
});

Deno.test("a dry run judges all lines together and writes nothing", async () => {
  await using test = await openTestDb();
  const lines = Array.from(
    { length: 30 },
    (_, n) => line("k", {}, { collection: `c${n}` }),
  );
  const { report } = await imported(test.db, lines, { isDryRun: true });
  deepEqual([report.imported, report.refused], [25, 5]);
  deepEqual(await test.db.read("select 1 from agent_root_records"), []);
  deepEqual(await drift(test.db), []);
});

Deno.test("a record that differs in its times only is replaced, an equal one is not", async () => {
  await using test = await openTestDb();
  const times = {
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-02-01T00:00:00Z",
    expires_at: "2999-01-01T00:00:00Z",
  };
  await imported(test.db, [line("k", { n: 1 }, times)]);
  const again = await imported(test.db, [line("k", { n: 1 }, times)]);
  equal(again.report.unchanged, 1);
  let now: Record<string, string | null> = times;
  for (
    const change of [
      { expires_at: "2999-01-02T00:00:00Z" },
      { expires_at: null },
      { expires_at: "2999-01-01T00:00:00Z" },
      { updated_at: "2026-02-01T00:00:01Z" },
      { created_at: "2026-01-01T00:00:01Z" },
    ]
  ) {
    now = { ...now, ...change };
    for (const isDryRun of [true, false]) {
      const lines = [line("k", { n: 1 }, now)];
      const { report } = await imported(test.db, lines, { isDryRun });
      deepEqual([report.replaced, report.unchanged], [1, 0]);
    }
    const record = await getRecord(test.db, NOTES, { key: "k" });
    deepEqual([record.createdAt, record.updatedAt, record.expiresAt], [
      new Date(String(now.created_at)),
      new Date(String(now.updated_at)),
      now.expires_at === null ? null : new Date(String(now.expires_at)),
    ]);
  }
});

Deno.test("an import holds no more than a batch, be its lines refused or long", async () => {
  await using test = await openTestDb();
  const counted = { writes: 0, refused: 0 };
  const db = watchedDb(test.db, (text, run) => {
    if (text.includes("root_data_import")) counted.writes++;
    return run();
  });
  // What was written or told before the next line was read.
  const seen: { writes: number; refused: number }[] = [];
  async function* input(lines: readonly string[]) {
    for (const text of lines) {
      yield* bytesOf(`${text}\n`);
      seen.push({ ...counted });
    }
  }
  const run = (lines: readonly string[]) =>
    importRecords(db, input(lines), { refuse: () => void counted.refused++ });
  await run(Array.from({ length: 450 }, () => "no record"));
  ok((seen.at(-1)?.refused ?? 0) >= 400);
  const long = "x".repeat(30_000);
  const lines = Array.from(
    { length: 150 },
    (_, n) => JSON.stringify(line(`k${n}`, { long })),
  );
  equal((await run(lines)).imported, 150);
  ok((seen.at(-1)?.writes ?? 0) >= 2, "150 lines of 30 KB were one write");
});

Deno.test("records go into another namespace when told so", async () => {
  await using test = await openTestDb();
  const { report } = await imported(test.db, [line("k", { n: 1 })], {
    namespace: "other",
  });
  equal(report.imported, 1);
  const address = { ...NOTES, namespace: "other" };
  deepEqual((await getRecord(test.db, address, { key: "k" })).data, { n: 1 });
});

Deno.test("the header names the namespace of lines that name none", async () => {
  await using test = await openTestDb();
  const { report } = await imported(test.db, [
    { rootcellar_export: 1, namespace },
    { collection: "notes", key: "k", data: {} },
  ]);
  equal(report.imported, 1);
});

Deno.test("an export of a later version is not read at all", async () => {
  await using test = await openTestDb();
  await rejects(
    imported(test.db, [{ rootcellar_export: 2 }, line("k", {})]),
    (error: unknown) => {
      ok(error instanceof StoreRefusalError);
      match(error.message, /version 2/);
      return true;
    },
  );
  deepEqual(await test.db.read("select 1 from agent_root_records"), []);
});

Deno.test("what the check says refuses the line", async () => {
  await using test = await openTestDb();
  const { refused } = await imported(
    test.db,
    [line("a", {}), line("b", {})],
    {
      check: ({ key }) => Promise.resolve(key === "a" ? "Not this" : undefined),
    },
  );
  deepEqual(refused, [[1, "Not this"]]);
});

Deno.test("an export sees one state, whatever is written meanwhile", async () => {
  await using test = await openTestDb();
  await fill(test.db, 250);
  let text = "";
  await exportRecords(test.db, { namespace }, async (lines) => {
    text += lines;
    await test.db.write("delete from agent_root_records where key <> 'k1'");
  });
  equal(comparable(text).length, 250);
});

Deno.test("an export whose connection breaks fails instead of starting over", async () => {
  await using test = await openTestDb();
  await fill(test.db, 250);
  let pages = 0;
  await rejects(
    exportRecords(test.db, { namespace }, async () => {
      if (++pages !== 2) return;
      await test.db.write(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    }),
    StoreUnavailableError,
  );
  equal(pages, 2);
});

Deno.test("an export of one collection has only that", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await writer.put("k", {});
  await writer.put("k", {}, { collection: "runs" });
  const names: string[] = [];
  const report = await exportRecords(
    test.db,
    { namespace, collection: "runs" },
    (lines) => {
      names.push(lines);
      return Promise.resolve();
    },
  );
  deepEqual(report, { records: 1, collections: 1 });
  match(names.join(""), /"collection":"runs"/);
});

Deno.test("an import beside writers of the same collections neither deadlocks nor drifts", async () => {
  await using test = await openTestDb({ max: 8 });
  const writer = await openWriter(test.db);
  const lines = Array.from(
    { length: 800 },
    (_, n) => line(`i${n % 60}`, { n }, { collection: `c${n % 20}` }),
  );
  const writes = Array.from(
    { length: 200 },
    (_, n) =>
      writer.put(`i${n % 60}`, { n }, { collection: `c${19 - n % 20}` }),
  );
  await Promise.all([
    imported(test.db, lines),
    imported(test.db, lines.toReversed()),
    ...writes,
  ]);
  deepEqual(await drift(test.db), []);
});
