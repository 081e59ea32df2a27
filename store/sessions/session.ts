/**
 * What a session is, and its row.
 *
 * @module
 */
import type { Row } from "../pg/db.ts";

/** States of a session. */
export type SessionStatus =
  | "running"
  | "waiting"
  | "needs_input"
  | "archived"
  | "failed";

/** All states, in display order. */
export const SESSION_STATUSES: readonly SessionStatus[] = [
  "running",
  "waiting",
  "needs_input",
  "archived",
  "failed",
];

/** Who carries out a session's turns. */
export type SessionDriver = "client" | "runner";

/** All drivers. */
export const SESSION_DRIVERS: readonly SessionDriver[] = ["client", "runner"];

/** A session. */
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
  /** Who carries out its turns. */
  readonly drivenBy: SessionDriver;
  /** The session that started it. */
  readonly parentSessionId: number | null;
  /** Tool groups its token reaches; null means the defaults. */
  readonly toolGroups: readonly string[] | null;
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
  /** When it was archived. */
  readonly archivedAt: Date | null;
}

/** What {@link toSession} reads. */
export const SESSION_COLUMNS =
  `id, agent_root_key, title, slug, status, driven_by, parent_session_id,
  tool_groups, metadata, custom_metadata, token_hash is not null as has_token,
  created_at, updated_at, archived_at`;

/** Converts a row of {@link SESSION_COLUMNS}. */
export function toSession(row: Row): Session {
  return {
    id: Number(row.id),
    agentRootKey: row.agent_root_key as string | null,
    title: String(row.title),
    slug: row.slug as string | null,
    status: row.status as SessionStatus,
    drivenBy: row.driven_by as SessionDriver,
    parentSessionId: row.parent_session_id === null
      ? null
      : Number(row.parent_session_id),
    toolGroups: row.tool_groups as string[] | null,
    metadata: row.metadata as Record<string, unknown>,
    customMetadata: row.custom_metadata as Record<string, unknown>,
    hasToken: row.has_token === true,
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
    archivedAt: row.archived_at as Date | null,
  };
}
