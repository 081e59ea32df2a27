/**
 * Arguments of triggers that the tool and the REST routes share, and the
 * request that they mean.
 *
 * @module
 */
import { SETTABLE_TYPES, type TriggerRequest } from "../../../fleet/mod.ts";
import { SCHEDULING_CLASSES } from "../../../store/sessions/mod.ts";
import type { ArgsOf, InputSchema } from "../../schema.ts";
import { inputOf } from "../../schema.ts";

const LIST = { type: "array", items: { type: "string" } } as const;

/** What an update takes away, by name: null means left out, as everywhere. */
const CLEARABLE = [
  "goal",
  "max_sessions_per_minute",
  "scheduling_class",
  "precedence",
] as const;

/** The number of a trigger. */
export const TRIGGER_ID = {
  type: "integer",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The trigger's number",
} as const;

/** What a trigger consists of. */
export const TRIGGER_INPUT = {
  name: { type: "string", description: "1 to 200 characters on one line" },
  agent_root_name: {
    type: "string",
    description: "Agent root of its sessions, as get_configs lists it",
  },
  prompt_template: {
    type: "string",
    description:
      "What a session is told. {{link}}, {{text}}, {{author}}, {{channel}}, {{event}}, {{repo}}, {{number}}, {{title}}, {{labels}}, {{time}}, {{date}}, and of a webhook {{body.a.b}}, stand for what the event says; what it does not say is empty",
  },
  trigger_type: {
    type: "string",
    enum: SETTABLE_TYPES,
    description: "One condition: its type, together with configuration",
  },
  configuration: {
    type: "object",
    description:
      'What exactly. schedule: {"interval": 1, "unit": "days", "time": "09:30", "timezone": "Europe/Berlin"}, unit minutes, hours, days or weeks (those with day_of_week), or {"scheduled_at": "2026-03-01T09:30", "timezone"}; missed: "once" (default) or "skip" for what no server was there for. github_label: {repos, labels, exclude_labels, target: issues, pull_requests or both}. github_issue: {repos, labels, exclude_labels, target}. slack: {channel_id, event_type: message or mention, from_users}. webhook: {signed}. system_event: {event_names}',
  },
  conditions: {
    type: "array",
    items: {
      type: "object",
      properties: {
        id: { type: "integer", minimum: 1 },
        trigger_type: { type: "string" },
        configuration: { type: "object" },
        remove: { type: "boolean" },
      },
      required: [],
      additionalProperties: false,
    },
    description:
      "Several, in place of the pair: {trigger_type, configuration} adds, {id, configuration} changes, {id, remove: true} takes away, what is not named stays",
  },
  status: {
    type: "string",
    enum: ["enabled", "disabled"],
    description: "enabled by default; failed is the server's to set",
  },
  goal: {
    type: "string",
    description: "What its sessions are to reach; the root's by default",
  },
  reuse_session: {
    type: "boolean",
    description:
      "Tell its latest session again, where that can be told something, in place of a new one",
  },
  enqueue_messages: {
    type: "boolean",
    description:
      "With reuse_session: also while that works, unless a message waits already",
  },
  resuscitate_archived: {
    type: "boolean",
    description: "With reuse_session: bring an archived one back",
  },
  max_sessions_per_minute: {
    type: "integer",
    minimum: 1,
    maximum: 10_000,
    description:
      "More than that makes one session that tells of it, and then silence until five minutes after the last such minute; no limit by default",
  },
  scheduling_class: {
    type: "string",
    enum: SCHEDULING_CLASSES,
    description: "Class of its sessions; by default that of what fired it",
  },
  precedence: {
    type: "integer",
    minimum: -1_000_000_000,
    maximum: 1_000_000_000,
    description: "Place of its sessions among spot sessions, 0 by default",
  },
  clear: {
    type: "array",
    items: { type: "string", enum: CLEARABLE },
    description: "update: take these away again, back to their defaults",
  },
  mcp_servers: {
    ...LIST,
    description:
      "Exactly these; [] means the root's defaults, not none. Left out on update: as it was",
  },
  catalog_skills: { ...LIST, description: "The same for skills" },
  catalog_hooks: { ...LIST, description: "The same for hooks" },
  catalog_plugins: { ...LIST, description: "The same for plugins" },
} as const satisfies InputSchema["properties"];

/** What a firing by hand says. */
export const VARIABLES_INPUT = {
  type: "object",
  description: "invoke: what the template's names stand for, as texts",
} as const;

/** What a caller passes as numbers and the like becomes text. */
export function textsOf(
  variables: Readonly<Record<string, unknown>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === "string"
        ? value
        : value === null
        ? ""
        : JSON.stringify(value),
    ]),
  );
}

const WHOLE = inputOf(TRIGGER_INPUT);

/** The request that arguments mean. */
export function triggerRequest(args: ArgsOf<typeof WHOLE>): TriggerRequest {
  const cleared = (name: typeof CLEARABLE[number]) =>
    args.clear?.includes(name) === true;
  return {
    name: args.name,
    agentRootName: args.agent_root_name,
    promptTemplate: args.prompt_template,
    goal: cleared("goal") ? null : args.goal,
    reuseSession: args.reuse_session,
    enqueueMessages: args.enqueue_messages,
    resuscitateArchived: args.resuscitate_archived,
    maxSessionsPerMinute: cleared("max_sessions_per_minute")
      ? null
      : args.max_sessions_per_minute,
    schedulingClass: cleared("scheduling_class") ? null : args.scheduling_class,
    precedence: cleared("precedence") ? null : args.precedence,
    mcpServers: args.mcp_servers,
    catalogSkills: args.catalog_skills,
    catalogHooks: args.catalog_hooks,
    catalogPlugins: args.catalog_plugins,
    status: args.status,
    triggerType: args.trigger_type,
    configuration: args.configuration,
    conditions: args.conditions?.map(({ trigger_type: type, ...rest }) => ({
      ...rest,
      ...(type === undefined ? {} : { type }),
    })),
  };
}
