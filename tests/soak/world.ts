/**
 * What the soak is about: a home with its PostgreSQL, two servers on it, and
 * sessions.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import {
  clusterStatus,
  openCluster,
  stopCluster,
} from "../../store/embedded/mod.ts";
import { startSession } from "../support/sessions.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { clockEnv, HAS_FAKETIME } from "../support/faketime.ts";
import {
  processEnv,
  type ServerProcess,
  startServer,
} from "../support/process.ts";
import { fill } from "../support/root_data.ts";
import { type Disk, openDisk } from "./disk.ts";
import { COLLECTIONS, FULL_RECORDS } from "./worker.ts";

/** Roots, and with them namespaces. */
export const ROOTS = 4;

/** A registered session. */
export interface SoakSession {
  readonly id: number;
  readonly root: string;
  readonly token: string;
}

/** A server that is started again when a fault ended it. */
export interface SoakServer {
  /** Where it listens, or listened last. */
  readonly url: string;
  readonly pid: number;
  /** Ends it; the exit code. Rejects when it had died by itself. */
  stop(signal: Deno.Signal): Promise<number>;
  /** Starts it again. */
  start(): Promise<void>;
}

/** Everything that is there. */
export interface World extends AsyncDisposable {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly disk: Disk;
  readonly sessions: readonly SoakSession[];
  /** It suffers most faults. */
  readonly victim: SoakServer;
  /** It lives as long as the soak. */
  readonly elder: SoakServer;
  /** Looks past the servers; never starts PostgreSQL itself. */
  readonly db: Db;
  /** Sets the clock of the victim, in seconds from the true time. */
  readonly setClock: ((offset: number) => Promise<void>) | undefined;
  postmaster(): Promise<number | undefined>;
  /** Gives up what this process holds of the cluster. */
  leave(): Promise<void>;
}

/** Makes a world. */
export async function openWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const disk = stack.use(await openDisk());
  const home = `${disk.path}/home`;
  const roots = Array.from({ length: ROOTS }, (_, n) => `root${n}`);
  const catalog = `${disk.path}/roots.json`;
  await Deno.writeTextFile(
    catalog,
    JSON.stringify(Object.fromEntries(
      roots.map((name) => [name, { name, data_collections: COLLECTIONS }]),
    )),
  );
  const env = {
    ...processEnv(),
    ROOTCELLAR_HOME: home,
    CATALOG: catalog,
    LOG_LEVEL: "warn",
  };
  const cluster = await openCluster({ home });
  stack.defer(async () => {
    await stopCluster(home);
  });
  let hasLeft = false;
  const db = openPool(cluster.target, {
    applicationName: cluster.applicationName,
    retryDelaysMs: [100, 200, 500, 1_000, 1_000, 1_000, 1_000, 1_000],
  });
  const leave = async () => {
    if (hasLeft) return;
    hasLeft = true;
    await db.close();
    await cluster.detach();
  };
  stack.defer(leave);
  const elder = await openServer(env, stack);
  const clock = `${disk.path}/clock`;
  await Deno.writeTextFile(clock, "+0");
  const victim = await openServer(
    HAS_FAKETIME ? { ...env, ...clockEnv({ file: clock }) } : env,
    stack,
  );
  const sessions: SoakSession[] = [];
  for (const root of roots) {
    await fill(db, FULL_RECORDS, { namespace: root, collection: "full" });
    for (let n = 0; n < 3; n++) {
      const { session, token } = await startSession(db, { agentRootKey: root });
      sessions.push({ id: session.id, root, token: String(token) });
    }
  }
  const owned = stack.move();
  return {
    home,
    env,
    disk,
    sessions,
    victim,
    elder,
    db,
    setClock: HAS_FAKETIME
      ? (offset) =>
        Deno.writeTextFile(clock, `${offset < 0 ? "" : "+"}${offset}`)
      : undefined,
    postmaster: async () => (await clusterStatus(home)).pid,
    leave,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function openServer(
  env: Readonly<Record<string, string>>,
  stack: AsyncDisposableStack,
): Promise<SoakServer> {
  let process: ServerProcess = await startServer(env);
  stack.defer(() => process[Symbol.asyncDispose]());
  return {
    get url() {
      return process.url;
    },
    get pid() {
      return process.pid;
    },
    async stop(signal) {
      try {
        return await process.stop(signal);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        // It cannot be told anything any more.
        throw new Error(
          `A server had died: ${(await process.log).slice(-1_500)}`,
        );
      }
    },
    async start() {
      process = await startServer(env);
    },
  };
}
