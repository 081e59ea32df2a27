/**
 * How the fleet is, with the field names of the wire: the part of the health
 * report that tool, REST and page show.
 *
 * @module
 */
import { type FleetHealth, isSeen } from "../../fleet/mod.ts";
import type { LaneFigures } from "../../store/jobs/mod.ts";
import type { Runner } from "../../store/turns/mod.ts";
import { cutField, isoTime } from "../render.ts";
import {
  COUNT,
  FLAG,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "../schema.ts";

const AGES = {
  head_of_line_seconds: orNull(COUNT),
  oldest_execution_seconds: orNull(COUNT),
  youngest_execution_seconds: orNull(COUNT),
} as const;

/** An agent program of a runner. */
const CLI_STATUS = objectOf({
  runner_id: COUNT,
  runtime: TEXT,
  version: orNull(TEXT),
  login: wordOf(["found", "missing", "unknown"]),
});

/** How the fleet is; null is what could not be read. */
export const FLEET_HEALTH = objectOf({
  recovery_mode: orNull(objectOf({
    is_on: FLAG,
    reason: orNull(TEXT),
    until: orNull(TIME),
  })),
  lanes: orNull(listOf(objectOf({
    lane: TEXT,
    ready: COUNT,
    deferred: COUNT,
    in_flight: COUNT,
    failed: COUNT,
    ...AGES,
  }))),
  job_classes: orNull(listOf(objectOf({
    lane: TEXT,
    job_class: TEXT,
    ready: COUNT,
  }))),
  longest_waiting: orNull(objectOf({
    lane: TEXT,
    job_class: TEXT,
    seconds: COUNT,
  })),
  agents: orNull(objectOf({
    ready: COUNT,
    held_by_spot_gate: COUNT,
    deferred: COUNT,
    in_flight: COUNT,
    slots: COUNT,
    expired_leases: COUNT,
    ...AGES,
  })),
  sessions: orNull({ type: "object", additionalProperties: COUNT } as const),
  silent_turns: orNull(listOf(objectOf({
    turn_id: COUNT,
    session_id: COUNT,
    runner_id: COUNT,
    phase: TEXT,
    silent_seconds: COUNT,
  }))),
  runners: orNull(listOf(objectOf({
    runner_id: COUNT,
    name: TEXT,
    is_seen: FLAG,
    seen_at: orNull(TIME),
    is_draining: FLAG,
    slots: COUNT,
    turns: COUNT,
    runtimes: listOf(TEXT),
  }))),
  secret_names: orNull(listOf(TEXT)),
  secret_names_omitted: COUNT,
  unreadable: listOf(TEXT),
  concerns: listOf(TEXT),
}, { cli_status: listOf(CLI_STATUS) });

/** The part as it is sent. */
export type FleetShape = ValueOf<typeof FLEET_HEALTH>;

/** Runners, and names, that are listed. */
const MAX_RUNNERS = 50;
const MAX_NAMES = 200;

/** How the fleet is; `withCli` adds what runners say of agent programs. */
export function fleetShape(
  health: FleetHealth,
  { withCli = false }: { readonly withCli?: boolean } = {},
): FleetShape {
  const { recovery, lanes, agents, silent } = health;
  const runners = health.runners?.slice(0, MAX_RUNNERS);
  const names = runners === undefined ? undefined : secretNames(runners);
  return {
    recovery_mode: recovery === undefined ? null : {
      is_on: recovery !== null,
      reason: recovery?.reason ?? null,
      until: isoTime(recovery?.until ?? null),
    },
    lanes: lanes?.lanes.map(laneShape) ?? null,
    job_classes: lanes?.classes.map(({ lane, jobClass, jobs }) => ({
      lane,
      job_class: jobClass,
      ready: jobs,
    })) ?? null,
    longest_waiting: lanes === undefined || lanes.longest === null ? null : {
      lane: lanes.longest.lane,
      job_class: lanes.longest.jobClass,
      seconds: lanes.longest.age,
    },
    agents: agents === undefined ? null : {
      ready: agents.ready,
      held_by_spot_gate: agents.held,
      deferred: agents.deferred,
      in_flight: agents.inFlight,
      slots: agents.slots,
      expired_leases: agents.expired,
      ...agesOf(agents),
    },
    sessions: agents?.sessions ?? null,
    silent_turns: silent?.map((turn) => ({
      turn_id: turn.turnId,
      session_id: turn.sessionId,
      runner_id: turn.runnerId,
      phase: turn.phase,
      silent_seconds: turn.silentSeconds,
    })) ?? null,
    runners: runners?.map((runner) => ({
      runner_id: runner.id,
      name: runner.name,
      is_seen: isSeen(runner),
      seen_at: isoTime(runner.seenAt),
      is_draining: runner.isDraining,
      slots: runner.slots,
      turns: runner.turns,
      runtimes: runner.runtimes,
    })) ?? null,
    secret_names: names?.slice(0, MAX_NAMES) ?? null,
    secret_names_omitted: Math.max(0, (names?.length ?? 0) - MAX_NAMES),
    unreadable: health.unreadable,
    concerns: health.concerns,
    ...(withCli ? { cli_status: runners?.flatMap(cliStatus) ?? [] } : {}),
  };
}

function laneShape(lane: LaneFigures) {
  const { ready, deferred, inFlight, failed } = lane;
  return {
    lane: lane.lane,
    ready,
    deferred,
    in_flight: inFlight,
    failed,
    ...agesOf(lane),
  };
}

function agesOf(
  { headAge, oldestAge, youngestAge }: Pick<
    LaneFigures,
    "headAge" | "oldestAge" | "youngestAge"
  >,
) {
  return {
    head_of_line_seconds: headAge,
    oldest_execution_seconds: oldestAge,
    youngest_execution_seconds: youngestAge,
  };
}

/** Names of variables that runners put into entries; never what they hold. */
function secretNames(runners: readonly Runner[]): string[] {
  const names = runners.flatMap(({ hello }) =>
    listIn(hello.variables).filter((one) => typeof one === "string")
  );
  return [...new Set(names)].sort().map((name) => cutField(name));
}

/** What a runner said of agent programs, whatever release it is of. */
function cliStatus({ id, hello }: Runner): ValueOf<typeof CLI_STATUS>[] {
  return listIn(hello.runtimes).filter(isObject).map((runtime) => {
    const login = isObject(runtime.login) ? runtime.login.state : undefined;
    const { version } = runtime;
    return {
      runner_id: id,
      runtime: cutField(String(runtime.name)),
      version: typeof version === "string" ? cutField(version) : null,
      login: login === "found" || login === "missing" ? login : "unknown",
    };
  });
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
