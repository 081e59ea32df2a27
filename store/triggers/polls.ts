/**
 * Polls: conditions that somebody has to look at from time to time.
 *
 * @module
 */
import type { Db, Queryable, Row, Transaction } from "../pg/db.ts";
import {
  CONDITION_COLUMNS,
  toCondition,
  type TriggerCondition,
} from "./trigger.ts";

/**
 * Takes the condition that waits longest to be looked at; nobody else gets it
 * for so many seconds. Undefined where none waits.
 */
export async function takePoll(
  db: Db,
  seconds: number,
): Promise<TriggerCondition | undefined> {
  const [row] = await db.write<Row>(
    `update trigger_conditions as c
     set poll_after = clock_timestamp() + $1 * interval '1 second'
     where c.id = (
       select p.id from trigger_conditions p join triggers t on t.id = p.trigger_id
       where p.condition_type in ('slack', 'github_label', 'github_issue')
         and t.status = 'enabled'
         and (p.poll_after is null or p.poll_after <= clock_timestamp())
         and not exists (
           select from app_settings where queue_recovery_until > now())
       order by p.poll_after nulls first, p.id limit 1 for update of p skip locked)
     returning ${CONDITION_COLUMNS}`,
    [seconds],
  );
  return row === undefined ? undefined : toCondition(row);
}

/** What a look came to. */
export type PollOutcome =
  /** What was seen is remembered; the next look comes after so many seconds. */
  | {
    readonly kind: "seen";
    readonly cursor: Readonly<Record<string, unknown>>;
    readonly nextSeconds: number;
    /** What was left out. */
    readonly remark?: string | undefined;
  }
  /** It failed; what was seen before stays. */
  | {
    readonly kind: "failed";
    readonly error: string;
    readonly nextSeconds: number;
  };

/**
 * Notes a look, unless the condition has another configuration by now: then
 * what was seen is not about it.
 */
export async function notePoll(
  tx: Transaction | Db,
  { id, configuration }: Pick<TriggerCondition, "id" | "configuration">,
  outcome: PollOutcome,
): Promise<void> {
  const isSeen = outcome.kind === "seen";
  await tx.write(
    `update trigger_conditions set
       last_polled_at = clock_timestamp(),
       cursor = case when $3 then $4::text::jsonb else cursor end,
       poll_failures = case when $3 then 0 else poll_failures + 1 end,
       poll_error = left($5, 1000),
       poll_after = clock_timestamp() + $6 * interval '1 second'
     where id = $1 and configuration = $2::text::jsonb`,
    [
      id,
      JSON.stringify(configuration),
      isSeen,
      isSeen ? JSON.stringify(outcome.cursor) : null,
      isSeen ? outcome.remark ?? null : outcome.error,
      outcome.nextSeconds,
    ],
  );
}

/** A condition that cannot be read, for health. */
export interface PollTrouble {
  /** The condition. */
  readonly conditionId: number;
  /** Its trigger. */
  readonly triggerId: number;
  /** Looks that failed in a row. */
  readonly failures: number;
  /** Why the last one did. */
  readonly error: string;
}

/** Conditions of enabled triggers that could not be read, the worst first. */
export async function readPollTroubles(
  db: Queryable,
  limit: number,
): Promise<readonly PollTrouble[]> {
  const rows = await db.read<Row>(
    `select c.id, c.trigger_id, c.poll_failures, c.poll_error
     from trigger_conditions c join triggers t on t.id = c.trigger_id
     where c.poll_failures > 0 and t.status = 'enabled'
     order by c.poll_failures desc, c.id limit $1`,
    [limit],
  );
  return rows.map((row) => ({
    conditionId: Number(row.id),
    triggerId: Number(row.trigger_id),
    failures: Number(row.poll_failures),
    error: String(row.poll_error ?? ""),
  }));
}
