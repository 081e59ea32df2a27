/**
 * A session as lists show it: its row without its long parts.
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
} from "../sessions/words.ts";
import { QUEUED_REFUSED_UNTIL } from "./refused.ts";

/** What every list of sessions says of one: which it is, and where it stands. */
export interface SessionStanding {
  /** Its number. */
  readonly id: number;
  /** What people call it. */
  readonly title: string;
  /** Catalog name of its agent root. */
  readonly agentRootKey: string | null;
  /** Where it stands. */
  readonly status: SessionStatus;
  /** Since when it stands there. */
  readonly stateSince: Date;
  /** Why it waits. */
  readonly waitReason: WaitReason | null;
  /** Until when it waits at least. */
  readonly waitUntil: Date | null;
  /** Until when no runner's login takes it, where that is why it is queued. */
  readonly refusedUntil: Date | null;
  /** Who holds its queue while it rests. */
  readonly pausedBy: "user" | "elicitation" | null;
  /** What it does instead of resting when its turn ends. */
  readonly pendingSleep: "asleep" | "spot_queue" | null;
  /** What broke, while it is failed. */
  readonly failureReason: string | null;
  /** Who carries out its turns. */
  readonly drivenBy: SessionDriver;
  /** The agent that runs it. */
  readonly agentRuntime: string | null;
  /** What caused it. */
  readonly genesis: Genesis;
  /** Its own class; null means that of its genesis. */
  readonly schedulingClass: SchedulingClass | null;
  /** End of the snooze that lasts. */
  readonly snoozedUntil: Date | null;
}

/** A session of a list. */
export interface ListedSession extends SessionStanding {
  /** Name in addresses. */
  readonly slug: string | null;
  /** Its place among spot sessions: higher first. */
  readonly precedence: number;
  /** Whether its card is on the board now: a snooze that is over counts no more. */
  readonly visibility: Visibility;
  /** Name of its category. */
  readonly category: string | null;
  /** Its repository's address or short name. */
  readonly repository: string | null;
  /** Branch it starts from. */
  readonly branch: string | null;
  /** The beginning of its prompt. */
  readonly promptStart: string | null;
  /** Characters of its prompt. */
  readonly promptCharacters: number;
  /** Names of its MCP servers. */
  readonly mcpServers: readonly string[];
  /** When it was registered. */
  readonly createdAt: Date;
  /** When its row last changed. */
  readonly updatedAt: Date;
}

/** Characters of {@link ListedSession.promptStart} at most. */
export const PROMPT_PREVIEW_CHARACTERS = 100;

/** Whether the card of `s` is on the board now. */
export const IS_ON_BOARD =
  `(s.visibility = 'visible' or (s.visibility = 'snoozed' and s.snoozed_until <= now()))`;

/** What {@link toListed} reads, of `sessions s`. */
export const LISTED_COLUMNS =
  `s.id, s.title, s.slug, s.agent_root_key, s.status, s.state_since,
  s.wait_reason, s.wait_until, s.paused_by, s.pending_sleep, s.failure_reason,
  s.driven_by, s.agent_runtime, s.genesis, s.scheduling_class, s.precedence,
  case when ${IS_ON_BOARD} then 'visible' else s.visibility end as visibility,
  case when ${IS_ON_BOARD} then null else s.snoozed_until end as snoozed_until,
  ${QUEUED_REFUSED_UNTIL} as refused_until,
  (select name from categories c where c.id = s.category_id) as category,
  coalesce(s.git_root, s.repository_name) as repository, s.branch,
  left(s.prompt, ${PROMPT_PREVIEW_CHARACTERS}) as prompt_start,
  coalesce(char_length(s.prompt), 0) as prompt_characters,
  s.mcp_servers, s.created_at, s.updated_at`;

/** Converts what every list of sessions reads. */
export function toStanding(row: Row): SessionStanding {
  return {
    id: Number(row.id),
    title: String(row.title),
    agentRootKey: row.agent_root_key as string | null,
    status: row.status as SessionStatus,
    stateSince: row.state_since as Date,
    waitReason: row.wait_reason as WaitReason | null,
    waitUntil: row.wait_until as Date | null,
    refusedUntil: row.refused_until as Date | null,
    pausedBy: row.paused_by as SessionStanding["pausedBy"],
    pendingSleep: row.pending_sleep as SessionStanding["pendingSleep"],
    failureReason: row.failure_reason as string | null,
    drivenBy: row.driven_by as SessionDriver,
    agentRuntime: row.agent_runtime as string | null,
    genesis: row.genesis as Genesis,
    schedulingClass: row.scheduling_class as SchedulingClass | null,
    snoozedUntil: row.snoozed_until as Date | null,
  };
}

/** Converts a row of {@link LISTED_COLUMNS}. */
export function toListed(row: Row): ListedSession {
  return {
    ...toStanding(row),
    slug: row.slug as string | null,
    precedence: Number(row.precedence),
    visibility: row.visibility as Visibility,
    category: row.category as string | null,
    repository: row.repository as string | null,
    branch: row.branch as string | null,
    promptStart: row.prompt_start as string | null,
    promptCharacters: Number(row.prompt_characters),
    mcpServers: row.mcp_servers as string[],
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
  };
}
