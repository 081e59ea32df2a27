/**
 * What a runner does to the rows of a session, without a runner: leases its
 * queued turn, and ends it.
 *
 * @module
 */
import { settleTurn, type TurnEnd } from "../../fleet/sessions/offer.ts";
import { change, lockOrRefuse } from "../../fleet/sessions/transition.ts";
import type { Db } from "../../store/pg/mod.ts";
import {
  deleteMessage,
  findMessage,
  findOpenTurn,
  findProcessing,
  listMessages,
  takeMessage,
} from "../../store/sessions/mod.ts";

/** Leases the queued turn of a session; false where there is none. */
export async function leaseTurn(db: Db, sessionId: number): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const session = await lockOrRefuse(tx, sessionId);
    const turn = await findOpenTurn(tx, sessionId);
    if (turn?.phase !== "queued") return false;
    if (turn.kind === "message" || turn.kind === "wake") {
      const message = turn.messageId === null
        ? (await listMessages(tx, sessionId, { status: "pending", limit: 1 }))[
          0
        ]
        : await findMessage(tx, sessionId, turn.messageId);
      if (message === undefined) throw new Error("Nothing to be said");
      await takeMessage(tx, message);
    }
    await tx.write(
      `insert into runners (name) select 'test' where not exists (select from runners)`,
    );
    await tx.write(
      `update turns set phase = 'leased', lease_no = $2, leased_at = now(),
         leased_until = now() + interval '60 seconds',
         runner_id = (select min(id) from runners) where id = $1`,
      [turn.id, session.leaseNo + 1],
    );
    await tx.write(
      "update sessions set lease_no = lease_no + 1 where id = $1",
      [
        sessionId,
      ],
    );
    await change(tx, session, "lease");
    return true;
  });
}

/** Ends the leased turn of a session; false where there is none. */
export async function endTurn(
  db: Db,
  sessionId: number,
  end: TurnEnd = { kind: "done" },
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const session = await lockOrRefuse(tx, sessionId);
    const turn = await findOpenTurn(tx, sessionId);
    if (turn === undefined || turn.phase === "queued") return false;
    const message = await findProcessing(tx, sessionId);
    if (message !== undefined) await deleteMessage(tx, message);
    await tx.write(
      `update turns set phase = 'ended', ended_at = now(), delivered_at = now(),
         outcome = $2 where id = $1`,
      [turn.id, end.kind],
    );
    await settleTurn(tx, session, end);
    return true;
  });
}
