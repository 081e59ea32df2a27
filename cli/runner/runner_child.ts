/**
 * The runner that `start` runs as its child.
 *
 * It is a process like every other runner, with a token that the home keeps.
 * When it dies it is started again; it ends with its parent, however that ends,
 * since it holds a pipe from it.
 *
 * @module
 */
import { findAgents, PROFILES } from "../../runner/mod.ts";
import type { Log } from "../../mcp/mod.ts";
import { homeFolder } from "../../store/embedded/home_files.ts";
import type { Store } from "../../store/mod.ts";
import { findRunnerByToken, insertRunner } from "../../store/turns/mod.ts";
import { mainPath, programArguments } from "../entry/start_command.ts";
import {
  type Config,
  ConfigError,
  type Given,
  SETTINGS,
  settingsOf,
  TABLE,
} from "../settings/config.ts";
import type { Row } from "../settings/setting.ts";
import { runnerFolder } from "./runner_place.ts";

/** What decides whether there is one. */
export type RunnerWish = Config<"home" | "runnerCommand" | "agentProfiles">;

/** What it takes. */
export interface RunnerChildOptions {
  /** Address of the server that it runs agents for. */
  readonly server: string;
  /** Turns at once; undefined leaves it to the runner. */
  readonly slots: string | undefined;
  /** Where runners are known. */
  readonly store: Store;
  /** Told when it ends. */
  readonly log: Log;
}

const MODES = ["auto", "on", "off"];
const TOKEN_NAME = "runner-token";
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Who ran for so long did not end at once, and is started at once again. */
const STEADY_MS = 60_000;
/** Its agents are asked to stop, and told to, before they are killed. */
const STOP_LIMIT_MS = 20_000;

/**
 * Whether there is to be a runner: by `auto` where somebody has asked for
 * agents, by a command, by a file of agents, or by installing one.
 *
 * @throws {ConfigError} There is no such mode.
 */
export async function wantsRunner(
  mode: string | undefined,
  { home, runnerCommand, agentProfiles }: RunnerWish,
): Promise<boolean> {
  if (mode !== undefined && !MODES.includes(mode)) {
    throw new ConfigError([
      `--runner must be ${MODES.join(", ")}: it is "${mode}"`,
    ]);
  }
  if (mode === "on" || mode === "off") return mode === "on";
  if (runnerCommand !== undefined || agentProfiles !== undefined) return true;
  const folder = runnerFolder(home);
  const installed = await findAgents(PROFILES, {
    agents: `${folder}/agents`,
    home: `${folder}/home`,
    // Without PATH: what merely lies there was not asked for.
    env: {},
  });
  return installed.length > 0;
}

/** Runs it until it is disposed of. */
export function startRunnerChild(
  config: Config<"home"> & Partial<Config> & Given,
  options: RunnerChildOptions,
): AsyncDisposable {
  const child = new RunnerChild(config, options);
  return { [Symbol.asyncDispose]: () => child.stop() };
}

class RunnerChild {
  readonly #config: Config<"home"> & Partial<Config> & Given;
  readonly #options: RunnerChildOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #endInput: () => Promise<void> = () => Promise.resolve();

  constructor(
    config: Config<"home"> & Partial<Config> & Given,
    options: RunnerChildOptions,
  ) {
    this.#config = config;
    this.#options = options;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#endInput();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log } = this.#options;
    let pauseMs = FIRST_PAUSE_MS;
    for (let starts = 0; !this.#stop.signal.aborted; starts++) {
      const began = performance.now();
      try {
        const token = await this.#token({ mayMake: starts === 0 });
        if (token === undefined) {
          log.warn("runner_revoked", { until: "the next start" });
          return;
        }
        const code = await this.#runOnce(token);
        if (this.#stop.signal.aborted) return;
        if (performance.now() - began > STEADY_MS) pauseMs = FIRST_PAUSE_MS;
        log.warn("runner_ended", { code, again_in_ms: pauseMs });
      } catch (error) {
        log.warn("runner_not_started", { error, again_in_ms: pauseMs });
      }
      await this.#pause(pauseMs);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
  }

  /** The exit code. */
  async #runOnce(token: string): Promise<number> {
    const { server, slots } = this.#options;
    const words = [
      "runner",
      "--child",
      ...["--server", server],
      ...["--folder", runnerFolder(this.#config.home)],
      ...(slots === undefined ? [] : ["--slots", slots]),
    ];
    const child = new Deno.Command(Deno.execPath(), {
      args: [...programArguments(mainPath(), words, "runner")],
      env: childEnv(this.#config),
      stdin: "piped",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
    const input = child.stdin.getWriter();
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.#endInput = async () => {
      timer ??= setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
      await input.close().catch(() => {}); // It is gone.
    };
    // One that is gone already says so by its status.
    await input.write(new TextEncoder().encode(`${token}\n`)).catch(() => {});
    if (this.#stop.signal.aborted) await this.#endInput();
    const { code } = await child.status;
    clearTimeout(timer);
    this.#endInput = () => Promise.resolve();
    await input.close().catch(() => {}); // It has read what it wanted.
    return code;
  }

  /** The token; undefined where a person has taken it away. */
  async #token(
    { mayMake }: { readonly mayMake: boolean },
  ): Promise<string | undefined> {
    const home = homeFolder(this.#config.home);
    const kept = (await home.read(TOKEN_NAME))?.text.trim() ?? "";
    const db = await this.#options.store.db();
    if (await findRunnerByToken(db, kept) !== undefined) return kept;
    if (!mayMake) return undefined;
    const { id, token } = await db.transaction((tx) =>
      insertRunner(tx, Deno.hostname())
    );
    await home.replace(TOKEN_NAME, `${token}\n`);
    this.#options.log.info("runner_registered", { runner: id });
    return token;
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const { signal } = this.#stop;
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await promise;
    clearTimeout(timer);
  }
}

/** Our environment, with what was set by flags, and without our secrets. */
function childEnv(
  config: Partial<Config> & Given,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = { PGPASSWORD: "" };
  for (const { isSecret, name, file } of SETTINGS) {
    if (!isSecret) continue;
    env[name] = "";
    if (file !== undefined) env[file.name] = "";
  }
  for (const key of settingsOf("runner", "log")) {
    const row: Row = TABLE[key];
    if (config.given.has(key)) env[row.name] = row.write(config[key]);
  }
  return env;
}
