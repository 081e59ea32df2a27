/**
 * Turns are offered and taken back here, and nowhere else: a session that waits
 * because a turn is queued has exactly one queued turn.
 *
 * Everybody holds the lock of the session.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import {
  cancelTurn,
  countMessages,
  insertTurn,
  listWakes,
  type NewTurn,
  type OpenTurn,
  type Session,
  type WaitReason,
} from "../../store/sessions/mod.ts";
import { change } from "./transition.ts";

/** A session, and the turn that is queued for it. */
export interface Offered {
  /** The session, waiting. */
  readonly session: Session;
  /** Its queued turn. */
  readonly turn: OpenTurn;
}

/** Why the turn waits, where it does not only wait for a runner. */
export interface OfferDetails {
  /** Why. @default {"queued"} */
  readonly waitReason?: WaitReason | undefined;
  /** Until when. */
  readonly waitUntil?: Date | undefined;
  /** For the session's log. */
  readonly note?: string | undefined;
}

/**
 * Queues a turn for a session that has none.
 *
 * @throws {FleetRefusalError} Code `wrong_state`: it is running or archived.
 */
export async function offerTurn(
  tx: Transaction,
  session: Session,
  turn: NewTurn,
  details: OfferDetails = {},
): Promise<Offered> {
  const after = await change(tx, session, "queue", {
    waitReason: details.waitReason ?? "queued",
    waitUntil: details.waitUntil,
    note: details.note,
  });
  return { session: after, turn: await insertTurn(tx, session.id, turn) };
}

/** Takes a queued turn back; the session rests, or stands as it was made. */
export async function retractTurn(
  tx: Transaction,
  session: Session,
  turn: OpenTurn,
  reason: string,
): Promise<Session> {
  await cancelTurn(tx, turn.id, reason);
  const isNew = session.leaseNo === 0;
  return await change(tx, session, "dequeue", {
    to: isNew ? "waiting" : "needs_input",
    waitReason: isNew ? "never_started" : undefined,
    note: reason,
  });
}

/** Whether nothing but a message or a wake makes a session go on. */
function isIdle({ status, waitReason }: Session): boolean {
  return status === "needs_input" ||
    (status === "waiting" &&
      (waitReason === "asleep" || waitReason === "never_started"));
}

/**
 * Offers a turn for what is pending, to a session that rests and is not held:
 * undefined where nothing is to be said, or nobody may say it.
 */
export async function drain(
  tx: Transaction,
  session: Session,
): Promise<Offered | undefined> {
  if (session.drivenBy !== "runner" || session.pausedBy !== null) return;
  if (!isIdle(session)) return;
  const { pending } = await countMessages(tx, session.id);
  if (pending === 0) return;
  return await offerTurn(tx, session, { kind: "message" }, {
    note: `${pending} message(s) pending`,
  });
}

/** How a turn ended, as far as the session is concerned. */
export type TurnEnd =
  /** It ended well, or was interrupted: the session rests, or goes on. */
  | { readonly kind: "done"; readonly note?: string }
  /** It is tried again: a turn waits for its time. */
  | {
    readonly kind: "retry";
    readonly waitReason: "retrying" | "parked" | "auth_outage";
    readonly waitUntil: Date;
    readonly turn: NewTurn;
    readonly note?: string;
  }
  /** It broke down for good. */
  | { readonly kind: "failed"; readonly reason: string };

/**
 * What follows a turn that has ended, in the same transaction. Before it, the
 * turn's row was ended, and its message deleted or put back.
 */
export async function settleTurn(
  tx: Transaction,
  session: Session,
  end: TurnEnd,
): Promise<{ readonly session: Session; readonly next?: OpenTurn }> {
  if (session.status === "archived") return { session };
  if (end.kind === "failed") {
    return {
      session: await change(tx, session, "fail", {
        failureReason: end.reason,
        note: end.reason,
      }),
    };
  }
  const isPaused = session.pausedBy === "user";
  if (end.kind === "retry" && !isPaused) {
    const after = await change(tx, session, "retry", end);
    return { session: after, next: await insertTurn(tx, session.id, end.turn) };
  }
  const rested = await change(tx, session, "rest", {
    pausedBy: isPaused ? "user" : null,
    note: end.note,
  });
  if (isPaused) return { session: rested };
  if (session.pendingSleep === "spot_queue") {
    return {
      session: await change(tx, rested, "sleep", { waitReason: "spot_queue" }),
    };
  }
  const offered = await drain(tx, rested);
  if (offered !== undefined) {
    return { session: offered.session, next: offered.turn };
  }
  return { session: await sleepUntilWoken(tx, rested) };
}

/** Lets a session that rests sleep, where a wake of it is armed. */
export async function sleepUntilWoken(
  tx: Transaction,
  session: Session,
): Promise<Session> {
  const [first] = await listWakes(tx, session.id);
  if (first === undefined) return session;
  const due = first.conditions.find((one) => one.kind === "time");
  return await change(tx, session, "sleep", {
    waitReason: "asleep",
    waitUntil: due?.kind === "time" ? due.dueAt : undefined,
  });
}
