import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { drift, fill, openWriter } from "../../tests/support/root_data.ts";
import { openBlankDb, openTestDb } from "../../tests/support/test_db.ts";
import { waitUntilBlocked } from "../../tests/support/wait_until_blocked.ts";
import { backupDatabase } from "./backup.ts";
import { BackupWriter } from "./backup_file.ts";
import type { Db } from "../pg/db.ts";
import { BackupError } from "../errors.ts";
import { PostgresEventLog } from "../event_log/event_log.ts";
import { LOCK_KEYS } from "../pg/locks.ts";
import { applyMigrations, makeLedger, migrate } from "../pg/migrate.ts";
import { MIGRATIONS } from "../migrations/migrations.ts";
import { restoreDatabase, type RestoreOptions } from "./restore.ts";
import { FUNCTIONS, TABLES, TYPES } from "../pg/schema_objects.ts";
import { entryOf } from "../../tests/support/log_entry.ts";
import { startSession } from "../../tests/support/sessions.ts";
import { findSessionByToken } from "../sessions/token.ts";

type Bytes = Uint8Array<ArrayBuffer>;

async function backup(db: Db): Promise<Bytes> {
  const chunks: Bytes[] = [];
  const target = new WritableStream<Bytes>({
    write(chunk) {
      chunks.push(chunk);
    },
  });
  await backupDatabase(db, target);
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function restore(db: Db, bytes: Bytes, options?: RestoreOptions) {
  return restoreDatabase(
    db,
    () => Promise.resolve(new Blob([bytes]).stream()),
    options,
  );
}

/** Lines as a gzip file. */
async function gzip(lines: readonly string[]): Promise<Bytes> {
  const stream = new Blob([...lines]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A digest of all rows of each table. */
async function digests(db: Db): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const table of TABLES) {
    const [row] = await db.read(
      `select count(*)::int as rows, md5(string_agg(t::text, ',' order by t::text)) as digest from ${table} t`,
    );
    found[table] = { ...row };
  }
  return found;
}

/** Puts something into every table, with values that are easily changed. */
async function fillAll(db: Db): Promise<string> {
  const { session, token } = await startSession(db, {
    agentRootKey: "gardener",
  });
  const child = await startSession(db, { agentRootKey: "gardener" });
  // The row of the parent now comes after that of its child.
  await db.write("update sessions set parent_session_id = $1 where id = $2", [
    session.id,
    child.session.id,
  ]);
  await db.write("update sessions set title = 'moved' where id = $1", [
    session.id,
  ]);
  const writer = await openWriter(db);
  for (
    const [key, data] of Object.entries({
      number: { n: 0.1, big: 9007199254740991, tiny: 5e-324 },
      text: { "a\tb\\n": 'quotes " and \u{1F600} and \u2028 and \\.' },
      nested: { rootcellar_backup_end: [{ sessions: {} }, null, ""] },
    })
  ) await writer.put(key, data, { retentionDays: 3 });
  await writer.append({ n: 1 });
  await fill(db, 1_000, { namespace: "other", collection: "many" });
  const text = `Wörter, "quoted" 'and' \\ such`;
  const outcome = await new PostgresEventLog(() => Promise.resolve(db)).append([
    {
      scope: "agent:gardener",
      actor: "user:alice",
      modality: "conversation",
      kind: "text",
      labels: ["a,b", "c"],
      content: { kind: "text", text },
      context: {},
      index: entryOf(text),
      observedAt: undefined,
      idempotencyKey: "key",
      bodyHash: "hash",
    },
  ]);
  ok(outcome.ok);
  return String(token);
}

Deno.test("the names read from the migrations are those of a migrated database", async () => {
  await using test = await openTestDb();
  const names = async (text: string) =>
    (await test.db.read<{ name: string }>(text)).map(({ name }) => name);
  deepEqual(
    await names(
      "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1",
    ),
    [...TABLES, "schema_migrations"].toSorted(),
  );
  deepEqual(
    await names(
      `select proname as name from pg_proc p where pronamespace = 'public'::regnamespace
         and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass
           and d.objid = p.oid and d.deptype = 'e') order by 1`,
    ),
    FUNCTIONS.toSorted(),
  );
  deepEqual(
    await names(
      "select relname as name from pg_class where relkind in ('c', 'v', 'm') and relnamespace = 'public'::regnamespace order by 1",
    ),
    TYPES.toSorted(),
  );
});

Deno.test("a restore brings back every row of every table as it was", async () => {
  await using from = await openTestDb();
  await using to = await openBlankDb();
  const token = await fillAll(from.db);
  const report = await restore(to.db, await backup(from.db));
  deepEqual(await digests(to.db), await digests(from.db));
  equal(report.repairedCounters, 0);
  deepEqual(report.migrated, []);
  equal(report.rows.agent_root_records, 1_004);
  deepEqual(await drift(to.db), []);
  ok(await findSessionByToken(to.db, token));
  deepEqual((await migrate(to.db)).applied, []);
});

Deno.test("ids of deleted rows are not given out again after a restore", async () => {
  await using from = await openTestDb();
  await using to = await openTestDb();
  const writer = await openWriter(from.db);
  const { record } = await writer.append({ n: 1 });
  await from.db.write("delete from agent_root_records");
  await restore(to.db, await backup(from.db));
  const again = await openWriter(to.db);
  ok(again.sessionId > writer.sessionId);
  ok((await again.append({ n: 2 })).record.id > record.id);
});

Deno.test("a backup under concurrent writes is one consistent state", async () => {
  await using from = await openTestDb({ max: 10 });
  await using to = await openTestDb();
  await fill(from.db, 5_000, { namespace: "other", collection: "many" });
  let isDone = false;
  const writers = Array.from({ length: 4 }, async (_, at) => {
    const place = { collection: `c${at}` };
    let count = 0;
    // New sessions all the time: records refer to them.
    while (!isDone) {
      const writer = await openWriter(from.db);
      if (count < 55) await writer.append({ n: count++ }, place);
    }
    return count;
  });
  const bytes = await backup(from.db);
  isDone = true;
  const written = await Promise.all(writers);
  ok(written.every((count) => count > 0));
  const report = await restore(to.db, bytes);
  equal(report.repairedCounters, 0);
  deepEqual(await drift(to.db), []);
});

Deno.test("a backup that is cut off or changed anywhere is refused, and nothing is changed", async () => {
  await using from = await openTestDb();
  await using to = await openTestDb();
  await fillAll(from.db);
  await openWriter(to.db);
  const before = await digests(to.db);
  const bytes = await backup(from.db);
  const cut = [0, 1, 12, bytes.length / 2, bytes.length - 9, bytes.length - 1]
    .map((length) => bytes.slice(0, length));
  const changed = [0.1, 0.5, 0.9].map((part) => {
    const copy = bytes.slice();
    const at = Math.floor(bytes.length * part);
    copy[at] = (copy[at] ?? 0) ^ 0x55;
    return copy;
  });
  const longer = new Uint8Array([...bytes, 1, 2, 3]);
  for (const bad of [...cut, ...changed, longer]) {
    await rejects(restore(to.db, bad, { isReplacing: true }), BackupError);
  }
  deepEqual(await digests(to.db), before);
});

Deno.test("lines that are missing, doubled, edited or foreign are refused by what is wrong", async () => {
  await using from = await openTestDb();
  await using to = await openTestDb();
  await fillAll(from.db);
  const text = await new Response(
    new Blob([await backup(from.db)]).stream()
      .pipeThrough(new DecompressionStream("gzip")),
  ).text();
  const lines = text.split("\n").slice(0, -1);
  const cases: [readonly string[], RegExp][] = [
    [lines.toSpliced(3, 1), /digest does not fit/],
    [lines.toSpliced(3, 0, String(lines[3])), /digest does not fit/],
    [
      lines.map((line) => line.replace("moved", "MOVED")),
      /digest does not fit/,
    ],
    [lines.slice(0, -1), /its end is missing/],
    [[...lines, String(lines[3])], /goes on after its end/],
    [lines.toSpliced(2, 0, "{}"), /a line is no row|goes on after its end/],
    [lines.toSpliced(2, 0, '{"pg_class":{}}'), /table "pg_class"/],
    [["hello"], /no backup of Rootcellar/],
    [['{"rootcellar_backup":7}'], /its form is 7/],
    [['{"rootcellar_backup":1}'], /first line is incomplete/],
    [
      [
        String(lines[0]).replace("0001_sessions", "9999_future"),
        ...lines.slice(1),
      ],
      /newer Rootcellar \(9999_future\)|digest/,
    ],
  ];
  for (const [edited, reason] of cases) {
    const bytes = await gzip(edited.map((line) => `${line}\n`));
    await rejects(restore(to.db, bytes), (error: unknown) => {
      ok(error instanceof BackupError, String(error));
      match(error.message, reason);
      return true;
    });
  }
  const [row] = await to.db.read("select count(*)::int as n from sessions");
  equal(row?.n, 0);
});

Deno.test("a database that holds something is restored only when told so", async () => {
  await using from = await openTestDb();
  await using to = await openTestDb();
  await fillAll(from.db);
  await openWriter(to.db);
  const bytes = await backup(from.db);
  await rejects(restore(to.db, bytes), (error: unknown) => {
    ok(error instanceof BackupError);
    equal(error.code, "not_empty");
    match(error.message, /rows in sessions \(1\); --replace drops/);
    return true;
  });
  // A running server goes on with the restored data on its old connections.
  await to.db.read("select id from sessions");
  await restore(to.db, bytes, { isReplacing: true });
  deepEqual(await digests(to.db), await digests(from.db));
  const writer = await openWriter(to.db);
  equal((await writer.put("k", { n: 1 })).outcome, "created");
});

Deno.test("a restore waits for a server that is just starting, and sees what it made", async () => {
  await using from = await openTestDb();
  await using to = await openBlankDb();
  await fillAll(from.db);
  const bytes = await backup(from.db);
  // What a starting server does: the lock, the schema, its first session.
  const { restoring } = await to.db.transaction(async (tx) => {
    await tx.write("select pg_advisory_xact_lock($1)", [LOCK_KEYS.migrate]);
    const restoring = restore(to.db, bytes);
    restoring.catch(() => {}); // Judged below.
    await waitUntilBlocked(to.db);
    await makeLedger(tx);
    await applyMigrations(tx, MIGRATIONS);
    await tx.write(
      "insert into sessions (title, status) values ('first', 'waiting')",
    );
    return { restoring };
  });
  await rejects(restoring, { code: "not_empty" });
  deepEqual(await to.db.read("select title from sessions"), [
    { title: "first" },
  ]);
});

Deno.test("a file that is another one when it is read again is not restored", async () => {
  await using from = await openTestDb();
  await using to = await openTestDb();
  await fillAll(from.db);
  const checked = await backup(from.db);
  await (await openWriter(from.db)).put("later", {});
  const changed = await backup(from.db);
  await openWriter(to.db);
  const before = await digests(to.db);
  const files = [checked, changed];
  const work = restoreDatabase(
    to.db,
    () => Promise.resolve(new Blob(files.splice(0, 1)).stream()),
    { isReplacing: true },
  );
  await rejects(work, (error: unknown) => {
    ok(error instanceof BackupError, String(error));
    match(error.message, /file was changed while it was read/);
    return true;
  });
  deepEqual(await digests(to.db), before);
});

Deno.test("a backup of an older schema is restored and brought up to date", async () => {
  await using to = await openTestDb();
  const parts: string[] = [];
  const writer = new BackupWriter((text) => {
    parts.push(text);
    return Promise.resolve();
  });
  const old = MIGRATIONS.slice(0, 2).map(({ id }) => id);
  await writer.begin({ createdAt: "2026-01-01T00:00:00Z", migrations: old });
  // A counter that lies is found out.
  await writer.add("agent_root_record_counters", [JSON.stringify({
    namespace: "garden",
    collection: "notes",
    records_count: 7,
    data_bytes: 7,
    window_writes: 0,
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
  })]);
  await writer.end([]);
  const report = await restore(to.db, await gzip(parts));
  deepEqual(report.migrated, MIGRATIONS.slice(2).map(({ id }) => id));
  equal(report.repairedCounters, 1);
  deepEqual(await drift(to.db), []);
});

Deno.test("a database of a newer program is not backed up in part", async () => {
  await using test = await openTestDb();
  await test.db.write(
    "insert into schema_migrations (id, checksum, is_breaking) values ('0900_later', 'x', false)",
  );
  await rejects(backup(test.db), /newer Rootcellar \(0900_later\)/);
});

Deno.test("a target that fails ends the backup with its reason", async () => {
  await using test = await openTestDb();
  await fill(test.db, 5_000);
  const full = new WritableStream<Bytes>({
    write() {
      throw new Error("No space left on device");
    },
  });
  await rejects(backupDatabase(test.db, full), /No space left/);
  deepEqual((await test.db.read("select 1 as one")).length, 1);
});
