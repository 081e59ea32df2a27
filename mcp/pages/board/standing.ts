/**
 * Where a session stands, in a word or two for people, and how much it asks for
 * one.
 *
 * @module
 */
import type { Session, WaitReason } from "../../../store/sessions/mod.ts";
import type { Tone } from "../parts.ts";

/** What of a session says where it stands. */
export type Standing =
  & Pick<
    Session,
    "status" | "waitReason" | "pausedBy" | "pendingSleep" | "failureReason"
  >
  & {
    /** Until when no runner's login takes it. @default {one does} */
    readonly refusedUntil?: Date | null;
  };

const WAITS: Readonly<Record<WaitReason, string>> = {
  never_started: "Not started",
  queued: "Queued",
  retrying: "Retrying",
  parked: "Parked: its login is at a limit",
  asleep: "Asleep",
  spot_queue: "In the spot queue",
  spot_hold: "Held by the spot gate",
  spot_pause: "Paused by the spot ceiling",
  auth_outage: "Its login is out",
};

/** The word, and its tone. */
export function standingOf(
  one: Standing,
): readonly [word: string, tone: Tone] {
  switch (one.status) {
    case "running":
      return one.pausedBy === "user"
        ? ["Pausing", "calm"]
        : one.pausedBy === "elicitation"
        ? ["Asks you", "warn"]
        : ["Running", "good"];
    case "waiting":
      if ((one.refusedUntil ?? null) !== null) return [WAITS.parked, "calm"];
      return [
        one.waitReason === null ? "Waiting" : WAITS[one.waitReason],
        one.waitReason === "auth_outage" ? "bad" : "calm",
      ];
    case "needs_input":
      return one.pausedBy === "elicitation"
        ? ["Asks you", "warn"]
        : one.pausedBy === "user"
        ? ["Paused", "calm"]
        : ["At rest", "warn"];
    case "failed":
      return ["Failed", "bad"];
    case "archived":
      return ["Archived", "calm"];
  }
}

/** How urgently it needs a person, 0 first; undefined where it needs none. */
export function urgencyOf(one: Standing): number | undefined {
  if (one.pausedBy === "elicitation") return 0;
  if (one.status === "failed" || one.waitReason === "auth_outage") return 1;
  if (one.status !== "needs_input") return undefined;
  return one.pausedBy === "user" ? 3 : 2;
}
