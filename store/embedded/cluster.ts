/**
 * One PostgreSQL for all processes that use a home.
 *
 * Two lock files in `run` decide everything. `start.lock`, exclusive, is held
 * while something is installed or started. `clients.lock`, shared, is held by
 * every process for as long as it uses the cluster: who can take it exclusively
 * is the last one out and stops the server. The kernel drops both with the
 * process, so a killed one leaves the server to the next.
 *
 * @module
 */
import type { DatabaseTarget } from "../pg/db.ts";
import { prepareTarget } from "./endpoint.ts";
import { ClusterError } from "./errors.ts";
import { type ClusterFolders, prepareFolders, toHomeError } from "./folders.ts";
import { assertUsableData, install, tidyBinaries } from "./binaries/install.ts";
import { holdShared, START_LOCK_TIMEOUT_MS, stopIfLast } from "./clients.ts";
import { acquireLock, type FileLock } from "./lock.ts";
import { readPidFile } from "./pid_file.ts";
import { bringUp, probe } from "./server.ts";
import { within } from "./wait.ts";

export { defaultHome } from "./default_home.ts";
export { ClusterError, type ClusterErrorCode } from "./errors.ts";
export {
  type ClusterStatus,
  clusterStatus,
  stopCluster,
  type StopReport,
} from "./status.ts";

/** Something that took time while the cluster was brought up or stopped. */
export interface ClusterEvent {
  /** What happens, or has happened. */
  readonly kind:
    | "unpacking"
    | "initializing"
    | "starting"
    /** A server was started. */
    | "started"
    /** A server was started after one that ended without cleaning up. */
    | "recovered"
    /** This process was the last one out and stopped the server. */
    | "stopped";
  /** Milliseconds since the call began. */
  readonly ms: number;
}

/** How to open a cluster. */
export interface ClusterOptions {
  /** The data folder; made when it is missing. */
  readonly home: string;
  /** Told what happens; never called when the server runs already. */
  readonly report?: (event: ClusterEvent) => void;
}

/** A cluster in use by this process. Disposing releases it. */
export interface Cluster extends AsyncDisposable {
  /** Where to connect. It stays the same when the server is started anew. */
  readonly target: DatabaseTarget;
  /** Name for this process's connections; other names keep the server alive. */
  readonly applicationName: string;
  /** Folder that holds the cluster. */
  readonly directory: string;
  /**
   * Starts the server when it does not answer; cheap when it does. Callers at
   * the same time share one attempt.
   *
   * @throws {ClusterError} The server cannot be started.
   */
  ensureRunning(): Promise<void>;
  /**
   * Ends this process's use; the last one out stops the server. Close the pool
   * first. Never rejects, and waits little: the server finishes on its own.
   */
  release(): Promise<void>;
  /** Ends this process's use and leaves the server running. */
  detach(): Promise<void>;
}

const ATTEMPT_LIMIT_MS = 10_000;

/**
 * Opens the cluster of a home: unpacks, initializes and starts what is missing.
 * Any number of processes may do so at once; one does the work.
 *
 * @throws {ClusterError} With a line for the operator.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const folders = await prepareFolders(options.home);
  try {
    const target = await prepareTarget(folders);
    await assertUsableData(folders);
    const clients = await holdShared(folders);
    const cluster = new EmbeddedCluster(folders, target, clients, options);
    try {
      await cluster.ensureRunning();
    } catch (error) {
      await cluster.release();
      throw error;
    }
    return cluster;
  } catch (error) {
    throw toHomeError(folders.home, error);
  }
}

class EmbeddedCluster implements Cluster {
  readonly target: DatabaseTarget;
  readonly applicationName: string;
  readonly #folders: ClusterFolders;
  readonly #clients: FileLock;
  readonly #report: (event: ClusterEvent) => void;
  #hasRun = false;
  #attempt: Promise<void> | undefined;
  #ending: Promise<void> | undefined;

  constructor(
    folders: ClusterFolders,
    target: DatabaseTarget,
    clients: FileLock,
    options: ClusterOptions,
  ) {
    this.#folders = folders;
    this.target = target;
    this.#clients = clients;
    this.#report = options.report ?? (() => {});
    const suffix = crypto.randomUUID().slice(0, 8);
    this.applicationName = `rootcellar-${Deno.pid}-${suffix}`;
  }

  get directory(): string {
    return this.#folders.base;
  }

  ensureRunning(): Promise<void> {
    if (this.#ending !== undefined) {
      return Promise.reject(
        new ClusterError(
          "released",
          "Cannot use the database: this process has released it",
        ),
      );
    }
    this.#attempt ??= this.#bringUp().then(() => {
      this.#hasRun = true;
    }, (error) => {
      throw toHomeError(this.#folders.home, error);
    }).finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  release(): Promise<void> {
    this.#ending ??= this.#end(true);
    return this.#ending;
  }

  detach(): Promise<void> {
    this.#ending ??= this.#end(false);
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  async #bringUp(): Promise<void> {
    if (await probe(this.target) === "up") return;
    const begun = performance.now();
    const report = (kind: ClusterEvent["kind"]) =>
      this.#report({ kind, ms: Math.round(performance.now() - begun) });
    const folders = this.#folders;
    if (this.#hasRun) await assertStillThere(folders);
    // The short link may have gone the way of old temporary files.
    await prepareTarget(folders);
    using lock = await acquireLock(folders.files.startLock, {
      exclusive: true,
      owner: folders.owner,
      timeoutMs: START_LOCK_TIMEOUT_MS,
      unless: () => this.#isUp(),
    });
    if (lock === undefined || await probe(this.target) === "up") return;
    const binaries = await install(folders, this.target, report);
    report("starting");
    const outcome = await bringUp(folders, this.target, binaries);
    if (outcome === "was_up") return;
    report(outcome);
    await tidyBinaries(folders);
  }

  /** Asks only a server that says it is ready: waiting processes are many. */
  async #isUp(): Promise<boolean> {
    const file = await readPidFile(this.#folders);
    return file?.isReady === true && await probe(this.target) === "up";
  }

  async #end(mayStop: boolean): Promise<void> {
    // A server that this process is starting would outlive it unseen.
    if (this.#attempt !== undefined) {
      await within(this.#attempt, ATTEMPT_LIMIT_MS);
    }
    this.#clients.release();
    if (!mayStop) return;
    try {
      const begun = performance.now();
      if (!await stopIfLast(this.#folders, this.target)) return;
      this.#report({
        kind: "stopped",
        ms: Math.round(performance.now() - begun),
      });
    } catch {
      // The home is gone or closed to us: there is nothing left to stop.
    }
  }
}

/**
 * A home removed under a running process: a fresh, empty cluster in its place
 * would look like lost data.
 */
async function assertStillThere(folders: ClusterFolders): Promise<void> {
  const { version } = folders.files;
  if (await Deno.stat(version).catch(() => undefined) !== undefined) return;
  throw new ClusterError(
    "missing_cluster",
    `Cannot find the data in "${folders.data}": it was removed while in use; bring it back, or start again with an empty home`,
  );
}
