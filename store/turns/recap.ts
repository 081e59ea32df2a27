/**
 * The last words of a session, for an agent that has not heard them: its
 * conversation cannot be continued, or it is a fork's.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import { forkPointOf } from "../sessions/fork_point.ts";
import type { Session } from "../sessions/session.ts";

const MAX_PROMPT_CHARACTERS = 1_000;
const MAX_TEXT_CHARACTERS = 1_500;

type Talk = Pick<Session, "id" | "metadata">;

/**
 * What was said in its last turns, oldest first, and before them in those of the
 * session that it was forked from: `limit` turns at most. Empty where there are
 * none.
 */
export async function readRecap(
  db: Queryable,
  session: Pick<Session, "id" | "metadata">,
  limit: number,
): Promise<string> {
  const said: string[] = [];
  let omitted = 0;
  let talk: Talk | undefined = session;
  let end: number | null = null;
  // A fork is younger than its source, so this comes to an end.
  while (talk !== undefined && said.length < limit) {
    const rows: readonly Row[] = await readTurns(db, talk.id, {
      end,
      limit: limit - said.length,
    });
    said.push(...rows.map(turnText));
    omitted = Number(rows[0]?.turns ?? 0) - rows.length;
    const point = forkPointOf(talk);
    end = point?.turn ?? null;
    talk = point && await findTalk(db, point.sessionId);
  }
  if (omitted > 0) said.push(`(${omitted} earlier turns are left out)`);
  return said.toReversed().join("\n\n");
}

/** Turns up to one, newest first. */
async function readTurns(
  db: Queryable,
  sessionId: number,
  { end, limit }: { readonly end: number | null; readonly limit: number },
): Promise<readonly Row[]> {
  return await db.read<Row>(
    `with told as (
       select id, ordinal, prompt, (count(*) over ())::int as turns from turns
       where session_id = $1 and kind <> 'summary' and delivered_at is not null
         and ($2::int is null or ordinal <= $2)
       order by ordinal desc limit $3)
     select t.ordinal, t.turns, $1::bigint as session_id,
       left(t.prompt, $4) as prompt,
       char_length(t.prompt) as prompt_characters,
       right(words.text, $5) as said,
       char_length(words.text) as said_characters
     from told t left join lateral (
       select string_agg(e.text, '' order by e.seq) as text from (
         select text, seq from turn_events
         where turn_id = t.id and kind = 'text' order by seq desc limit 200) e
     ) words on true
     order by t.ordinal desc`,
    [sessionId, end, limit, MAX_PROMPT_CHARACTERS, MAX_TEXT_CHARACTERS],
  );
}

function turnText(row: Row): string {
  const isPromptCut = Number(row.prompt_characters) > MAX_PROMPT_CHARACTERS;
  const isSaidCut = Number(row.said_characters) > MAX_TEXT_CHARACTERS;
  return `Turn ${row.ordinal} of session ${row.session_id}\nYou were told: ${
    row.prompt ?? "(nothing)"
  }${isPromptCut ? "… (cut)" : ""}\nYou said: ${isSaidCut ? "(cut) …" : ""}${
    row.said ?? "(nothing)"
  }`;
}

async function findTalk(db: Queryable, id: number): Promise<Talk | undefined> {
  const [row] = await db.read<Row>(
    "select metadata from sessions where id = $1",
    [id],
  );
  return row && { id, metadata: row.metadata as Talk["metadata"] };
}
