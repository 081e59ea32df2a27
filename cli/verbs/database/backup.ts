/**
 * `db backup` and `db restore`: the whole database in one file, and back.
 *
 * @module
 */
import {
  backupDatabase,
  restoreDatabase,
} from "../../../store/transfer/mod.ts";
import { ConfigError } from "../../settings/config.ts";
import { print } from "../../output.ts";
import { openOutputFile } from "../../output_file.ts";
import { buildStore, type StoreConfig } from "../../app/parts.ts";

/** Writes the backup; the file appears once it is whole. */
export async function backup(
  config: StoreConfig,
  path: string,
): Promise<number> {
  await using file = await openOutputFile(path, "the backup");
  await using store = buildStore(config);
  const { rows } = await backupDatabase(
    await store.db(),
    new WritableStream({ write: (bytes) => file.write(bytes) }),
  );
  await file.finish();
  print(`Backed up ${summaryOf(rows)} to ${path}`);
  return 0;
}

/** Puts a backup in the place of an empty database, or of any if told so. */
export async function restore(
  config: StoreConfig,
  path: string,
  isReplacing: boolean,
): Promise<number> {
  // A file that cannot be read must not make a database.
  await (await open(path)).cancel();
  await using store = buildStore(config);
  const report = await restoreDatabase(
    await store.db(),
    () => open(path),
    { isReplacing },
  );
  print(`Restored ${summaryOf(report.rows)} as of ${report.createdAt}`);
  if (report.migrated.length > 0) {
    print(`Brought the schema up to date: ${report.migrated.join(", ")}`);
  }
  if (report.repairedCounters > 0) {
    print(
      `Counters that were wrong and are right now: ${report.repairedCounters}`,
    );
  }
  return 0;
}

async function open(
  path: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  try {
    const file = await Deno.open(path);
    if (!(await file.stat()).isFile) {
      file.close();
      throw new Error("It is read twice, so it must be a regular file");
    }
    return file.readable;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`Cannot read the backup ${path}: ${reason}`]);
  }
}

function summaryOf(rows: Readonly<Record<string, number>>): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `${total} rows of ${Object.keys(rows).length} tables (${
    rows.agent_root_records ?? 0
  } records, ${rows.sessions ?? 0} sessions, ${
    rows.cortex_events ?? 0
  } events)`;
}
