/**
 * Runs jobs: pg-boss on the program's own pool. Only servers do; a process that
 * only sends never loads the package.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import { type Job, type Lane, LANES } from "./send.ts";

/** The schema of migration 0013. */
const SCHEMA = "rootcellar_jobs";

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
  for (const lane of LANES) {
    await boss.work<Job>(
      lane,
      { pollingIntervalSeconds: pollSeconds, batchSize: 10 },
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
  }
  return {
    async [Symbol.asyncDispose]() {
      await boss.stop({ graceful: true, close: false, timeout: 5_000 });
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
