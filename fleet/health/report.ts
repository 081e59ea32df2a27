/**
 * How the fleet is: lanes, turns, runners, recovery mode. What cannot be read
 * is named, and the rest stands.
 *
 * @module
 */
import {
  type AgentFigures,
  readAgentFigures,
  readSilentTurns,
  type SilentTurn,
} from "../../store/health/mod.ts";
import {
  type LaneReport,
  readLanes,
  readRecovery,
  type Recovery,
} from "../../store/jobs/mod.ts";
import { listRunners, type Runner } from "../../store/turns/mod.ts";
import type { Fleet } from "../fleet.ts";
import { outsideConcerns } from "./outside.ts";

/** How the fleet is; undefined what could not be read. */
export interface FleetHealth {
  /** Recovery mode; null where the lanes are open. */
  readonly recovery: Recovery | null | undefined;
  /** The lanes of jobs. */
  readonly lanes: LaneReport | undefined;
  /** The lane of turns. */
  readonly agents: AgentFigures | undefined;
  /** Turns under way of which nothing is heard, the quietest first. */
  readonly silent: readonly SilentTurn[] | undefined;
  /** Runners whose token holds. */
  readonly runners: readonly Runner[] | undefined;
  /** Parts that could not be read, by name. */
  readonly unreadable: readonly string[];
  /** What asks for attention, one sentence each without a period. */
  readonly concerns: readonly string[];
}

/** Silence after which a turn is listed, in seconds. */
export const SILENT_SECONDS = 600;
/** Age of the first in line from which a lane counts as backed up, in seconds. */
export const BACKLOG_SECONDS = 300;
/** Seconds after which a runner that said nothing counts as gone. */
export const RUNNER_SEEN_SECONDS = 60;
const MAX_SILENT = 20;

/** Reads it. Never rejects. */
export async function readFleetHealth(
  { store }: Pick<Fleet, "store">,
): Promise<FleetHealth> {
  const unreadable: string[] = [];
  const part = async <T>(
    name: string,
    read: () => Promise<T>,
  ): Promise<T | undefined> => {
    try {
      return await read();
    } catch {
      unreadable.push(name);
      return undefined;
    }
  };
  const db = () => store.db();
  const [recovery, lanes, agents, silent, runners] = await Promise.all([
    part("recovery mode", async () => await readRecovery(await db())),
    part("lanes of jobs", async () => await readLanes(await db())),
    part("turns", async () => await readAgentFigures(await db())),
    part(
      "leases without events",
      async () =>
        await readSilentTurns(await db(), {
          seconds: SILENT_SECONDS,
          limit: MAX_SILENT,
        }),
    ),
    part("runners", async () => await listRunners(await db())),
  ]);
  const outside = await part(
    "triggers and notices",
    async () => await outsideConcerns(await db()),
  );
  const read = { recovery, lanes, agents, silent, runners };
  return {
    ...read,
    unreadable,
    concerns: [...concernsOf(read), ...outside ?? []],
  };
}

/** Whether a runner was heard of lately. */
export function isSeen({ seenSecondsAgo }: Runner): boolean {
  return seenSecondsAgo !== null && seenSecondsAgo <= RUNNER_SEEN_SECONDS;
}

function concernsOf(
  { recovery, lanes, agents, silent, runners }: Omit<
    FleetHealth,
    "unreadable" | "concerns"
  >,
): string[] {
  const concerns: string[] = [];
  if (recovery !== null && recovery !== undefined) {
    concerns.push("Queue recovery mode is on: the lanes take no jobs");
  }
  for (const { lane, ready, headAge, failed } of lanes?.lanes ?? []) {
    if (headAge !== null && headAge >= BACKLOG_SECONDS) {
      concerns.push(
        `The lane ${lane} is backed up: ${ready} jobs, the first has waited ${headAge} s`,
      );
    }
    if (failed > 0) {
      concerns.push(`${failed} jobs of the lane ${lane} were given up`);
    }
  }
  const seen = runners?.filter(isSeen).length;
  if (seen === 0 && agents !== undefined && agents.ready > 0) {
    concerns.push(
      `${agents.ready} turns wait, and no runner was seen lately: start one with deno task runner`,
    );
  } else if (
    agents?.headAge !== undefined && agents.headAge !== null &&
    agents.ready > 0 && agents.headAge >= BACKLOG_SECONDS
  ) {
    concerns.push(
      `${agents.ready} turns wait, the first for ${agents.headAge} s`,
    );
  }
  if (silent !== undefined && silent.length > 0) {
    concerns.push(
      `${silent.length} turns under way say nothing for more than ${
        SILENT_SECONDS / 60
      } minutes`,
    );
  }
  if (agents !== undefined && agents.expired > 0) {
    concerns.push(
      `${agents.expired} leases have run out and are not ended: no server looks`,
    );
  }
  return concerns;
}
