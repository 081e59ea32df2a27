/**
 * What the chaos is made of: two servers on one PostgreSQL, three runners, each
 * a process that is started again when it was killed, and what their agents
 * leave.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import {
  clusterStatus,
  openCluster,
  stopCluster,
} from "../../store/embedded/mod.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { mainFolder, processEnv } from "../support/process.ts";
import { type LastingServer, openLastingServer } from "./lasting_server.ts";
import { RunnerProcess } from "./runner_process.ts";
import { agentCommand, Traces } from "./traced_agent.ts";

/** Everything that is there. */
export interface FleetWorld extends AsyncDisposable {
  readonly servers: readonly LastingServer[];
  readonly runners: readonly RunnerProcess[];
  /** Looks past the servers. */
  readonly db: Db;
  /** What agents did. */
  readonly traces: Traces;
  /** A key of the servers. */
  readonly key: string;
  /** Kills PostgreSQL; whoever needs it starts it. */
  killPostgres(): Promise<void>;
}

const SERVERS = 2;
const RUNNERS = ["one", "two", "three"];

/** Makes it; `durations` is a module that a server loads first. */
export async function openFleetWorld(durations: string): Promise<FleetWorld> {
  await using stack = new AsyncDisposableStack();
  const base = await Deno.makeTempDir({ prefix: "rc-chaos-" });
  stack.defer(() => Deno.remove(base, { recursive: true }));
  // Agents may be of another user than the test.
  await Deno.chmod(base, 0o711);
  const folder = `${base}/traces`;
  const traces = stack.use(await Traces.open(folder));
  const home = `${base}/home`;
  const key = crypto.randomUUID();
  const env = {
    ...processEnv(),
    ROOTCELLAR_HOME: home,
    CATALOG: mainFolder("tests/data/roots.json"),
    LOG_LEVEL: "warn",
    API_KEYS: key,
  };
  const cluster = await openCluster({ home });
  stack.defer(() => stopCluster(home).then(() => {}));
  const db = openPool(cluster.target, {
    applicationName: cluster.applicationName,
    retryDelaysMs: [100, 200, 500, 1_000, 1_000, 1_000, 1_000, 1_000],
  });
  stack.defer(() => cluster.detach());
  stack.defer(() => db.close());
  const servers: LastingServer[] = [];
  for (let n = 0; n < SERVERS; n++) {
    servers.push(stack.use(await openLastingServer(env, durations)));
  }
  const runners: RunnerProcess[] = [];
  for (const [n, name] of RUNNERS.entries()) {
    const server = servers[n % SERVERS];
    runners.push(stack.use(
      await RunnerProcess.register(db, {
        name,
        folder: `${base}/runner-${name}`,
        server: new URL(server?.url ?? "").origin,
        command: agentCommand(folder),
      }),
    ));
  }
  const owned = stack.move();
  return {
    servers,
    runners,
    db,
    traces,
    key,
    async killPostgres() {
      const { pid } = await clusterStatus(home);
      if (pid !== undefined) Deno.kill(pid, "SIGKILL");
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
