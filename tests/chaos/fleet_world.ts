/**
 * What the chaos is made of: two servers on one PostgreSQL, three runners, each
 * a process that is started again when it was killed, and a folder in which
 * their agents leave what they did.
 *
 * @module
 */
import { programArguments } from "../../cli/entry/start_command.ts";
import type { Db } from "../../store/pg/mod.ts";
import {
  clusterStatus,
  openCluster,
  stopCluster,
} from "../../store/embedded/mod.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { insertRunner } from "../../store/turns/mod.ts";
import {
  mainFolder,
  processEnv,
  type ServerProcess,
  startServer,
} from "../support/process.ts";

/** A process that can be killed, and comes again. */
export interface Victim {
  /** What it is. */
  readonly name: string;
  /** Kills it, and starts it again. */
  killAndStart(): Promise<void>;
}

/** Everything that is there. */
export interface FleetWorld extends AsyncDisposable {
  readonly servers: readonly (Victim & { readonly url: string })[];
  readonly runners: readonly (Victim & { readonly folder: string })[];
  /** Looks past the servers. */
  readonly db: Db;
  /** What agents did, a file a session; `doubles` is there if two were alive. */
  readonly traces: string;
  /** A key of the servers. */
  readonly key: string;
  /** Starts the runners. */
  startRunners(): Promise<void>;
  /** Kills PostgreSQL; whoever needs it starts it. */
  killPostgres(): Promise<void>;
  /** Stops the runners, which give back what they have. */
  stopAll(): Promise<void>;
}

const RUNNERS = ["one", "two", "three"];

/**
 * Holds a lock as long as it lives, children and all, and notes what it is told
 * when it begins and when it ends.
 */
function agentScript(traces: string): string {
  return `prompt=$(cat)
trace="${traces}/$ROOTCELLAR_SESSION"
exec 9>>"$trace.lock"
flock -n 9 || echo "$ROOTCELLAR_SESSION" >> "${traces}/doubles"
n=$(printf '%s\\n' "$prompt" | sed -n 's/^message \\([0-9]*\\)$/\\1/p' | tail -n 1)
# Its runner died before it had told it anything.
[ -n "$n" ] || exit 1
echo "begin $n" >> "$trace"
echo "I begin $n"
sleep 0.4
echo "end $n" >> "$trace"
echo "I end $n"`;
}

/** Makes it; `durations` is a module that a server loads first. */
export async function openFleetWorld(durations: string): Promise<FleetWorld> {
  await using stack = new AsyncDisposableStack();
  const base = await Deno.makeTempDir({ prefix: "rc-chaos-" });
  stack.defer(() => Deno.remove(base, { recursive: true }));
  const traces = `${base}/traces`;
  await Deno.mkdir(traces);
  // Agents may be of another user than the test.
  await Deno.chmod(base, 0o711);
  await Deno.chmod(traces, 0o777);
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
  const servers = [];
  for (const name of ["first", "second"]) {
    servers.push(await openServer(env, { stack, name, durations }));
  }
  const runners: RunnerProcess[] = [];
  for (const [n, name] of RUNNERS.entries()) {
    const { token } = await db.transaction((tx) => insertRunner(tx, name));
    runners.push(stack.use(
      new RunnerProcess({
        name,
        folder: `${base}/runner-${name}`,
        token,
        server: servers[n % servers.length]?.url ?? "",
        env: {
          ...processEnv(),
          RUNNER_COMMAND: JSON.stringify([
            "/bin/sh",
            "-c",
            agentScript(traces),
          ]),
          LOG_LEVEL: "error",
        },
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
    async startRunners() {
      for (const runner of runners) await runner.start();
    },
    async killPostgres() {
      const { pid } = await clusterStatus(home);
      if (pid !== undefined) Deno.kill(pid, "SIGKILL");
    },
    async stopAll() {
      for (const runner of runners) await runner.stop("SIGTERM");
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function openServer(
  env: Readonly<Record<string, string>>,
  { stack, name, durations }: {
    readonly stack: AsyncDisposableStack;
    readonly name: string;
    readonly durations: string;
  },
): Promise<Victim & { readonly url: string }> {
  const options = { preload: durations };
  let process: ServerProcess = await startServer(env, [], options);
  stack.defer(() => process[Symbol.asyncDispose]());
  const { origin, port } = new URL(process.url);
  return {
    name: `server ${name}`,
    url: origin,
    async killAndStart() {
      await process.stop("SIGKILL");
      // Runners know it by its address.
      process = await startServer(env, ["--port", port], options);
    },
  };
}

class RunnerProcess implements Victim, AsyncDisposable {
  readonly name: string;
  readonly folder: string;
  readonly #words: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #token: string;
  #child: Deno.ChildProcess | undefined;

  constructor({ name, folder, token, server, env }: {
    readonly name: string;
    readonly folder: string;
    readonly token: string;
    readonly server: string;
    readonly env: Readonly<Record<string, string>>;
  }) {
    this.name = `runner ${name}`;
    this.folder = folder;
    this.#token = token;
    this.#env = env;
    this.#words = [
      "runner",
      ...["--server", server, "--folder", folder, "--slots", "2"],
      ...["--token-file", `${folder}.token`],
    ];
  }

  async start(): Promise<void> {
    await Deno.writeTextFile(`${this.folder}.token`, `${this.#token}\n`, {
      mode: 0o600,
    });
    this.#child = new Deno.Command(Deno.execPath(), {
      args: [
        ...programArguments(mainFolder("main.ts"), this.#words, "runner"),
      ],
      env: this.#env,
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
  }

  async killAndStart(): Promise<void> {
    await this.stop("SIGKILL");
    await this.start();
  }

  async stop(signal: Deno.Signal): Promise<void> {
    if (this.#child === undefined) return;
    try {
      this.#child.kill(signal);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // It has ended.
    }
    await this.#child.status;
    this.#child = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}
