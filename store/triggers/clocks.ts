/**
 * Servers whose clock ticks, as the database has seen them.
 *
 * @module
 */
import type { Queryable } from "../pg/db.ts";

/** Seconds after which a clock that said nothing has stopped. */
const SEEN_SECONDS = 120;

/** A clock ticks. */
export async function noteClock(db: Queryable, id: string): Promise<void> {
  await db.write(
    `insert into clocks (id) values ($1::text::uuid)
     on conflict (id) do update set seen_at = clock_timestamp()`,
    [id],
  );
}

/** A clock stops, and clocks that stopped long ago without a word are gone. */
export async function dropClock(db: Queryable, id: string): Promise<void> {
  await db.write(
    `delete from clocks where id = $1::text::uuid
       or seen_at < clock_timestamp() - interval '1 day'`,
    [id],
  );
}

/** How many clocks tick; 0 where nothing will fire. */
export async function countClocks(db: Queryable): Promise<number> {
  const [row] = await db.read<{ n: number }>(
    `select count(*)::int as n from clocks
     where seen_at > clock_timestamp() - ${SEEN_SECONDS} * interval '1 second'`,
  );
  return row?.n ?? 0;
}
