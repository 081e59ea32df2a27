/**
 * Recovery mode: while it lasts, servers take no jobs out of the lanes, so that
 * an operator can look at what waits, discard it or put it off.
 *
 * @module
 */
import type { Queryable } from "../pg/db.ts";

/** The mode, while it lasts. */
export interface Recovery {
  /** Why it was entered. */
  readonly reason: string;
  /** When it ends by itself. */
  readonly until: Date;
  /** Seconds until then. */
  readonly secondsLeft: number;
}

/** The mode; null where the lanes are open. */
export async function readRecovery(db: Queryable): Promise<Recovery | null> {
  const [row] = await db.read<{ reason: string; until: Date; left: number }>(
    `select coalesce(queue_recovery_reason, '') as reason, queue_recovery_until as until,
       extract(epoch from queue_recovery_until - now())::float8 as left
     from app_settings where queue_recovery_until > now()`,
  );
  return row === undefined ? null : {
    reason: row.reason,
    until: row.until,
    secondsLeft: Math.ceil(row.left),
  };
}

/** Enters it, or gives it another reason and end. */
export async function enterRecovery(
  db: Queryable,
  { reason, minutes }: { readonly reason: string; readonly minutes: number },
): Promise<void> {
  await db.write(
    `insert into app_settings as a (id, queue_recovery_reason, queue_recovery_until)
     values (1, $1, now() + $2::int * interval '1 minute')
     on conflict (id) do update set queue_recovery_reason = excluded.queue_recovery_reason,
       queue_recovery_until = excluded.queue_recovery_until, updated_at = now()`,
    [reason, minutes],
  );
}

/** Ends it; whether it was on. */
export async function exitRecovery(db: Queryable): Promise<boolean> {
  const rows = await db.write(
    `with was as (select queue_recovery_until > now() as is_on from app_settings for update)
     update app_settings set queue_recovery_until = null, queue_recovery_reason = null,
       updated_at = now() from was where was.is_on returning 1 as one`,
  );
  return rows.length > 0;
}
