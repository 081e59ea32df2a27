/**
 * Triggers as programs are shown them.
 *
 * @module
 */
import {
  describeCondition,
  isBursting,
  type SavedTrigger,
  type TriggerView,
} from "../../../fleet/mod.ts";
import {
  CONDITION_TYPES,
  TRIGGER_STATUSES,
  type TriggerWithConditions,
} from "../../../store/triggers/mod.ts";
import { isoTime } from "../../render.ts";
import {
  COUNT,
  FLAG,
  FREE,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "../../schema.ts";

/** A condition. */
const CONDITION = objectOf({
  id: COUNT,
  type: wordOf(CONDITION_TYPES),
  summary: TEXT,
  configuration: FREE,
  due_at: orNull(TIME),
  last_triggered_at: orNull(TIME),
  last_polled_at: orNull(TIME),
  poll_error: orNull(TEXT),
});

/** A trigger; its texts only where one is shown. */
export const TRIGGER = objectOf({
  id: COUNT,
  name: TEXT,
  status: wordOf(TRIGGER_STATUSES),
  agent_root_name: orNull(TEXT),
  wake_session_id: orNull(COUNT),
  reuse_session: FLAG,
  enqueue_messages: FLAG,
  resuscitate_archived: FLAG,
  max_sessions_per_minute: orNull(COUNT),
  bursting_until: orNull(TIME),
  scheduling_class: orNull(TEXT),
  precedence: orNull({ type: "integer" }),
  mcp_servers: listOf(TEXT),
  catalog_skills: listOf(TEXT),
  catalog_hooks: listOf(TEXT),
  catalog_plugins: listOf(TEXT),
  sessions_created_count: COUNT,
  last_session_id: orNull(COUNT),
  last_triggered_at: orNull(TIME),
  failed_at: orNull(TIME),
  last_error: orNull(TEXT),
  created_at: TIME,
  updated_at: TIME,
  conditions: listOf(CONDITION),
}, {
  prompt_template: TEXT,
  goal: orNull(TEXT),
});

/** A page of triggers. */
export const TRIGGER_PAGE = objectOf({
  total: COUNT,
  page: COUNT,
  warnings: listOf(TEXT),
  triggers: listOf(TRIGGER),
});

/** A trigger with its past. */
export const TRIGGER_VIEW = objectOf({
  trigger: TRIGGER,
  warnings: listOf(TEXT),
  sessions: listOf(objectOf({
    id: COUNT,
    title: TEXT,
    status: TEXT,
    created_at: TIME,
  })),
  firings: listOf(objectOf({
    condition_id: COUNT,
    at: TIME,
    outcome: TEXT,
    session_id: orNull(COUNT),
  })),
});

/** A trigger after a change; addresses of webhooks are shown once. */
export const TRIGGER_SAVED = objectOf({
  trigger: TRIGGER,
  warnings: listOf(TEXT),
  webhooks: listOf(objectOf({
    condition_id: COUNT,
    path: orNull(TEXT),
    signing_key: orNull(TEXT),
  })),
});

/** What a firing by hand came to. */
export const TRIGGER_FIRED = objectOf({
  outcome: wordOf([
    "started",
    "told",
    "skipped",
    "notice",
    "silent",
    "void",
    "broken",
  ]),
  session_id: orNull(COUNT),
  text: TEXT,
});

/** The trigger with the field names of the wire. */
export function triggerShape(
  { trigger, conditions }: TriggerWithConditions,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): ValueOf<typeof TRIGGER> {
  return {
    id: trigger.id,
    name: trigger.name,
    status: trigger.status,
    agent_root_name: trigger.agentRootName,
    wake_session_id: trigger.wakeSessionId,
    reuse_session: trigger.reuseSession,
    enqueue_messages: trigger.enqueueMessages,
    resuscitate_archived: trigger.resuscitateArchived,
    max_sessions_per_minute: trigger.maxSessionsPerMinute,
    bursting_until: isBursting(trigger, new Date())
      ? isoTime(trigger.burstActiveUntil)
      : null,
    scheduling_class: trigger.schedulingClass,
    precedence: trigger.precedence,
    mcp_servers: trigger.mcpServers,
    catalog_skills: trigger.catalogSkills,
    catalog_hooks: trigger.catalogHooks,
    catalog_plugins: trigger.catalogPlugins,
    sessions_created_count: trigger.sessionsCreatedCount,
    last_session_id: trigger.lastSessionId,
    last_triggered_at: isoTime(trigger.lastTriggeredAt),
    failed_at: isoTime(trigger.failedAt),
    last_error: trigger.lastError,
    created_at: isoTime(trigger.createdAt),
    updated_at: isoTime(trigger.updatedAt),
    conditions: conditions.map((one) => ({
      id: one.id,
      type: one.type,
      summary: describeCondition(one),
      configuration: one.configuration,
      due_at: isoTime(one.dueAt),
      last_triggered_at: isoTime(one.lastTriggeredAt),
      last_polled_at: isoTime(one.lastPolledAt),
      poll_error: one.pollError,
    })),
    ...(isWhole
      ? { prompt_template: trigger.promptTemplate, goal: trigger.goal }
      : {}),
  };
}

/** The same with its past. */
export function viewShape(view: TriggerView): ValueOf<typeof TRIGGER_VIEW> {
  return {
    trigger: triggerShape(view, { isWhole: true }),
    warnings: view.warnings,
    sessions: view.sessions.map(({ id, title, status, createdAt }) => ({
      id,
      title,
      status,
      created_at: isoTime(createdAt),
    })),
    firings: view.firings.map((one) => ({
      condition_id: one.conditionId,
      at: isoTime(one.at),
      outcome: one.outcome,
      session_id: one.sessionId,
    })),
  };
}

/** The same after a change. */
export function savedShape(
  saved: SavedTrigger,
): ValueOf<typeof TRIGGER_SAVED> {
  return {
    trigger: triggerShape(saved, { isWhole: true }),
    warnings: saved.warnings,
    webhooks: saved.secrets.map(({ conditionId, secret, signingKey }) => ({
      condition_id: conditionId,
      path: secret === undefined ? null : webhookPath(secret),
      signing_key: signingKey ?? null,
    })),
  };
}

/** Where a webhook is called. */
export function webhookPath(secret: string): string {
  return `/hooks/${secret}`;
}

/** A trigger for whoever only shows it. */
export function describeTrigger(
  found: TriggerWithConditions,
): Readonly<Record<string, unknown>> {
  return triggerShape(found);
}

/** The same with its past. */
export function describeTriggerView(
  view: TriggerView,
): Readonly<Record<string, unknown>> {
  return viewShape(view);
}
