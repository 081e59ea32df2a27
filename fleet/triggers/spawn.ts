/**
 * The session that a firing starts: by the one path of every start.
 *
 * @module
 */
import type { CatalogSnapshot } from "../../catalog/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import type { Genesis, Session } from "../../store/sessions/mod.ts";
import type {
  Trigger,
  TriggerWithConditions,
} from "../../store/triggers/mod.ts";
import type { Fleet } from "../fleet.ts";
import { resolveRequest, type SessionRequest } from "../sessions/request.ts";
import { startChecked } from "../sessions/start.ts";
import { LIMITS } from "../sessions/texts.ts";
import { GENESIS_ORDER } from "./conditions.ts";

/** What a session is started with. */
export interface Spawn {
  /** What it is told. */
  readonly prompt: string;
  /** What it is called. @default {the trigger's name} */
  readonly title?: string | undefined;
  /** Why, for its metadata. */
  readonly because: string;
  /** Type of the condition that fired; undefined for an invocation. */
  readonly genesis: Genesis;
}

/**
 * Starts the session of a firing.
 *
 * @throws {FleetRefusalError} The catalog does not have what the trigger names.
 */
export async function spawn(
  tx: Transaction,
  { fleet, snapshot }: {
    readonly fleet: Pick<Fleet, "groupNames">;
    readonly snapshot: CatalogSnapshot;
  },
  { trigger, spawn: { prompt, title, because, genesis } }: {
    readonly trigger: Trigger;
    readonly spawn: Spawn;
  },
): Promise<Session> {
  const own = (names: readonly string[]) =>
    names.length === 0 ? undefined : names;
  const request: SessionRequest = {
    agentRoot: trigger.agentRootName ?? undefined,
    prompt,
    title: [...(title ?? trigger.name)].slice(0, LIMITS.title).join(""),
    goal: trigger.goal ?? undefined,
    mcpServers: own(trigger.mcpServers),
    skills: own(trigger.catalogSkills),
    hooks: own(trigger.catalogHooks),
    plugins: own(trigger.catalogPlugins),
    schedulingClass: trigger.schedulingClass ?? undefined,
    precedence: trigger.precedence ?? undefined,
    genesis,
    drivenBy: "runner",
    withToken: false,
  };
  const checked = {
    ...resolveRequest(fleet, snapshot, request),
    metadata: {
      trigger_id: trigger.id,
      trigger_name: trigger.name,
      trigger_because: because,
    },
  };
  const started = await startChecked(tx, request, { checked });
  return "isReplay" in started ? started.session : started;
}

/** What a session of a trigger comes from, where no one condition says it. */
export function genesisOfTrigger(
  { conditions }: Pick<TriggerWithConditions, "conditions">,
): Genesis {
  return GENESIS_ORDER.find((type) =>
    conditions.some((condition) => condition.type === type)
  ) ?? "unknown";
}
