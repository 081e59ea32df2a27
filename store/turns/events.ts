/**
 * Events of turns, by their numbers: what came twice is kept once.
 *
 * @module
 */
import type { Transaction } from "../pg/db.ts";

/** An event. */
export interface NewEvent {
  /** Its number in the turn, from 1. */
  readonly seq: number;
  /** What kind it is. */
  readonly kind: string;
  /** What it says. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** What of it can be read; null where there is nothing. */
  readonly text: string | null;
}

/**
 * Adds events that follow on the last one; answers with the number that is
 * expected next. The turn is locked.
 */
export async function appendEvents(
  tx: Transaction,
  turn: {
    readonly id: number;
    readonly sessionId: number;
    readonly nextSeq: number;
  },
  events: readonly NewEvent[],
): Promise<number> {
  const fresh = events.filter(({ seq }) => seq >= turn.nextSeq);
  const [first] = fresh;
  const last = fresh.at(-1);
  if (first === undefined || last === undefined || first.seq > turn.nextSeq) {
    return turn.nextSeq;
  }
  await tx.write(
    `insert into turn_events (turn_id, session_id, seq, kind, payload, text)
     select $1, $2, (e ->> 'seq')::bigint, e ->> 'kind', e -> 'payload', e ->> 'text'
     from jsonb_array_elements($3::text::jsonb) e on conflict do nothing`,
    [turn.id, turn.sessionId, JSON.stringify(fresh)],
  );
  await tx.write("update turns set next_seq = $2 where id = $1", [
    turn.id,
    last.seq + 1,
  ]);
  await tx.write(
    "update sessions set last_timeline_entry_at = now() where id = $1",
    [turn.sessionId],
  );
  return last.seq + 1;
}
