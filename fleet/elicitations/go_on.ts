/**
 * A turn that waited for an answer goes on once no question of it is open.
 *
 * @module
 */
import { countOpenElicitations } from "../../store/around_sessions/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import { findOpenTurn, type Session } from "../../store/sessions/mod.ts";
import { change } from "../sessions/transition.ts";

/** Lets it go on; answers with the session after it. */
export async function goOnIfAnswered(
  tx: Transaction,
  session: Session,
  note: string,
): Promise<Session> {
  const isHeld = session.status === "needs_input" &&
    session.pausedBy === "elicitation";
  if (!isHeld || await countOpenElicitations(tx, session.id) > 0) {
    return session;
  }
  const turn = await findOpenTurn(tx, session.id);
  if (turn === undefined || turn.phase === "queued") return session;
  return await change(tx, session, "unblock", { note });
}
