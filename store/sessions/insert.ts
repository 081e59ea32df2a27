/**
 * Puts a session into the table, with the only copy of its token.
 *
 * @module
 */
import type { Row, Transaction } from "../pg/db.ts";
import {
  type Session,
  SESSION_COLUMNS,
  type SessionDriver,
  type SessionStatus,
  toSession,
} from "./session.ts";
import { hashOf, makeToken } from "./token.ts";

/** A new session; whoever inserts it has checked it. */
export interface NewSession {
  /** Catalog name of its root. */
  readonly agentRootKey: string | null;
  /** Where it stands at first. */
  readonly status: SessionStatus;
  /** Who carries out its turns. */
  readonly drivenBy: SessionDriver;
  /** What people call it. @default {"Session <id>"} */
  readonly title?: string | undefined;
  /** Name in addresses. */
  readonly slug?: string | undefined;
  /** The session that starts it. */
  readonly parentSessionId?: number | undefined;
  /** Tool groups its token reaches; none means the defaults. */
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

/** Inserts a session; undefined where another one has its slug. */
export async function insertSession(
  tx: Transaction,
  session: NewSession,
): Promise<StartedSession | undefined> {
  const [inserted] = await tx.write<{ id: string }>(
    `insert into sessions (agent_root_key, status, driven_by, title, slug,
       parent_session_id, tool_groups, custom_metadata)
     values ($1, $2, $3, coalesce($4, 'Session'), $5, $6,
       (select array_agg(value) from jsonb_array_elements_text($7::text::jsonb)),
       $8::text::jsonb)
     on conflict (slug) do nothing returning id`,
    [
      session.agentRootKey,
      session.status,
      session.drivenBy,
      session.title ?? null,
      session.slug ?? null,
      session.parentSessionId ?? null,
      JSON.stringify(session.toolGroups ?? []),
      JSON.stringify(session.customMetadata ?? {}),
    ],
  );
  if (inserted === undefined) return undefined;
  // Both name the id, which the row has only now.
  const token = session.withToken === false
    ? undefined
    : makeToken(inserted.id);
  const [row] = await tx.write<Row>(
    `update sessions set
       token_hash = decode($2, 'hex'),
       title = case when $3 then 'Session ' || id else title end,
       metadata = case when $3
         then metadata || '{"auto_generated_title": true}' else metadata end
     where id = $1 returning ${SESSION_COLUMNS}`,
    [
      inserted.id,
      token === undefined ? null : await hashOf(token),
      session.title === undefined,
    ],
  );
  return { session: toSession(row as Row), token };
}
