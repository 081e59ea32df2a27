/**
 * The hourly retention sweep of a running server: minute 35, UTC.
 *
 * Several servers on one database all tick; the sweep's advisory lock lets one
 * of them work. In one process a tick that finds the last sweep still running
 * is dropped. A sweep that fails is logged and never ends the server.
 *
 * @module
 */
import { Cron } from "croner";
import type { Log } from "../../mcp/mod.ts";
import type { SweepReport } from "../../store/root_data/mod.ts";

/** When the sweep runs. */
export const SWEEP_PATTERN = "35 * * * *";
/** How long a stop waits for a sweep that is running. */
const STOP_LIMIT_MS = 5_000;

/** Calls `tick` at each time that a cron pattern names, until disposed of. */
export type Schedule = (pattern: string, tick: () => void) => Disposable;

/** What the schedule needs. */
export interface SweepScheduleOptions {
  /** Sweeps once; stops between two batches when the signal says so. */
  readonly sweep: (signal: AbortSignal) => Promise<SweepReport>;
  /** Told what each sweep did. */
  readonly log: Log;
  /** Told, too; undefined stands for a sweep that failed. */
  readonly count?: (report: SweepReport | undefined) => void;
  /** @default {everyPattern} */
  readonly schedule?: Schedule;
  /** @default {STOP_LIMIT_MS} */
  readonly stopLimitMs?: number;
}

/** Starts the schedule. Disposing stops it and waits for a running sweep. */
export function scheduleSweeps(options: SweepScheduleOptions): AsyncDisposable {
  const { log, schedule = everyPattern } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const job = schedule(SWEEP_PATTERN, () => {
    running ??= sweepOnce(options, stopping.signal).finally(() => {
      running = undefined;
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      job[Symbol.dispose]();
      stopping.abort();
      if (running === undefined) return;
      const limit = options.stopLimitMs ?? STOP_LIMIT_MS;
      if (!await endsWithin(running, limit)) {
        log.warn("sweep_left_running", { waited_ms: limit });
      }
    },
  };
}

/** Follows a cron pattern in UTC. */
function everyPattern(pattern: string, tick: () => void): Disposable {
  const job = new Cron(pattern, { timezone: "UTC" }, tick);
  return { [Symbol.dispose]: () => job.stop() };
}

async function sweepOnce(
  { sweep, log, count }: SweepScheduleOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    const report = await sweep(signal);
    count?.(report);
    const needsALook = report.isTimedOut || report.drift.length > 0;
    log[needsALook ? "warn" : "info"]("sweep", {
      is_skipped: report.isSkipped,
      deleted: report.deleted,
      batches: report.batches,
      is_timed_out: report.isTimedOut,
      recounted: report.recounted,
      drift: report.drift,
      elapsed_ms: Math.round(report.elapsedMs),
    });
  } catch (error) {
    count?.(undefined);
    log.error("sweep_failed", { error });
  }
}

async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  const ended = await Promise.race([work.then(() => true), promise]);
  clearTimeout(timer);
  return ended;
}
