/**
 * The clock of a server: jobs when their time has come, and now and then a look
 * for what was due and was not done, because a server died or jobs were lost.
 *
 * @module
 */
import { runJobs } from "../../store/jobs/mod.ts";
import type { Store } from "../../store/mod.ts";
import { DURATIONS, type Durations } from "../durations.ts";
import { doJob, sweepFleet } from "./handlers.ts";

/** What a clock is told, and whom it tells. */
export interface ClockOptions {
  /** Told of what went wrong; it is tried again. */
  readonly report: (error: unknown) => void;
  /** How long things take. @default {those of the product} */
  readonly durations?: Partial<Durations> | undefined;
}

/** Seconds between two tries to begin, while the database cannot be reached. */
const BEGIN_AGAIN_SECONDS = 5;

/**
 * Starts the clock. It begins by itself once the database can be reached, and
 * stops when it is disposed of.
 */
export function startClock(
  store: Store,
  { report, durations }: ClockOptions,
): AsyncDisposable {
  const { sweep } = { ...DURATIONS, ...durations };
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = async () => {
    let jobs: AsyncDisposable | undefined;
    while (!signal.aborted) {
      try {
        const db = await store.db();
        jobs ??= await runJobs(db, { run: (job) => doJob(db, job), report });
        await sweepFleet(db);
      } catch (error) {
        if (!signal.aborted) report(error);
      }
      await pause(jobs === undefined ? BEGIN_AGAIN_SECONDS : sweep, signal);
    }
    await jobs?.[Symbol.asyncDispose]();
  };
  const whole = work();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await whole;
    },
  };
}

async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
