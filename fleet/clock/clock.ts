/**
 * The clock of a server: what is due by its time, jobs, turns whose lease is
 * over, and now and then a look for what was due and was not done, because a
 * server died or jobs were lost.
 *
 * @module
 */
import { runJobs } from "../../store/jobs/mod.ts";
import { dropClock, noteClock } from "../../store/triggers/mod.ts";
import { DURATIONS, type Durations } from "../durations.ts";
import type { Fleet } from "../fleet.ts";
import { openWatchers, pollDue, type Watchers } from "../pollers/poll.ts";
import { watchSystem } from "../triggers/system_watch.ts";
import { TURN_DURATIONS } from "../turns/durations.ts";
import { loseExpiredTurns } from "../turns/lose.ts";
import { fireDue } from "./due.ts";
import { doJob, sweepFleet } from "./handlers.ts";

/** What a clock is told, and whom it tells. */
export interface ClockOptions {
  /** Told of what went wrong; it is tried again. */
  readonly report: (error: unknown) => void;
  /** Told how many turns a look has ended as lost. @default {nobody is} */
  readonly onLost?: ((turns: number) => void) | undefined;
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
  fleet: Fleet,
  { report, onLost, durations }: ClockOptions,
): AsyncDisposable {
  const { sweep, look, poll, leases, leaseGrace } = {
    ...DURATIONS,
    ...durations,
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  const id = crypto.randomUUID();
  const jobs = async () => {
    let running: AsyncDisposable | undefined;
    while (!signal.aborted) {
      try {
        const db = await fleet.store.db();
        running ??= await runJobs(db, {
          run: (job) => doJob(fleet, job),
          report,
        });
        await noteClock(db, id);
        await sweepFleet(db);
        await watchSystem(fleet);
      } catch (error) {
        if (!signal.aborted) report(error);
      }
      await pause(running === undefined ? BEGIN_AGAIN_SECONDS : sweep, signal);
    }
    await running?.[Symbol.asyncDispose]();
    // Others shall not wait two minutes to see that it is gone.
    await fleet.store.db().then((db) => dropClock(db, id)).catch(() => {});
  };
  const repeat = async (seconds: number, work: () => Promise<unknown>) => {
    // One database that is away is told of once, not every second.
    let isTroubled = false;
    while (!signal.aborted) {
      try {
        await work();
        isTroubled = false;
      } catch (error) {
        if (!signal.aborted && !isTroubled) report(error);
        isTroubled = true;
      }
      await pause(isTroubled ? BEGIN_AGAIN_SECONDS : seconds, signal);
    }
  };
  const turns = { store: fleet.store, durations: TURN_DURATIONS };
  const endLost = async () => {
    await pause(leaseGrace, signal);
    await repeat(leases, async () => {
      const lost = await loseExpiredTurns(turns);
      if (lost > 0) onLost?.(lost);
    });
  };
  let opened: Promise<Watchers> | undefined;
  const watchers = () => opened ??= openWatchers(fleet.outside ?? {});
  const whole = Promise.all([
    jobs(),
    endLost(),
    repeat(look, () => fireDue(fleet, { signal, report })),
    repeat(poll, () => pollDue(fleet, watchers, signal)),
  ]);
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
