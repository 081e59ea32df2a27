/**
 * A database of its own for each test, cloned from one migrated template.
 *
 * @module
 */
import partitionByNamespace from "../../deploy/sql/partition_by_namespace.sql" with {
  type: "text",
};
import type { DatabaseTarget, Db } from "../../store/pg/db.ts";
import { LOCK_KEYS } from "../../store/pg/locks.ts";
import { migrate } from "../../store/pg/migrate.ts";
import { MIGRATIONS } from "../../store/migrations/migrations.ts";
import { openPool, type PoolOptions } from "../../store/pg/postgres.ts";

/** Variable in which `tests/run.ts` names the server. */
export const TARGET_VARIABLE = "ROOTCELLAR_TEST_TARGET";

/** Variable that asks for root data partitioned by namespace. */
export const PARTITIONED_VARIABLE = "ROOTCELLAR_TEST_PARTITIONED";

/** A database that is dropped when it is disposed of. */
export interface TestDb extends AsyncDisposable {
  /** The pool. */
  readonly db: Db;
  /** Where it is, for a process or pool of its own. */
  readonly target: DatabaseTarget;
}

/** Makes a migrated, empty database. */
export async function openTestDb(options: PoolOptions = {}): Promise<TestDb> {
  return await openDatabase(await templateName(), options);
}

/** Makes a database without any table. */
export async function openBlankDb(options: PoolOptions = {}): Promise<TestDb> {
  return await openDatabase("template0", options);
}

/** The server that the tests run on. */
export function testTarget(): DatabaseTarget {
  const text = Deno.env.get(TARGET_VARIABLE);
  if (text === undefined) {
    throw new Error(
      "These tests need a database: run them with deno task test",
    );
  }
  return JSON.parse(text);
}

async function openDatabase(
  template: string,
  options: PoolOptions,
): Promise<TestDb> {
  const name = `rc_${crypto.randomUUID().replaceAll("-", "")}`;
  await withAdmin((db) =>
    db.write(`create database ${name} template ${template}`)
  );
  const target = withDatabase(testTarget(), name);
  const db = openPool(target, options);
  return {
    db,
    target,
    async [Symbol.asyncDispose]() {
      await db.close();
      await withAdmin((admin) =>
        admin.write(`drop database ${name} with (force)`)
      );
    },
  };
}

let template: Promise<string> | undefined;

function templateName(): Promise<string> {
  return template ??= makeTemplate();
}

/** Several test processes share the template; the first one makes it. */
async function makeTemplate(): Promise<string> {
  // Named after its schema, so that a server that outlives a run never hands
  // out yesterday's.
  const partitioning = Deno.env.has(PARTITIONED_VARIABLE)
    ? partitionByNamespace
    : undefined;
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(JSON.stringify([...MIGRATIONS, partitioning])),
  );
  const name = `rc_template_${new Uint8Array(digest).toHex().slice(0, 16)}`;
  await withAdmin((admin) =>
    admin.transaction(async (tx) => {
      await tx.write("select pg_advisory_xact_lock($1)", [
        LOCK_KEYS.testTemplate,
      ]);
      const rows = await admin.read(
        "select 1 from pg_database where datname = $1",
        [name],
      );
      if (rows.length > 0) return;
      await admin.write(`drop database if exists ${name}_draft with (force)`);
      await admin.write(`create database ${name}_draft template template0`);
      const db = openPool(withDatabase(testTarget(), `${name}_draft`));
      await migrate(db);
      if (partitioning !== undefined) {
        await db.transaction((tx) => tx.exec(partitioning));
      }
      await db.close();
      await admin.write(`alter database ${name}_draft rename to ${name}`);
    })
  );
  return name;
}

async function withAdmin<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = openPool(testTarget(), { max: 2 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

function withDatabase(
  target: DatabaseTarget,
  database: string,
): DatabaseTarget {
  if (target.kind !== "url") return { ...target, database };
  const url = new URL(target.url);
  url.pathname = `/${database}`;
  return { kind: "url", url: url.href };
}
