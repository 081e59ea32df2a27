/**
 * Spot sessions that wait for room: those that the gate holds, those that it
 * may hold, those that are parked.
 *
 * @module
 */
import { LOCK_KEYS } from "../pg/locks.ts";
import type { Queryable, Row, Transaction } from "../pg/db.ts";
import type { Genesis } from "../sessions/words.ts";

/** Which sessions are meant, at most. */
export interface SpotPlace {
  /** Geneses whose sessions are spot unless they have a class of their own. */
  readonly geneses: readonly Genesis[];
  /** How many at most. */
  readonly limit: number;
}

const QUEUED = `status = 'waiting' and driven_by = 'runner'
  and wait_reason in ('queued', 'retrying', 'parked', 'auth_outage', 'spot_hold', 'spot_pause')
  and coalesce(scheduling_class, genesis) = any (
    array(select jsonb_array_elements_text($1::text::jsonb)))`;

/** Spot sessions that only wait for a runner, and are not held. */
export async function listUnheld(
  db: Queryable,
  place: SpotPlace,
): Promise<number[]> {
  return await list(
    db,
    `${QUEUED} and (wait_reason in ('spot_hold', 'spot_pause')) = false
     and wait_reason = 'queued'`,
    place,
  );
}

/** Spot sessions that the gate holds, and those that are spot no more. */
export async function listHeld(
  db: Queryable,
  limit: number,
): Promise<number[]> {
  const rows = await db.read<{ id: string }>(
    `select id from sessions where status = 'waiting' and driven_by = 'runner'
       and wait_reason in ('queued', 'retrying', 'parked', 'auth_outage', 'spot_hold', 'spot_pause')
       and (wait_reason in ('spot_hold', 'spot_pause')) = true
     order by precedence desc, state_since, id limit $1`,
    [limit],
  );
  return rows.map(({ id }) => Number(id));
}

/** Sessions parked in the spot queue, in the order in which they go on. */
export async function listParked(
  db: Queryable,
  limit: number,
): Promise<number[]> {
  const rows = await db.read<{ id: string }>(
    `select id from sessions where wait_reason = 'spot_queue'
     order by precedence desc, created_at, id limit $1`,
    [limit],
  );
  return rows.map(({ id }) => Number(id));
}

/**
 * How many sessions run, with nobody else adding one under the ceiling until
 * the transaction ends.
 */
export async function countRunningAlone(tx: Transaction): Promise<number> {
  await tx.write("select pg_advisory_xact_lock($1)", [LOCK_KEYS.spot]);
  const [row] = await tx.read<Row>(
    "select count(*)::int as running from sessions where status = 'running'",
  );
  return Number(row?.running);
}

async function list(
  db: Queryable,
  where: string,
  { geneses, limit }: SpotPlace,
): Promise<number[]> {
  const rows = await db.read<{ id: string }>(
    `select id from sessions where ${where}
     order by precedence desc, state_since, id limit $2`,
    [JSON.stringify(["spot", ...geneses]), limit],
  );
  return rows.map(({ id }) => Number(id));
}
