/**
 * Where a session stands, in words that tell the reasons apart.
 *
 * @module
 */
import type {
  Session,
  SessionStatus,
  WaitReason,
} from "../../store/sessions/mod.ts";
import { type Inline, md } from "../markdown/inline.ts";

/** What of a session says where it stands. */
export type Standing =
  & Pick<
    Session,
    | "status"
    | "waitReason"
    | "waitUntil"
    | "pausedBy"
    | "pendingSleep"
    | "failureReason"
  >
  & {
    /** Until when no runner's login takes it. @default {one does} */
    readonly refusedUntil?: Date | null;
  };

/** What the states mean, for whoever reads one for the first time. */
const MEANINGS: Readonly<Record<SessionStatus, string>> = {
  running: "an agent has its turn",
  waiting: "its turn has not begun",
  needs_input: "at rest: its turn is over, and it is free for the next message",
  archived: "over: it stays as a record",
  failed: "its turn broke down",
};

const WAITS: Readonly<Record<WaitReason, string>> = {
  never_started: "never started: nothing was asked of it yet",
  queued: "queued for a runner",
  retrying: "retrying",
  parked: "parked: its agent's login is at a limit",
  asleep: "asleep on a wake",
  spot_queue: "in the spot queue, resumed when there is room",
  spot_hold: "held by the spot gate",
  spot_pause: "paused by the ceiling on spot sessions",
  auth_outage: "its agent's login is out",
};

/** A time to the second, ISO 8601 in UTC. */
export function second(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** An age in words: seconds, minutes or hours. */
export function ago(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s ago`;
  const minutes = Math.floor(whole / 60);
  return minutes < 120
    ? `${minutes} min ago`
    : `${Math.floor(minutes / 60)} h ago`;
}

/** The state with its meaning. */
export function statusLine({ status }: Standing): Inline {
  return md`${status} (${MEANINGS[status]})`;
}

/** Why it waits, rests or failed; undefined where the state says it all. */
export function reasonLine(standing: Standing): Inline | undefined {
  const { status, waitReason, waitUntil, pausedBy, pendingSleep } = standing;
  const { refusedUntil = null } = standing;
  if (status === "waiting" && refusedUntil !== null) {
    return md`queued: its agent's login is at a limit until ${
      second(refusedUntil)
    }`;
  }
  if (status === "waiting" && waitReason !== null) {
    const until = waitUntil === null ? "" : ` until ${second(waitUntil)}`;
    return md`${WAITS[waitReason]}${until}`;
  }
  if (pausedBy === "user") {
    return status === "running"
      ? md`a pause was asked for, and is not confirmed yet`
      : md`paused by a person: its queue is held until follow_up, start_now or restart`;
  }
  if (pausedBy === "elicitation") {
    return md`its agent asks a question and waits for the answer`;
  }
  if (status === "running" && pendingSleep !== null) {
    return pendingSleep === "asleep"
      ? md`goes to sleep when this turn ends`
      : md`goes into the spot queue when this turn ends`;
  }
  if (status === "failed" && standing.failureReason !== null) {
    return md`${standing.failureReason}`;
  }
  return undefined;
}
