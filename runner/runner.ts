/**
 * The runner: asks its server for turns, and carries them out.
 *
 * It keeps no state but its folder: it may be killed at any moment, and so may
 * the server. What an agent has said is sent later; a turn whose lease is lost
 * is ended here before another runner can have it.
 * Specification: docs/spec/runner.md section 2.
 *
 * @module
 */
import type {
  HelloRequest,
  LeaseAnswer,
  LeasedTurn,
  RunnerCommand,
  RunnerCommandReceipt,
  TurnDurations,
} from "../fleet/turns/protocol.ts";
import type { Runtime } from "./agents/agent.ts";
import { writeHomeFiles } from "./agents/home_files.ts";
import {
  type AgentUser,
  ClosedFolderError,
  type Folders,
  openFolders,
} from "./folders.ts";
import { isWithheld } from "./process/environment.ts";
import type { Ceilings } from "./process/limits.ts";
import { HAS_SWEEP, killMarked, runnerPrefix } from "./process/marker.ts";
import { settleLeftTurns } from "./recover.ts";
import {
  LeaseLostError,
  ServerClient,
  ServerRefusalError,
} from "./server/client.ts";
import { type LeftSpool, readLeftSpools } from "./spool/spool.ts";
import { openTrees, type Trees } from "./trees/trees.ts";
import type { Report } from "./turn/deps.ts";
import { type Clocks, MACHINE_CLOCKS } from "./turn/fence.ts";
import { removeLeftSummaries } from "./turn/place.ts";
import { runTurn } from "./turn/run_turn.ts";

/** What a runner is built from. */
export interface RunnerOptions {
  /** Address of the server, without path. */
  readonly server: string;
  /** The runner's token. */
  readonly token: string;
  /** Turns at once. */
  readonly slots: number;
  /** Its folder, which no other runner uses. */
  readonly folder: string;
  /** What it can start. */
  readonly runtimes: readonly Runtime[];
  /** What it says of them, and of itself. */
  readonly hello: Pick<HelloRequest, "version" | "labels" | "runtimes">;
  /** Its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Names that agents get beyond the list. */
  readonly addedNames: readonly string[];
  /** Whether catalogs of addresses may make it execute things. */
  readonly trustsCatalogs: boolean;
  /** What a turn may take. */
  readonly ceilings: Ceilings;
  /** Whom agents run as. */
  readonly agentUser?: AgentUser | undefined;
  /** Told what happens; no field holds a secret. */
  readonly report: Report;
  /** What it measures by. @default {MACHINE_CLOCKS} */
  readonly clocks?: Clocks;
}

/**
 * The folder is another runner's or closed to its agents, or the server wants
 * no more of this one.
 */
export class RunnerError extends Error {
  /** Always `RunnerError`. */
  override readonly name = "RunnerError";
}

const RETRY_MS = 1_000;
const REQUEST_BYTES = 32;

/**
 * Runs until it is told to stop; the turns under way are given back then.
 *
 * @throws {RunnerError} The folder is in use or closed to agents, or the token
 * opens nothing.
 */
export async function runRunner(
  options: RunnerOptions,
  stop: AbortSignal,
): Promise<void> {
  const folders = await openFolders(options.folder, options.agentUser)
    .catch((error: unknown) => {
      throw error instanceof ClosedFolderError
        ? new RunnerError(error.message, { cause: error })
        : error;
    });
  using _lock = await lockFolder(folders.base);
  // Agents of a predecessor whose supervisors did not get to it.
  const killed = await killMarked(runnerPrefix(folders.key));
  if (killed > 0) options.report("leftovers_killed", { processes: killed });
  for (const { homeFiles = [] } of options.runtimes) {
    for (const path of await writeHomeFiles(homeFiles, folders)) {
      options.report("home_file_failed", { path });
    }
  }
  await removeLeftSummaries(folders);
  await new Loop(options, folders, stop).run();
}

/**
 * Holds a runner's folder until it is disposed.
 *
 * @throws {RunnerError} Another runner holds it.
 */
export async function lockFolder(base: string): Promise<Disposable> {
  const file = await Deno.open(`${base}/lock`, {
    create: true,
    write: true,
    mode: 0o600,
  });
  if (!await file.tryLock(true)) {
    file.close();
    throw new RunnerError(
      `Another runner uses the folder ${base}; give this one a folder of its own with --folder`,
    );
  }
  return {
    [Symbol.dispose]() {
      // A child that is just being started has the file open, too, and would
      // hold the lock for a moment longer.
      file.unlockSync();
      file.close();
    },
  };
}

class Loop {
  readonly #options: RunnerOptions;
  readonly #folders: Folders;
  readonly #client: ServerClient;
  readonly #trees: Trees;
  readonly #stop: AbortSignal;
  readonly #running = new Set<Promise<void>>();
  readonly #commands = new Set<Promise<void>>();
  readonly #turnIds = new Set<number>();
  readonly #seen = new Set<number>();
  #receipts: RunnerCommandReceipt[] = [];
  #wake: AbortController | undefined;

  constructor(options: RunnerOptions, folders: Folders, stop: AbortSignal) {
    this.#options = options;
    this.#folders = folders;
    this.#stop = stop;
    this.#client = new ServerClient(options);
    this.#trees = openTrees({ folders, env: options.env });
  }

  async run(): Promise<void> {
    const durations = await this.#hello();
    if (durations === undefined) return; // It was stopped before it was up.
    const left = await this.#settle(
      await readLeftSpools(this.#folders.spool),
    );
    // What the server had no time for must not wait for the next runner.
    const settling = this.#settleOn(left);
    let requestId = newRequestId();
    while (!this.#stop.aborted) {
      const answer = await this.#lease(requestId, durations);
      if (answer === undefined) continue; // The same question once more.
      requestId = newRequestId();
      answer.commands.forEach((command) => this.#obey(command));
      if (answer.turn !== null) this.#begin(answer.turn, durations);
    }
    await Promise.all([...this.#running, settling]);
  }

  async #settleOn(spools: readonly LeftSpool[]): Promise<void> {
    let left = spools;
    while (left.length > 0) {
      await this.#pause();
      if (this.#stop.aborted) return;
      left = await this.#settle(left);
    }
  }

  #settle(spools: readonly LeftSpool[]): Promise<readonly LeftSpool[]> {
    return settleLeftTurns(spools, {
      client: this.#client,
      report: this.#options.report,
    });
  }

  async #hello(): Promise<TurnDurations | undefined> {
    const { slots, env, hello, trustsCatalogs, report } = this.#options;
    const request: HelloRequest = {
      ...hello,
      boot_id: crypto.randomUUID(),
      slots,
      platform: `${Deno.build.os}-${Deno.build.arch}`,
      has_sweep: HAS_SWEEP,
      trusts_catalogs: trustsCatalogs,
      variables: Object.keys(env).filter((name) => !isWithheld(name)).sort(),
    };
    while (!this.#stop.aborted) {
      try {
        const answer = await this.#client.hello(request, {
          signal: this.#stop,
        });
        report("runner_up", { runner: answer.runner_id, name: answer.name });
        return answer.durations;
      } catch (error) {
        await this.#afterFailure(error);
      }
    }
    return undefined;
  }

  /** The answer; undefined where there was none, or the slots changed. */
  async #lease(
    request_id: string,
    durations: TurnDurations,
  ): Promise<LeaseAnswer | undefined> {
    const receipts = this.#receipts;
    this.#wake = new AbortController();
    const slots = this.#options.slots - this.#running.size;
    try {
      const answer = await this.#client.lease({
        request_id,
        slots,
        runtimes: this.#options.runtimes.map(({ name }) => name),
        turns_here: [...this.#turnIds],
        done_commands: receipts,
        wait_ms: durations.poll_ms,
      }, { signal: AbortSignal.any([this.#stop, this.#wake.signal]) });
      this.#receipts = this.#receipts.filter((one) => !receipts.includes(one));
      return answer;
    } catch (error) {
      if (!this.#wake.signal.aborted) await this.#afterFailure(error);
      return undefined;
    } finally {
      this.#wake = undefined;
    }
  }

  #begin(turn: LeasedTurn, durations: TurnDurations): void {
    const { server, env, addedNames, trustsCatalogs, ceilings, report } =
      this.#options;
    report("turn_leased", { turn: turn.turn_id, session: turn.session_id });
    const work = runTurn(turn, {
      client: this.#client,
      server,
      durations,
      runtimes: new Map(this.#options.runtimes.map((one) => [one.name, one])),
      folders: this.#folders,
      prepareTree: (leased) => this.#trees.prepare(leased),
      env,
      addedNames,
      trustsCatalogs,
      ceilings,
      clocks: this.#options.clocks ?? MACHINE_CLOCKS,
      report,
    }, this.#stop).finally(() => {
      this.#running.delete(work);
      this.#turnIds.delete(turn.turn_id);
      // There is room again: what was asked without any is asked anew.
      this.#wake?.abort();
    });
    this.#running.add(work);
    this.#turnIds.add(turn.turn_id);
  }

  /** They come again until they are acknowledged. */
  #obey(command: RunnerCommand): void {
    if (this.#seen.has(command.id)) return;
    this.#seen.add(command.id);
    const work = this.#carryOut(command).then(
      (detail) => ({ id: command.id, ok: true, detail }),
      (error: unknown) => ({
        id: command.id,
        ok: false,
        detail: error instanceof Error ? error.message : String(error),
      }),
    ).then((receipt) => {
      this.#receipts = [...this.#receipts, receipt];
      this.#commands.delete(work);
      this.#wake?.abort();
    });
    this.#commands.add(work);
  }

  async #carryOut({ kind, session_id }: RunnerCommand): Promise<string> {
    switch (kind) {
      case "remove_tree":
        return await this.#trees.remove(session_id ?? 0);
      case "save_bundle":
        return await this.#trees.saveBundle(session_id ?? 0);
      case "say_hello":
        await this.#hello();
        return "Said";
      case "clean_up":
        return await this.#trees.cleanUp();
    }
  }

  /** Waits a moment where that may help. @throws {RunnerError} */
  async #afterFailure(error: unknown): Promise<void> {
    if (this.#stop.aborted) return;
    if (
      error instanceof ServerRefusalError || error instanceof LeaseLostError
    ) {
      throw new RunnerError(
        `The server does not take this runner: ${error.message}`,
        { cause: error },
      );
    }
    await this.#pause();
  }

  /** Ends with the runner, too. */
  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const timer = setTimeout(end, RETRY_MS);
    this.#stop.addEventListener("abort", end);
    if (this.#stop.aborted) end();
    await promise;
    clearTimeout(timer);
    this.#stop.removeEventListener("abort", end);
  }
}

/** The turn's token is made of it, so nobody may guess it. */
function newRequestId(): string {
  return crypto.getRandomValues(new Uint8Array(REQUEST_BYTES)).toHex();
}
