/**
 * Triggers, read: one, and lists of them.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";
import {
  CONDITION_COLUMNS,
  type ConditionType,
  toCondition,
  toTrigger,
  type Trigger,
  TRIGGER_COLUMNS,
  type TriggerCondition,
  type TriggerStatus,
} from "./trigger.ts";

/** A trigger with its conditions, in the order of their numbers. */
export interface TriggerWithConditions {
  /** The trigger. */
  readonly trigger: Trigger;
  /** Its conditions. */
  readonly conditions: readonly TriggerCondition[];
}

/** Which triggers. */
export interface TriggerFilter {
  /** Only with a condition of this type. */
  readonly type?: ConditionType | undefined;
  /** Only those that stand so. */
  readonly status?: TriggerStatus | undefined;
  /** Only of these roots, as their rows spell them, and wakes of sessions of them. */
  readonly rootNames?: readonly string[] | undefined;
}

/** Reads a trigger; undefined where there is none. */
export async function findTrigger(
  db: Queryable,
  id: number,
): Promise<TriggerWithConditions | undefined> {
  const [row] = await db.read<Row>(
    `select ${TRIGGER_COLUMNS} from triggers t where t.id = $1`,
    [id],
  );
  return row === undefined ? undefined : await withConditions(db, row);
}

/**
 * The same, locked until the transaction ends. Who locks a trigger that is no
 * wake and a session locks the trigger first; with a wake, the session.
 */
export async function lockTrigger(
  tx: Transaction,
  id: number,
): Promise<TriggerWithConditions | undefined> {
  const [row] = await tx.write<Row>(
    `select ${TRIGGER_COLUMNS} from triggers t where t.id = $1 for update`,
    [id],
  );
  return row === undefined ? undefined : await withConditions(tx, row);
}

async function withConditions(
  db: Queryable,
  row: Row,
): Promise<TriggerWithConditions> {
  const trigger = toTrigger(row);
  const conditions = await conditionsOf(db, [trigger.id]);
  return { trigger, conditions };
}

async function conditionsOf(
  db: Queryable,
  ids: readonly number[],
): Promise<TriggerCondition[]> {
  const rows = await db.read<Row>(
    `select ${CONDITION_COLUMNS} from trigger_conditions c
     where c.trigger_id in (
       select value::bigint from jsonb_array_elements_text($1::text::jsonb))
     order by c.id`,
    [JSON.stringify(ids)],
  );
  return rows.map(toCondition);
}

/** Reads the condition and its trigger; undefined where there is none. */
export async function findTriggerOfCondition(
  db: Queryable,
  conditionId: number,
): Promise<TriggerWithConditions | undefined> {
  const [row] = await db.read<Row>(
    `select ${TRIGGER_COLUMNS} from triggers t
     join trigger_conditions c on c.trigger_id = t.id where c.id = $1`,
    [conditionId],
  );
  return row === undefined ? undefined : await withConditions(db, row);
}

const MATCHES = `($1::text is null or exists (select from trigger_conditions c
    where c.trigger_id = t.id and c.condition_type = $1))
  and ($2::text is null or t.status = $2)
  and ($3::text is null or coalesce(t.agent_root_name,
    (select agent_root_key from sessions s where s.id = t.wake_session_id)) in (
      select jsonb_array_elements_text($3::text::jsonb)))`;

function paramsOf({ type, status, rootNames }: TriggerFilter): unknown[] {
  return [
    type ?? null,
    status ?? null,
    rootNames === undefined ? null : JSON.stringify(rootNames),
  ];
}

/** How many triggers match. */
export async function countTriggers(
  db: Queryable,
  filter: TriggerFilter = {},
): Promise<number> {
  const [row] = await db.read<{ total: number }>(
    `select count(*)::int as total from triggers t where ${MATCHES}`,
    paramsOf(filter),
  );
  return row?.total ?? 0;
}

/** Lists triggers: failed ones first, then newest first. */
export async function listTriggers(
  db: Queryable,
  filter: TriggerFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<TriggerWithConditions[]> {
  const rows = await db.read<Row>(
    `select ${TRIGGER_COLUMNS} from triggers t where ${MATCHES}
     order by (t.status = 'failed') desc, t.id desc limit $4 offset $5`,
    [...paramsOf(filter), limit, offset],
  );
  const triggers = rows.map(toTrigger);
  const conditions = await conditionsOf(db, triggers.map(({ id }) => id));
  return triggers.map((trigger) => ({
    trigger,
    conditions: conditions.filter(({ triggerId }) => triggerId === trigger.id),
  }));
}

/** Roots that triggers name, as their rows spell them. */
export async function listTriggerRoots(
  db: Queryable,
): Promise<readonly string[]> {
  const rows = await db.read<{ name: string }>(
    `select distinct coalesce(t.agent_root_name, s.agent_root_key) as name
     from triggers t left join sessions s on s.id = t.wake_session_id
     where coalesce(t.agent_root_name, s.agent_root_key) is not null`,
  );
  return rows.map(({ name }) => name);
}

/** A firing, as it is shown. */
export interface Firing {
  /** The condition. */
  readonly conditionId: number;
  /** What it was, within the condition. */
  readonly occurrence: string;
  /** When it was claimed. */
  readonly at: Date;
  /** What it came to. */
  readonly outcome: string;
  /** The session that it started or told. */
  readonly sessionId: number | null;
}

/** The latest firings of a trigger, newest first. */
export async function readFirings(
  db: Queryable,
  triggerId: number,
  limit: number,
): Promise<readonly Firing[]> {
  const rows = await db.read<Row>(
    `select o.* from trigger_occurrences o
     join trigger_conditions c on c.id = o.condition_id
     where c.trigger_id = $1 order by o.claimed_at desc limit $2`,
    [triggerId, limit],
  );
  return rows.map((row) => ({
    conditionId: Number(row.condition_id),
    occurrence: String(row.occurrence),
    at: row.claimed_at as Date,
    outcome: String(row.outcome ?? ""),
    sessionId: row.session_id === null ? null : Number(row.session_id),
  }));
}

/** A session that a trigger started. */
export interface TriggeredSession {
  /** Its number. */
  readonly id: number;
  /** What it is called. */
  readonly title: string;
  /** Where it stands. */
  readonly status: string;
  /** When it was started. */
  readonly createdAt: Date;
}

/** The latest sessions that a trigger started, newest first. */
export async function readTriggeredSessions(
  db: Queryable,
  triggerId: number,
  limit: number,
): Promise<readonly TriggeredSession[]> {
  const rows = await db.read<Row>(
    `select id, title, status, created_at from sessions
     where metadata->>'trigger_id' = $1::text order by id desc limit $2`,
    [String(triggerId), limit],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    title: String(row.title),
    status: String(row.status),
    createdAt: row.created_at as Date,
  }));
}
