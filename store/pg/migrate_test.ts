import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { openBlankDb, openTestDb } from "../../tests/support/test_db.ts";
import { watchedDb } from "../../tests/support/watched_db.ts";
import { MigrationError } from "../errors.ts";
import { migrate } from "./migrate.ts";
import { type Migration, MIGRATIONS } from "../migrations/migrations.ts";
import { openPool } from "./postgres.ts";

const IDS = MIGRATIONS.map((one) => one.id);

Deno.test("migrating an empty database applies everything, and again nothing", async () => {
  await using test = await openBlankDb();
  deepEqual(await migrate(test.db), { applied: IDS, current: IDS });
  // What is there already is read by its name.
  deepEqual(await migrate(test.db), {
    applied: [],
    current: IDS.toSorted(),
  });
});

Deno.test("ten processes that migrate at once apply each migration once", async () => {
  await using test = await openBlankDb();
  const pools = Array.from({ length: 10 }, () => openPool(test.target));
  try {
    const reports = await Promise.all(pools.map((db) => migrate(db)));
    const busy = reports.filter((one) => one.applied.length > 0);
    equal(busy.length, 1);
    ok(reports.every((one) => one.current.length === IDS.length));
  } finally {
    await Promise.all(pools.map((db) => db.close()));
  }
});

Deno.test("a migration that fails leaves nothing of itself behind", async () => {
  await using test = await openBlankDb();
  const broken: Migration[] = [{
    id: "0001_broken",
    sql: "-- compatible\ncreate table half (a int); select no_such_function();",
  }];
  await rejects(migrate(test.db, broken));
  const [row] = await test.db.read("select to_regclass('half') as half");
  equal(row?.half, null);
});

Deno.test("a changed migration is refused by name", async () => {
  await using test = await openTestDb();
  const changed = MIGRATIONS.map((one, at) =>
    at === 0 ? { ...one, sql: `${one.sql}\n-- edited` } : one
  );
  await rejects(migrate(test.db, changed), (error: unknown) => {
    ok(error instanceof MigrationError);
    equal(error.code, "changed_migration");
    match(error.message, /0001_sessions differs/);
    return true;
  });
});

Deno.test("line ends do not change a migration", async () => {
  await using test = await openTestDb();
  const crlf = MIGRATIONS.map((one) => ({
    ...one,
    sql: one.sql.replaceAll("\n", "\r\n"),
  }));
  deepEqual((await migrate(test.db, crlf)).applied, []);
});

Deno.test("a newer breaking schema is refused, a newer compatible one is served", async () => {
  await using test = await openTestDb();
  await test.db.write(
    "insert into schema_migrations (id, checksum, is_breaking) values ('0900_later', 'x', false)",
  );
  deepEqual((await migrate(test.db)).applied, []);
  await test.db.write(
    "insert into schema_migrations (id, checksum, is_breaking) values ('0901_break', 'x', true)",
  );
  await rejects(migrate(test.db), (error: unknown) => {
    ok(error instanceof MigrationError);
    equal(error.code, "newer_schema");
    match(error.message, /newer Rootcellar \(0901_break\)/);
    return true;
  });
});

Deno.test("every key and unique index of root data starts with namespace", async () => {
  await using test = await openTestDb();
  const rows = await test.db.read<{ definition: string }>(
    `select pg_get_indexdef(indexrelid) as definition from pg_index
     where indisunique and indrelid::regclass::text like 'agent_root_%'`,
  );
  ok(rows.length >= 3);
  for (const { definition } of rows) match(definition, /\(namespace/);
});

Deno.test("a database whose default isolation breaks the caps is refused", async () => {
  await using test = await openTestDb();
  const [row] = await test.db.read("select current_database() as name");
  await test.db.write(
    `alter database ${row?.name} set default_transaction_isolation = 'repeatable read'`,
  );
  const db = openPool(test.target);
  try {
    await rejects(
      migrate(db),
      /"repeatable read", and caps hold under "read committed" only/,
    );
  } finally {
    await db.close();
  }
});

Deno.test("a server older than 14 is refused before anything is made there", async () => {
  const migrateOn = async (version: number, text: string) => {
    await using test = await openBlankDb();
    const db = watchedDb(
      test.db,
      (statement, run) =>
        statement.includes("server_version_num")
          ? run().then((rows) =>
            rows.map((row) => ({ ...row, version, version_text: text }))
          )
          : run(),
    );
    let error: unknown;
    const report = await migrate(db).catch((thrown) => void (error = thrown));
    const [made] = await test.db.read(
      "select to_regclass('schema_migrations') as ledger",
    );
    return { error, report, ledger: made?.ledger };
  };
  for (
    const [version, text] of [[130_023, "13.23"], [139_999, "13.99"]] as const
  ) {
    const { error, ledger } = await migrateOn(version, text);
    ok(error instanceof MigrationError, String(error));
    equal(error.code, "old_server");
    match(
      error.message,
      new RegExp(`^PostgreSQL ${text} is too old: .* 14 or`),
    );
    equal(ledger, null);
  }
  deepEqual((await migrateOn(140_000, "14.0")).report?.applied, IDS);
});
