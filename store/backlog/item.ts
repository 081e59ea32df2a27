/**
 * What an item of the backlog is, and its row.
 *
 * @module
 */
import type { Row } from "../pg/db.ts";

/** How much work an item is thought to be. */
export type Cost = "small" | "medium" | "large";
/** All costs, the least first. */
export const COSTS: readonly Cost[] = ["small", "medium", "large"];

/** Whether an item closes something or opens something up. */
export type ScopeDirection = "convergent" | "divergent";
/** Both directions. */
export const SCOPE_DIRECTIONS: readonly ScopeDirection[] = [
  "convergent",
  "divergent",
];

/** What became of an item. */
export type ItemStatus = "queued" | "started" | "removed";
/** All of them. */
export const ITEM_STATUSES: readonly ItemStatus[] = [
  "queued",
  "started",
  "removed",
];

/** The way on which an item came in. */
export type AddedVia = "import" | "mcp" | "api";
/** All ways. */
export const ADDED_VIA: readonly AddedVia[] = ["import", "mcp", "api"];

/** An item. */
export interface BacklogItem {
  /** Its number. */
  readonly id: number;
  /** Its name, of which one is queued at most: `web#498`. */
  readonly key: string;
  /** The issue; null for an item of a person's own. */
  readonly issueUrl: string | null;
  /** `owner/name`. */
  readonly repo: string;
  /** What its gate rated. */
  readonly surface: string;
  /** The issue's title. */
  readonly title: string;
  /** `bug`, `docs`, … */
  readonly kind: string;
  /** Whether it closes or opens. */
  readonly scopeDirection: ScopeDirection;
  /** How much work it is thought to be: where it stands in line. */
  readonly estimatedCost: Cost;
  /** What the gate said. */
  readonly gateVerdict: string | null;
  /** The day the gate said it, `YYYY-MM-DD`. */
  readonly decidedAt: string | null;
  /** When it was added. */
  readonly addedAt: Date;
  /** Who added it: an agent root, `mcp`, `api` or `human`. */
  readonly addedBy: string;
  /** The way on which it came in. */
  readonly addedVia: AddedVia;
  /** Its place: higher is started sooner. */
  readonly precedence: number;
  /** Whether a person put it there: then nothing else moves it. */
  readonly pinned: boolean;
  /** What became of it. */
  readonly status: ItemStatus;
  /** The session that added it. */
  readonly writingSessionId: number | null;
  /** The session that it became. */
  readonly startedSessionId: number | null;
  /** The session that started it. */
  readonly startedBySessionId: number | null;
  /** When it was started. */
  readonly startedAt: Date | null;
  /** When it was taken off. */
  readonly removedAt: Date | null;
  /** By whom. */
  readonly removedBy: string | null;
  /** Why. */
  readonly removalReason: string | null;
  /** Ratings, notes and whatever else was said of it. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What {@link toItem} reads, of a table called `i`. */
export const ITEM_COLUMNS =
  `i.id, i.key, i.issue_url, i.repo, i.surface, i.title, i.kind,
  i.scope_direction, i.estimated_cost, i.gate_verdict,
  i.decided_at::text as decided_at, i.added_at, i.added_by, i.added_via,
  i.precedence, i.pinned, i.status, i.writing_session_id, i.started_session_id,
  i.started_by_session_id, i.started_at, i.removed_at, i.removed_by,
  i.removal_reason, i.payload`;

/** The order of the queue. */
export const RANK = "i.precedence desc, i.added_at, i.id";

/** Converts a row of {@link ITEM_COLUMNS}. */
export function toItem(row: Row): BacklogItem {
  return {
    id: Number(row.id),
    key: String(row.key),
    issueUrl: row.issue_url as string | null,
    repo: String(row.repo),
    surface: String(row.surface),
    title: String(row.title),
    kind: String(row.kind),
    scopeDirection: row.scope_direction as ScopeDirection,
    estimatedCost: row.estimated_cost as Cost,
    gateVerdict: row.gate_verdict as string | null,
    decidedAt: row.decided_at as string | null,
    addedAt: row.added_at as Date,
    addedBy: String(row.added_by),
    addedVia: row.added_via as AddedVia,
    precedence: Number(row.precedence),
    pinned: row.pinned === true,
    status: row.status as ItemStatus,
    writingSessionId: numberOf(row.writing_session_id),
    startedSessionId: numberOf(row.started_session_id),
    startedBySessionId: numberOf(row.started_by_session_id),
    startedAt: row.started_at as Date | null,
    removedAt: row.removed_at as Date | null,
    removedBy: row.removed_by as string | null,
    removalReason: row.removal_reason as string | null,
    payload: row.payload as Readonly<Record<string, unknown>>,
  };
}

function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value);
}
