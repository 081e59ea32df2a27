/**
 * Ends turns that nobody works on any more: their lease is over, or their
 * runner does not know of them.
 *
 * @module
 */
import { lockSession } from "../../store/sessions/mod.ts";
import { findExpiredTurns, lockTurn } from "../../store/turns/mod.ts";
import { settle } from "./settle.ts";
import type { Turns } from "./turns.ts";

/** Turns that one look ends at most; the next one takes the rest. */
const MAX_TURNS = 100;

/** Ends every turn whose lease is over; how many. */
export async function loseExpiredTurns(
  turns: Pick<Turns, "store" | "durations">,
): Promise<number> {
  const db = await turns.store.db();
  const expired = await findExpiredTurns(db, MAX_TURNS);
  let lost = 0;
  for (const turn of expired) {
    if (await loseTurn(turns, turn, "Its lease ran out", true)) lost++;
  }
  return lost;
}

/** Ends one turn as lost, unless it has ended; whether it did. */
export async function loseTurn(
  { store, durations }: Pick<Turns, "store" | "durations">,
  { id, sessionId }: { readonly id: number; readonly sessionId: number },
  detail: string,
  onlyExpired = false,
): Promise<boolean> {
  const db = await store.db();
  return await db.transaction(async (tx) => {
    const session = await lockSession(tx, sessionId);
    const turn = await lockTurn(tx, id);
    const isActive = turn !== undefined && turn.phase !== "ended" &&
      turn.phase !== "queued";
    if (session === undefined || !isActive) return false;
    // A beat may have come in between.
    if (onlyExpired) {
      const [still] = await tx.read(
        "select 1 as one from turns where id = $1 and leased_until < now()",
        [id],
      );
      if (still === undefined) return false;
    }
    await settle(tx, { session, turn, durations }, {
      outcome: "lost",
      class: "lost",
      detail,
      parkedMs: null,
      git: null,
      usage: [],
      facts: {},
      commands: [],
    });
    return true;
  });
}
