/**
 * Restore of a backup: all of it, or nothing.
 *
 * The file is read twice. First to its end, to see that it is whole; only then
 * one transaction puts the schema and the rows of the backup in the place of
 * what is there, brings the schema up to date, and counts again. A restore that
 * is killed leaves the database as it was.
 *
 * @module
 */
import {
  type BackupContent,
  readBackup,
  type SequenceState,
} from "./backup_file.ts";
import type { Db, Transaction } from "../pg/db.ts";
import { BackupError } from "../errors.ts";
import { applyMigrations, lockMigrations, makeLedger } from "../pg/migrate.ts";
import { MIGRATIONS } from "../migrations/migrations.ts";
import {
  FUNCTIONS,
  SEEDED_TABLES,
  TABLES,
  TYPES,
} from "../pg/schema_objects.ts";

const BATCH_ROWS = 500;
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** How to restore. */
export interface RestoreOptions {
  /** Drops what the database holds. @default {false} */
  readonly isReplacing?: boolean;
}

/** What a restore did. */
export interface RestoreReport {
  /** When the backup was made; ISO 8601 UTC. */
  readonly createdAt: string;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Migrations that the backup did not have yet. */
  readonly migrated: readonly string[];
  /** Counters of root data that were wrong and are right now. */
  readonly repairedCounters: number;
}

/**
 * Restores a backup. `open` is called for each reading of the file.
 *
 * @throws {BackupError} The file is no whole backup that this program knows,
 * or the database holds something; nothing was changed.
 * @throws {StoreUnavailableError} The database failed; nothing was changed.
 */
export async function restoreDatabase(
  db: Db,
  open: () => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>,
  options: RestoreOptions = {},
): Promise<RestoreReport> {
  const content = await readBackup(await open(), (table) => {
    assertKnownTable(table);
    return Promise.resolve();
  });
  assertKnown(content);
  return await db.transaction(async (tx) => {
    await lockMigrations(tx);
    // Tables that Citus distributes are dropped over one connection a node; any
    // other PostgreSQL takes this for a setting of nobody's.
    await tx.exec("set local citus.multi_shard_modify_mode = 'sequential'");
    if (options.isReplacing !== true) await assertEmpty(tx);
    await dropSchema(tx);
    const had = MIGRATIONS.filter(({ id }) => content.migrations.includes(id));
    await makeLedger(tx);
    await applyMigrations(tx, had);
    // What migrations put in is in the backup, as it has become.
    for (const table of await existing(tx, SEEDED_TABLES)) {
      await tx.exec(`delete from ${table}`);
    }
    await load(tx, content, await open());
    await setSequences(tx, content.sequences);
    const migrated = MIGRATIONS.filter((one) => !had.includes(one));
    await applyMigrations(tx, migrated);
    const repairedCounters = await recount(tx);
    return {
      createdAt: content.createdAt,
      rows: content.rows,
      migrated: migrated.map(({ id }) => id),
      repairedCounters,
    };
  });
}

function assertKnown(content: BackupContent): void {
  const unknown = content.migrations.find((id) =>
    MIGRATIONS.every((one) => one.id !== id)
  );
  if (unknown !== undefined) {
    throw new BackupError(
      "newer",
      `Cannot restore: the backup was made by a newer Rootcellar (${unknown}); use that one`,
    );
  }
  content.sequences.forEach(({ table }) => assertKnownTable(table));
}

/** Names of a file go into statements: only those that this program has. */
function assertKnownTable(table: string): void {
  if (TABLES.includes(table)) return;
  throw new BackupError(
    "damaged",
    `Cannot restore: the backup holds a table "${
      table.slice(0, 60)
    }" that no Rootcellar makes; nothing was changed`,
  );
}

async function assertEmpty(tx: Transaction): Promise<void> {
  const found: string[] = [];
  const filled = TABLES.filter((table) => !SEEDED_TABLES.includes(table));
  for (const table of await existing(tx, filled)) {
    const [row] = await tx.read<{ n: string }>(
      `select count(*)::text as n from (select 1 from ${table} limit 1000) t`,
    );
    if (row?.n === "0") continue;
    found.push(`${table} (${row?.n === "1000" ? "1000 or more" : row?.n})`);
  }
  if (found.length === 0) return;
  throw new BackupError(
    "not_empty",
    `Cannot restore: the database holds rows in ${
      found.join(", ")
    }; --replace drops all of Rootcellar's tables first. Nothing was changed`,
  );
}

async function existing(
  tx: Transaction,
  tables: readonly string[],
): Promise<string[]> {
  const rows = await tx.read<{ name: string }>(
    "select name from unnest($1::text::text[]) name where to_regclass(name) is not null",
    [`{${tables.join(",")}}`],
  );
  return rows.map(({ name }) => name);
}

async function dropSchema(tx: Transaction): Promise<void> {
  const drop = (kind: string, names: readonly string[]) =>
    tx.exec(`drop ${kind} if exists ${names.join(", ")} cascade`);
  await drop("table", [...TABLES, "schema_migrations"]);
  await drop("function", FUNCTIONS);
  await drop("type", TYPES);
}

/** Puts the rows in; checks once more that they are those that were checked. */
async function load(
  tx: Transaction,
  checked: BackupContent,
  file: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const links = await selfReferences(tx);
  for (const { table, name } of links) {
    await tx.exec(
      `alter table ${table} alter constraint ${name} deferrable initially deferred`,
    );
  }
  const columns = new Map<string, string>();
  let batch: string[] = [];
  let characters = 0;
  let of = "";
  const flush = async () => {
    if (batch.length === 0) return;
    const names = columns.get(of) ?? await writableColumns(tx, of);
    columns.set(of, names);
    await tx.write(
      `insert into ${of} (${names}) overriding system value
         select ${names} from json_populate_recordset(null::${of}, $1::text::json)`,
      [`[${batch.join(",")}]`],
    );
    batch = [];
    characters = 0;
  };
  const content = await readBackup(file, async (table, row) => {
    assertKnownTable(table);
    const isFull = batch.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS;
    if (table !== of || isFull) await flush();
    of = table;
    batch.push(row);
    characters += row.length;
  });
  await flush();
  if (content.sha256 !== checked.sha256) {
    throw new BackupError(
      "damaged",
      "Cannot restore: the file was changed while it was read; nothing was changed",
    );
  }
  await tx.exec("set constraints all immediate");
  for (const { table, name } of links) {
    await tx.exec(
      `alter table ${table} alter constraint ${name} not deferrable`,
    );
  }
}

/** Columns of a table as a list; without those that PostgreSQL computes. */
async function writableColumns(
  tx: Transaction,
  table: string,
): Promise<string> {
  const [row] = await tx.read<{ names: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as names
     from pg_attribute
     where attrelid = $1::text::regclass and attnum > 0 and not attisdropped
       and attgenerated = ''`,
    [table],
  );
  return row?.names ?? "";
}

/** Foreign keys within one table, whose rows come in any order. */
function selfReferences(
  tx: Transaction,
): Promise<{ table: string; name: string }[]> {
  return tx.read(
    `select conrelid::regclass::text as table, conname as name from pg_constraint
     where contype = 'f' and conrelid = confrelid
       and conrelid = any (select to_regclass(name) from unnest($1::text::text[]) name)`,
    [`{${TABLES.join(",")}}`],
  );
}

async function setSequences(
  tx: Transaction,
  sequences: readonly SequenceState[],
): Promise<void> {
  for (const { table, column, last, isUsed } of sequences) {
    await tx.write(
      "select setval(pg_get_serial_sequence($1, $2), $3::text::bigint, $4)",
      [table, column, last, isUsed],
    );
  }
}

/**
 * Counts every collection, sets counters that are wrong, and lets the planner
 * know the tables. A collection at a time: none takes long.
 */
async function recount(tx: Transaction): Promise<number> {
  const collections = await tx.read<{ namespace: string; collection: string }>(
    `select namespace, collection from agent_root_record_counters
     union select namespace, collection from agent_root_records`,
  );
  let repaired = 0;
  for (const { namespace, collection } of collections) {
    const [counted] = await tx.read<{ is_right: boolean }>(
      `select exists (
         select from agent_root_record_counters c
         where c.namespace = $1 and c.collection = $2
           and (c.records_count, c.data_bytes) = (
             select count(*), coalesce(sum(r.data_bytes), 0) from agent_root_records r
             where r.namespace = $1 and r.collection = $2)) as is_right`,
      [namespace, collection],
    );
    if (counted?.is_right === true) continue;
    await tx.write("select root_data_recount($1, $2)", [namespace, collection]);
    repaired++;
  }
  await tx.exec(`analyze ${TABLES.join(", ")}`);
  return repaired;
}
