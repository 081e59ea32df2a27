/**
 * Too much at once: the sessions of a minute are counted, one notice is given
 * when there would be more than allowed, and then there is silence until five
 * minutes have passed after the last minute with too many. Pure.
 *
 * @module
 */
import type { Trigger } from "../../store/triggers/mod.ts";

/** How long a minute is, in milliseconds. */
const WINDOW_MS = 60_000;
/** Silence after the last minute with too many, in milliseconds. */
const SILENCE_MS = 300_000;
/** Sessions that a notice links to at most. */
const MAX_LINKS = 25;

/** The count of a minute. */
export interface BurstCount {
  /** Its begin. */
  readonly windowStartedAt: Date;
  /** Firings of it. */
  readonly windowCount: number;
  /** Sessions started in it, the first of them. */
  readonly sessionIds: readonly number[];
  /** Until when there is silence. */
  readonly activeUntil: Date | null;
}

/** What becomes of a firing, and the count after it. */
export interface BurstDecision {
  /** `start` a session, start a `notice` of the burst, or be `silent`. */
  readonly verdict: "start" | "notice" | "silent";
  /** The count, without the session that is started now. */
  readonly count: BurstCount;
}

/** Whether a trigger is silent now. */
export function isBursting(
  { burstActiveUntil }: Pick<Trigger, "burstActiveUntil">,
  now: Date,
): boolean {
  return burstActiveUntil !== null && burstActiveUntil > now;
}

/** Decides about a firing that would start a session. */
export function countBurst(
  trigger: Pick<
    Trigger,
    | "maxSessionsPerMinute"
    | "burstWindowStartedAt"
    | "burstWindowCount"
    | "burstWindowSessionIds"
    | "burstActiveUntil"
  >,
  now: Date,
): BurstDecision {
  const limit = trigger.maxSessionsPerMinute ?? Infinity;
  const began = trigger.burstWindowStartedAt;
  const isSame = began !== null &&
    now.getTime() - began.getTime() < WINDOW_MS;
  const windowStartedAt = isSame ? began : now;
  const windowCount = (isSame ? trigger.burstWindowCount : 0) + 1;
  const sessionIds = isSame ? trigger.burstWindowSessionIds : [];
  const isSilent = isBursting(trigger, now);
  const isOver = windowCount > limit;
  const activeUntil = isOver
    ? new Date(windowStartedAt.getTime() + WINDOW_MS + SILENCE_MS)
    : isSilent
    ? trigger.burstActiveUntil
    : null;
  return {
    verdict: isSilent ? "silent" : isOver ? "notice" : "start",
    count: { windowStartedAt, windowCount, sessionIds, activeUntil },
  };
}

/** The count with a session that was started. */
export function withSession(count: BurstCount, id: number): BurstCount {
  const sessionIds = [...count.sessionIds, id].slice(0, MAX_LINKS);
  return { ...count, sessionIds };
}

/** What the session of a notice is told. */
export function noticePrompt(
  { id, name, maxSessionsPerMinute }: Pick<
    Trigger,
    "id" | "name" | "maxSessionsPerMinute"
  >,
  { sessionIds, activeUntil }: BurstCount,
  link: string | undefined,
): string {
  const started = sessionIds.map((session) => `- session ${session}`);
  return [
    `Trigger ${id} ("${name}") fired more often than ${maxSessionsPerMinute} times within a minute. Nothing further is started for it until ${
      activeUntil?.toISOString() ?? "it calms down"
    }, and longer while it goes on.`,
    ...started.length === 0
      ? []
      : ["Sessions that this minute started:", ...started],
    ...link === undefined || link === ""
      ? []
      : [`The event that was one too many: ${link}`],
    "Look at what happens there, and tell people when something has to be done. Do not handle the events one by one.",
  ].join("\n");
}
