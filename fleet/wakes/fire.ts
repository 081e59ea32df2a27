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
import { deleteTrigger } from "../../store/triggers/mod.ts";
import { drain, offerTurn } from "../sessions/offer.ts";
import { breaksForGood } from "../triggers/breaking.ts";
import { emitSystemEvent } from "../triggers/system_event.ts";

/** What a firing came to. */
export type Fired = "fired" | "void" | "broken";

/**
 * Fires the wake that a condition belongs to, unless it fired or was disarmed
 * meanwhile. One that breaks is kept as failed, with what broke.
 */
export async function fireWake(
  db: Db,
  conditionId: number,
  options: FireOptions = {},
): Promise<Fired> {
  try {
    return await db.transaction((tx) => fire(tx, conditionId, options));
  } catch (error) {
    const wake = await findWakeOfCondition(db, conditionId);
    if (wake === undefined || !breaksForGood(error)) throw error;
    await db.transaction((tx) => park(tx, wake, error));
    return "broken";
  }
}

/** How a wake fires. */
export interface FireOptions {
  /** Only while the watched session's state has this number. */
  readonly watchedStateNo?: number | undefined;
  /** Whether a person fires it: whatever its state, and before its time. */
  readonly isInvoked?: boolean | undefined;
}

/** Keeps it as failed, and says so where people look. */
async function park(tx: Transaction, wake: Wake, error: Error): Promise<void> {
  const session = await lockSession(tx, wake.sessionId);
  await failWake(tx, wake.id, error.message);
  if (session === undefined) return;
  const text =
    `Wake ${wake.id} of session ${session.id} is parked: ${error.message}`;
  await writeLog(tx, session.id, text, "error");
  await emitSystemEvent(tx, {
    name: "trigger_failed",
    key: `${wake.id}:${crypto.randomUUID()}`,
    text,
  });
}

async function fire(
  tx: Transaction,
  conditionId: number,
  { watchedStateNo, isInvoked = false }: FireOptions,
): Promise<Fired> {
  const found = await findWakeOfCondition(tx, conditionId);
  if (found === undefined) return "void";
  const session = await lockSession(tx, found.sessionId);
  // Read again under the lock: of two that fire, one finds nothing.
  const wake = await findWakeOfCondition(tx, conditionId);
  if (session === undefined || wake === undefined) return "void";
  if (wake.status !== "enabled" && !isInvoked) return "void";
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
  // Failed ones stay, but for the one that a person fires.
  await deleteTrigger(tx, wake.id);
  await deliver(
    tx,
    session,
    wake,
    isInvoked ? "a person said so" : because(condition),
  );
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
