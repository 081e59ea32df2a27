/**
 * Heartbeats: a session that rested as long as it was set to gets a turn of its
 * own, with nothing to say but that time has passed.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import {
  insertMessage,
  lockSession,
  noteBeat,
} from "../../store/sessions/mod.ts";
import { drain } from "../sessions/offer.ts";

/** What a heartbeat says. */
export const HEARTBEAT = "heartbeat";

/** A rest that is over: of one that nobody holds, and nothing waits for. */
const DUE = `heartbeat_enabled and status = 'needs_input' and paused_by is null
  and driven_by = 'runner'
  and state_since <= now() - heartbeat_interval_seconds * interval '1 second'`;

/** Gives those that are due their turn, `limit` at most; how many. */
export async function beatSessions(db: Db, limit: number): Promise<number> {
  const rows = await db.read<{ id: string }>(
    `select id from sessions where ${DUE} order by state_since limit $1`,
    [limit],
  );
  let beaten = 0;
  for (const row of rows) {
    const id = Number(row.id);
    await db.transaction(async (tx) => {
      const session = await lockSession(tx, id);
      // Of two servers that look at once, the second finds it gone on.
      const still = await tx.read(
        `select 1 from sessions where id = $1 and ${DUE}`,
        [id],
      );
      if (session === undefined || still.length === 0) return;
      await insertMessage(tx, id, { content: HEARTBEAT, origin: "heartbeat" });
      await noteBeat(tx, id);
      if (await drain(tx, session) !== undefined) beaten++;
    });
  }
  return beaten;
}
