/**
 * What named people said in a family of sessions.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";

/** Entries that are listed at most: the newest of all. */
export const NEWEST_OF_ALL = 25;
/** The newest of each origin, which are listed in any case. */
export const NEWEST_OF_EACH = 5;

/** What somebody said. */
export interface HumanMessage {
  /** Its number. */
  readonly id: number;
  /** The session that it was said to. */
  readonly sessionId: number;
  /** Who said it: a key of a person. */
  readonly author: string;
  /** Where. */
  readonly channel: "web_ui" | "slack";
  /** What. */
  readonly content: string;
  /** When. */
  readonly occurredAt: Date;
  /** Whether it was said to the session that is asked about. */
  readonly isHere: boolean;
}

/** The record of a family. */
export interface HumanRecord {
  /** Entries said to the session, of the whole record. */
  readonly here: number;
  /** Entries said to others of the family, of the whole record. */
  readonly elsewhere: number;
  /** The newest of all and of each origin, newest first. */
  readonly newest: readonly HumanMessage[];
}

/** Reads the record of a session and its family. */
export async function readHumanMessages(
  db: Queryable,
  sessionId: number,
  familyIds: readonly number[],
): Promise<HumanRecord> {
  const family = JSON.stringify([...new Set([sessionId, ...familyIds])]);
  const ids =
    "array(select jsonb_array_elements_text($1::text::jsonb)::bigint)";
  const [[counts], rows] = await Promise.all([
    db.read<{ here: number; elsewhere: number }>(
      `select count(*) filter (where session_id = $2)::int as here,
         count(*) filter (where session_id <> $2)::int as elsewhere
       from human_messages where session_id = any (${ids})`,
      [family, sessionId],
    ),
    db.read<Row>(
      `select m.id, m.session_id, m.author, m.channel, m.content, m.occurred_at
       from human_messages m join (
         select id, row_number() over (order by occurred_at desc, id desc) as of_all,
           row_number() over (partition by session_id = $2
             order by occurred_at desc, id desc) as of_each
         from human_messages where session_id = any (${ids})) ranked using (id)
       where ranked.of_all <= ${NEWEST_OF_ALL} or ranked.of_each <= ${NEWEST_OF_EACH}
       order by m.occurred_at desc, m.id desc`,
      [family, sessionId],
    ),
  ]);
  return {
    here: counts?.here ?? 0,
    elsewhere: counts?.elsewhere ?? 0,
    newest: rows.map((row) => ({
      id: Number(row.id),
      sessionId: Number(row.session_id),
      author: String(row.author),
      channel: row.channel as HumanMessage["channel"],
      content: String(row.content),
      occurredAt: row.occurred_at as Date,
      isHere: Number(row.session_id) === sessionId,
    })),
  };
}
