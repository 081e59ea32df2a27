/**
 * Looking at a cluster without touching it, and stopping it by hand.
 *
 * @module
 */
import { queryOnce } from "../pg/postgres.ts";
import { prepareTarget } from "./endpoint.ts";
import { ClusterError } from "./errors.ts";
import { type ClusterFolders, findFolders } from "./folders.ts";
import { dataVersion } from "./binaries/install.ts";
import { acquireLock } from "./lock.ts";
import { livingServer, PROBE_NAME, stopServer } from "./server.ts";

/** What `db status` shows. */
export interface ClusterStatus {
  /** `absent` before the first start. */
  readonly state: "absent" | "stopped" | "running";
  /** Folder that holds the cluster. */
  readonly directory: string;
  /** Process id of the server, while it runs. */
  readonly pid?: number;
  /** Version of PostgreSQL: the server's, else the data folder's. */
  readonly version?: string;
  /** Connections of clients at this moment, while it answers. */
  readonly clients?: number;
}

/** What `db stop` did. */
export interface StopReport {
  /** Whether a server ran before. */
  readonly wasRunning: boolean;
  /** How long stopping took, in milliseconds. */
  readonly ms: number;
}

const FAST_STOP_MS = 20_000;
const IMMEDIATE_STOP_MS = 10_000;
const LOCK_TIMEOUT_MS = 60_000;
const QUERY_TIMEOUT_MS = 5_000;

/** Looks at the cluster of a home; starts and makes nothing. */
export async function clusterStatus(home: string): Promise<ClusterStatus> {
  const folders = await findFolders(home);
  if (folders === undefined) return { state: "absent", directory: home };
  const directory = folders.base;
  const version = await dataVersion(folders).catch(() => undefined);
  if (version === undefined) return { state: "absent", directory };
  const pid = await livingServer(folders);
  if (pid === undefined) return { state: "stopped", directory, version };
  return {
    state: "running",
    directory,
    pid,
    version,
    ...await askServer(folders),
  };
}

/**
 * Stops the server whatever is connected; the next call of a process that still
 * uses the cluster starts it again.
 *
 * @throws {ClusterError} Code `stop_failed`.
 */
export async function stopCluster(home: string): Promise<StopReport> {
  const begun = performance.now();
  const folders = await findFolders(home);
  if (folders === undefined) return { wasRunning: false, ms: 0 };
  using _lock = await acquireLock(folders.files.startLock, {
    exclusive: true,
    owner: folders.owner,
    timeoutMs: LOCK_TIMEOUT_MS,
  });
  const pid = await livingServer(folders);
  const hasEnded = await stopServer(folders, {
    fastMs: FAST_STOP_MS,
    immediateMs: IMMEDIATE_STOP_MS,
  });
  if (!hasEnded) {
    throw new ClusterError(
      "stop_failed",
      `Cannot stop PostgreSQL: process ${pid} does not end; look at its log in "${folders.log}"`,
    );
  }
  return {
    wasRunning: pid !== undefined,
    ms: Math.round(performance.now() - begun),
  };
}

async function askServer(
  folders: ClusterFolders,
): Promise<{ version?: string; clients?: number }> {
  try {
    const [row] = await queryOnce<{ version: string; clients: number }>(
      await prepareTarget(folders),
      `select current_setting('server_version') as version,
         count(*)::int as clients
       from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      [],
      { applicationName: PROBE_NAME, statementTimeoutMs: QUERY_TIMEOUT_MS },
    );
    return row === undefined
      ? {}
      : { version: row.version, clients: row.clients };
  } catch {
    return {}; // Starting, stopping or out of connections: that is no error.
  }
}
