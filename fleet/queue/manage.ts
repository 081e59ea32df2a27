/**
 * The queue of a session by hand: queue, edit, move, take out, send first.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import {
  aimTurn,
  countMessages,
  deleteMessage,
  findMessage,
  findOpenTurn,
  insertMessage,
  moveMessage,
  type QueuedMessage,
  type Session,
  updateMessage,
  writeLog,
} from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { drain, retractTurn } from "../sessions/offer.ts";
import {
  assertLength,
  assertRange,
  assertText,
  LIMITS,
} from "../sessions/texts.ts";
import { withSession } from "../sessions/with_session.ts";
import { recordUncle } from "../sessions/uncles.ts";
import {
  assertSaid,
  assertTakesMessages,
  type Delivery,
  goalOf,
  heldOr,
  noteAuthor,
  pushForward,
  receipt,
  releasePause,
  type Said,
  say,
} from "./deliver.ts";

/** A message of a session, named by both numbers. */
export interface MessageName {
  /** Whose queue it is in. */
  readonly sessionId: number;
  /** Its number. */
  readonly messageId: number;
}

/** Under the lock of a session that the caller may act on. */
async function locked<T>(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  work: (tx: Transaction, session: Session) => Promise<T>,
): Promise<T> {
  return await withSession(
    fleet,
    caller,
    { id, act: "changing its queue" },
    work,
  );
}

/**
 * Queues a message at the end. A session that rests takes it at once; one that
 * a person paused keeps it until somebody goes on.
 *
 * @throws {FleetRefusalError} `wrong_state`: it is archived.
 */
export async function createMessage(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  sessionId: number,
  said: Said,
): Promise<Delivery> {
  assertSaid(said, "content");
  return await locked(fleet, caller, sessionId, async (tx, session) => {
    if (session.status === "archived") assertTakesMessages(session);
    const message = await insertMessage(tx, session.id, {
      ...said,
      goal: goalOf(said),
    });
    await noteAuthor(tx, sessionId, said, { message_id: message.id });
    await recordUncle(tx, {
      sessionId,
      actingSessionId: said.actingSessionId,
      source: "create",
    });
    const offered = await drain(tx, session);
    return await receipt(tx, {
      session: offered?.session ?? session,
      message,
      how: offered === undefined ? heldOr(session) : "offered",
      turn: offered?.turn ?? await findOpenTurn(tx, sessionId),
    });
  });
}

/**
 * Changes what a pending message says. A blank goal takes its goal away.
 *
 * @throws {FleetRefusalError} There is none, or it is not pending any more.
 */
export async function editMessage(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  { sessionId, messageId }: MessageName,
  change: {
    readonly content?: string | undefined;
    readonly goal?: string | null | undefined;
  },
): Promise<QueuedMessage> {
  if (change.content !== undefined) {
    assertText(change.content, "content", LIMITS.prompt);
  }
  if (typeof change.goal === "string") {
    assertLength(change.goal, "goal", LIMITS.goal);
  }
  return await locked(fleet, caller, sessionId, async (tx) => {
    const message = await pendingMessage(tx, sessionId, messageId);
    const goal = change.goal === undefined ? message.goal : change.goal;
    return await updateMessage(tx, messageId, {
      content: change.content ?? message.content,
      goal: goal === null || goal.trim() === "" ? null : goal,
    });
  });
}

/** What a removal left. */
export interface Removal {
  /** The session after it. */
  readonly session: Session;
  /** The message that is gone. */
  readonly message: QueuedMessage;
  /** Messages still to be said. */
  readonly pending: number;
}

/**
 * Takes a message out; those behind it move up. Where a queued turn has nothing
 * left to say, it is taken back.
 *
 * @throws {FleetRefusalError} There is none, or it is being delivered.
 */
export async function removeMessage(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  { sessionId, messageId }: MessageName,
): Promise<Removal> {
  return await locked(fleet, caller, sessionId, async (tx, session) => {
    const message = await pendingMessage(tx, sessionId, messageId, {
      orRetired: true,
    });
    await deleteMessage(tx, message);
    await writeLog(
      tx,
      sessionId,
      `Message #${messageId} was taken out of the queue: "${
        message.content.slice(0, 160)
      }"`,
    );
    const { pending } = await countMessages(tx, sessionId);
    const turn = await findOpenTurn(tx, sessionId);
    const isCarried = turn?.phase === "queued" &&
      (turn.kind === "message" || turn.kind === "wake");
    if (!isCarried) return { session, message, pending };
    if (pending > 0) {
      if (turn.messageId === messageId) await aimTurn(tx, turn.id, null);
      return { session, message, pending };
    }
    const after = await retractTurn(
      tx,
      session,
      turn,
      "the last pending message was taken out",
    );
    return { session: after, message, pending };
  });
}

/**
 * Moves a pending message to a place; beyond the end is the end.
 *
 * @throws {FleetRefusalError} There is none, or it is not pending any more.
 */
export async function reorderMessage(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  { sessionId, messageId }: MessageName,
  position: number,
): Promise<QueuedMessage> {
  assertRange(position, "position", [1, 1_000_000]);
  return await locked(fleet, caller, sessionId, async (tx) => {
    const message = await pendingMessage(tx, sessionId, messageId);
    const place = await moveMessage(tx, message, position);
    const turn = await findOpenTurn(tx, sessionId);
    // What comes first is what a caller sees first in the list.
    if (turn?.phase === "queued" && turn.messageId !== null) {
      await aimTurn(tx, turn.id, null);
    }
    return { ...message, position: place };
  });
}

/**
 * Makes a pending message the next, and ends the turn under way for it.
 *
 * @throws {FleetRefusalError} There is none, it is being delivered, or the
 * session failed or is archived.
 */
export async function interruptWith(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  { sessionId, messageId }: MessageName,
  actingSessionId?: number,
): Promise<Delivery> {
  return await locked(fleet, caller, sessionId, async (tx, session) => {
    const message = await pendingMessage(tx, sessionId, messageId);
    assertTakesMessages(session);
    await recordUncle(tx, { sessionId, actingSessionId, source: "interrupt" });
    const open = await findOpenTurn(tx, sessionId);
    const going = await releasePause(tx, session);
    return await pushForward(tx, going, message, open);
  });
}

/**
 * Queues a message before all others, and ends the turn under way for it.
 *
 * @throws {FleetRefusalError} The session failed or is archived.
 */
export async function sendNow(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  sessionId: number,
  said: Said,
): Promise<Delivery> {
  assertSaid(said, "content");
  return await locked(fleet, caller, sessionId, async (tx, session) => {
    assertTakesMessages(session);
    return await say(tx, session, { ...said, isForced: true }, "send_now");
  });
}

async function pendingMessage(
  tx: Transaction,
  sessionId: number,
  messageId: number,
  options: { readonly orRetired?: boolean } = {},
): Promise<QueuedMessage> {
  const message = await findMessage(tx, sessionId, messageId);
  if (message === undefined) {
    throw new FleetRefusalError(
      "not_found",
      `Message ${messageId} is not in the queue of session ${sessionId}; it may have been delivered. Nothing was changed`,
    );
  }
  const isRetired = message.status === "undelivered";
  if (message.status === "pending" || (isRetired && options.orRetired)) {
    return message;
  }
  throw new FleetRefusalError(
    "conflict",
    isRetired
      ? `Message ${messageId} was retired as undelivered when session ${sessionId} was archived; create it anew. Nothing was changed`
      : `Message ${messageId} is already being delivered to session ${sessionId}. Nothing was changed`,
  );
}
