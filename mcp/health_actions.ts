/**
 * What an operator does about the health of the fleet: one list of actions for
 * tool, REST and page, each with its arguments and its answer.
 *
 * @module
 */
import {
  type Acted,
  archiveOld,
  backfillUsage,
  cleanUpProcesses,
  clearCliCache,
  COOLED_ACTIONS,
  type CooledAction,
  discardQueued,
  type FleetCaller,
  haltLanes,
  MAX_ACTED,
  OLD_DAYS,
  openLanes,
  previewJobs,
  PUT_OFF_MINUTES,
  type QueuedCount,
  RECOVERY_MINUTES,
  refreshClis,
  rescheduleQueued,
  retrySessions,
  underCooldown,
} from "../fleet/mod.ts";
import { LANES } from "../store/jobs/mod.ts";
import { ToolError } from "./errors.ts";
import { isoTime } from "./render.ts";
import {
  type ArgsOf,
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "./schema.ts";
import type { Services } from "./services.ts";

/** The actions. */
export const HEALTH_ACTIONS = [
  "cleanup_processes",
  "retry_sessions",
  "archive_old",
  "cli_refresh",
  "cli_clear_cache",
  "enter_queue_recovery_mode",
  "exit_queue_recovery_mode",
  "preview_queued_jobs",
  "discard_queued_jobs",
  "reschedule_queued_jobs",
  "backfill_token_usage",
] as const;

/** One of them. */
export type HealthAction = typeof HEALTH_ACTIONS[number];

const ID = {
  type: "integer",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;

/** Arguments. */
export const HEALTH_ACTION_INPUT = inputOf({
  action: { ...wordOf(HEALTH_ACTIONS), description: "What to do" },
  session_ids: {
    type: "array",
    items: ID,
    maxItems: MAX_ACTED,
    description:
      "retry_sessions: failed sessions to start anew; without it all that failed",
  },
  days: {
    type: "integer",
    minimum: OLD_DAYS.least,
    maximum: OLD_DAYS.most,
    description:
      `archive_old: sessions at rest or failed for so many days; ${OLD_DAYS.standard} by default`,
  },
  reason: {
    type: "string",
    minLength: 1,
    maxLength: 1_000,
    description: "enter_queue_recovery_mode: why",
  },
  ttl_minutes: {
    type: "integer",
    minimum: RECOVERY_MINUTES.least,
    maximum: RECOVERY_MINUTES.most,
    description:
      `enter_queue_recovery_mode: when it ends by itself; ${RECOVERY_MINUTES.standard} by default`,
  },
  job_class: {
    type: "string",
    minLength: 1,
    maxLength: 100,
    description: "Queued jobs: only of this class",
  },
  queue_name: {
    type: "string",
    minLength: 1,
    maxLength: 100,
    description: `Queued jobs: only of this queue: ${LANES.join(", ")}`,
  },
  expected_count: {
    ...COUNT,
    description:
      "discard_queued_jobs, reschedule_queued_jobs: what preview_queued_jobs counted",
  },
  delay_minutes: {
    type: "integer",
    minimum: PUT_OFF_MINUTES.least,
    maximum: PUT_OFF_MINUTES.most,
    description:
      `reschedule_queued_jobs: in how many minutes; ${PUT_OFF_MINUTES.standard} by default`,
  },
}, ["action"]);

/** The answer; what an action has nothing to say of is left out. */
export const HEALTH_ACTION_ANSWER = objectOf({
  action: wordOf(HEALTH_ACTIONS),
  message: TEXT,
}, {
  sessions: listOf(ID),
  skipped: listOf(objectOf({ session_id: ID, reason: TEXT })),
  more_may_be_left: FLAG,
  runners_asked: COUNT,
  recovery_until: TIME,
  queued_jobs: objectOf({
    total: COUNT,
    classes: listOf(objectOf({
      queue_name: TEXT,
      job_class: TEXT,
      count: COUNT,
    })),
  }),
  backfill: objectOf({
    is_new: FLAG,
    turns_read: COUNT,
    requests_added: COUNT,
  }),
});

/** Arguments of a call. */
export type HealthActionArgs = ArgsOf<typeof HEALTH_ACTION_INPUT>;
/** Its answer. */
export type HealthActionAnswer = ValueOf<typeof HEALTH_ACTION_ANSWER>;

/** Whose action it is. */
export interface HealthActor {
  /** What it may reach. */
  readonly caller: FleetCaller;
  /** What tells it from others, SHA-256 in hexadecimal digits. */
  readonly digest: string;
}

/**
 * Does one action.
 *
 * @throws {FleetRefusalError} It is refused, and nothing was changed.
 * @throws {ToolError} An argument is missing, or belongs to another action.
 */
export async function actOnHealth(
  services: Services,
  actor: HealthActor,
  args: HealthActionArgs,
): Promise<HealthActionAnswer> {
  assertArguments(args);
  const { action } = args;
  const work = () => RUN[action](services, actor.caller, args);
  const cooled = COOLED_ACTIONS.find((one): one is CooledAction =>
    one === action
  );
  const answer = cooled === undefined ? await work() : await underCooldown(
    services,
    { action: cooled, caller: actor.digest },
    work,
  );
  return { action, ...answer };
}

type Run = (
  services: Services,
  caller: FleetCaller,
  args: HealthActionArgs,
) => Promise<Omit<HealthActionAnswer, "action">>;

const RUN: Readonly<Record<HealthAction, Run>> = {
  async cleanup_processes(services) {
    return asked(
      await cleanUpProcesses(services),
      "to kill processes that turns left behind",
    );
  },
  async retry_sessions(services, caller, { session_ids }) {
    return acted(
      "started anew",
      await retrySessions(services, caller, session_ids),
    );
  },
  async archive_old(services, caller, { days }) {
    return acted("archived", await archiveOld(services, caller, days));
  },
  async cli_refresh(services) {
    return asked(await refreshClis(services), "which agent programs it has");
  },
  async cli_clear_cache(services) {
    return asked(
      await clearCliCache(services),
      "which agent programs it has; what was known was forgotten",
    );
  },
  async enter_queue_recovery_mode(services, caller, args) {
    const { until } = await haltLanes(services, caller, {
      reason: args.reason ?? "",
      minutes: args.ttl_minutes,
    });
    return {
      message: `Queue recovery mode is on until ${
        isoTime(until)
      }: servers take no more jobs within seconds, those under way end, turns of agents go on`,
      recovery_until: isoTime(until),
    };
  },
  async exit_queue_recovery_mode(services, caller) {
    return {
      message: await openLanes(services, caller)
        ? "Queue recovery mode is off: the lanes take jobs again within seconds"
        : "Queue recovery mode was off already",
    };
  },
  async preview_queued_jobs(services, _caller, args) {
    return jobs("wait", await previewJobs(services, jobsOf(args)));
  },
  async discard_queued_jobs(services, caller, args) {
    return jobs(
      "were discarded for good",
      await discardQueued(services, caller, {
        ...jobsOf(args),
        expected: args.expected_count ?? -1,
      }),
    );
  },
  async reschedule_queued_jobs(services, caller, args) {
    const minutes = args.delay_minutes ?? PUT_OFF_MINUTES.standard;
    return jobs(
      `wait for ${minutes} more minutes`,
      await rescheduleQueued(services, caller, {
        ...jobsOf(args),
        expected: args.expected_count ?? -1,
        minutes,
      }),
    );
  },
  async backfill_token_usage(services) {
    const { backfill, isNew } = await backfillUsage(services);
    return {
      message: isNew
        ? "What turns reported is read into the ledger from the first turn on; get_costs shows it as it comes"
        : `A reading is under way already: ${backfill.turnsRead} turns read so far`,
      backfill: {
        is_new: isNew,
        turns_read: backfill.turnsRead,
        requests_added: backfill.requestsAdded,
      },
    };
  },
};

/** Which arguments an action takes, beside its name. */
const TAKES: Readonly<
  Record<HealthAction, readonly (keyof HealthActionArgs)[]>
> = {
  cleanup_processes: [],
  retry_sessions: ["session_ids"],
  archive_old: ["days"],
  cli_refresh: [],
  cli_clear_cache: [],
  enter_queue_recovery_mode: ["reason", "ttl_minutes"],
  exit_queue_recovery_mode: [],
  preview_queued_jobs: ["job_class", "queue_name"],
  discard_queued_jobs: ["job_class", "queue_name", "expected_count"],
  reschedule_queued_jobs: [
    "job_class",
    "queue_name",
    "expected_count",
    "delay_minutes",
  ],
  backfill_token_usage: [],
};

const NEEDS: Readonly<
  Partial<Record<HealthAction, keyof HealthActionArgs>>
> = {
  enter_queue_recovery_mode: "reason",
  discard_queued_jobs: "expected_count",
  reschedule_queued_jobs: "expected_count",
};

function assertArguments(args: HealthActionArgs): void {
  const { action } = args;
  const taken = TAKES[action];
  const foreign = Object.keys(args).find((name) =>
    name !== "action" && !taken.some((one) => one === name)
  );
  if (foreign !== undefined) {
    throw new ToolError(
      `${action} takes no ${foreign}: it takes ${
        taken.length === 0 ? "nothing else" : taken.join(", ")
      }. Nothing was changed`,
    );
  }
  const needed = NEEDS[action];
  if (needed !== undefined && args[needed] === undefined) {
    throw new ToolError(`${action} needs ${needed}. Nothing was changed`);
  }
}

function jobsOf({ job_class, queue_name }: HealthActionArgs) {
  return { jobClass: job_class, queueName: queue_name };
}

function asked(runners: number, what: string) {
  return {
    message: runners === 0
      ? "No runner is registered, so none was asked"
      : `Each of ${runners} runners was asked ${what}; one that is away does it when it is back`,
    runners_asked: runners,
  };
}

function acted(what: string, { done, skipped, isCut }: Acted) {
  return {
    message: `${done.length} sessions were ${what}, ${skipped.length} were not${
      isCut ? "; more may be left for another call" : ""
    }`,
    sessions: done,
    skipped: skipped.map(({ id, why }) => ({ session_id: id, reason: why })),
    more_may_be_left: isCut,
  };
}

function jobs(what: string, { total, classes }: QueuedCount) {
  return {
    message: `${total} jobs ${what}`,
    queued_jobs: {
      total,
      classes: classes.map(({ lane, jobClass, jobs }) => ({
        queue_name: lane,
        job_class: jobClass,
        count: jobs,
      })),
    },
  };
}
