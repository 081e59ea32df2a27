/**
 * Sessions in a test's database, without the rules of the fleet: also of roots
 * that no catalog has.
 *
 * @module
 */
import { transition } from "../../fleet/sessions/transition.ts";
import type { Db } from "../../store/pg/db.ts";
import {
  insertSession,
  type NewSession,
  type StartedSession,
} from "../../store/sessions/insert.ts";
import type { Session } from "../../store/sessions/session.ts";

/** Registers a session as the program does once it has checked everything. */
export async function startSession(
  db: Db,
  session: Partial<NewSession> & Pick<NewSession, "agentRootKey">,
): Promise<StartedSession> {
  return await db.transaction(async (tx) => {
    const started = await insertSession(tx, {
      status: "waiting",
      drivenBy: "client",
      ...session,
    });
    if (started === undefined) throw new Error("The slug is taken");
    return started;
  });
}

/** Archives a session. */
export async function archiveSession(db: Db, id: number): Promise<Session> {
  return await db.transaction((tx) => transition(tx, id, "archive"));
}
