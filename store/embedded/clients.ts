/**
 * Who uses a cluster, and who is the last one out.
 *
 * Every process shares a lock while it uses the cluster. Who can take it alone
 * is the last; and while it holds it, nobody new comes in.
 *
 * @module
 */
import type { DatabaseTarget } from "../pg/db.ts";
import { queryOnce } from "../pg/postgres.ts";
import { removeShortLink } from "./endpoint.ts";
import type { ClusterFolders } from "./folders.ts";
import { acquireLock, FileLock } from "./lock.ts";
import { START_TIMEOUT_MS, stopServer } from "./server.ts";
import { within } from "./wait.ts";

/** How long to wait for a lock under which a server is started. */
export const START_LOCK_TIMEOUT_MS = START_TIMEOUT_MS + 30_000;
/** Together below the second in which a stdio process must end. */
const COUNT_LIMIT_MS = 250;
const STOP_LIMIT_MS = 500;

/** Counts this process among the users; waits while the last one stops it. */
export async function holdShared(folders: ClusterFolders): Promise<FileLock> {
  const lock = await acquireLock(folders.files.clientsLock, {
    exclusive: false,
    owner: folders.owner,
    timeoutMs: START_LOCK_TIMEOUT_MS,
  });
  if (lock === undefined) throw new TypeError("Lock was not waited for");
  return lock;
}

/**
 * Stops the server when nobody uses it any more; answers whether it did. The
 * caller has given up its own share. Waits little: a server that takes longer
 * ends on its own.
 */
export async function stopIfLast(
  folders: ClusterFolders,
  target: DatabaseTarget,
): Promise<boolean> {
  using alone = await FileLock.tryAcquire(folders.files.clientsLock, {
    exclusive: true,
    owner: folders.owner,
  });
  if (alone === undefined) return false;
  // A tool of the operator holds no lock, only a connection.
  const strangers = await within(countStrangers(target), COUNT_LIMIT_MS);
  if (strangers !== undefined && strangers > 0) return false;
  await stopServer(folders, { fastMs: STOP_LIMIT_MS });
  await removeShortLink(folders, target);
  return true;
}

/**
 * Connections of programs that are not ours. Ours are known by their locks; a
 * killed one's may take a moment to vanish and must not keep the server.
 */
async function countStrangers(target: DatabaseTarget): Promise<number> {
  const [row] = await queryOnce<{ strangers: number }>(
    target,
    `select count(*)::int as strangers
     from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()
       and application_name not like 'rootcellar%'`,
    [],
    { applicationName: "rootcellar-last" },
  );
  return row?.strangers ?? 0;
}
