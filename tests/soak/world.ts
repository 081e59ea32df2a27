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
import { processEnv } from "../support/process.ts";
import { fill } from "../support/root_data.ts";
import { type Disk, openDisk } from "./disk.ts";
import {
  type LastingServer,
  openLastingServer,
} from "../chaos/lasting_server.ts";
import { RunnerProcess } from "../chaos/runner_process.ts";
import { agentCommand, Traces } from "../chaos/traced_agent.ts";
import { openWire, type Wire } from "./wire.ts";
import { COLLECTIONS, FULL_RECORDS } from "./worker.ts";

/** Roots, and with them namespaces. */
export const ROOTS = 4;

/** A registered session. */
export interface SoakSession {
  readonly id: number;
  readonly root: string;
  readonly token: string;
}

/** Everything that is there. */
export interface World extends AsyncDisposable {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly disk: Disk;
  readonly sessions: readonly SoakSession[];
  /** It suffers most faults. */
  readonly victim: LastingServer;
  /** It lives as long as the soak. */
  readonly elder: LastingServer;
  /** The same server, by a wire that can be cut and can hang. */
  readonly wire: Wire;
  /** They run commands for both servers. */
  readonly runners: readonly RunnerProcess[];
  /** What their agents did. */
  readonly traces: Traces;
  /** A key of the servers. */
  readonly key: string;
  /** Looks past the servers; never starts PostgreSQL itself. */
  readonly db: Db;
  /** Sets the clock of the victim, in seconds from the true time. */
  readonly setClock: ((offset: number) => Promise<void>) | undefined;
  postmaster(): Promise<number | undefined>;
  /** Gives up what this process holds of the cluster. */
  leave(): Promise<void>;
}

/** Makes a world; `durations` is a module that servers load first. */
export async function openWorld(durations: string): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const disk = stack.use(await openDisk());
  const home = `${disk.path}/home`;
  const roots = Array.from({ length: ROOTS }, (_, n) => `root${n}`);
  const catalog = `${disk.path}/roots.json`;
  await Deno.writeTextFile(
    catalog,
    JSON.stringify(Object.fromEntries(
      roots.map((name) => [name, {
        name,
        data_collections: COLLECTIONS,
        default_runtime: "command",
      }]),
    )),
  );
  const key = crypto.randomUUID();
  const env = {
    ...processEnv(),
    ROOTCELLAR_HOME: home,
    CATALOG: catalog,
    LOG_LEVEL: "warn",
    API_KEYS: key,
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
  const elder = stack.use(await openLastingServer(env, durations));
  const clock = `${disk.path}/clock`;
  await Deno.writeTextFile(clock, "+0");
  const victim = stack.use(
    await openLastingServer(
      HAS_FAKETIME ? { ...env, ...clockEnv({ file: clock }) } : env,
      durations,
    ),
  );
  const wire = stack.use(openWire(elder.url));
  const { traces, runners } = await openRunners(db, stack, [victim, wire]);
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
    wire,
    runners,
    traces,
    key,
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

/** Runners of these servers, on a disk that does not fill up. */
async function openRunners(
  db: Db,
  stack: AsyncDisposableStack,
  servers: readonly { readonly url: string }[],
): Promise<Pick<World, "runners" | "traces">> {
  const base = await Deno.makeTempDir({ prefix: "rc-soak-" });
  stack.defer(() => Deno.remove(base, { recursive: true }));
  // Agents may be of another user.
  await Deno.chmod(base, 0o711);
  const folder = `${base}/traces`;
  const traces = stack.use(await Traces.open(folder));
  const runners: RunnerProcess[] = [];
  for (const [n, { url }] of servers.entries()) {
    runners.push(stack.use(
      await RunnerProcess.register(db, {
        name: `number-${n}`,
        folder: `${base}/runner-${n}`,
        server: new URL(url).origin,
        command: agentCommand(folder),
      }),
    ));
  }
  return { runners, traces };
}
