/**
 * What is done to the turns of a session: pause, start, restart, park.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import {
  cancelTurn,
  countMessages,
  dropWakes,
  editSession,
  findOpenTurn,
  insertMessage,
  listWakes,
  noteState,
  type OpenTurn,
  orderTurn,
  readSessionTexts,
  type Session,
} from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { drain, offerTurn } from "../sessions/offer.ts";
import { assertText, LIMITS } from "../sessions/texts.ts";
import { change } from "../sessions/transition.ts";
import { withSession } from "../sessions/with_session.ts";

/** What is said to a session that goes on without a message. */
const GO_ON = "Continue where you left off.";

/** A session, and its turn that is queued or under way. */
export interface Steered {
  /** The session after it. */
  readonly session: Session;
  /** Its turn, where it has one. */
  readonly turn: OpenTurn | undefined;
}

function wrongState(session: Session, rule: string): FleetRefusalError {
  const { id, status, waitReason } = session;
  return new FleetRefusalError(
    "wrong_state",
    `Session ${id} is ${status}${
      waitReason === null ? "" : ` (${waitReason})`
    }: ${rule}. Nothing was changed`,
  );
}

function assertRunners(session: Session): void {
  if (session.drivenBy === "runner") return;
  throw wrongState(
    session,
    "its own client drives it, and no runner ever takes a turn of it",
  );
}

/**
 * Asks for the end of the turn under way, and holds the queue until somebody
 * goes on. The session rests once the process is gone.
 *
 * @throws {FleetRefusalError} `wrong_state`: no turn is under way.
 */
export async function pauseSession(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<Steered & { readonly turn: OpenTurn }> {
  return await withSession(
    fleet,
    caller,
    { id, act: "pausing it" },
    async (tx, session) => {
      const turn = await findOpenTurn(tx, id);
      if (session.status !== "running" || turn === undefined) {
        throw wrongState(session, "only a running one can be paused");
      }
      await orderTurn(tx, turn.id, { kind: "stop", reason: "paused" });
      return {
        session: await noteState(tx, session, { pausedBy: "user" }),
        turn,
      };
    },
  );
}

/**
 * Takes a session up again that was parked in the spot queue, or that a person
 * paused over messages.
 *
 * @throws {FleetRefusalError} `wrong_state`: it is not parked, or sleeps until
 * a time that has not come.
 */
export async function startNow(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<Steered> {
  return await withSession(
    fleet,
    caller,
    { id, act: "starting it" },
    async (tx, session) => {
      assertRunners(session);
      await assertNoClock(tx, session);
      if (session.pausedBy === "user" && session.status === "needs_input") {
        const free = await noteState(tx, session, { pausedBy: null });
        const offered = await drain(tx, free);
        if (offered !== undefined) return offered;
      }
      if (session.waitReason !== "spot_queue") {
        throw wrongState(session, "nothing of it is parked in the spot queue");
      }
      return await goOn(tx, session);
    },
  );
}

/**
 * Starts a session anew where it rests, waits or failed: what is pending first,
 * else it goes on where it stopped; one that never ran begins with its prompt.
 *
 * @throws {FleetRefusalError} `wrong_state`, or `fenced`.
 */
export async function restartSession(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<Steered> {
  return await withSession(
    fleet,
    caller,
    { id, act: "restarting it", isOwnFenced: true },
    async (tx, session) => {
      assertRunners(session);
      return await restart(tx, session);
    },
  );
}

/** The same within a transaction that holds the lock. */
export async function restart(
  tx: Transaction,
  session: Session,
): Promise<Steered> {
  const open = await findOpenTurn(tx, session.id);
  const isUnderWay = open !== undefined && open.phase !== "queued";
  if (
    isUnderWay || session.status === "running" || session.status === "archived"
  ) {
    throw wrongState(
      session,
      session.status === "archived"
        ? "unarchive it first"
        : "a turn of it is under way; pause it first",
    );
  }
  await assertNoClock(tx, session);
  await assertSomethingToDo(tx, session);
  await dropWakes(tx, session.id);
  if (open !== undefined) await cancelTurn(tx, open.id, "restarted");
  return await goOn(tx, session);
}

/** Offers the turn that a session goes on with: what is pending first. */
export async function goOn(
  tx: Transaction,
  session: Session,
  note?: string,
): Promise<Steered> {
  const { pending } = await countMessages(tx, session.id);
  const isNew = session.leaseNo === 0;
  const texts = await readSessionTexts(tx, session.id);
  const prompt = texts?.prompt ?? undefined;
  if (isNew && prompt !== undefined) {
    return await offerTurn(tx, session, {
      kind: "start",
      prompt,
      goal: texts?.goal ?? undefined,
    }, { note });
  }
  return await offerTurn(
    tx,
    session,
    pending > 0 ? { kind: "message" } : { kind: "recovery", prompt: GO_ON },
    { note },
  );
}

async function assertSomethingToDo(
  tx: Transaction,
  session: Session,
): Promise<void> {
  if (session.leaseNo > 0) return;
  const texts = await readSessionTexts(tx, session.id);
  if (typeof texts?.prompt === "string") return;
  const { pending } = await countMessages(tx, session.id);
  if (pending > 0) return;
  throw wrongState(
    session,
    "it never ran and was asked nothing; follow_up first",
  );
}

/** Refuses a session that sleeps until a time that has not come. */
async function assertNoClock(tx: Transaction, session: Session): Promise<void> {
  if (session.status !== "waiting") return;
  const wakes = await listWakes(tx, session.id);
  const due = wakes.flatMap(({ conditions }) => conditions)
    .find((one) => one.kind === "time");
  if (due?.kind !== "time") return;
  throw wrongState(
    session,
    `it sleeps until ${due.wakeAt} in ${due.timezone}; a follow_up reaches it, and archiving ends the wake`,
  );
}

/** How a session is put into the spot queue. */
export interface Parking {
  /** What it is told when it is taken up again. */
  readonly prompt?: string | undefined;
  /** Whether its turn is ended now, and not left to finish. */
  readonly isHalting?: boolean | undefined;
}

/**
 * Puts a session into the spot queue: it goes on when there is room. Its wakes
 * for a time end. A running one finishes its turn first, unless it is to halt.
 *
 * @throws {FleetRefusalError} `wrong_state`: it never ran, failed or is archived.
 */
export async function parkSession(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  { prompt, isHalting }: Parking,
): Promise<Steered> {
  if (prompt !== undefined) assertText(prompt, "prompt", LIMITS.prompt);
  return await withSession(
    fleet,
    caller,
    { id, act: "parking it" },
    async (tx, session) => {
      assertRunners(session);
      if (!["needs_input", "running", "waiting"].includes(session.status)) {
        throw wrongState(
          session,
          "only one that is needs_input, running or waiting can be parked",
        );
      }
      if (session.leaseNo === 0) {
        throw wrongState(session, "it never ran, so there is nothing to park");
      }
      await dropWakes(tx, id, { onlyTimes: true });
      await editSession(tx, id, { schedulingClass: "spot" });
      if (prompt !== undefined) {
        await insertMessage(tx, id, { content: prompt });
      }
      const open = await findOpenTurn(tx, id);
      const isUnderWay = open !== undefined && open.phase !== "queued";
      if (isUnderWay) {
        if (isHalting === true) {
          await orderTurn(tx, open.id, { kind: "stop", reason: "parked" });
        }
        // While its agent asks a question, the answer comes first.
        if (session.status !== "running") {
          throw wrongState(session, "its agent waits for an answer");
        }
        return {
          session: await noteState(tx, session, { pendingSleep: "spot_queue" }),
          turn: open,
        };
      }
      if (open !== undefined) await cancelTurn(tx, open.id, "parked");
      const after = await change(tx, session, "sleep", {
        waitReason: "spot_queue",
      });
      return { session: after, turn: undefined };
    },
  );
}
