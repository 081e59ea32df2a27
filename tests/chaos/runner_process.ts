/**
 * A runner that can be killed, and comes again.
 *
 * @module
 */
import { programArguments } from "../../cli/entry/start_command.ts";
import type { Db } from "../../store/pg/mod.ts";
import { insertRunner } from "../../store/turns/mod.ts";
import {
  findMarked,
  killMarked,
  runnerPrefix,
} from "../../runner/process/marker.ts";
import { mainFolder, processEnv } from "../support/process.ts";

/** What it is given. */
export interface RunnerOptions {
  readonly name: string;
  /** Where it keeps what it needs. */
  readonly folder: string;
  /** The server that it asks. */
  readonly server: string;
  /** Its agent. */
  readonly command: readonly string[];
}

/** The process. */
export class RunnerProcess implements AsyncDisposable {
  readonly name: string;
  readonly #folder: string;
  readonly #words: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #child: Deno.ChildProcess | undefined;

  private constructor({ name, folder, server, command }: RunnerOptions) {
    this.name = `runner ${name}`;
    this.#folder = folder;
    this.#env = {
      ...processEnv(),
      RUNNER_COMMAND: JSON.stringify(command),
      LOG_LEVEL: "error",
    };
    this.#words = [
      "runner",
      ...["--server", server, "--folder", folder, "--slots", "2"],
      ...["--token-file", `${folder}.token`],
    ];
  }

  /** Registers one, and does not start it. */
  static async register(
    db: Db,
    options: RunnerOptions,
  ): Promise<RunnerProcess> {
    const { token } = await db.transaction((tx) =>
      insertRunner(tx, options.name)
    );
    await Deno.writeTextFile(`${options.folder}.token`, `${token}\n`, {
      mode: 0o600,
    });
    return new RunnerProcess(options);
  }

  /** Starts it. */
  start(): void {
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

  /** Sends it a signal; one that has ended does not hear it. */
  signal(signal: Deno.Signal): void {
    try {
      this.#child?.kill(signal);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Ends it; at SIGTERM it gives back what it has. */
  async stop(signal: Deno.Signal): Promise<void> {
    this.signal(signal);
    await this.#child?.status;
    this.#child = undefined;
  }

  /** Kills its agents; whether there were any. */
  async killAgents(): Promise<boolean> {
    const key = await this.#key();
    return key !== undefined && await killMarked(runnerPrefix(key)) > 0;
  }

  /** How many processes of its turns are there. */
  async countMarked(): Promise<number> {
    const key = await this.#key();
    return key === undefined ? 0 : (await findMarked(runnerPrefix(key))).length;
  }

  async #key(): Promise<string | undefined> {
    const key = await Deno.readTextFile(`${this.#folder}/key`).catch(() => "");
    return key === "" ? undefined : key.trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}
