/**
 * Making the data folder, once.
 *
 * initdb works in a folder of its own beside `data` that gets the name `data`
 * only when it is complete and on disk: a process killed on the way leaves
 * nothing half-made, and an initdb that outlives its caller harms nobody.
 *
 * @module
 */
import type { DatabaseTarget } from "../pg/db.ts";
import { CLUSTER_USER } from "./endpoint.ts";
import { ClusterError, messageOf } from "./errors.ts";
import type { ClusterFolders } from "./folders.ts";
import { lastWords } from "./log/last_words.ts";
import { NEW_DATA_PREFIX } from "./names.ts";
import { makeFolder, remove, rename } from "./owner_files.ts";
import { runAsOwner } from "./process.ts";

/** What an operator may later change in `postgresql.conf`. */
const SETTINGS: Readonly<Record<string, string>> = {
  max_connections: "300",
  shared_buffers: "64MB",
  max_wal_size: "256MB",
  // A small server beside an agent: one statement, one core.
  max_parallel_workers_per_gather: "0",
  // systemd removes a user's shared memory at logout; a server that a terminal
  // multiplexer keeps in use would break.
  dynamic_shared_memory_type: "mmap",
  // Statements that fail hold users' data; the log gets events of the server.
  log_min_messages: "log",
};

/**
 * Makes the data folder unless it is there. The caller holds the start lock.
 *
 * @throws {ClusterError} Code `initdb_failed`.
 */
export async function initializeData(
  folders: ClusterFolders,
  binaries: string,
  target: DatabaseTarget,
): Promise<void> {
  const temporary = `${folders.base}/${NEW_DATA_PREFIX}${
    crypto.randomUUID().slice(0, 8)
  }`;
  const { owner, holder } = folders;
  try {
    await makeFolder(temporary, holder);
    // Made where only this process makes names: nobody has put another there.
    if (owner !== undefined && holder === undefined) {
      await Deno.chown(temporary, owner.uid, owner.gid);
    }
    const args = [
      "-D",
      temporary,
      "-U",
      CLUSTER_USER,
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--data-checksums",
      "--no-instructions",
      ...Object.entries(SETTINGS).flatMap(([name, value]) => [
        "-c",
        `${name}=${value}`,
      ]),
    ];
    await runInitdb(folders, binaries, args, target);
    await rename(temporary, folders.data, holder);
    await syncFolder(folders.base);
  } catch (cause) {
    await remove(temporary, holder).catch(() => {});
    if (cause instanceof ClusterError) throw cause;
    throw failure(folders, messageOf(cause), cause);
  }
}

async function runInitdb(
  folders: ClusterFolders,
  binaries: string,
  args: readonly string[],
  target: DatabaseTarget,
): Promise<void> {
  const passwordFile = `${folders.run}/password.${crypto.randomUUID()}`;
  const access = target.kind === "loopback"
    ? ["--auth=scram-sha-256", `--pwfile=${passwordFile}`]
    : ["--auth=trust"];
  try {
    if (target.kind === "loopback") {
      await Deno.writeTextFile(passwordFile, target.password, { mode: 0o600 });
    }
    const { ok, output } = await runAsOwner(
      folders.owner,
      `${binaries}/bin/initdb`,
      [...args, ...access],
    );
    if (!ok) throw failure(folders, lastWords(output));
  } finally {
    if (target.kind === "loopback") {
      await Deno.remove(passwordFile).catch(() => {});
    }
  }
}

function failure(
  folders: ClusterFolders,
  reason: string,
  cause?: unknown,
): ClusterError {
  return new ClusterError(
    "initdb_failed",
    `Cannot make the database in "${folders.base}": ${
      explain(reason)
    }; repair that, or set DATABASE_URL`,
    { cause },
  );
}

/** Says what initdb's words do not: what to do about it. */
function explain(reason: string): string {
  if (!/could not look up effective user ID/.test(reason)) return reason;
  return `${reason}: PostgreSQL needs a user that /etc/passwd names; run as one (a container: USER or --user with a user of its image, or add a line for this id to its /etc/passwd)`;
}

/**
 * Removes what killed first starts left behind. The caller holds the start lock.
 */
export async function removeNewData(folders: ClusterFolders): Promise<void> {
  for await (const { name } of Deno.readDir(folders.base)) {
    if (!name.startsWith(NEW_DATA_PREFIX)) continue;
    // One that an orphaned initdb still writes to goes with the next start.
    await remove(`${folders.base}/${name}`, folders.holder).catch(() => {});
  }
}

/** Puts a rename on disk, where the system can do that for folders. */
async function syncFolder(path: string): Promise<void> {
  try {
    using folder = await Deno.open(path);
    await folder.sync();
  } catch {
    // Windows opens no folders; the journal will have to do.
  }
}
