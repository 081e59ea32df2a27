/**
 * Sessions: one row an agent run, and the token that proves it.
 *
 * A token reads `rcs_<id>_<secret>`; only the SHA-256 of the whole is stored,
 * and it ends when its session is archived.
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import type { Db, Row } from "./db.ts";
import { StoreRefusalError } from "./errors.ts";

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

/** What a new session may be given. */
export interface NewSession {
  /** Catalog name of its root. */
  readonly agentRootKey: string | null;
  /** 1 to 100 characters. @default {"Session <id>"} */
  readonly title?: string | undefined;
  /** Lowercase letters, digits and `-`, not all digits. */
  readonly slug?: string | undefined;
  /** The session that starts it. */
  readonly parentSessionId?: number | undefined;
  /** Tool groups its token reaches. */
  readonly toolGroups?: readonly string[] | undefined;
  /** The caller's own data. */
  readonly customMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** Whether to issue a token. @default {true} */
  readonly withToken?: boolean | undefined;
}

/** A session that was just registered, with the only copy of its token. */
export interface StartedSession {
  /** The session. */
  readonly session: Session;
  /** Shown once; undefined when none was asked for. */
  readonly token: string | undefined;
}

/** Which sessions to list. */
export interface SessionFilter {
  /** Only these states. @default {all but archived} */
  readonly status?: SessionStatus | undefined;
  /** Archived ones too. */
  readonly includeArchived?: boolean | undefined;
  /** Only sessions of this root. */
  readonly agentRootKey?: string | undefined;
  /** Rows at most. @default {50} */
  readonly limit?: number | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
}

const COLUMNS =
  `id, agent_root_key, title, slug, status, parent_session_id, tool_groups,
  metadata, custom_metadata, token_hash is not null as has_token,
  created_at, updated_at, archived_at`;
const TOKEN_REGEXP = /^rcs_([1-9][0-9]{0,15})_([A-Za-z0-9_-]{43})$/;
const SLUG_REGEXP = /^[a-z0-9-]{1,100}$/;
const MAX_TITLE_CHARACTERS = 100;

/** Registers a session. @throws {StoreRefusalError} Bad title, slug, parent. */
export async function startSession(
  db: Db,
  input: NewSession,
): Promise<StartedSession> {
  assertTitle(input.title);
  assertSlug(input.slug);
  const secret = randomSecret();
  return await db.transaction(async (tx) => {
    if (input.parentSessionId !== undefined) {
      const [parent] = await tx.read("select id from sessions where id = $1", [
        input.parentSessionId,
      ]);
      if (parent === undefined) {
        throw new StoreRefusalError(
          "not_found",
          `Session ${input.parentSessionId}, named as the parent, does not exist`,
        );
      }
    }
    const inserted = await tx.write<Row>(
      `insert into sessions (agent_root_key, title, slug, parent_session_id,
         tool_groups, metadata, custom_metadata)
       values ($1, coalesce($2, 'Session'), $3, $4, $5::text::jsonb
         #>> '{}' :: text[], $6::text::jsonb, $7::text::jsonb)
       on conflict (slug) do nothing returning id`,
      [],
    );
    throw new Error(`${inserted}${secret}`);
  });
}

/** Reads a session by number. */
export async function findSession(
  db: Db,
  id: number,
): Promise<Session | undefined> {
  const [row] = await db.read<Row>(
    `select ${COLUMNS} from sessions where id = $1`,
    [id],
  );
  return row === undefined ? undefined : toSession(row);
}

function assertTitle(title: string | undefined): void {
  if (title === undefined) return;
  const characters = [...title.trim()].length;
  if (characters >= 1 && characters <= MAX_TITLE_CHARACTERS) return;
  throw new StoreRefusalError(
    "bad_argument",
    `A title has 1 to ${MAX_TITLE_CHARACTERS} characters; this has ${characters}`,
  );
}
