/**
 * What a caller decides of a trigger, checked.
 *
 * @module
 */
import {
  type CatalogLoader,
  cutText,
  firstLookAlike,
  lookAlikeNote,
} from "../../catalog/mod.ts";
import {
  SCHEDULING_CLASSES,
  type SchedulingClass,
} from "../../store/sessions/mod.ts";
import type { Trigger, TriggerSettings } from "../../store/triggers/mod.ts";
import { knownGoal } from "../sessions/artifacts.ts";
import { PRECEDENCE_RANGE } from "../sessions/scheduling.ts";
import {
  assertLength,
  assertRange,
  assertText,
  badArgument,
  LIMITS,
} from "../sessions/texts.ts";
import type { ConditionRequest } from "./upsert.ts";

/** What a trigger is asked for with; on an update, what is left out stays. */
export interface TriggerRequest {
  /** What people call it, 1 to 200 characters on one line. */
  readonly name?: string | undefined;
  /** The root of its sessions. */
  readonly agentRootName?: string | undefined;
  /** What a session is told. */
  readonly promptTemplate?: string | undefined;
  /** What a session is to reach; null or blank is the root's goal. */
  readonly goal?: string | null | undefined;
  /** Whether its latest session is told. @default {false} */
  readonly reuseSession?: boolean | undefined;
  /** Whether a session that works gets it into its queue. @default {false} */
  readonly enqueueMessages?: boolean | undefined;
  /** Whether an archived session is brought back. @default {false} */
  readonly resuscitateArchived?: boolean | undefined;
  /** Sessions of a minute at most; null is no limit. */
  readonly maxSessionsPerMinute?: number | null | undefined;
  /** Class of its sessions; null is that of their genesis. */
  readonly schedulingClass?: SchedulingClass | null | undefined;
  /** Place of its sessions; null is 0. */
  readonly precedence?: number | null | undefined;
  /** MCP servers; none means the root's. */
  readonly mcpServers?: readonly string[] | undefined;
  /** Skills; none means the root's. */
  readonly catalogSkills?: readonly string[] | undefined;
  /** Hooks; none means the root's. */
  readonly catalogHooks?: readonly string[] | undefined;
  /** Plugins; none means the root's. */
  readonly catalogPlugins?: readonly string[] | undefined;
  /** How it stands. @default {"enabled"} */
  readonly status?: "enabled" | "disabled" | undefined;
  /** One condition's type; together with {@link configuration}. */
  readonly triggerType?: string | undefined;
  /** One condition's configuration. */
  readonly configuration?: Readonly<Record<string, unknown>> | undefined;
  /** Conditions; in place of the pair above. */
  readonly conditions?: readonly ConditionRequest[] | undefined;
}

const MAX_NAME_CHARACTERS = 200;
const MAX_LIST = 100;
const MAX_PER_MINUTE: readonly [number, number] = [1, 10_000];

/** What a trigger has that nobody decided about. */
const DEFAULTS: TriggerSettings = {
  name: "",
  agentRootName: null,
  promptTemplate: "",
  goal: null,
  mcpServers: [],
  catalogSkills: [],
  catalogHooks: [],
  catalogPlugins: [],
  reuseSession: false,
  enqueueMessages: false,
  resuscitateArchived: false,
  maxSessionsPerMinute: null,
  schedulingClass: null,
  precedence: null,
};

/**
 * The settings after a request: what it says, else what was there.
 *
 * @throws {FleetRefusalError} A rule says no.
 * @throws {StoreRefusalError} A text that the database cannot hold.
 */
export function settingsOf(
  request: TriggerRequest,
  before: Trigger | undefined,
): TriggerSettings {
  if (before === undefined) {
    const missing = Object.entries({
      name: request.name,
      agent_root_name: request.agentRootName,
      prompt_template: request.promptTemplate,
    }).filter(([, value]) => value === undefined).map(([name]) => name);
    if (missing.length > 0) {
      throw badArgument(
        `create needs ${missing.join(", ")}. Nothing was created`,
      );
    }
  }
  const base: TriggerSettings = before ?? DEFAULTS;
  const goal = request.goal === undefined ? base.goal : request.goal;
  const settings: TriggerSettings = {
    name: request.name?.trim() ?? base.name,
    agentRootName: request.agentRootName?.trim() ?? base.agentRootName,
    promptTemplate: request.promptTemplate ?? base.promptTemplate,
    goal: goal === null || goal.trim() === "" ? null : goal.trim(),
    mcpServers: listOf(request.mcpServers, "mcp_servers") ?? base.mcpServers,
    catalogSkills: listOf(request.catalogSkills, "catalog_skills") ??
      base.catalogSkills,
    catalogHooks: listOf(request.catalogHooks, "catalog_hooks") ??
      base.catalogHooks,
    catalogPlugins: listOf(request.catalogPlugins, "catalog_plugins") ??
      base.catalogPlugins,
    reuseSession: request.reuseSession ?? base.reuseSession,
    enqueueMessages: request.enqueueMessages ?? base.enqueueMessages,
    resuscitateArchived: request.resuscitateArchived ??
      base.resuscitateArchived,
    maxSessionsPerMinute: request.maxSessionsPerMinute === undefined
      ? base.maxSessionsPerMinute
      : request.maxSessionsPerMinute,
    schedulingClass: request.schedulingClass === undefined
      ? base.schedulingClass
      : request.schedulingClass,
    precedence: request.precedence === undefined
      ? base.precedence
      : request.precedence,
  };
  assertSettings(settings);
  return settings;
}

function assertSettings(settings: TriggerSettings): void {
  assertText(settings.name, "name", MAX_NAME_CHARACTERS);
  if (/[\p{Cc}\u2028\u2029]/u.test(settings.name)) {
    throw badArgument("name is one line without control characters");
  }
  assertText(settings.agentRootName ?? "", "agent_root_name", 200);
  assertText(settings.promptTemplate, "prompt_template", LIMITS.prompt);
  if (settings.goal !== null) assertLength(settings.goal, "goal", LIMITS.goal);
  if (!settings.reuseSession) {
    const needing = [
      ...(settings.enqueueMessages ? ["enqueue_messages"] : []),
      ...(settings.resuscitateArchived ? ["resuscitate_archived"] : []),
    ];
    if (needing.length > 0) {
      throw badArgument(
        `${
          needing.join(" and ")
        } say what is done with a session that is told again, so they need reuse_session: true; turn them off together with it. Nothing was changed`,
      );
    }
  }
  if (settings.maxSessionsPerMinute !== null) {
    assertRange(
      settings.maxSessionsPerMinute,
      "max_sessions_per_minute",
      MAX_PER_MINUTE,
    );
  }
  if (settings.precedence !== null) {
    assertRange(settings.precedence, "precedence", PRECEDENCE_RANGE);
  }
  const { schedulingClass } = settings;
  if (
    schedulingClass !== null && !SCHEDULING_CLASSES.includes(schedulingClass)
  ) {
    throw badArgument(
      `scheduling_class is one of ${SCHEDULING_CLASSES.join(", ")}, or null`,
    );
  }
}

function listOf(
  names: readonly string[] | undefined,
  what: string,
): readonly string[] | undefined {
  if (names === undefined) return undefined;
  const wanted = [...new Set(names.map((name) => name.trim()))];
  if (wanted.length > MAX_LIST) {
    throw badArgument(`${what} has ${MAX_LIST} entries at most`);
  }
  for (const name of wanted) assertText(name, `an entry of ${what}`, 100);
  return wanted;
}

/** Which lists name what of the catalog. */
const LISTS = [
  ["mcp_servers", "mcp", "mcpServers"],
  ["catalog_skills", "skills", "catalogSkills"],
  ["catalog_hooks", "hooks", "catalogHooks"],
  ["catalog_plugins", "plugins", "catalogPlugins"],
] as const;

/**
 * What would make a firing fail as things stand; nothing where the catalog
 * cannot be read. It is stored all the same: the catalog may get it later.
 */
export async function catalogWarnings(
  catalog: CatalogLoader,
  settings: TriggerSettings,
): Promise<readonly string[]> {
  const snapshot = await catalog.latest().catch(() => undefined);
  if (snapshot === undefined) return [];
  const { agentRootName, goal } = settings;
  const warnings: string[] = [];
  if (
    agentRootName !== null && snapshot.findRoot(agentRootName) === undefined
  ) {
    warnings.push(
      `The catalog has no agent root "${
        cutText(agentRootName, 100)
      }": until it does, each firing fails and parks the trigger${
        lookAlikeNote(agentRootName, snapshot.roots.keys())
      }`,
    );
  }
  for (const [name, kind, key] of LISTS) {
    const { entries } = snapshot.artifacts(kind);
    const unknown = settings[key].filter((one) => !entries.has(one));
    if (unknown.length === 0) continue;
    warnings.push(
      `The catalog does not have these of ${name}: ${
        cutText(unknown.join(", "), 200)
      }: until it does, each firing fails and parks the trigger${
        firstLookAlike(unknown, entries.keys())
      }`,
    );
  }
  if (goal !== null) {
    try {
      knownGoal(snapshot, goal);
    } catch (error) {
      if (error instanceof Error) warnings.push(`goal: ${error.message}`);
    }
  }
  return warnings;
}
