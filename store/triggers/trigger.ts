/**
 * What a trigger and its conditions are, and their rows.
 *
 * @module
 */
import type { Row } from "../pg/db.ts";
import type { SchedulingClass } from "../sessions/words.ts";

/** What a condition waits for. */
export type ConditionType =
  | "slack"
  | "schedule"
  | "ao_event"
  | "github_label"
  | "github_issue"
  | "system_event"
  | "webhook";

/** All of them. */
export const CONDITION_TYPES: readonly ConditionType[] = [
  "slack",
  "schedule",
  "ao_event",
  "github_label",
  "github_issue",
  "system_event",
  "webhook",
];

/** How a trigger stands; `failed` is the server's to set. */
export type TriggerStatus = "enabled" | "disabled" | "failed";

/** All of them. */
export const TRIGGER_STATUSES: readonly TriggerStatus[] = [
  "enabled",
  "disabled",
  "failed",
];

/** What a caller decides about a trigger. */
export interface TriggerSettings {
  /** What people call it, 1 to 200 characters. */
  readonly name: string;
  /** The root of its sessions; null on a wake, which starts none. */
  readonly agentRootName: string | null;
  /** What a session is told, with `{{name}}` where an event says something. */
  readonly promptTemplate: string;
  /** What a session is to reach; null is the root's goal. */
  readonly goal: string | null;
  /** Names of MCP servers; none means the root's defaults. */
  readonly mcpServers: readonly string[];
  /** Names of skills; none means the root's defaults. */
  readonly catalogSkills: readonly string[];
  /** Names of hooks; none means the root's defaults. */
  readonly catalogHooks: readonly string[];
  /** Names of plugins; none means the root's defaults. */
  readonly catalogPlugins: readonly string[];
  /** Whether its latest session is told, where that can be told something. */
  readonly reuseSession: boolean;
  /** With reuse: whether a session that works gets it into its queue. */
  readonly enqueueMessages: boolean;
  /** With reuse: whether an archived session is brought back for it. */
  readonly resuscitateArchived: boolean;
  /** Sessions that it starts within a minute at most; null is no limit. */
  readonly maxSessionsPerMinute: number | null;
  /** Class of its sessions; null is that of their genesis. */
  readonly schedulingClass: SchedulingClass | null;
  /** Place of its sessions among spot sessions; null is 0. */
  readonly precedence: number | null;
}

/** A trigger. */
export interface Trigger extends TriggerSettings {
  /** Its number. */
  readonly id: number;
  /** How it stands. */
  readonly status: TriggerStatus;
  /** The session that it wakes, where it is a wake: it fires once. */
  readonly wakeSessionId: number | null;
  /** The session that it started or told last. */
  readonly lastSessionId: number | null;
  /** When it fired last. */
  readonly lastTriggeredAt: Date | null;
  /** How many sessions it started. */
  readonly sessionsCreatedCount: number;
  /** When it broke, while it is failed. */
  readonly failedAt: Date | null;
  /** What broke. */
  readonly lastError: string | null;
  /** Begin of the minute in which its firings are counted. */
  readonly burstWindowStartedAt: Date | null;
  /** Firings of that minute. */
  readonly burstWindowCount: number;
  /** Sessions that were started in it. */
  readonly burstWindowSessionIds: readonly number[];
  /** Until when it is silent, since too much happened. */
  readonly burstActiveUntil: Date | null;
  /** When it was made. */
  readonly createdAt: Date;
  /** When it was changed last. */
  readonly updatedAt: Date;
}

/** What a trigger waits for: any of its conditions fires it. */
export interface TriggerCondition {
  /** Its number. */
  readonly id: number;
  /** Whose it is. */
  readonly triggerId: number;
  /** What it waits for. */
  readonly type: ConditionType;
  /** What exactly, as its type reads it. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** When it is due next, where it waits for a time. */
  readonly dueAt: Date | null;
  /** What a schedule counts from. */
  readonly anchorAt: Date;
  /** What a poller has seen; null before its first look. */
  readonly cursor: Readonly<Record<string, unknown>> | null;
  /** When it fired last. */
  readonly lastTriggeredAt: Date | null;
  /** When a poller looked last. */
  readonly lastPolledAt: Date | null;
  /** Looks that failed in a row. */
  readonly pollFailures: number;
  /** Why the last look failed. */
  readonly pollError: string | null;
}

/** Columns of {@link toTrigger}; the table is `t`. */
export const TRIGGER_COLUMNS = `t.id, t.name, t.status, t.agent_root_name,
  t.prompt_template, t.goal, t.mcp_servers, t.catalog_skills, t.catalog_hooks,
  t.catalog_plugins, t.reuse_session, t.enqueue_messages, t.resuscitate_archived,
  t.max_sessions_per_minute, t.scheduling_class, t.precedence, t.wake_session_id,
  t.last_session_id, t.last_triggered_at, t.sessions_created_count, t.failed_at,
  t.last_error, t.burst_window_started_at, t.burst_window_count,
  t.burst_window_session_ids, t.burst_active_until, t.created_at, t.updated_at`;

/** Columns of {@link toCondition}; the table is `c`. */
export const CONDITION_COLUMNS =
  `c.id, c.trigger_id, c.condition_type, c.configuration,
  c.due_at, c.anchor_at, c.cursor, c.last_triggered_at, c.last_polled_at,
  c.poll_failures, c.poll_error`;

/** A trigger of its row. */
export function toTrigger(row: Row): Trigger {
  return {
    id: Number(row.id),
    name: String(row.name),
    status: row.status as TriggerStatus,
    agentRootName: row.agent_root_name as string | null,
    promptTemplate: String(row.prompt_template),
    goal: row.goal as string | null,
    mcpServers: row.mcp_servers as string[],
    catalogSkills: row.catalog_skills as string[],
    catalogHooks: row.catalog_hooks as string[],
    catalogPlugins: row.catalog_plugins as string[],
    reuseSession: row.reuse_session === true,
    enqueueMessages: row.enqueue_messages === true,
    resuscitateArchived: row.resuscitate_archived === true,
    maxSessionsPerMinute: row.max_sessions_per_minute as number | null,
    schedulingClass: row.scheduling_class as SchedulingClass | null,
    precedence: row.precedence as number | null,
    wakeSessionId: toId(row.wake_session_id),
    lastSessionId: toId(row.last_session_id),
    lastTriggeredAt: row.last_triggered_at as Date | null,
    sessionsCreatedCount: Number(row.sessions_created_count),
    failedAt: row.failed_at as Date | null,
    lastError: row.last_error as string | null,
    burstWindowStartedAt: row.burst_window_started_at as Date | null,
    burstWindowCount: Number(row.burst_window_count),
    burstWindowSessionIds: (row.burst_window_session_ids as string[])
      .map(Number),
    burstActiveUntil: row.burst_active_until as Date | null,
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
  };
}

/** A condition of its row. */
export function toCondition(row: Row): TriggerCondition {
  return {
    id: Number(row.id),
    triggerId: Number(row.trigger_id),
    type: row.condition_type as ConditionType,
    configuration: row.configuration as Record<string, unknown>,
    dueAt: row.due_at as Date | null,
    anchorAt: row.anchor_at as Date,
    cursor: row.cursor as Record<string, unknown> | null,
    lastTriggeredAt: row.last_triggered_at as Date | null,
    lastPolledAt: row.last_polled_at as Date | null,
    pollFailures: Number(row.poll_failures),
    pollError: row.poll_error as string | null,
  };
}

function toId(value: unknown): number | null {
  return value === null ? null : Number(value);
}
