/**
 * A runner in the test's own process, with a folder of its own.
 *
 * @module
 */
import type { Runtime } from "../agents/agent.ts";
import { commandRuntime } from "../agents/command.ts";
import { type RunnerOptions, runRunner } from "../runner.ts";

/** A running runner. */
export interface TestRunner extends AsyncDisposable {
  /** Its folder. */
  readonly folder: string;
  /** What it reported, in order. */
  readonly reports: readonly Readonly<Record<string, unknown>>[];
  /** Resolves with its end, rejects with what ended it. */
  readonly ended: Promise<void>;
  /** Stops it, and waits for its end. */
  stop(): Promise<void>;
}

/** How a test's runner differs. */
export type TestRunnerOptions =
  & Pick<RunnerOptions, "server">
  & Partial<Omit<RunnerOptions, "runtimes">>
  & {
    /** Program of `command`. */
    readonly command?: readonly string[];
    /** Other agents. */
    readonly runtimes?: readonly Runtime[];
    /** Leaves the folder there. */
    readonly keepFolder?: boolean;
  };

/** A shell script as the command of `command`. */
export function shell(script: string): readonly string[] {
  return ["/bin/sh", "-c", script];
}

/** Starts a runner. */
export async function startRunner(
  { command, keepFolder, ...given }: TestRunnerOptions,
): Promise<TestRunner> {
  const folder = given.folder ??
    await Deno.makeTempDir({ prefix: "rootcellar-runner-" });
  const stop = new AbortController();
  const reports: Record<string, unknown>[] = [];
  const running = runRunner({
    token: "rcn_1_test",
    slots: 2,
    folder,
    hello: { version: "0", labels: [], runtimes: [] },
    env: { PATH: Deno.env.get("PATH") ?? "" },
    addedNames: [],
    trustsCatalogs: false,
    ceilings: { memoryBytes: 2 ** 40, processes: 10_000 },
    report: (event, fields) => reports.push({ event, ...fields }),
    ...given,
    runtimes: given.runtimes ??
      [commandRuntime(command, { trustsCatalogs: false })],
  }, stop.signal);
  running.catch(() => {}); // Told by stop().
  const end = async () => {
    stop.abort();
    await running;
  };
  return {
    folder,
    reports,
    ended: running,
    stop: end,
    async [Symbol.asyncDispose]() {
      await end().catch(() => {});
      if (keepFolder !== true) await Deno.remove(folder, { recursive: true });
    },
  };
}
