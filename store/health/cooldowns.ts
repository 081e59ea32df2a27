/**
 * Actions that one caller may not take twice in a row, on whatever surface.
 *
 * @module
 */
import type { Queryable } from "../pg/db.ts";

/** What is to be done, and by whom. */
export interface CooldownKey {
  /** The action. */
  readonly action: string;
  /** SHA-256 of what the caller proved, in hexadecimal digits. */
  readonly caller: string;
}

/**
 * Takes an action, if the caller has not taken it lately: 0, or the seconds
 * that are left.
 */
export async function takeCooldown(
  db: Queryable,
  { action, caller }: CooldownKey,
  seconds: number,
): Promise<number> {
  const [taken] = await db.write(
    `insert into health_cooldowns as c (action, caller) values ($1, decode($2, 'hex'))
     on conflict (action, caller) do update set taken_at = clock_timestamp()
       where c.taken_at <= clock_timestamp() - $3::int * interval '1 second'
     returning 1 as one`,
    [action, caller, seconds],
  );
  if (taken !== undefined) return 0;
  const [row] = await db.read<{ left: number }>(
    `select extract(epoch from taken_at - clock_timestamp())::float8 + $3::int as left
     from health_cooldowns where action = $1 and caller = decode($2, 'hex')`,
    [action, caller, seconds],
  );
  return Math.max(1, Math.ceil(row?.left ?? seconds));
}
