/**
 * Triggers and their conditions, written. Whoever changes one holds its lock,
 * and has checked what it writes.
 *
 * @module
 */
import type { Row, Transaction } from "../pg/db.ts";
import {
  CONDITION_COLUMNS,
  type ConditionType,
  toCondition,
  toTrigger,
  type Trigger,
  TRIGGER_COLUMNS,
  type TriggerCondition,
  type TriggerSettings,
  type TriggerStatus,
} from "./trigger.ts";

/** A parameter that is a JSON list of texts, as an array. */
function texts(parameter: number): string {
  return `array(select jsonb_array_elements_text($${parameter}::text::jsonb))`;
}

function valuesOf(settings: TriggerSettings): unknown[] {
  return [
    settings.name,
    settings.agentRootName,
    settings.promptTemplate,
    settings.goal,
    JSON.stringify(settings.mcpServers),
    JSON.stringify(settings.catalogSkills),
    JSON.stringify(settings.catalogHooks),
    JSON.stringify(settings.catalogPlugins),
    settings.reuseSession,
    settings.enqueueMessages,
    settings.resuscitateArchived,
    settings.maxSessionsPerMinute,
    settings.schedulingClass,
    settings.precedence,
  ];
}

/** Makes a trigger, without conditions yet. */
export async function insertTrigger(
  tx: Transaction,
  settings: TriggerSettings,
  status: TriggerStatus,
): Promise<Trigger> {
  const [row] = await tx.write<Row>(
    `insert into triggers as t (name, agent_root_name, prompt_template, goal,
       mcp_servers, catalog_skills, catalog_hooks, catalog_plugins, reuse_session,
       enqueue_messages, resuscitate_archived, max_sessions_per_minute,
       scheduling_class, precedence, status)
     values ($1, $2, $3, $4, ${texts(5)}, ${texts(6)}, ${texts(7)}, ${texts(8)},
       $9, $10, $11, $12, $13, $14, $15)
     returning ${TRIGGER_COLUMNS}`,
    [...valuesOf(settings), status],
  );
  return toTrigger(row as Row);
}

/** Writes what a caller decides of a trigger. */
export async function updateTrigger(
  tx: Transaction,
  id: number,
  settings: TriggerSettings,
): Promise<Trigger> {
  const [row] = await tx.write<Row>(
    `update triggers as t set name = $1, agent_root_name = $2,
       prompt_template = $3, goal = $4, mcp_servers = ${texts(5)},
       catalog_skills = ${texts(6)}, catalog_hooks = ${texts(7)},
       catalog_plugins = ${
      texts(8)
    }, reuse_session = $9, enqueue_messages = $10,
       resuscitate_archived = $11, max_sessions_per_minute = $12,
       scheduling_class = $13, precedence = $14, updated_at = now()
     where t.id = $15 returning ${TRIGGER_COLUMNS}`,
    [...valuesOf(settings), id],
  );
  return toTrigger(row as Row);
}

/**
 * Sets how a trigger stands. Enabling and disabling forget what broke, and the
 * burst that silenced it.
 */
export async function setTriggerStatus(
  tx: Transaction,
  id: number,
  status: Exclude<TriggerStatus, "failed">,
): Promise<Trigger> {
  const [row] = await tx.write<Row>(
    `update triggers as t set status = $2, failed_at = null, last_error = null,
       burst_window_started_at = null, burst_window_count = 0,
       burst_window_session_ids = '{}', burst_active_until = null,
       updated_at = now()
     where t.id = $1 returning ${TRIGGER_COLUMNS}`,
    [id, status],
  );
  // Whoever switches it on shall not wait for the next look of before.
  await tx.write(
    `update trigger_conditions set poll_after = null
     where trigger_id = $1 and poll_after is not null`,
    [id],
  );
  return toTrigger(row as Row);
}

/** A trigger broke: it fires no more until somebody enables it again. */
export async function parkTrigger(
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

/** Deletes a trigger with its conditions; its sessions stay. */
export async function deleteTrigger(
  tx: Transaction,
  id: number,
): Promise<void> {
  await tx.write("delete from triggers where id = $1", [id]);
}

/** What a firing changed in its trigger. */
export interface TriggerFired {
  /** The session that was started or told; undefined leaves the last one. */
  readonly sessionId?: number | undefined;
  /** Whether that session was started by it. */
  readonly isNewSession: boolean;
  /** The count of its minute, where sessions are counted. */
  readonly burst?: {
    readonly windowStartedAt: Date;
    readonly windowCount: number;
    readonly sessionIds: readonly number[];
    readonly activeUntil: Date | null;
  } | undefined;
}

/** Notes a firing on its trigger. */
export async function noteFired(
  tx: Transaction,
  id: number,
  { sessionId, isNewSession, burst }: TriggerFired,
): Promise<void> {
  await tx.write(
    `update triggers set last_triggered_at = now(),
       last_session_id = coalesce($2, last_session_id),
       sessions_created_count = sessions_created_count + $3::int
     where id = $1`,
    [id, sessionId ?? null, isNewSession ? 1 : 0],
  );
  if (burst === undefined) return;
  await tx.write(
    `update triggers set burst_window_started_at = $2, burst_window_count = $3,
       burst_window_session_ids = array(
         select value::bigint from jsonb_array_elements_text($4::text::jsonb)),
       burst_active_until = $5 where id = $1`,
    [
      id,
      burst.windowStartedAt,
      burst.windowCount,
      JSON.stringify(burst.sessionIds),
      burst.activeUntil,
    ],
  );
}

/** A condition to be written. */
export interface NewCondition {
  /** What it waits for. */
  readonly type: ConditionType;
  /** What exactly. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** When it is due first, where it waits for a time. */
  readonly dueAt: Date | null;
  /** SHA-256 of a webhook's secret. */
  readonly webhookHash?: Uint8Array | undefined;
  /** With what senders sign. */
  readonly signingKey?: string | undefined;
}

/** Adds a condition. */
export async function insertCondition(
  tx: Transaction,
  triggerId: number,
  condition: NewCondition,
): Promise<TriggerCondition> {
  const [row] = await tx.write<Row>(
    `insert into trigger_conditions as c (trigger_id, condition_type,
       configuration, due_at, webhook_hash, signing_key)
     values ($1, $2, $3::text::jsonb, $4, decode($5, 'hex'), $6)
     returning ${CONDITION_COLUMNS}`,
    [
      triggerId,
      condition.type,
      JSON.stringify(condition.configuration),
      condition.dueAt,
      condition.webhookHash?.toHex() ?? null,
      condition.signingKey ?? null,
    ],
  );
  return toCondition(row as Row);
}

/** What an edit of a condition changes. */
export interface ConditionEdit {
  /** What exactly it waits for now. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** When it is due next; undefined leaves that, and what it counts from. */
  readonly dueAt?: Date | null | undefined;
  /** Whether a poller begins anew: what it watches is another thing. */
  readonly isRebaselined: boolean;
  /** With what senders sign; undefined leaves it, null takes it away. */
  readonly signingKey?: string | null | undefined;
}

/** Changes a condition. */
export async function updateCondition(
  tx: Transaction,
  id: number,
  edit: ConditionEdit,
): Promise<void> {
  await tx.write(
    `update trigger_conditions set configuration = $2::text::jsonb,
       due_at = case when $3 then $4::timestamptz else due_at end,
       anchor_at = case when $3 then now() else anchor_at end,
       cursor = case when $5 then null else cursor end,
       poll_after = case when $5 then null else poll_after end,
       poll_failures = case when $5 then 0 else poll_failures end,
       poll_error = case when $5 then null else poll_error end,
       signing_key = case when $6 then $7 else signing_key end,
       updated_at = now()
     where id = $1`,
    [
      id,
      JSON.stringify(edit.configuration),
      edit.dueAt !== undefined,
      edit.dueAt ?? null,
      edit.isRebaselined,
      edit.signingKey !== undefined,
      edit.signingKey ?? null,
    ],
  );
}

/** Sets when a condition is due next; null is never. */
export async function setDue(
  tx: Transaction,
  conditionId: number,
  dueAt: Date | null,
): Promise<void> {
  await tx.write("update trigger_conditions set due_at = $2 where id = $1", [
    conditionId,
    dueAt,
  ]);
}

/** Removes a condition. */
export async function deleteCondition(
  tx: Transaction,
  id: number,
): Promise<void> {
  await tx.write("delete from trigger_conditions where id = $1", [id]);
}
