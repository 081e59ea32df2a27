/**
 * Brings a database to the schema that this program needs.
 *
 * Each migration runs in a transaction that first takes one advisory lock, so
 * ten processes that start at once apply each step once: the others wait, see
 * it applied and go on.
 *
 * @module
 */
import type { Db, Transaction } from "./db.ts";
import { MigrationError } from "../errors.ts";
import { assertFit } from "./fitness.ts";
import { LOCK_KEYS } from "./locks.ts";
import { type Migration, MIGRATIONS } from "../migrations/migrations.ts";

/** What {@link migrate} did. */
export interface MigrateReport {
  /** Ids applied by this call, oldest first. */
  readonly applied: readonly string[];
  /** Ids that are in force now, oldest first. */
  readonly current: readonly string[];
}

interface Applied extends Record<string, unknown> {
  readonly id: string;
  readonly checksum: string;
  readonly is_breaking: boolean;
}

/**
 * Applies what is missing.
 *
 * @throws {MigrationError} The database does not fit, an applied migration was
 * changed, or the database was migrated by a newer, incompatible program.
 */
export async function migrate(
  db: Db,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<MigrateReport> {
  const known = await withChecksums(migrations);
  await assertFit(db);
  // The common case, without a lock: everything is there already.
  const before = await appliedIn(db);
  if (before !== undefined) {
    assertNoConflict(before, known);
    if (missingFrom(before, known).length === 0) return reportOf([], before);
  }
  return await db.transaction(async (tx) => {
    await lockMigrations(tx);
    // Before it is looked for: a lookup alone would not see the table that
    // another process made while this one waited for the lock.
    await makeLedger(tx);
    const rows = await appliedIn(tx) ?? [];
    assertNoConflict(rows, known);
    const missing = missingFrom(rows, known);
    await applyMigrations(tx, missing);
    return reportOf(
      missing.map((one) => one.id),
      [...rows, ...missing],
    );
  });
}

/** Keeps every other process from migrating until the transaction ends. */
export async function lockMigrations(tx: Transaction): Promise<void> {
  await tx.write("select pg_advisory_xact_lock($1)", [LOCK_KEYS.migrate]);
}

/** Makes the table of applied migrations where it is missing. */
export async function makeLedger(tx: Transaction): Promise<void> {
  await tx.exec(`
    create table if not exists schema_migrations (
      id text primary key,
      checksum text not null,
      is_breaking boolean not null,
      applied_at timestamptz not null default now()
    )`);
}

/** Applies migrations in their order. The caller holds the lock. */
export async function applyMigrations(
  tx: Transaction,
  migrations: readonly Migration[],
): Promise<void> {
  for (const one of await withChecksums(migrations)) {
    await tx.exec(one.sql);
    await tx.write(
      "insert into schema_migrations (id, checksum, is_breaking) values ($1, $2, $3)",
      [one.id, one.checksum, one.isBreaking],
    );
  }
}

/** Reads what is applied; undefined where nothing ever was. */
async function appliedIn(
  db: Db | Transaction,
): Promise<Applied[] | undefined> {
  const [exists] = await db.read<{ there: boolean }>(
    "select to_regclass('schema_migrations') is not null as there",
  );
  if (exists?.there !== true) return undefined;
  return await db.read<Applied>(
    "select id, checksum, is_breaking from schema_migrations order by id",
  );
}

function missingFrom<T extends { readonly id: string }>(
  rows: readonly Applied[],
  known: readonly T[],
): T[] {
  return known.filter((one) => rows.every((row) => row.id !== one.id));
}

function assertNoConflict(
  rows: readonly Applied[],
  known: readonly { readonly id: string; readonly checksum: string }[],
): void {
  for (const row of rows) {
    const mine = known.find((one) => one.id === row.id);
    if (mine === undefined && row.is_breaking) {
      throw new MigrationError(
        "newer_schema",
        `The database was migrated by a newer Rootcellar (${row.id}), which this one cannot read; start the newer release`,
      );
    }
    if (mine !== undefined && mine.checksum !== row.checksum) {
      throw new MigrationError(
        "changed_migration",
        `Migration ${row.id} differs from what this database was built with; restore the file, and put the change into a new migration`,
      );
    }
  }
}

function reportOf(
  applied: readonly string[],
  current: readonly { readonly id: string }[],
): MigrateReport {
  return { applied, current: current.map((one) => one.id) };
}

function withChecksums(
  migrations: readonly Migration[],
): Promise<(Migration & { checksum: string; isBreaking: boolean })[]> {
  return Promise.all(migrations.map(async (migration) => ({
    ...migration,
    checksum: await checksumOf(migration.sql),
    isBreaking: migration.sql.startsWith("-- breaking"),
  })));
}

async function checksumOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(text.replaceAll("\r\n", "\n")),
  );
  return new Uint8Array(digest).toHex();
}
