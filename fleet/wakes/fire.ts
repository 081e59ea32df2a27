/**
 * Fires wakes: once each, and the first that fires of a session ends the others.
 *
 * @module
 */
import { sendJob } from "../../store/jobs/mod.ts";
import type { Db, Transaction } from "../../store/pg/mod.ts";
import {
  countMessages,
  dropWakes,
  failWake,
  findOpenTurn,
  findSession,
  findWakeOfCondition,
  findWatching,
  insertMessage,
  insertNotice,
  lockSession,
  type Session,
  type SessionEventName,
  type Wake,
  writeLog,
} from "../../store/sessions/mod.ts";
import { drain, offerTurn } from "../sessions/offer.ts";

/** What a firing came to. */
export type Fired = "fired" | "void" | "broken";

/**
 * Fires the wake that a condition belongs to, unless it fired or was disarmed
 * meanwhile. One that breaks is kept as failed, with what broke.
 */
export async function fireWake(
  db: Db,
  conditionId: number,
  options: { readonly watchedStateNo?: number | undefined } = {},
): Promise<Fired> {
  try {
    return await db.transaction((tx) => fire(tx, conditionId, options));
  } catch (error) {
    const wake = await findWakeOfCondition(db, conditionId);
    if (wake === undefined || !isOfRule(error)) throw error;
    await db.transaction((tx) => failWake(tx, wake.id, error.message));
    return "broken";
  }
}

/** A database that cannot answer breaks no wake: the job is tried again. */
function isOfRule(error: unknown): error is Error {
  return error instanceof Error && error.name !== "StoreUnavailableError";
}

async function fire(
  tx: Transaction,
  conditionId: number,
  { watchedStateNo }: { readonly watchedStateNo?: number | undefined },
): Promise<Fired> {
  const found = await findWakeOfCondition(tx, conditionId);
  if (found === undefined) return "void";
  const session = await lockSession(tx, found.sessionId);
  // Read again under the lock: of two that fire, one finds nothing.
  const wake = await findWakeOfCondition(tx, conditionId);
  if (session === undefined || wake?.status !== "enabled") return "void";
  const condition = wake.conditions.find(({ id }) => id === conditionId);
  if (condition === undefined) return "void";
  if (watchedStateNo !== undefined && condition.kind === "event") {
    const watched = await findSession(tx, condition.watchedSessionId);
    if (watched?.stateNo !== watchedStateNo) return "void";
  }
  if (session.status === "archived") {
    await dropWakes(tx, session.id);
    return "void";
  }
  await dropWakes(tx, session.id);
  await deliver(tx, session, wake, because(condition));
  return "fired";
}

async function deliver(
  tx: Transaction,
  session: Session,
  wake: Wake,
  why: string,
): Promise<void> {
  const message = await insertMessage(tx, session.id, {
    content: wake.prompt,
    origin: "wake",
    cause: { trigger_id: wake.id, because: why },
  });
  await writeLog(tx, session.id, `Woken: ${why}`);
  const { pending } = await countMessages(tx, session.id);
  const open = await findOpenTurn(tx, session.id);
  const isHeld = session.pausedBy !== null || session.status === "failed";
  if (open !== undefined || isHeld) return;
  if (pending === 1) {
    await offerTurn(tx, session, { kind: "wake", messageId: message.id });
  } else await drain(tx, session);
}

function because(condition: Wake["conditions"][number]): string {
  return condition.kind === "time"
    ? `it is ${condition.wakeAt} in ${condition.timezone}`
    : `${condition.eventName} of session ${condition.watchedSessionId}`;
}

const EVENT_OF: Readonly<Record<string, SessionEventName | undefined>> = {
  needs_input: "session_needs_input",
  failed: "session_failed",
  archived: "session_archived",
};

/**
 * Tells of a state that a session came to, unless it has left it: a notice for
 * people who asked for it, and a job for each wake that waits for it.
 */
export async function tellState(
  db: Db,
  { sessionId, stateNo }: {
    readonly sessionId: number;
    readonly stateNo: number;
  },
): Promise<"told" | "void"> {
  return await db.transaction(async (tx) => {
    const session = await lockSession(tx, sessionId);
    const event = EVENT_OF[session?.status ?? ""];
    if (session?.stateNo !== stateNo || event === undefined) return "void";
    if (session.pushNotificationsEnabled && session.status !== "archived") {
      await insertNotice(tx, {
        sessionId,
        type: event,
        marker: String(stateNo),
        message: session.failureReason ?? undefined,
      });
    }
    for (const id of await findWatching(tx, sessionId, event)) {
      await sendJob(tx, "triggers", { kind: "fire_wake", condition_id: id });
    }
    return "told";
  });
}
