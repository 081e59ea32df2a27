/**
 * Changes the state of a session: locks its row, looks the event up in the
 * table, and writes what the table says, a line of its log and the jobs that
 * follow, all in the caller's transaction.
 *
 * Whoever locks more than a session locks in this order: the sessions by their
 * numbers, then messages, then turns.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import {
  lockSession,
  type Session,
  type SessionStatus,
  type WaitReason,
  writeLog,
  writeState,
} from "../../store/sessions/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import { applyEffects } from "./effects.ts";
import { lookUp, type SessionEvent, TRANSITIONS } from "./states.ts";

/** What an event says beside its name. */
export interface EventDetails {
  /** Which of the states that the table allows. @default {the first} */
  readonly to?: SessionStatus | undefined;
  /** Why it waits from now on. */
  readonly waitReason?: WaitReason | undefined;
  /** Until when. */
  readonly waitUntil?: Date | undefined;
  /** Who holds its queue from now on. */
  readonly pausedBy?: Session["pausedBy"] | undefined;
  /** What broke. */
  readonly failureReason?: string | undefined;
  /** Ends the line of its log, after "needs_input → waiting: ". */
  readonly note?: string | undefined;
  /** Turns back what the turn under way is told; only with `archive`. */
  readonly reason?: string | undefined;
}

/**
 * Lets an event happen to a session; answers with the session after it.
 *
 * @throws {FleetRefusalError} `not_found`, or `wrong_state` where the event is
 * not possible.
 */
export async function transition(
  tx: Transaction,
  id: number,
  event: SessionEvent,
  details: EventDetails = {},
): Promise<Session> {
  return await change(tx, await lockOrRefuse(tx, id), event, details);
}

/** Reads and locks a session. @throws {FleetRefusalError} Code `not_found`. */
export async function lockOrRefuse(
  tx: Transaction,
  id: number,
): Promise<Session> {
  const session = await lockSession(tx, id);
  if (session !== undefined) return session;
  throw noSession(id);
}

/** The refusal of a session that is not there. */
export function noSession(id: number): FleetRefusalError {
  return new FleetRefusalError(
    "not_found",
    `Session ${id} does not exist`,
  );
}

/**
 * The same for a session that the transaction has locked and read already.
 *
 * @throws {FleetRefusalError} Code `wrong_state`.
 */
export async function change(
  tx: Transaction,
  session: Session,
  event: SessionEvent,
  details: EventDetails = {},
): Promise<Session> {
  const found = lookUp(event, session.status);
  if (found === "refused") {
    throw new FleetRefusalError(
      "wrong_state",
      `Session ${session.id} is ${session.status}: ${event} is possible ${
        formatStates(TRANSITIONS[event].from)
      }. Nothing was changed`,
    );
  }
  if (found === "unchanged") return session;
  const status = details.to ?? found.to[0];
  if (!found.to.includes(status)) {
    throw new RangeError(`${event} does not lead to ${status}`);
  }
  const after = await writeState(tx, session.id, {
    status,
    waitReason: details.waitReason ?? null,
    waitUntil: details.waitUntil ?? null,
    pausedBy: details.pausedBy ?? null,
    failureReason: details.failureReason ??
      (event === "archive" ? session.failureReason : null),
    notesArchive: found.effects.includes("note_archive"),
    forgetsArchive: found.effects.includes("forget_archive"),
    endsToken: found.effects.includes("end_token"),
    keepsPendingSleep: found.effects.includes("keep_pending_sleep"),
  });
  await writeLog(
    tx,
    session.id,
    `${session.status} → ${after.status}${
      after.waitReason === null ? "" : ` (${after.waitReason})`
    } by ${event}${details.note === undefined ? "" : `: ${details.note}`}`,
    event === "fail" ? "error" : "info",
  );
  await applyEffects(tx, { event, before: session, after }, found.effects);
  return after;
}

function formatStates(states: readonly SessionStatus[]): string {
  return states.length === 0
    ? "before there is a session only"
    : `in ${states.join(", ")} only`;
}
