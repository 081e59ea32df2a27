/**
 * Occurrences: each is claimed once, by whichever server comes first.
 *
 * @module
 */
import type { Queryable, Transaction } from "../pg/db.ts";

/** A claimed occurrence of a condition. */
export interface Occurrence {
  /** The condition. */
  readonly conditionId: number;
  /** What tells it from the condition's others, 1 to 300 characters. */
  readonly occurrence: string;
}

/**
 * Claims an occurrence; false where somebody has. The claim stands when the
 * transaction commits, with everything else that it did.
 */
export async function claimOccurrence(
  tx: Transaction,
  { conditionId, occurrence }: Occurrence,
  variables: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const rows = await tx.write(
    `insert into trigger_occurrences (condition_id, occurrence, variables)
     values ($1, $2, $3::text::jsonb) on conflict do nothing
     returning condition_id`,
    [conditionId, occurrence, JSON.stringify(variables)],
  );
  if (rows.length === 0) return false;
  await tx.write(
    "update trigger_conditions set last_triggered_at = now() where id = $1",
    [conditionId],
  );
  return true;
}

/** Notes what an occurrence came to. */
export async function noteOutcome(
  tx: Transaction,
  { conditionId, occurrence }: Occurrence,
  { outcome, sessionId }: {
    readonly outcome: string;
    readonly sessionId?: number | undefined;
  },
): Promise<void> {
  await tx.write(
    `update trigger_occurrences set outcome = left($3, 500), session_id = $4
     where condition_id = $1 and occurrence = $2`,
    [conditionId, occurrence, outcome, sessionId ?? null],
  );
}

/** A condition whose time has come. */
export interface DueCondition {
  /** Its number. */
  readonly id: number;
  /** Whether it belongs to a wake. */
  readonly isWake: boolean;
}

/** Nothing of triggers happens while an operator holds the lanes of jobs. */
const NOT_HELD = `not exists (
  select from app_settings where queue_recovery_until > now())`;

/** Conditions of enabled triggers whose time has come, the longest due first. */
export async function findDueConditions(
  db: Queryable,
  limit: number,
): Promise<DueCondition[]> {
  const rows = await db.read<{ id: string; is_wake: boolean }>(
    `select c.id, t.is_wake from trigger_conditions c
     join triggers t on t.id = c.trigger_id
     where c.due_at <= clock_timestamp() and t.status = 'enabled' and ${NOT_HELD}
     order by c.due_at limit $1`,
    [limit],
  );
  return rows.map(({ id, is_wake }) => ({ id: Number(id), isWake: is_wake }));
}

/** Conditions of enabled triggers that wait for a system event, by its name. */
export async function findSystemConditions(
  db: Queryable,
  eventName: string,
): Promise<readonly { readonly id: number; readonly triggerId: number }[]> {
  const rows = await db.read<{ id: string; trigger_id: string }>(
    `select c.id, c.trigger_id from trigger_conditions c
     join triggers t on t.id = c.trigger_id
     where c.condition_type = 'system_event' and t.status = 'enabled'
       and c.configuration->'event_names' @> to_jsonb($1::text)
     order by c.id`,
    [eventName],
  );
  return rows.map(({ id, trigger_id }) => ({
    id: Number(id),
    triggerId: Number(trigger_id),
  }));
}

/**
 * Forgets occurrences of long ago, a thousand at most; how many. What is
 * forgotten could be claimed again, so no source repeats itself that late.
 */
export async function dropOldOccurrences(
  db: Queryable,
  days: number,
): Promise<number> {
  const rows = await db.write(
    `delete from trigger_occurrences where ctid in (
       select ctid from trigger_occurrences
       where claimed_at < now() - $1 * interval '1 day' limit 1000)
     returning condition_id`,
    [days],
  );
  return rows.length;
}
