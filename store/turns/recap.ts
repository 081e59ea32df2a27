/**
 * The last words of a session, for a conversation that cannot be continued.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";

const MAX_TURNS = 5;
const MAX_PROMPT_CHARACTERS = 1_000;
const MAX_TEXT_CHARACTERS = 1_500;

/** What was said in its last turns, oldest first; empty where there are none. */
export async function readRecap(
  db: Queryable,
  sessionId: number,
): Promise<string> {
  const rows = await db.read<Row>(
    `select t.ordinal, left(t.prompt, $3) as prompt, (
       select right(string_agg(e.text, '' order by e.seq), $4) from (
         select text, seq from turn_events
         where turn_id = t.id and kind = 'text' order by seq desc limit 200) e
     ) as said
     from turns t where t.session_id = $1 and t.phase = 'ended'
       and t.kind <> 'summary'
       and t.delivered_at is not null
     order by t.ordinal desc limit $2`,
    [sessionId, MAX_TURNS, MAX_PROMPT_CHARACTERS, MAX_TEXT_CHARACTERS],
  );
  return rows.reverse().map((row) =>
    `Turn ${row.ordinal}\nYou were told: ${
      row.prompt ?? "(nothing)"
    }\nYou said: ${row.said ?? "(nothing)"}`
  ).join("\n\n");
}
