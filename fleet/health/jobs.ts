/**
 * The lanes by hand: recovery mode, and jobs that wait.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import {
  type ClassCount,
  countQueued,
  discardJobs,
  enterRecovery,
  exitRecovery,
  type Lane,
  LANES,
  lockQueued,
  putOffJobs,
  type QueuedFilter,
  readRecovery,
  type Recovery,
} from "../../store/jobs/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import { assertNoFence } from "../fence.ts";
import type { Fleet } from "../fleet.ts";
import { assertRange, assertText, badArgument } from "../sessions/texts.ts";

/** Minutes of recovery mode. */
export const RECOVERY_MINUTES = { least: 5, most: 240, standard: 60 } as const;
/** Minutes that jobs are put off. */
export const PUT_OFF_MINUTES = {
  least: 1,
  most: 10_080,
  standard: 60,
} as const;

const MAX_REASON_CHARACTERS = 1_000;
/** Lane of turns, which are sessions and no backlog. */
const AGENTS = "agents";

/**
 * Halts the lanes for a while; turns of agents go on. Asking again gives it
 * another reason and end.
 *
 * @throws {FleetRefusalError} `bad_argument`, `fenced`
 */
export async function haltLanes(
  { store }: Pick<Fleet, "store">,
  { fence }: FleetCaller,
  { reason, minutes = RECOVERY_MINUTES.standard }: {
    readonly reason: string;
    readonly minutes?: number | undefined;
  },
): Promise<Recovery> {
  assertNoFence(fence, "halting the lanes of all roots");
  assertText(reason, "reason", MAX_REASON_CHARACTERS);
  assertRange(minutes, "ttl_minutes", [
    RECOVERY_MINUTES.least,
    RECOVERY_MINUTES.most,
  ]);
  const db = await store.db();
  await enterRecovery(db, { reason, minutes });
  const recovery = await readRecovery(db);
  if (recovery === null) throw new RangeError("It did not last");
  return recovery;
}

/** Opens the lanes again; whether they were halted. @throws {FleetRefusalError} `fenced` */
export async function openLanes(
  { store }: Pick<Fleet, "store">,
  { fence }: FleetCaller,
): Promise<boolean> {
  assertNoFence(fence, "opening the lanes of all roots");
  return await exitRecovery(await store.db());
}

/** Which jobs are meant, as callers write it. */
export interface QueuedJobs {
  /** The class: a job's kind. */
  readonly jobClass?: string | undefined;
  /** The lane. */
  readonly queueName?: string | undefined;
}

/** Jobs that wait: how many, of what. */
export interface QueuedCount {
  /** All of them. */
  readonly total: number;
  /** By lane and class. */
  readonly classes: readonly ClassCount[];
}

/** Counts jobs that wait. @throws {FleetRefusalError} `bad_argument` */
export async function previewJobs(
  { store }: Pick<Fleet, "store">,
  jobs: QueuedJobs,
): Promise<QueuedCount> {
  return counted(await countQueued(await store.db(), filterOf(jobs)));
}

/**
 * Discards jobs that wait, for good.
 *
 * @throws {FleetRefusalError} `conflict`: there are not as many as expected.
 */
export async function discardQueued(
  fleet: Pick<Fleet, "store">,
  caller: FleetCaller,
  jobs: QueuedJobs & { readonly expected: number },
): Promise<QueuedCount> {
  assertNoFence(caller.fence, "discarding jobs of all roots");
  const db = await fleet.store.db();
  return await db.transaction(async (tx) => {
    const { ids, counts } = await lockQueued(tx, filterOf(jobs));
    assertExpected(counts, jobs.expected);
    await discardJobs(tx, ids);
    return counted(counts);
  });
}

/**
 * Puts jobs off that wait.
 *
 * @throws {FleetRefusalError} `conflict`: there are not as many as expected.
 */
export async function rescheduleQueued(
  fleet: Pick<Fleet, "store">,
  caller: FleetCaller,
  jobs: QueuedJobs & {
    readonly expected: number;
    readonly minutes?: number | undefined;
  },
): Promise<QueuedCount> {
  const { minutes = PUT_OFF_MINUTES.standard, expected } = jobs;
  assertNoFence(caller.fence, "putting jobs of all roots off");
  assertRange(minutes, "delay_minutes", [
    PUT_OFF_MINUTES.least,
    PUT_OFF_MINUTES.most,
  ]);
  const db = await fleet.store.db();
  return await db.transaction(async (tx) => {
    const { ids, counts } = await lockQueued(tx, filterOf(jobs));
    assertExpected(counts, expected);
    await putOffJobs(tx, ids, minutes * 60);
    return counted(counts);
  });
}

function counted(classes: readonly ClassCount[]): QueuedCount {
  return { total: classes.reduce((sum, { jobs }) => sum + jobs, 0), classes };
}

function filterOf({ jobClass, queueName }: QueuedJobs): QueuedFilter {
  if (jobClass === undefined && queueName === undefined) {
    throw badArgument(
      "Name job_class, queue_name or both: all jobs at once are never meant. Nothing was changed",
    );
  }
  if (queueName === undefined) return { jobClass };
  if (queueName.trim().toLowerCase() === AGENTS) {
    throw badArgument(
      `The queue "${AGENTS}" holds turns of live sessions, and no backlog: pause or archive the sessions. Queues are ${
        LANES.join(", ")
      }. Nothing was changed`,
    );
  }
  const lane: Lane | undefined = LANES.find((one) => one === queueName);
  if (lane === undefined) {
    throw badArgument(
      `There is no queue "${cutText(queueName, 100)}"; queues are ${
        LANES.join(", ")
      }. Nothing was changed`,
    );
  }
  return { lane, jobClass };
}

function assertExpected(
  classes: readonly ClassCount[],
  expected: number,
): void {
  const { total } = counted(classes);
  if (total === expected) return;
  const breakdown = classes.slice(0, 20)
    .map(({ lane, jobClass, jobs }) => `${jobs} ${jobClass} in ${lane}`)
    .join(", ");
  throw new FleetRefusalError(
    "conflict",
    `expected_count is ${expected}, and ${total} jobs wait${
      breakdown === "" ? "" : `: ${breakdown}`
    }. Look at them with preview_queued_jobs and pass what it counts. Nothing was changed`,
  );
}
