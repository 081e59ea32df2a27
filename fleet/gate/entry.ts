/**
 * What stands in columns of its own beside an entry, read out of it. Pure.
 *
 * @module
 */
import type { Gate } from "../../store/gate/mod.ts";
import { FleetRefusalError } from "../errors.ts";

/** A gate's entry: an object of its own making. */
export type Entry = Readonly<Record<string, unknown>>;

/** The stable fields of an entry. */
export interface PromotedFields {
  /** First address in `pr` or `issue`. */
  readonly artifactUrl: string | null;
  /** `decided_at`, where it begins with a day. */
  readonly decidedAt: string | null;
  /** `decision`. */
  readonly decision: string | null;
  /** First address in `producing_session` or `spawned_session`. */
  readonly producingSessionUrl: string | null;
}

const MAX_URL_CHARACTERS = 2_048;
const MAX_DECISION_CHARACTERS = 200;
const URL_REGEXP = /https?:\/\/[^\s<>"'`|\\^{}]+/i;
/** What ends a sentence or closes a bracket around an address. */
const TRAILING_REGEXP = /[.,;:!?)\]}>*_'"]+$/;
const DAY_REGEXP = /^\d{4}-\d{2}-\d{2}(?=$|[T\s])/;

/** Where each gate's artifact stands, and where else it may. */
const ARTIFACT_FIELDS: Readonly<Record<Gate, readonly string[]>> = {
  pr_merge: ["pr", "issue"],
  issue_work: ["issue", "pr"],
};

/** Reads the stable fields. @throws {FleetRefusalError} One is too long. */
export function promotedFields(gate: Gate, entry: Entry): PromotedFields {
  return {
    artifactUrl: urlIn(entry, ARTIFACT_FIELDS[gate]),
    decidedAt: dayIn(entry.decided_at),
    decision: decisionIn(entry.decision),
    producingSessionUrl: urlIn(entry, ["producing_session", "spawned_session"]),
  };
}

function urlIn(entry: Entry, fields: readonly string[]): string | null {
  for (const field of fields) {
    const value = entry[field];
    if (typeof value !== "string") continue;
    const url = URL_REGEXP.exec(value)?.[0].replace(TRAILING_REGEXP, "");
    if (url === undefined || !URL.canParse(url)) continue;
    if (url.length <= MAX_URL_CHARACTERS) return url;
    throw tooLong(`The address in entry.${field}`, url, MAX_URL_CHARACTERS);
  }
  return null;
}

function decisionIn(value: unknown): string | null {
  const decision = typeof value === "string" ? value.trim() : "";
  if (decision === "") return null;
  if ([...decision].length <= MAX_DECISION_CHARACTERS) return decision;
  throw tooLong("entry.decision", decision, MAX_DECISION_CHARACTERS);
}

function dayIn(value: unknown): string | null {
  const day = typeof value === "string"
    ? DAY_REGEXP.exec(value.trim())?.[0]
    : undefined;
  return day !== undefined && isDay(day) ? day : null;
}

/** Whether a text is a day of the calendar, `YYYY-MM-DD`, from the year 1 on. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith("0000")) {
    return false;
  }
  try {
    Temporal.PlainDate.from(text);
    return true;
  } catch {
    return false;
  }
}

function tooLong(what: string, text: string, limit: number): FleetRefusalError {
  return new FleetRefusalError(
    "bad_argument",
    `${what} has ${
      [...text].length
    } characters, and the most is ${limit}; nothing was recorded`,
  );
}
