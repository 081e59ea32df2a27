/**
 * How something is said to a session: at once where it rests, behind what waits
 * where it works, or by interrupting it.
 *
 * One transaction under the lock of the session, so that a message is queued,
 * moved, carried and retired by one at a time.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import { insertHumanMessage } from "../../store/around_sessions/mod.ts";
import {
  aimTurn,
  countMessages,
  findOpenTurn,
  insertMessage,
  listWakes,
  type MessageOrigin,
  moveMessage,
  noteState,
  type OpenTurn,
  orderTurn,
  type QueuedMessage,
  type Session,
  type Wake,
  writeLog,
} from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { offerTurn } from "../sessions/offer.ts";
import { assertLength, assertText, LIMITS } from "../sessions/texts.ts";
import { withSession } from "../sessions/with_session.ts";
import { recordUncle } from "../sessions/uncles.ts";

/** Something to be said. */
export interface Said {
  /** 1 to 500,000 characters. */
  readonly content: string;
  /** What the session is to reach from then on; blank changes nothing. */
  readonly goal?: string | undefined;
  /** Who says so of itself: it is recorded as senior. */
  readonly actingSessionId?: number | undefined;
  /** Who says it. @default {"caller"} */
  readonly origin?: MessageOrigin | undefined;
  /** What causes it. */
  readonly cause?: Readonly<Record<string, unknown>> | undefined;
  /** The person who says it: it is written down as theirs. */
  readonly author?: Author | undefined;
}

/** A person, and where they speak. */
export interface Author {
  /** What they are called. */
  readonly name: string;
  /** Where. */
  readonly channel: "web_ui" | "slack";
}

/** What became of it. */
export interface Delivery {
  /** The session after it. */
  readonly session: Session;
  /** The message. */
  readonly message: QueuedMessage;
  /**
   * `offered`: a turn is queued for it. `queued`: it waits behind what is under
   * way. `interrupting`: the turn under way was told to end for it. `held`: the
   * session failed, or only its client reads its queue.
   */
  readonly how: "offered" | "queued" | "interrupting" | "held";
  /** The turn that is queued or under way. */
  readonly turn: OpenTurn | undefined;
  /** Messages that are still to be said, this one included unless it is offered. */
  readonly pending: number;
  /** How many of them come before this one. */
  readonly ahead: number;
  /** Wakes of its own that stay armed. */
  readonly wakes: readonly Wake[];
}

/** Refuses what cannot be said. */
export function assertSaid({ content, goal }: Said, what: string): void {
  assertText(content, what, LIMITS.prompt);
  if (goal !== undefined) assertLength(goal, "goal", LIMITS.goal);
}

/**
 * Says something to a session: at once where it rests or waits for nothing of
 * its own, else behind what waits. With `isForced`, a turn under way ends for it.
 *
 * @throws {FleetRefusalError} `wrong_state`: it failed or is archived.
 */
export async function followUp(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  said: Said & { readonly isForced?: boolean | undefined },
): Promise<Delivery> {
  assertSaid(said, "prompt");
  const target = { id, act: "writing to it" };
  return await withSession(fleet, caller, target, async (tx, session) => {
    assertTakesMessages(session);
    return await say(tx, session, said, "follow_up");
  });
}

/** The same within a transaction that holds the lock. */
export async function say(
  tx: Transaction,
  locked: Session,
  said: Said & { readonly isForced?: boolean | undefined },
  source: string,
): Promise<Delivery> {
  const session = await releasePause(tx, locked);
  const open = await findOpenTurn(tx, session.id);
  const isIdle = open === undefined && session.drivenBy === "runner";
  const message = await insertMessage(tx, session.id, {
    ...said,
    goal: goalOf(said),
    isFirst: said.isForced === true || isIdle,
  });
  await noteAuthor(tx, session.id, said, { message_id: message.id });
  await recordUncle(tx, {
    sessionId: session.id,
    actingSessionId: said.actingSessionId,
    source,
  });
  return said.isForced === true || isIdle
    ? await pushForward(tx, session, message, open)
    : await receipt(tx, { session, message, how: heldOr(session), turn: open });
}

/** Writes down what a person says, in their name. */
export async function noteAuthor(
  tx: Transaction,
  sessionId: number,
  { author, content }: Pick<Said, "author" | "content">,
  provenance: { readonly message_id: number } | { readonly start: true },
): Promise<void> {
  if (author === undefined) return;
  await insertHumanMessage(tx, {
    sessionId,
    author: author.name,
    channel: author.channel,
    content,
    provenance,
  });
}

/** A person's pause holds the queue until somebody goes on: now. */
export async function releasePause(
  tx: Transaction,
  session: Session,
): Promise<Session> {
  return session.pausedBy === "user"
    ? await noteState(tx, session, { pausedBy: null })
    : session;
}

/** A goal that says something. */
export function goalOf({ goal }: Said): string | undefined {
  return goal === undefined || goal.trim() === "" ? undefined : goal;
}

/** How a message waits that nobody is told of. */
export function heldOr(session: Session): "held" | "queued" {
  return session.drivenBy === "client" || session.status === "failed"
    ? "held"
    : "queued";
}

/** Refuses to say anything to a session that cannot take it. */
export function assertTakesMessages(session: Session): void {
  if (session.status !== "failed" && session.status !== "archived") return;
  throw new FleetRefusalError(
    "wrong_state",
    session.status === "failed"
      ? `Session ${session.id} failed (${
        session.failureReason ?? "no reason is known"
      }): restart it first. Nothing was sent`
      : `Session ${session.id} is archived: unarchive it first. Nothing was sent`,
  );
}

/**
 * Makes a pending message the next to be said: the turn under way is told to
 * end, a queued one is to carry it, or a turn is queued for it.
 */
export async function pushForward(
  tx: Transaction,
  session: Session,
  message: QueuedMessage,
  open: OpenTurn | undefined,
): Promise<Delivery> {
  await moveMessage(tx, message, 1);
  const first = { ...message, position: 1 };
  if (session.drivenBy === "client") {
    return await receipt(tx, {
      session,
      message: first,
      how: "held",
      turn: undefined,
    });
  }
  if (open === undefined) {
    const offered = await offerTurn(tx, session, {
      kind: message.origin === "wake" ? "wake" : "message",
      messageId: message.id,
    }, { note: `message #${message.id}` });
    return await receipt(tx, {
      session: offered.session,
      message: first,
      how: "offered",
      turn: offered.turn,
    });
  }
  if (open.phase === "queued") {
    // A start has a prompt of its own, which nothing may overtake.
    if (open.kind === "start" || open.kind === "recovery") {
      return await receipt(tx, {
        session,
        message: first,
        how: "queued",
        turn: open,
      });
    }
    await aimTurn(tx, open.id, message.id);
    return await receipt(tx, {
      session,
      message: first,
      how: "offered",
      turn: open,
    });
  }
  await orderTurn(tx, open.id, {
    kind: "interrupt",
    reason: `message #${message.id} goes first`,
  });
  await writeLog(
    tx,
    session.id,
    `Turn ${open.ordinal} is interrupted for message #${message.id}: "${
      message.content.slice(0, 200)
    }"`,
  );
  return await receipt(tx, {
    session,
    message: first,
    how: "interrupting",
    turn: open,
  });
}

/** What became of a message, with the queue as it is now. */
export async function receipt(
  tx: Transaction,
  done: Pick<Delivery, "session" | "message" | "how" | "turn">,
): Promise<Delivery> {
  const { pending } = await countMessages(tx, done.session.id);
  const [row] = await tx.read<{ ahead: number }>(
    `select count(*)::int as ahead from enqueued_messages
     where session_id = $1 and status = 'pending' and position < $2`,
    [done.session.id, done.message.position ?? 0],
  );
  return {
    ...done,
    pending,
    ahead: row?.ahead ?? 0,
    wakes: await listWakes(tx, done.session.id),
  };
}
