/**
 * Sessions: one row an agent run, and the token that proves it.
 *
 * A token reads `rcs_<id>_<secret>`; only the SHA-256 of the whole is stored,
 * and it ends when its session is archived.
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import type { Db, Row, Transaction } from "../pg/db.ts";
import { assertStorable } from "../pg/storable.ts";
import { StoreRefusalError } from "../errors.ts";

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
const TOKEN_REGEXP = /^rcs_([1-9][0-9]{0,15})_[A-Za-z0-9_-]{43}$/;
const SLUG_REGEXP = /^[a-z0-9-]{1,100}$/;
const MAX_TITLE_CHARACTERS = 100;
const SECRET_BYTES = 32;

/** Registers a session. @throws {StoreRefusalError} Bad title, slug, parent. */
export async function startSession(
  db: Db,
  input: NewSession,
): Promise<StartedSession> {
  assertTitle(input.title);
  assertSlug(input.slug);
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
  return await db.transaction(async (tx) => {
    await assertParent(tx, input.parentSessionId);
    const [inserted] = await tx.write<{ id: string }>(
      `insert into sessions (agent_root_key, title, slug, parent_session_id,
         tool_groups, custom_metadata)
       values ($1, coalesce($2, 'Session'), $3, $4,
         (select array_agg(value) from jsonb_array_elements_text($5::text::jsonb)),
         $6::text::jsonb)
       on conflict (slug) do nothing returning id`,
      [
        input.agentRootKey,
        input.title?.trim() ?? null,
        input.slug ?? null,
        input.parentSessionId ?? null,
        JSON.stringify(input.toolGroups ?? []),
        JSON.stringify(input.customMetadata ?? {}),
      ],
    );
    if (inserted === undefined) {
      throw new StoreRefusalError(
        "bad_argument",
        `The slug "${input.slug}" belongs to another session; choose another`,
      );
    }
    const token = input.withToken === false
      ? undefined
      : `rcs_${inserted.id}_${secret}`;
    const [row] = await tx.write<Row>(
      `update sessions set
         token_hash = decode($2, 'hex'),
         title = case when $3 then 'Session ' || id else title end,
         metadata = case when $3
           then metadata || '{"auto_generated_title": true}' else metadata end
       where id = $1 returning ${COLUMNS}`,
      [
        inserted.id,
        token === undefined ? null : await hashOf(token),
        input.title === undefined,
      ],
    );
    return { session: toSession(row as Row), token };
  });
}

/** Reads a session by number; undefined where there is none. */
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

/** Reads a session by number (all digits) or slug. */
export async function findSessionByName(
  db: Db,
  name: string,
): Promise<Session | undefined> {
  if (/^[0-9]+$/.test(name)) {
    const id = Number(name);
    return Number.isSafeInteger(id) && id > 0
      ? await findSession(db, id)
      : undefined;
  }
  const [row] = await db.read<Row>(
    `select ${COLUMNS} from sessions where slug = $1`,
    [name.toWellFormed().replaceAll("\u0000", "")],
  );
  return row === undefined ? undefined : toSession(row);
}

/** Which rows a filter means; its parameters are {@link filterParams}. */
const FILTER = `($1::text is null or status = $1)
       and ($2 or $1 is not null or status <> 'archived')
       and ($3::text is null or agent_root_key = $3)`;

function filterParams(filter: SessionFilter): readonly unknown[] {
  return [
    filter.status ?? null,
    filter.includeArchived ?? false,
    filter.agentRootKey ?? null,
  ];
}

/** Counts the sessions of a filter, on all pages. */
export async function countSessions(
  db: Db,
  filter: SessionFilter = {},
): Promise<number> {
  const [row] = await db.read<{ total: number }>(
    `select count(*)::int as total from sessions where ${FILTER}`,
    filterParams(filter),
  );
  return row?.total ?? 0;
}

/** Lists sessions, newest first. */
export async function listSessions(
  db: Db,
  filter: SessionFilter = {},
): Promise<Session[]> {
  const rows = await db.read<Row>(
    `select ${COLUMNS} from sessions
     where ${FILTER}
     order by created_at desc, id desc limit $4 offset $5`,
    [...filterParams(filter), filter.limit ?? 50, filter.offset ?? 0],
  );
  return rows.map(toSession);
}

/**
 * Archives a session and ends its token. Archiving twice changes nothing.
 *
 * @throws {StoreRefusalError} Code `not_found`.
 */
export async function archiveSession(db: Db, id: number): Promise<Session> {
  const [row] = await db.write<Row>(
    `update sessions set status = 'archived', token_hash = null,
       archived_at = coalesce(archived_at, now()), updated_at = now()
     where id = $1 returning ${COLUMNS}`,
    [id],
  );
  if (row === undefined) {
    throw new StoreRefusalError("not_found", `Session ${id} does not exist`);
  }
  return toSession(row);
}

/** Whether a credential has the form of a session token. */
export function isSessionToken(credential: string): boolean {
  return credential.startsWith("rcs_");
}

/** The session that a token proves; undefined when it proves none. */
export async function findSessionByToken(
  db: Db,
  token: string,
): Promise<Session | undefined> {
  const id = TOKEN_REGEXP.exec(token)?.[1];
  if (id === undefined) return undefined;
  const [row] = await db.read<Row>(
    `select ${COLUMNS}, encode(token_hash, 'hex') as hash from sessions
     where id = $1 and token_hash is not null and status <> 'archived'`,
    [id],
  );
  if (row === undefined) return undefined;
  const encoder = new TextEncoder();
  const isEqual = timingSafeEqual(
    encoder.encode(await hashOf(token)),
    encoder.encode(String(row.hash)),
  );
  return isEqual ? toSession(row) : undefined;
}

async function assertParent(
  tx: Transaction,
  id: number | undefined,
): Promise<void> {
  if (id === undefined) return;
  const rows = await tx.read("select id from sessions where id = $1", [id]);
  if (rows.length > 0) return;
  throw new StoreRefusalError(
    "not_found",
    `Session ${id}, named as the parent, does not exist`,
  );
}

function assertTitle(title: string | undefined): void {
  if (title === undefined) return;
  const characters = [...title.trim()].length;
  assertStorable(title, "the title");
  if (characters >= 1 && characters <= MAX_TITLE_CHARACTERS) return;
  throw new StoreRefusalError(
    "bad_argument",
    `A title has 1 to ${MAX_TITLE_CHARACTERS} characters; this has ${characters}`,
  );
}

function assertSlug(slug: string | undefined): void {
  if (slug === undefined) return;
  // A slug of digits only would be taken for a session's number.
  if (SLUG_REGEXP.test(slug) && !/^[0-9]+$/.test(slug)) return;
  throw new StoreRefusalError(
    "bad_argument",
    "A slug has 1 to 100 lowercase letters, digits or -, and not only digits",
  );
}

async function hashOf(token: string): Promise<string> {
  const bytes = new TextEncoder().encode(token);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

function toSession(row: Row): Session {
  return {
    id: Number(row.id),
    agentRootKey: row.agent_root_key as string | null,
    title: String(row.title),
    slug: row.slug as string | null,
    status: row.status as SessionStatus,
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
