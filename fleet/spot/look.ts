/**
 * The clock's look at spot sessions: those that the gate holds say so, those
 * that it lets go on are let go, and parked ones are taken up while there is
 * room.
 *
 * @module
 */
import type { Db, Transaction } from "../../store/pg/mod.ts";
import {
  lockSession,
  noteState,
  type Session,
  type WaitReason,
  writeLog,
} from "../../store/sessions/mod.ts";
import {
  type GateState,
  listHeld,
  listParked,
  listUnheld,
  readGateState,
} from "../../store/spot/mod.ts";
import { goOn } from "../actions/turns.ts";
import { classOf, genesesOf } from "./classes.ts";
import { decideGate, type GateDecision } from "./gate.ts";

/** What a look did. */
export interface SpotLook {
  /** Sessions that are held from now on. */
  readonly held: number;
  /** Sessions that are held no more. */
  readonly freed: number;
  /** Parked sessions that go on. */
  readonly resumed: number;
}

/** Looks once; at most so many sessions of each kind. */
export async function lookAtSpot(db: Db, limit: number): Promise<SpotLook> {
  const state = await readGateState(db);
  const decision = decideGate(state);
  const resuming = decideGate(state, { isResuming: true });
  const held = decision.isAllowed
    ? 0
    : await hold(db, { state, decision, limit });
  const freed = await free(db, { state, resuming, limit });
  const resumed = resuming.isAllowed ? await resume(db, { state, limit }) : 0;
  return { held, freed, resumed };
}

/** A turn that waits for room says so. */
async function hold(
  db: Db,
  { state, decision, limit }: {
    readonly state: GateState;
    readonly decision: GateDecision;
    readonly limit: number;
  },
): Promise<number> {
  const waitReason: WaitReason = decision.reason === "fleet_at_cap"
    ? "spot_pause"
    : "spot_hold";
  const { classes } = state.settings;
  const geneses = genesesOf("spot", classes);
  return await each(
    db,
    await listUnheld(db, { geneses, limit }),
    async (tx, session) => {
      const isSpot = classOf(session, classes).name === "spot";
      if (session.waitReason !== "queued" || !isSpot) return false;
      await noteState(tx, session, { waitReason });
      await writeLog(
        tx,
        session.id,
        `Held by the spot gate (${decision.reason}); get_spot_policy shows its figures`,
      );
      return true;
    },
  );
}

async function free(
  db: Db,
  { state, resuming, limit }: {
    readonly state: GateState;
    readonly resuming: GateDecision;
    readonly limit: number;
  },
): Promise<number> {
  const { classes } = state.settings;
  return await each(db, await listHeld(db, limit), async (tx, session) => {
    const isHeld = session.waitReason === "spot_hold" ||
      session.waitReason === "spot_pause";
    const isSpot = classOf(session, classes).name === "spot";
    if (!isHeld || (isSpot && !resuming.isAllowed)) return false;
    await noteState(tx, session, { waitReason: "queued" });
    await writeLog(
      tx,
      session.id,
      isSpot
        ? `The spot gate lets it go on (${resuming.reason})`
        : "It is a spot session no more, so the spot gate does not hold it",
    );
    return true;
  });
}

/** As many as there is room for; without a gate there always is. */
async function resume(
  db: Db,
  { state: { settings, running }, limit }: {
    readonly state: GateState;
    readonly limit: number;
  },
): Promise<number> {
  const room = settings.isGating ? settings.maxConcurrent - running : limit;
  const parked = await listParked(db, Math.min(limit, room));
  return await each(db, parked, async (tx, session) => {
    if (session.waitReason !== "spot_queue") return false;
    await goOn(tx, session, "there is room for spot sessions");
    return true;
  });
}

/** Each under its lock; how many were changed. */
async function each(
  db: Db,
  ids: readonly number[],
  work: (tx: Transaction, session: Session) => Promise<boolean>,
): Promise<number> {
  let changed = 0;
  for (const id of ids) {
    await db.transaction(async (tx) => {
      const session = await lockSession(tx, id);
      if (session !== undefined && await work(tx, session)) changed++;
    });
  }
  return changed;
}
