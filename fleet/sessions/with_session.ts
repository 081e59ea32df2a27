/**
 * The one way to a session that somebody wants to change: its row locked, the
 * caller's reach and fence checked.
 *
 * @module
 */
import { decideBy } from "../../catalog/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import { findSession, type Session } from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { assertSessionInside } from "../fence.ts";
import type { Fleet } from "../fleet.ts";
import { assertReach } from "./reach.ts";
import { lockOrRefuse, noSession } from "./transition.ts";

/** Which session, and what is to be done with it. */
export interface Target {
  /** Its number. */
  readonly id: number;
  /** Begins the refusal of one outside of the fence: `restarting it`. */
  readonly act: string;
  /**
   * Whether the fence holds for the caller's own session, too: what starts anew
   * could start what the fence leaves out.
   */
  readonly isOwnFenced?: boolean;
}

/**
 * Does something in a transaction that holds the lock of a session. A caller is
 * not fenced from its own session, unless the target says so.
 *
 * @throws {FleetRefusalError} `not_found`, `out_of_reach` or `fenced`.
 */
export async function withSession<T>(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  { id, act, isOwnFenced = false }: Target,
  work: (tx: Transaction, session: Session) => Promise<T>,
): Promise<T> {
  const db = await fleet.store.db();
  const { fence, sessionId } = caller;
  // Without a fence nothing depends on a catalog that may not be readable; and
  // a session never changes its root, so that this holds under the lock, too.
  if (fence !== null && (isOwnFenced || sessionId !== id)) {
    const session = await findSession(db, id);
    if (session === undefined) throw noSession(id);
    await decideBy(
      fleet.catalog,
      (catalog) => assertSessionInside(fence, catalog, session, act),
    );
  }
  return await db.transaction(async (tx) => {
    const session = await lockOrRefuse(tx, id);
    await assertReach(tx, caller, id);
    return await work(tx, session);
  });
}
