/**
 * What a session is asked for with, and what of it is stored.
 *
 * Everything is checked before anything is written.
 *
 * @module
 */
import type { AgentRoot, CatalogSnapshot } from "../../catalog/mod.ts";
import { assertStorable } from "../../store/pg/mod.ts";
import type {
  Genesis,
  NewSession,
  SchedulingClass,
  SessionDriver,
} from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { assertRootInside, fenced } from "../fence.ts";
import type { Author } from "../queue/deliver.ts";
import type { Fleet } from "../fleet.ts";
import { PARENT_TOKEN_GROUPS } from "../turns/token_groups.ts";
import {
  goalOfRoot,
  isSameList,
  knownGoal,
  knownList,
  type ListName,
} from "./artifacts.ts";
import { assertGroups } from "./groups.ts";
import { knownRoot } from "./root.ts";
import { assertPlacing } from "./scheduling.ts";
import {
  assertCustomMetadata,
  assertLength,
  assertRange,
  assertSlug,
  assertText,
  assertTitle,
  badArgument,
  LIMITS,
} from "./texts.ts";

/** What a session is asked for with. */
export interface SessionRequest {
  /** Its agent root, by name or alias; or {@link gitRoot}. */
  readonly agentRoot?: string | undefined;
  /** Address of its repository. @default {the root's} */
  readonly gitRoot?: string | undefined;
  /** Branch that it starts from. @default {the root's} */
  readonly branch?: string | undefined;
  /** Folder inside the repository. @default {the root's} */
  readonly subdirectory?: string | undefined;
  /** The agent that runs it. @default {the root's, else the server's} */
  readonly agentRuntime?: string | undefined;
  /** Its model. @default {the root's, else the agent's} */
  readonly model?: string | undefined;
  /** What it is to do: it starts at once. Without one it waits for a message. */
  readonly prompt?: string | undefined;
  /** 1 to 100 characters. @default {"Session <id>"} */
  readonly title?: string | undefined;
  /** Lowercase letters, digits and `-`, not all digits; no other session's. */
  readonly slug?: string | undefined;
  /** What it is to reach: an id of the catalog, or a sentence. */
  readonly goal?: string | undefined;
  /** Exactly these; an empty list means none. @default {the root's} */
  readonly mcpServers?: readonly string[] | undefined;
  /** Exactly these. @default {the root's} */
  readonly skills?: readonly string[] | undefined;
  /** Exactly these. @default {the root's} */
  readonly hooks?: readonly string[] | undefined;
  /** Exactly these. @default {the root's} */
  readonly plugins?: readonly string[] | undefined;
  /** The session that starts it: it inherits its genesis and stands above it. */
  readonly parentSessionId?: number | undefined;
  /** Its own class. @default {that of its genesis} */
  readonly schedulingClass?: SchedulingClass | undefined;
  /** Its place among spot sessions. @default {the parent's + 1, else 0} */
  readonly precedence?: number | undefined;
  /** In place of {@link precedence}. */
  readonly place?: "top_of_spot" | undefined;
  /** Tokens after which its agent compacts. @default {1,000,000} */
  readonly autoCompactWindow?: number | undefined;
  /** The same key always means the session that it made first. */
  readonly idempotencyKey?: string | undefined;
  /** What causes it, where it has no parent. @default {"api"} */
  readonly genesis?: Genesis | undefined;
  /** Who carries out its turns. @default {"client"} */
  readonly drivenBy?: SessionDriver | undefined;
  /** Tool groups its token reaches. @default {those of every session} */
  readonly toolGroups?: readonly string[] | undefined;
  /** The caller's own data: a JSON object of at most 32 KB. */
  readonly customMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** The person who starts it: the prompt is written down as theirs. */
  readonly author?: Author | undefined;
  /** Whether to issue a token. @default {true} */
  readonly withToken?: boolean | undefined;
}

/** The agent of a session that nobody named one for. */
export const DEFAULT_RUNTIME = "claude_code";
const AUTO_COMPACT_RANGE: readonly [number, number] = [1, 1_000_000];
const RUNTIME_REGEXP = /^[a-z][a-z0-9_]{0,99}$/;

/**
 * Refuses what a fenced connection may not start.
 *
 * @throws {FleetRefusalError} Code `fenced`.
 */
export function assertStartInside(
  { fence }: FleetCaller,
  catalog: CatalogSnapshot,
  request: SessionRequest,
): void {
  if (fence === null) return;
  assertRootInside(fence, catalog, request.agentRoot ?? null);
  const { gitRoot, branch, subdirectory } = request;
  for (
    const [name, value] of Object.entries({ gitRoot, branch, subdirectory })
  ) {
    if (value === undefined) continue;
    throw fenced(
      fence,
      `${name === "gitRoot" ? "git_root" : name} cannot be set`,
    );
  }
  if (request.plugins !== undefined) {
    throw fenced(
      fence,
      "plugins cannot be set, since they bring MCP servers of their own; leave it out for the root's",
    );
  }
  if (request.mcpServers === undefined) return;
  const root = knownRoot(catalog, String(request.agentRoot));
  const { mcpServers } = catalog.effectiveDefaults(root);
  if (isSameList(request.mcpServers, mcpServers)) return;
  throw fenced(
    fence,
    `mcp_servers has to be exactly the root's (${
      mcpServers.join(", ") || "none"
    }), or left out`,
  );
}

/**
 * Checks a request, and says what is to be stored of it.
 *
 * @throws {FleetRefusalError} A rule says no.
 * @throws {StoreRefusalError} A text that the database cannot hold.
 */
export function resolveRequest(
  { groupNames, defaultRuntime = DEFAULT_RUNTIME }: Pick<
    Fleet,
    "groupNames" | "defaultRuntime"
  >,
  catalog: CatalogSnapshot,
  request: SessionRequest,
): Omit<NewSession, "status"> {
  const { agentRoot, drivenBy = "client" } = request;
  if (agentRoot === undefined && request.gitRoot === undefined) {
    throw badArgument("Name an agent_root or a git_root");
  }
  const root = agentRoot === undefined
    ? undefined
    : knownRoot(catalog, agentRoot);
  assertTexts(request);
  if (request.toolGroups !== undefined) {
    assertGroups(request.toolGroups, {
      known: groupNames,
      what: "tool_groups",
    });
  }
  assertCustomMetadata(request.customMetadata);
  assertPlacing(request);
  const { autoCompactWindow } = request;
  if (autoCompactWindow !== undefined) {
    assertRange(autoCompactWindow, "auto_compact_window", AUTO_COMPACT_RANGE);
  }
  const own = root === undefined ? undefined : catalog.effectiveDefaults(root);
  const listOf = (
    list: ListName,
    asked: readonly string[] | undefined,
    byDefault: readonly string[] | undefined,
  ) => asked === undefined ? byDefault ?? [] : knownList(catalog, list, asked);
  const gitRoot = request.gitRoot ?? root?.url;
  const model = request.model ?? own?.model;
  return {
    agentRootKey: root?.name ?? null,
    drivenBy,
    title: request.title?.trim(),
    slug: request.slug,
    prompt: request.prompt,
    goal: request.goal === undefined || request.goal.trim() === ""
      ? drivenBy === "runner" ? defaultGoal(catalog, root) : undefined
      : knownGoal(catalog, request.goal),
    agentRuntime: drivenBy === "runner"
      ? request.agentRuntime ?? own?.runtime ?? defaultRuntime
      : request.agentRuntime,
    gitRoot,
    repositoryName: repositoryName(gitRoot),
    branch: request.branch ?? own?.branch,
    subdirectory: request.subdirectory ?? root?.subdirectory,
    config: model === undefined ? {} : { model },
    mcpServers: listOf("mcp_servers", request.mcpServers, own?.mcpServers),
    catalogSkills: listOf("skills", request.skills, own?.skills),
    catalogHooks: listOf("hooks", request.hooks, own?.hooks),
    catalogPlugins: listOf("plugins", request.plugins, own?.plugins),
    schedulingClass: request.schedulingClass,
    autoCompactWindow,
    idempotencyKey: request.idempotencyKey,
    ...reachOf(request, own?.subagentRoots ?? []),
    customMetadata: request.customMetadata,
    withToken: request.withToken,
  };
}

/** Refuses a key that no session can have. */
export function assertKey(key: string | undefined): void {
  if (key === undefined) return;
  assertText(key, "idempotency_key", LIMITS.idempotencyKey);
}

/** Whoever may start sessions of some roots has the tools for that, and these. */
function reachOf(
  { drivenBy, toolGroups }: SessionRequest,
  subagentRoots: readonly string[],
): Pick<NewSession, "toolGroups" | "allowedAgentRoots"> {
  if (drivenBy !== "runner" || subagentRoots.length === 0) {
    return { toolGroups };
  }
  return {
    toolGroups: toolGroups ?? PARENT_TOKEN_GROUPS,
    allowedAgentRoots: subagentRoots,
  };
}

function assertTexts(request: SessionRequest): void {
  assertTitle(request.title);
  assertSlug(request.slug);
  if (request.prompt !== undefined) {
    assertText(request.prompt, "prompt", LIMITS.prompt);
  }
  if (request.goal !== undefined) {
    assertLength(request.goal, "goal", LIMITS.goal);
  }
  const { agentRuntime, model } = request;
  if (agentRuntime !== undefined && !RUNTIME_REGEXP.test(agentRuntime)) {
    throw badArgument(
      "agent_runtime is the name of a runtime: a lowercase letter, then letters, digits and _, 100 characters at most",
    );
  }
  if (model !== undefined) assertModel(model);
  if (request.gitRoot !== undefined) {
    assertText(request.gitRoot, "git_root", 2048);
  }
  if (request.branch !== undefined) assertText(request.branch, "branch", 300);
  const { subdirectory } = request;
  if (subdirectory === undefined) return;
  assertText(subdirectory, "subdirectory", 1024);
  if (
    subdirectory.startsWith("/") ||
    subdirectory.split(/[\\/]/).includes("..")
  ) {
    throw badArgument(
      "subdirectory lies inside the repository: no .. and no /",
    );
  }
}

/** Refuses what cannot be a model's name. */
export function assertModel(model: string): void {
  assertText(model, "model", 200);
  assertStorable(model, "model");
}

function defaultGoal(
  catalog: CatalogSnapshot,
  root: AgentRoot | undefined,
): string | undefined {
  return root === undefined ? undefined : goalOfRoot(catalog, root);
}

function repositoryName(gitRoot: string | undefined): string | undefined {
  const name = gitRoot?.replace(/[/]+$/, "").split(/[/:]/).pop()
    ?.replace(/\.git$/, "");
  return name === undefined || name === "" ? undefined : name.slice(0, 300);
}
