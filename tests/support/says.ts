/**
 * What an agent tells in its turn, in a test's database.
 *
 * @module
 */
import { readableText } from "../../fleet/turns/event_text.ts";
import type { Db } from "../../store/pg/db.ts";
import { findOpenTurn } from "../../store/sessions/turns.ts";
import { appendEvents } from "../../store/turns/events.ts";
import { lockTurn } from "../../store/turns/turn_row.ts";

/** An event as an agent's runner reports it. */
export type SaidEvent = readonly [
  kind: string,
  payload: Readonly<Record<string, unknown>>,
];

/** Adds to the open turn of a session, which was told its first prompt. */
export async function says(
  db: Db,
  sessionId: number,
  events: readonly SaidEvent[],
): Promise<void> {
  await db.transaction(async (tx) => {
    const open = await findOpenTurn(tx, sessionId);
    const turn = await lockTurn(tx, open?.id ?? 0);
    if (turn === undefined) throw new Error("No turn is open");
    await tx.write(
      `update turns set prompt = coalesce(prompt,
         (select prompt from sessions where id = session_id)) where id = $1`,
      [turn.id],
    );
    await appendEvents(
      tx,
      turn,
      events.map(([kind, payload], at) => ({
        seq: turn.nextSeq + at,
        kind,
        payload,
        text: readableText(kind, payload),
      })),
    );
  });
}
