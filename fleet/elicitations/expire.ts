/**
 * Questions that nobody answered in time: they are lost, and said to be, and
 * their session goes on.
 *
 * @module
 */
import {
  expireElicitations,
  findWithOverdue,
} from "../../store/around_sessions/mod.ts";
import type { Db, Transaction } from "../../store/pg/mod.ts";
import {
  insertNotice,
  lockSession,
  type Session,
  writeLog,
} from "../../store/sessions/mod.ts";
import { goOnIfAnswered } from "./go_on.ts";

/** Ends what is overdue, of `limit` questions at most; how many sessions. */
export async function expireOverdue(db: Db, limit: number): Promise<number> {
  const ids = await findWithOverdue(db, limit);
  for (const id of ids) {
    await db.transaction(async (tx) => {
      const session = await lockSession(tx, id);
      if (session !== undefined) await expireOf(tx, session);
    });
  }
  return ids.length;
}

/** The same for one session, whose lock the transaction holds. */
export async function expireOf(
  tx: Transaction,
  session: Session,
): Promise<Session> {
  const expired = await expireElicitations(tx, session.id);
  if (expired.length === 0) return session;
  const after = await goOnIfAnswered(tx, session, "its question expired");
  for (const { requestId, message } of expired) {
    await writeLog(
      tx,
      session.id,
      `Nobody answered question ${requestId} in time`,
      "warning",
    );
    // Behind the change, which marks what was told before it as outdated.
    await insertNotice(tx, {
      sessionId: session.id,
      type: "elicitation_expired",
      message: `Nobody answered in time: ${message}`.slice(0, 1_000)
        .replace(/[\ud800-\udbff]$/, ""),
      marker: requestId,
    });
  }
  return after;
}
