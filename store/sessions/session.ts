/**
 * What a session is, and its row.
 *
 * @module
 */
import type { Row } from "../pg/db.ts";
import type {
  Genesis,
  SchedulingClass,
  SessionDriver,
  SessionStatus,
  Visibility,
  WaitReason,
} from "./words.ts";

/** A session, without its long texts: those are {@link SessionTexts}. */
export interface Session {
  /** Its number. */
  readonly id: number;
  /** Catalog name of its agent root; null when it was started from none. */
  readonly agentRootKey: string | null;
  /** What people call it. */
  readonly title: string;
  /** Name in addresses; never all digits. */
  readonly slug: string | null;
  /** Where it stands. */
  readonly status: SessionStatus;
  /** Since when it stands there. */
  readonly stateSince: Date;
  /** Grows with each change of the state. */
  readonly stateNo: number;
  /** Why it waits; null in every other state, and where nobody knows. */
  readonly waitReason: WaitReason | null;
  /** Until when it waits at least, where that is known. */
  readonly waitUntil: Date | null;
  /**
   * Who holds its queue while it rests: a person who paused it, or a question
   * of its agent. On a running session: the pause was asked for.
   */
  readonly pausedBy: "user" | "elicitation" | null;
  /** What it does instead of resting when the turn under way ends. */
  readonly pendingSleep: "asleep" | "spot_queue" | null;
  /** What broke, while it is failed. */
  readonly failureReason: string | null;
  /** Who carries out its turns. */
  readonly drivenBy: SessionDriver;
  /** The agent that runs it; null on a client's session. */
  readonly agentRuntime: string | null;
  /** Address of its repository. */
  readonly gitRoot: string | null;
  /** The repository's short name. */
  readonly repositoryName: string | null;
  /** Branch it starts from. */
  readonly branch: string | null;
  /** Folder inside the repository. */
  readonly subdirectory: string | null;
  /** Its runtime's settings: `model`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Names of its MCP servers. */
  readonly mcpServers: readonly string[];
  /** Names of its skills. */
  readonly catalogSkills: readonly string[];
  /** Names of its hooks. */
  readonly catalogHooks: readonly string[];
  /** Names of its plugins. */
  readonly catalogPlugins: readonly string[];
  /** The session that started it. */
  readonly parentSessionId: number | null;
  /** What caused it. */
  readonly genesis: Genesis;
  /** Its own class; null means that of its genesis. */
  readonly schedulingClass: SchedulingClass | null;
  /** Its place among spot sessions: higher first. */
  readonly precedence: number;
  /** Its category on the board. */
  readonly categoryId: number | null;
  /** Whether a person marked it. */
  readonly isFavorited: boolean;
  /** Whether it works without asking people. */
  readonly isAutonomous: boolean;
  /** Whether people are told when it rests or fails. */
  readonly pushNotificationsEnabled: boolean;
  /** Whether it is given a turn after each {@link heartbeatIntervalSeconds} of rest. */
  readonly heartbeatEnabled: boolean;
  /** Seconds of rest, 30 to 86,400. */
  readonly heartbeatIntervalSeconds: number;
  /** Tokens after which its agent compacts, 1 to 1,000,000. */
  readonly autoCompactWindow: number;
  /** The agent's own name for its conversation. */
  readonly conversationId: string | null;
  /** Whether its card is on the board, as stored: a snooze ends by itself. */
  readonly visibility: Visibility;
  /** End of the snooze. */
  readonly snoozedUntil: Date | null;
  /** Number of its latest lease; 0 when it never ran. */
  readonly leaseNo: number;
  /** The runner that has its tree. */
  readonly homeRunnerId: number | null;
  /** Tool groups its token reaches; null means the defaults. */
  readonly toolGroups: readonly string[] | null;
  /** Roots its tokens may act on; null is all. */
  readonly allowedAgentRoots: readonly string[] | null;
  /** The server's bookkeeping. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The caller's own data. */
  readonly customMetadata: Readonly<Record<string, unknown>>;
  /** Whether a token was issued and still works. */
  readonly hasToken: boolean;
  /** When it was registered. */
  readonly createdAt: Date;
  /** When its row last changed. */
  readonly updatedAt: Date;
  /** When its transcript last grew. */
  readonly lastTimelineEntryAt: Date | null;
  /** When it was archived. */
  readonly archivedAt: Date | null;
  /** When its tree may be removed. */
  readonly trashAfter: Date | null;
}

/** What {@link toSession} reads. */
export const SESSION_COLUMNS =
  `id, agent_root_key, title, slug, status, state_since, state_no, wait_reason,
  wait_until, paused_by, pending_sleep, failure_reason, driven_by, agent_runtime,
  git_root, repository_name, branch, subdirectory, config, mcp_servers,
  catalog_skills, catalog_hooks, catalog_plugins, parent_session_id, genesis,
  scheduling_class, precedence, category_id, favorited, is_autonomous,
  push_notifications_enabled, heartbeat_enabled, heartbeat_interval_seconds,
  auto_compact_window, conversation_id, visibility, snoozed_until, lease_no,
  home_runner_id, tool_groups, allowed_agent_roots, metadata, custom_metadata,
  token_hash is not null as has_token, created_at, updated_at,
  last_timeline_entry_at, archived_at, trash_after`;

/** Converts a row of {@link SESSION_COLUMNS}. */
export function toSession(row: Row): Session {
  return {
    id: Number(row.id),
    agentRootKey: row.agent_root_key as string | null,
    title: String(row.title),
    slug: row.slug as string | null,
    status: row.status as SessionStatus,
    stateSince: row.state_since as Date,
    stateNo: Number(row.state_no),
    waitReason: row.wait_reason as WaitReason | null,
    waitUntil: row.wait_until as Date | null,
    pausedBy: row.paused_by as Session["pausedBy"],
    pendingSleep: row.pending_sleep as Session["pendingSleep"],
    failureReason: row.failure_reason as string | null,
    drivenBy: row.driven_by as SessionDriver,
    agentRuntime: row.agent_runtime as string | null,
    gitRoot: row.git_root as string | null,
    repositoryName: row.repository_name as string | null,
    branch: row.branch as string | null,
    subdirectory: row.subdirectory as string | null,
    config: row.config as Record<string, unknown>,
    mcpServers: row.mcp_servers as string[],
    catalogSkills: row.catalog_skills as string[],
    catalogHooks: row.catalog_hooks as string[],
    catalogPlugins: row.catalog_plugins as string[],
    parentSessionId: numberOrNull(row.parent_session_id),
    genesis: row.genesis as Genesis,
    schedulingClass: row.scheduling_class as SchedulingClass | null,
    precedence: Number(row.precedence),
    categoryId: numberOrNull(row.category_id),
    isFavorited: row.favorited === true,
    isAutonomous: row.is_autonomous === true,
    pushNotificationsEnabled: row.push_notifications_enabled === true,
    heartbeatEnabled: row.heartbeat_enabled === true,
    heartbeatIntervalSeconds: Number(row.heartbeat_interval_seconds),
    autoCompactWindow: Number(row.auto_compact_window),
    conversationId: row.conversation_id as string | null,
    visibility: row.visibility as Visibility,
    snoozedUntil: row.snoozed_until as Date | null,
    leaseNo: Number(row.lease_no),
    homeRunnerId: numberOrNull(row.home_runner_id),
    toolGroups: row.tool_groups as string[] | null,
    allowedAgentRoots: row.allowed_agent_roots as string[] | null,
    metadata: row.metadata as Record<string, unknown>,
    customMetadata: row.custom_metadata as Record<string, unknown>,
    hasToken: row.has_token === true,
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
    lastTimelineEntryAt: row.last_timeline_entry_at as Date | null,
    archivedAt: row.archived_at as Date | null,
    trashAfter: row.trash_after as Date | null,
  };
}

/** The long texts of a session, each up to 500,000 characters. */
export interface SessionTexts {
  /** What it was started with. */
  readonly prompt: string | null;
  /** What it is to reach. */
  readonly goal: string | null;
  /** Notes of its own. */
  readonly notes: string | null;
  /** When they were last written. */
  readonly notesUpdatedAt: Date | null;
}

/** What {@link toSessionTexts} reads. */
export const SESSION_TEXT_COLUMNS =
  "prompt, goal, session_notes, session_notes_updated_at";

/** Converts a row of {@link SESSION_TEXT_COLUMNS}. */
export function toSessionTexts(row: Row): SessionTexts {
  return {
    prompt: row.prompt as string | null,
    goal: row.goal as string | null,
    notes: row.session_notes as string | null,
    notesUpdatedAt: row.session_notes_updated_at as Date | null,
  };
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
