/**
 * Where a session stands, in a few words for a terminal.
 *
 * @module
 */
import type { Glance } from "../../../store/session_reads/mod.ts";
import type { Session } from "../../../store/sessions/mod.ts";

const UNITS = [["d", 86_400], ["h", 3_600], ["m", 60]] as const;

/** The state, and why. */
export function stateOf(
  { status, waitReason, waitUntil, pausedBy, pendingSleep }: Session,
): string {
  const why = waitReason !== null
    ? waitReason.replaceAll("_", " ")
    : pausedBy === "user"
    ? status === "running" ? "pause asked" : "paused"
    : pausedBy === "elicitation"
    ? "asks a question"
    : pendingSleep !== null
    ? "sleeps after this turn"
    : "";
  const until = waitUntil === null ? "" : ` until ${minute(waitUntil)}`;
  return why === "" ? status : `${status} (${why}${until})`;
}

/** How long ago it was, in its largest unit. */
export function agoOf(then: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1_000);
  for (const [unit, size] of UNITS) {
    if (seconds >= size) return `${Math.floor(seconds / size)}${unit}`;
  }
  return `${Math.floor(seconds)}s`;
}

/** What waits to be said. */
export function queueOf({ pending, isDelivering }: Glance): string {
  return isDelivering ? `${pending}+1` : String(pending);
}

/** What was said last, on one line. */
export function lastWordsOf({ lastWords }: Glance, characters: number): string {
  if (lastWords === null) return "-";
  const line = lastWords.replaceAll(/\s+/g, " ").trim();
  return line.length > characters
    ? `${line.slice(0, characters).toWellFormed()}…`
    : line;
}

/** A time to the minute, in UTC. */
export function minute(time: Date): string {
  return `${time.toISOString().slice(0, 16)}Z`;
}
