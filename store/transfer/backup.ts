/**
 * Backup of the whole database while it is in use.
 *
 * One read-only transaction sees one state of all tables, so counters agree
 * with records and records with sessions whatever is written meanwhile. Rows
 * are fetched through a cursor: size does not matter, and nobody waits.
 *
 * @module
 */
import {
  type BackupHead,
  BackupWriter,
  type SequenceState,
} from "./backup_file.ts";
import type { Db, Transaction } from "../pg/db.ts";
import { BackupError, StoreUnavailableError } from "../errors.ts";
import { MIGRATIONS } from "../migrations/migrations.ts";
import { TABLES } from "../pg/schema_objects.ts";

const PAGE_ROWS = 100;

/** What a backup holds. */
export interface BackupReport {
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Writes a backup of all tables to `target` and closes it. When it fails,
 * `target` is aborted: what it got is no backup.
 *
 * @throws {BackupError} Code `newer` when a newer program made some tables.
 * @throws {StoreUnavailableError} The database failed.
 */
export async function backupDatabase(
  db: Db,
  target: WritableStream<Uint8Array<ArrayBuffer>>,
): Promise<BackupReport> {
  const lines = new TransformStream<string, string>();
  const done = lines.readable.pipeThrough(new TextEncoderStream())
    .pipeThrough(new CompressionStream("gzip")).pipeTo(target);
  done.catch(() => {}); // It is awaited below, maybe later than it fails.
  const writer = lines.writable.getWriter();
  const write = async (text: string) => {
    // A target that fails, a full disk, ends the wait of the writer.
    await Promise.race([writer.write(text), done]);
  };
  try {
    const rows = await writeSnapshot(db, write);
    await writer.close();
    await done;
    return { rows };
  } catch (error) {
    await writer.abort(error).catch(() => {});
    await done.catch(() => {});
    throw error;
  }
}

async function writeSnapshot(
  db: Db,
  write: (text: string) => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  let hasWritten = false;
  return await db.transaction(async (tx) => {
    // A transaction whose connection broke is begun again, and lines that are
    // out cannot be taken back.
    if (hasWritten) {
      throw new StoreUnavailableError(
        "failed",
        "The connection to the database broke during the backup; what was written is not complete",
      );
    }
    await tx.exec("set transaction isolation level repeatable read, read only");
    const head = await readHead(tx);
    hasWritten = true;
    const backup = new BackupWriter(write);
    await backup.begin(head);
    for (const table of TABLES) {
      await tx.exec(
        `declare backup no scroll cursor for
           select row_to_json(t)::text as line from ${table} t`,
      );
      for (;;) {
        const page = await tx.read<{ line: string }>(
          `fetch ${PAGE_ROWS} from backup`,
        );
        if (page.length === 0) break;
        await backup.add(table, page.map(({ line }) => line));
      }
      await tx.exec("close backup");
    }
    // Read last: a sequence does not belong to the snapshot, and must not stand
    // below any id in it.
    return await backup.end(await readSequences(tx));
  });
}

async function readHead(tx: Transaction): Promise<BackupHead> {
  const applied = await tx.read<{ id: string; now: Date }>(
    "select id, now() as now from schema_migrations order by id",
  );
  const unknown = applied.find(({ id }) =>
    MIGRATIONS.every((one) => one.id !== id)
  );
  if (unknown !== undefined) {
    throw new BackupError(
      "newer",
      `Cannot back up: the database was migrated by a newer Rootcellar (${unknown.id}), whose tables this one does not know; use the newer one`,
    );
  }
  const createdAt = (applied[0]?.now ?? new Date()).toISOString();
  return { createdAt, migrations: applied.map(({ id }) => id) };
}

async function readSequences(tx: Transaction): Promise<SequenceState[]> {
  const columns = await tx.read<
    { table: string; column: string; sequence: string }
  >(
    `select c.relname as table, a.attname as column,
       pg_get_serial_sequence(c.oid::regclass::text, a.attname) as sequence
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attnum > 0 and not a.attisdropped
       and pg_get_serial_sequence(c.oid::regclass::text, a.attname) is not null
       and c.oid = any (select to_regclass(name) from unnest($1::text::text[]) name)
     order by 1, 2`,
    [`{${TABLES.join(",")}}`],
  );
  const states: SequenceState[] = [];
  for (const { table, column, sequence } of columns) {
    const [row] = await tx.read<{ last: string; is_used: boolean }>(
      `select last_value::text as last, is_called as is_used from ${sequence}`,
    );
    if (row === undefined) continue;
    states.push({ table, column, last: row.last, isUsed: row.is_used });
  }
  return states;
}
