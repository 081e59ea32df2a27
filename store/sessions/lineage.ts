/**
 * Who is senior to whom: the session that started another, and sessions that
 * spoke to another (uncles).
 *
 * @module
 */
import type { Queryable, Transaction } from "../pg/db.ts";
import { LOCK_KEYS } from "../pg/locks.ts";

/** Whom a session was started by: its parent, else the router that it names. */
export const PARENT_OF = `coalesce(s.parent_session_id,
  case when s.custom_metadata->>'router_session_id' ~ '^[1-9][0-9]{0,14}$'
    then (s.custom_metadata->>'router_session_id')::bigint end)`;

/** Longest way that is followed. */
const MAX_STEPS = 64;

/** Makes changes of seniority wait for each other, until the transaction ends. */
export async function lockLineage(tx: Transaction): Promise<void> {
  await tx.write("select pg_advisory_xact_lock($1)", [LOCK_KEYS.lineage]);
}

/** Whether one session is senior to another, by any way. */
export async function isSenior(
  db: Queryable,
  senior: number,
  junior: number,
): Promise<boolean> {
  const rows = await db.read(
    `with recursive up (id, step) as (
       select $2::bigint, 0
       union
       select e.senior, up.step + 1 from up join lateral (
         select ${PARENT_OF} as senior from sessions s where s.id = up.id
         union all
         select uncle_session_id from session_uncle_links where session_id = up.id
       ) e on e.senior is not null
       where up.step < ${MAX_STEPS})
     select 1 from up where id = $1 and step > 0 limit 1`,
    [senior, junior],
  );
  return rows.length > 0;
}

/** Whether one session started another, or one of those that started it. */
export async function isAncestor(
  db: Queryable,
  ancestor: number,
  id: number,
): Promise<boolean> {
  const rows = await db.read(
    `with recursive up (id, step) as (
       select parent_session_id, 1 from sessions where id = $2::bigint
       union
       select s.parent_session_id, up.step + 1 from up join sessions s on s.id = up.id
       where up.step < ${MAX_STEPS})
     select 1 from up where id = $1 limit 1`,
    [ancestor, id],
  );
  return rows.length > 0;
}

/** Records that a session spoke to another; whether that is new. */
export async function insertUncle(
  tx: Transaction,
  link: {
    readonly sessionId: number;
    readonly uncleSessionId: number;
    readonly source: string;
  },
): Promise<boolean> {
  const rows = await tx.write(
    `insert into session_uncle_links (session_id, uncle_session_id, source)
     values ($1, $2, $3) on conflict do nothing returning 1`,
    [link.sessionId, link.uncleSessionId, link.source],
  );
  return rows.length > 0;
}

/** Takes exactly that edge away; whether it was there. */
export async function deleteUncle(
  tx: Transaction,
  sessionId: number,
  uncleSessionId: number,
): Promise<boolean> {
  const rows = await tx.write(
    `delete from session_uncle_links
     where session_id = $1 and uncle_session_id = $2 returning 1`,
    [sessionId, uncleSessionId],
  );
  return rows.length > 0;
}

/** Whether that edge is there. */
export async function hasUncle(
  db: Queryable,
  sessionId: number,
  uncleSessionId: number,
): Promise<boolean> {
  const rows = await db.read(
    `select 1 from session_uncle_links
     where session_id = $1 and uncle_session_id = $2`,
    [sessionId, uncleSessionId],
  );
  return rows.length > 0;
}
