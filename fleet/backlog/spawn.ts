/**
 * The session that an item becomes: on the router root, with the item's issue
 * as its prompt, in the transaction that takes the item out of line.
 *
 * @module
 */
import {
  type AgentRoot,
  decideBy,
  type RootDefaults,
} from "../../catalog/mod.ts";
import type { BacklogItem } from "../../store/backlog/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import {
  type Genesis,
  insertSession,
  type SchedulingClass,
  type Session,
} from "../../store/sessions/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { offerTurn } from "../sessions/offer.ts";
import { DEFAULT_RUNTIME } from "../sessions/request.ts";
import { knownRoot } from "../sessions/root.ts";

/** The root that work is started on, where nothing else is set. */
export const DEFAULT_ROUTER_ROOT = "router";

/** What every such session is to reach. */
export const GOAL =
  "A pull request that does what is asked is open, its checks are green, and a fresh review of it was answered.";

const MAX_TITLE_CHARACTERS = 100;

/** How an item is started. */
export interface SpawnRequest {
  /** The item. */
  readonly item: BacklogItem;
  /** The root, as {@link routerRoot} gave it. */
  readonly router: Router;
  /** Its class. */
  readonly schedulingClass: SchedulingClass;
  /** The session that starts it; null for a person. */
  readonly parentSessionId: number | null;
  /** Its place among spot sessions. */
  readonly precedence: number;
  /** Where it comes from. */
  readonly genesis: Genesis;
}

/** The router root, with what its sessions are given. */
export interface Router {
  readonly root: AgentRoot;
  readonly defaults: RootDefaults;
  /** The agent that carries them out. */
  readonly runtime: string;
}

/**
 * The router root.
 *
 * @throws {FleetRefusalError} Code `unknown_root`: the catalog does not have it.
 */
export async function routerRoot(
  {
    catalog,
    routerRoot: name = DEFAULT_ROUTER_ROOT,
    defaultRuntime = DEFAULT_RUNTIME,
  }: Pick<Fleet, "catalog" | "routerRoot" | "defaultRuntime">,
): Promise<Router> {
  try {
    return await decideBy(catalog, (snapshot) => {
      const root = knownRoot(snapshot, name);
      const defaults = snapshot.effectiveDefaults(root);
      return { root, defaults, runtime: defaults.runtime ?? defaultRuntime };
    });
  } catch (error) {
    if (!(error instanceof FleetRefusalError)) throw error;
    throw new FleetRefusalError(
      error.code,
      `Work of the backlog is started on the router root (ROUTER_ROOT). ${error.message}`,
    );
  }
}

/**
 * Starts the session of an item: its first turn is queued. The caller holds the
 * queue's lock.
 */
export async function spawnSession(
  tx: Transaction,
  request: SpawnRequest,
): Promise<Session> {
  const { item, parentSessionId } = request;
  const { root, defaults, runtime } = request.router;
  const prompt = promptOf(item);
  const started = await insertSession(tx, {
    agentRootKey: root.name,
    status: "waiting",
    waitReason: "never_started",
    drivenBy: "runner",
    title: titleOf(item),
    parentSessionId: parentSessionId ?? undefined,
    genesis: request.genesis,
    schedulingClass: request.schedulingClass,
    precedence: request.precedence,
    prompt,
    goal: GOAL,
    agentRuntime: runtime,
    config: defaults.model === undefined ? {} : { model: defaults.model },
    gitRoot: root.url,
    branch: defaults.branch,
    subdirectory: root.subdirectory,
    mcpServers: defaults.mcpServers,
    catalogSkills: defaults.skills,
    catalogHooks: defaults.hooks,
    catalogPlugins: defaults.plugins,
    customMetadata: {
      spawned_by: "work-backlog",
      work_backlog_item_id: item.id,
      work_backlog_key: item.key,
      ...(item.issueUrl === null ? {} : { work_backlog_issue: item.issueUrl }),
    },
    withToken: false,
  });
  if (started === undefined) throw new TypeError("The session was not made");
  const { session } = await offerTurn(tx, started.session, {
    kind: "start",
    prompt,
    goal: GOAL,
  });
  return session;
}

/** What the session is told: the issue is the record, so its address will do. */
export function promptOf({ issueUrl, payload }: BacklogItem): string {
  const prompt = typeof payload.prompt === "string"
    ? payload.prompt
    : undefined;
  return issueUrl === null
    ? prompt ?? ""
    : `${issueUrl} ${prompt ?? "Please implement this."}`;
}

/** What the session is called; it fits whatever the issue is called. */
export function titleOf({ repo, issueUrl, key, title }: BacklogItem): string {
  const number = /\/issues\/([0-9]+)$/.exec(issueUrl ?? "")?.[1];
  const label = number === undefined ? key : `${repo.split("/")[1]}#${number}`;
  return cut(`Implement ${cut(label, 60)} (${title.replace(/\s+/g, " ")})`);
}

function cut(text: string, most = MAX_TITLE_CHARACTERS): string {
  const characters = [...text];
  return characters.length <= most
    ? text
    : `${characters.slice(0, most - 1).join("")}…`;
}
