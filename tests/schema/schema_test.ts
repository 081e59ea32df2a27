import { equal, rejects } from "node:assert/strict";
import type { Db } from "../../store/pg/db.ts";
import { migrate } from "../../store/pg/migrate.ts";
import { openPool } from "../../store/pg/postgres.ts";
import {
  HAS_DEBIAN_POSTGRES,
  openDebianPostgres,
} from "../support/debian_postgres.ts";
import { dumpSchema, SCHEMA_FILE } from "../support/schema_dump.ts";
import { openBlankDb } from "../support/test_db.ts";

async function compare(db: Db): Promise<void> {
  await migrate(db);
  equal(
    await dumpSchema(db),
    await Deno.readTextFile(SCHEMA_FILE),
    "store/schema.sql is not the schema: run deno task schema",
  );
}

Deno.test("store/schema.sql is what the migrations make", async () => {
  await using test = await openBlankDb();
  await compare(test.db);
});

Deno.test({
  name: `PostgreSQL 15 makes the same schema${
    HAS_DEBIAN_POSTGRES
      ? ""
      : " (skipped: Debian's postgresql-15 is not installed)"
  }`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres();
    const db = openPool({ kind: "url", url: postgres.url });
    try {
      await compare(db);
    } finally {
      await db.close();
    }
  },
});

Deno.test("a dump shows what differs, and refuses what it cannot show", async () => {
  await using test = await openBlankDb();
  await migrate(test.db);
  const before = await dumpSchema(test.db);
  await test.db.transaction((tx) =>
    tx.exec(`
      alter table sessions alter column title set default 'x';
      alter table sessions alter column title drop not null;
      alter table sessions set (fillfactor = 53);
      drop index sessions_parent;
      create type pair as (a int, b text);
      create function twice(n int) returns int language sql return n * 2;
      create function refuse() returns trigger language plpgsql as 'begin return null; end';
      create trigger sessions_kept before delete on sessions
        for each row execute function refuse();
      alter table sessions enable always trigger sessions_kept`)
  );
  const lines = new Set(before.split("\n"));
  const after = (await dumpSchema(test.db)).split("\n");
  equal(
    after.filter((line) => line !== "" && !lines.has(line)).join("\n"),
    `create type pair as (
  a integer,
  b text
  title text default 'x'::text,
) with (fillfactor=53);
CREATE TRIGGER sessions_kept BEFORE DELETE ON public.sessions FOR EACH ROW EXECUTE FUNCTION refuse() -- enabled always;
CREATE OR REPLACE FUNCTION public.refuse()
AS $function$begin return null; end$function$;
CREATE OR REPLACE FUNCTION public.twice(n integer)
RETURN (n * 2);`,
  );
  equal(after.some((line) => line.includes("sessions_parent ")), false);
  await test.db.write("create view lately as select id from sessions");
  await rejects(dumpSchema(test.db), /does not show yet: relation lately$/);
});
