/**
 * Runs jobs: pg-boss on the program's own pool. Only servers do; a process that
 * only sends never loads the package.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import { readRecovery } from "./recovery.ts";
import { type Job, type Lane, LANES } from "./send.ts";

/** The schema of migration 0013. */
const SCHEMA = "rootcellar_jobs";

/** Jobs that a lane takes at once in each server. */
export const BATCH = 10;

/** What does jobs, and who is told of trouble. */
export interface JobRunner {
  /** Does a job; what it rejects with makes it be tried again later. */
  readonly run: (job: Job, lane: Lane) => Promise<void>;
  /** Told what went wrong, with the lane where one is known. */
  readonly report: (error: unknown, lane?: Lane) => void;
  /** Seconds between two looks for jobs. @default {1} */
  readonly pollSeconds?: number | undefined;
}

/**
 * Begins to run jobs, until the result is disposed of: what is under way then
 * ends first.
 *
 * @throws {StoreUnavailableError} The database cannot answer.
 */
export async function runJobs(
  db: Db,
  { run, report, pollSeconds = 1 }: JobRunner,
): Promise<AsyncDisposable> {
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({
    schema: SCHEMA,
    db: { executeSql: (text, values) => execute(db, text, values) },
    // The tables come with our own migrations.
    migrate: false,
    createSchema: false,
    supervise: true,
    schedule: false,
  });
  boss.on("error", (error) => report(error));
  await boss.start();
  const open = (lane: Lane) =>
    boss.work<Job>(
      lane,
      { pollingIntervalSeconds: pollSeconds, batchSize: BATCH },
      async (jobs) => {
        for (const { data } of jobs) {
          try {
            await run(data, lane);
          } catch (error) {
            report(error, lane);
            throw error;
          }
        }
      },
    );
  const halting = keepHalt({
    isHalted: async () => await readRecovery(db) !== null,
    open: async () => {
      for (const lane of LANES) await open(lane);
    },
    close: async () => {
      for (const lane of LANES) await boss.offWork(lane);
    },
    report,
    pollSeconds,
  });
  return {
    async [Symbol.asyncDispose]() {
      await halting[Symbol.asyncDispose]();
      await boss.stop({ graceful: true, close: false, timeout: 5_000 });
    },
  };
}

/**
 * Opens the lanes, and closes them while recovery mode lasts. Where the mode
 * cannot be read, things stay as they are; at first the lanes stay closed.
 */
function keepHalt({ isHalted, open, close, report, pollSeconds }: {
  readonly isHalted: () => Promise<boolean>;
  readonly open: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly report: (error: unknown) => void;
  readonly pollSeconds: number;
}): AsyncDisposable {
  let isOpen = false;
  let isOver = false;
  let wake = () => {};
  const watch = async () => {
    while (!isOver) {
      try {
        const halted = await isHalted();
        if (halted === isOpen) {
          await (halted ? close() : open());
          isOpen = !halted;
        }
      } catch (error) {
        report(error);
      }
      if (isOver) break;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollSeconds * 1_000);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const whole = watch();
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      wake();
      await whole;
    },
  };
}

/** Texts without values are scripts, which bring their own begin and commit. */
const SCRIPT_REGEXP = /^\s*BEGIN\s*;([\s\S]*?)COMMIT\s*;\s*$/i;

async function execute(
  db: Db,
  text: string,
  values: readonly unknown[] | undefined,
): Promise<{ rows: Row[] }> {
  if (values !== undefined && values.length > 0) {
    return { rows: await db.write(text, values) };
  }
  const script = SCRIPT_REGEXP.exec(text)?.[1];
  if (script === undefined && !/;\s*\S/.test(text)) {
    return { rows: await db.write(text) };
  }
  return await db.transaction(async (tx) => {
    const results = await tx.exec(script ?? text);
    return { rows: results.flat() };
  });
}
