/**
 * Whether sessions can still go on by themselves.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";

/** Sessions that have a turn, wait for one, or have messages for one. */
const GOES_ON =
  `status in ('waiting', 'running') or (status = 'needs_input' and exists (
    select from enqueued_messages m
    where m.session_id = sessions.id and m.status = 'pending'))`;

/** Kinds of sessions that are named. */
const MAX_NAMED = 5;

/**
 * Why nothing will happen any more, in words; undefined while some session can
 * go on.
 */
export async function whyOver(db: Db): Promise<string | undefined> {
  const going = await db.read(
    `select 1 from sessions where ${GOES_ON} limit 1`,
  );
  if (going.length > 0) return undefined;
  const rows = await db.read<{ status: string; why: string; n: number }>(
    `select status, coalesce(failure_reason, '') as why, count(*)::int as n
     from sessions group by 1, 2 order by n desc, 1, 2 limit ${MAX_NAMED}`,
  );
  if (rows.length === 0) return "there is no session";
  const texts = rows.map(({ status, why, n }) =>
    `${n} of the sessions ${n === 1 ? "is" : "are"} ${status}${
      why === "" ? "" : ` (${why})`
    }`
  );
  return texts.join(", ");
}
