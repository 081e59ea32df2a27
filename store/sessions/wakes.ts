/**
 * Wakes: triggers that fire once, on the session that asked for them.
 *
 * Whoever calls holds the lock of that session.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** What others can be woken by. */
export type SessionEventName =
  | "session_needs_input"
  | "session_failed"
  | "session_archived";

/** All of them. */
export const SESSION_EVENT_NAMES: readonly SessionEventName[] = [
  "session_needs_input",
  "session_failed",
  "session_archived",
];

/** What fires a wake: a time, or an event of another session. */
export type WakeCondition =
  | {
    readonly kind: "time";
    /** The instant. */
    readonly dueAt: Date;
    /** As it was asked for: local time and its zone. */
    readonly wakeAt: string;
    readonly timezone: string;
  }
  | {
    readonly kind: "event";
    readonly eventName: SessionEventName;
    readonly watchedSessionId: number;
  };

/** A wake. */
export interface Wake {
  /** The trigger's number. */
  readonly id: number;
  /** The session that it wakes. */
  readonly sessionId: number;
  /** What it says then. */
  readonly prompt: string;
  /** Whether it is still armed, or broke when it fired. */
  readonly status: "enabled" | "disabled" | "failed";
  /** What fires it: any of them. */
  readonly conditions: readonly (WakeCondition & { readonly id: number })[];
}

/** Arms a wake; answers with its number and those of its conditions. */
export async function insertWake(
  tx: Transaction,
  wake: {
    readonly sessionId: number;
    readonly name: string;
    readonly prompt: string;
    readonly conditions: readonly WakeCondition[];
  },
): Promise<{ readonly id: number; readonly conditionIds: readonly number[] }> {
  const [trigger] = await tx.write<{ id: string }>(
    `insert into triggers (name, prompt_template, reuse_session, enqueue_messages,
       is_wake, wake_session_id)
     values ($1, $2, true, true, true, $3) returning id`,
    [wake.name, wake.prompt, wake.sessionId],
  );
  const conditionIds: number[] = [];
  for (const condition of wake.conditions) {
    const isTime = condition.kind === "time";
    const [row] = await tx.write<{ id: string }>(
      `insert into trigger_conditions (trigger_id, condition_type, configuration,
         due_at, watched_session_id, event_name)
       values ($1, $2, $3::text::jsonb, $4, $5, $6) returning id`,
      [
        trigger?.id,
        isTime ? "schedule" : "ao_event",
        JSON.stringify(
          isTime
            ? {
              scheduled_at: condition.wakeAt,
              timezone: condition.timezone,
            }
            : {
              event_name: condition.eventName,
              session_id: condition.watchedSessionId,
            },
        ),
        isTime ? condition.dueAt : null,
        isTime ? null : condition.watchedSessionId,
        isTime ? null : condition.eventName,
      ],
    );
    conditionIds.push(Number(row?.id));
  }
  return { id: Number(trigger?.id), conditionIds };
}

/** Wakes that are armed for a session, the next due first. */
export async function listWakes(
  db: Queryable,
  sessionId: number,
): Promise<Wake[]> {
  const rows = await db.read<Row>(
    `select t.id, t.wake_session_id, t.prompt_template, t.status, c.id as condition_id,
       c.due_at, c.watched_session_id, c.event_name, c.configuration
     from triggers t join trigger_conditions c on c.trigger_id = t.id
     where t.wake_session_id = $1 and t.is_wake and t.status = 'enabled'
     order by c.due_at nulls last, t.id, c.id`,
    [sessionId],
  );
  return toWakes(rows);
}

/** Reads the wake that a condition belongs to. */
export async function findWakeOfCondition(
  db: Queryable,
  conditionId: number,
): Promise<Wake | undefined> {
  const rows = await db.read<Row>(
    `select t.id, t.wake_session_id, t.prompt_template, t.status, c.id as condition_id,
       c.due_at, c.watched_session_id, c.event_name, c.configuration
     from triggers t join trigger_conditions c on c.trigger_id = t.id
     where t.is_wake and c.id = $1`,
    [conditionId],
  );
  return toWakes(rows)[0];
}

/** Numbers of armed conditions that an event of a session fires. */
export async function findWatching(
  db: Queryable,
  watchedSessionId: number,
  eventName: SessionEventName,
): Promise<number[]> {
  const rows = await db.read<{ id: string }>(
    `select c.id from trigger_conditions c join triggers t on t.id = c.trigger_id
     where c.watched_session_id = $1 and c.event_name = $2 and t.is_wake
       and t.status = 'enabled' order by c.id`,
    [watchedSessionId, eventName],
  );
  return rows.map(({ id }) => Number(id));
}

/** Disarms every wake of a session but those that broke; says how many. */
export async function dropWakes(
  tx: Transaction,
  sessionId: number,
  options: { readonly onlyTimes?: boolean } = {},
): Promise<number> {
  const rows = await tx.write(
    `delete from triggers where id in (
       select id from triggers t where wake_session_id = $1 and is_wake
         and status <> 'failed' and (not $2 or exists (select from trigger_conditions c
           where c.trigger_id = t.id and c.due_at is not null))
       order by id for update)
     returning id`,
    [sessionId, options.onlyTimes ?? false],
  );
  return rows.length;
}

/**
 * Disarms what watches a session for events that cannot come any more, and
 * wakes that have nothing left to wait for.
 */
export async function dropWatchers(
  tx: Transaction,
  watchedSessionId: number,
  except: SessionEventName,
): Promise<void> {
  // In the order of their numbers, as everybody locks them.
  await tx.write(
    `select t.id from triggers t where t.is_wake and t.id in (
       select trigger_id from trigger_conditions where watched_session_id = $1)
     order by t.id for update`,
    [watchedSessionId],
  );
  await tx.write(
    `with gone as (
       delete from trigger_conditions
       where watched_session_id = $1 and event_name <> $2
       returning trigger_id)
     delete from triggers t where t.is_wake and t.status <> 'failed'
       and t.id in (select trigger_id from gone)
       and not exists (select from trigger_conditions c where c.trigger_id = t.id
         and not (c.watched_session_id is not distinct from $1 and c.event_name <> $2))`,
    [watchedSessionId, except],
  );
}

/** A wake broke when it fired: it is kept, with what broke. */
export async function failWake(
  tx: Transaction,
  id: number,
  error: string,
): Promise<void> {
  await tx.write(
    `update triggers set status = 'failed', failed_at = now(),
       last_error = left($2, 1000), updated_at = now() where id = $1`,
    [id, error],
  );
}

function toWakes(rows: readonly Row[]): Wake[] {
  const wakes = new Map<number, Wake & { conditions: Wake["conditions"] }>();
  for (const row of rows) {
    const id = Number(row.id);
    const wake = wakes.get(id) ?? {
      id,
      sessionId: Number(row.wake_session_id),
      prompt: String(row.prompt_template),
      status: row.status as Wake["status"],
      conditions: [],
    };
    wakes.set(id, {
      ...wake,
      conditions: [...wake.conditions, {
        id: Number(row.condition_id),
        ...toCondition(row),
      }],
    });
  }
  return [...wakes.values()];
}

function toCondition(row: Row): WakeCondition {
  if (row.event_name !== null) {
    return {
      kind: "event",
      eventName: row.event_name as SessionEventName,
      watchedSessionId: Number(row.watched_session_id),
    };
  }
  const { scheduled_at, timezone } = row.configuration as {
    readonly scheduled_at?: unknown;
    readonly timezone?: unknown;
  };
  return {
    kind: "time",
    dueAt: row.due_at as Date,
    wakeAt: String(scheduled_at),
    timezone: String(timezone),
  };
}
