/**
 * What a person wants to know of sessions at a glance: how long their queue is,
 * and what their agents said last.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";

/** A session at a glance. */
export interface Glance {
  /** Messages still to be said. */
  readonly pending: number;
  /** Whether one is being delivered. */
  readonly isDelivering: boolean;
  /** The beginning of what its agent said last; null where it said nothing. */
  readonly lastWords: string | null;
  /** When it said it. */
  readonly lastAt: Date | null;
}

/** Reads those of some sessions, with so many characters of the last words. */
export async function readGlances(
  db: Queryable,
  ids: readonly number[],
  { characters }: { readonly characters: number },
): Promise<ReadonlyMap<number, Glance>> {
  const rows = await db.read<Row>(
    `select s.id, q.pending, q.processing, said.text, said.at
     from jsonb_array_elements_text($1::text::jsonb) named (id)
     join sessions s on s.id = named.id::bigint
     cross join lateral (
       select count(*) filter (where status = 'pending')::int as pending,
         count(*) filter (where status = 'processing')::int as processing
       from enqueued_messages m where m.session_id = s.id) q
     left join lateral (
       select left(e.text, $2) as text, e.at from turn_events e
       where e.session_id = s.id and e.kind = 'text' and e.text is not null
       order by e.turn_id desc, e.seq desc limit 1) said on true`,
    [JSON.stringify(ids), characters],
  );
  return new Map(rows.map((row) => [Number(row.id), {
    pending: Number(row.pending),
    isDelivering: Number(row.processing) > 0,
    lastWords: row.text as string | null,
    lastAt: row.at as Date | null,
  }]));
}
