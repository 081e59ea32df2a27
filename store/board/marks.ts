/**
 * What tells that a session changed in any way that its page shows.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";

/** A mark of each session that is there, by number; it differs when it changed. */
export async function readMarks(
  db: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await db.read<Row>(
    `select s.id, concat_ws(' ', s.updated_at, s.last_timeline_entry_at,
       (select concat(count(*), max(updated_at), max(id)) from enqueued_messages
        where session_id = s.id),
       (select concat(count(*), max(updated_at)) from elicitations
        where session_id = s.id),
       (select concat(id, phase, next_seq) from turns
        where session_id = s.id order by ordinal desc limit 1)) as mark
     from sessions s where s.id in (
       select jsonb_array_elements_text($1::text::jsonb)::bigint)`,
    [JSON.stringify(ids)],
  );
  return new Map(rows.map((row) => [Number(row.id), String(row.mark)]));
}
