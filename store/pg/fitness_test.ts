/**
 * Databases that are set to something else than PostgreSQL's defaults: pinned
 * where a session can, refused where not.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { openBlankDb, openTestDb } from "../../tests/support/test_db.ts";
import { MigrationError } from "../errors.ts";
import type { DatabaseTarget } from "./db.ts";
import { migrate } from "./migrate.ts";
import { openPool } from "./postgres.ts";

async function setting(
  test: {
    readonly db: {
      write(text: string): Promise<unknown>;
      read(text: string): Promise<Record<string, unknown>[]>;
    };
  },
  what: string,
): Promise<void> {
  const [row] = await test.db.read("select current_database() as name");
  await test.db.write(`alter database ${row?.name} set ${what}`);
}

/** A pool whose sessions begin with what the database is set to now. */
function openAnew(target: DatabaseTarget) {
  const db = openPool(target);
  return { db, [Symbol.asyncDispose]: () => db.close() };
}

for (
  const what of [
    "datestyle = 'German'",
    "datestyle = 'SQL, DMY'",
    "datestyle = 'Postgres, YMD'",
    "timezone = 'America/St_Johns'",
    "intervalstyle = 'sql_standard'",
    "standard_conforming_strings = off",
    "client_encoding = 'LATIN1'",
    "bytea_output = 'escape'",
    "extra_float_digits = -15",
  ]
) {
  Deno.test(`a database with ${what} gives back what was written`, async () => {
    await using test = await openTestDb();
    await setting(test, what);
    await using anew = openAnew(test.target);
    await migrate(anew.db);
    const at = new Date("2026-03-04T05:06:07.891Z");
    const [row] = await anew.db.read(
      `select $1::timestamptz as at, $1::text::timestamptz as also, '\\x'::text as slash,
         $2::text as text, now() - now() + make_interval(days => 3) > interval '2 days' as later`,
      [at.toISOString(), "ü 🌱"],
    );
    deepEqual({ ...row }, {
      at,
      also: at,
      slash: "\\x",
      text: "ü 🌱",
      later: true,
    });
  });
}

Deno.test("a search_path that leads nowhere is refused, and says what to do", async () => {
  for (const path of ["''", "nowhere"]) {
    await using test = await openBlankDb();
    await setting(test, `search_path = ${path}`);
    await using anew = openAnew(test.target);
    await rejects(migrate(anew.db), (error: unknown) => {
      ok(error instanceof MigrationError);
      equal(error.code, "no_schema");
      match(error.message, /alter role or database to set search_path/);
      return true;
    });
  }
});

Deno.test("a database in another encoding is refused, and says what to do", async () => {
  for (const encoding of ["LATIN1", "SQL_ASCII"]) {
    await using test = await openBlankDb();
    const name = `rc_${encoding.toLowerCase()}`;
    await test.db.write(
      `create database ${name} encoding '${encoding}'
         locale_provider libc locale 'C' template template0`,
    );
    try {
      await using other = openAnew(withDatabase(test.target, name));
      await rejects(migrate(other.db), (error: unknown) => {
        ok(error instanceof MigrationError);
        equal(error.code, "wrong_encoding");
        match(error.message, /encoding 'UTF8' template template0/);
        return true;
      });
    } finally {
      await test.db.write(`drop database ${name} with (force)`);
    }
  }
});

function withDatabase(target: DatabaseTarget, name: string): DatabaseTarget {
  if (target.kind !== "url") return { ...target, database: name };
  const url = new URL(target.url);
  url.pathname = `/${name}`;
  return { kind: "url", url: url.href };
}
