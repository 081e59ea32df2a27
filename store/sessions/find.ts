/**
 * Finds sessions: one by number or name, or all of a filter.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import {
  type Session,
  SESSION_COLUMNS,
  SESSION_TEXT_COLUMNS,
  type SessionTexts,
  toSession,
  toSessionTexts,
} from "./session.ts";
import type { SessionStatus } from "./words.ts";

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

/** Reads a session by number; undefined where there is none. */
export async function findSession(
  db: Queryable,
  id: number,
): Promise<Session | undefined> {
  const [row] = await db.read<Row>(
    `select ${SESSION_COLUMNS} from sessions where id = $1`,
    [id],
  );
  return row === undefined ? undefined : toSession(row);
}

/** Reads a session by number (all digits) or slug. */
export async function findSessionByName(
  db: Queryable,
  name: string,
): Promise<Session | undefined> {
  if (/^[0-9]+$/.test(name)) {
    const id = Number(name);
    return Number.isSafeInteger(id) && id > 0
      ? await findSession(db, id)
      : undefined;
  }
  const [row] = await db.read<Row>(
    `select ${SESSION_COLUMNS} from sessions where slug = $1`,
    [name.toWellFormed().replaceAll("\u0000", "")],
  );
  return row === undefined ? undefined : toSession(row);
}

/** Reads the session that was started with an idempotency key. */
export async function findSessionByKey(
  db: Queryable,
  key: string,
): Promise<Session | undefined> {
  const [row] = await db.read<Row>(
    `select ${SESSION_COLUMNS} from sessions where idempotency_key = $1`,
    [key],
  );
  return row === undefined ? undefined : toSession(row);
}

/** Reads the long texts of a session; undefined where there is none. */
export async function readSessionTexts(
  db: Queryable,
  id: number,
): Promise<SessionTexts | undefined> {
  const [row] = await db.read<Row>(
    `select ${SESSION_TEXT_COLUMNS} from sessions where id = $1`,
    [id],
  );
  return row === undefined ? undefined : toSessionTexts(row);
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
  db: Queryable,
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
  db: Queryable,
  filter: SessionFilter = {},
): Promise<Session[]> {
  const rows = await db.read<Row>(
    `select ${SESSION_COLUMNS} from sessions
     where ${FILTER}
     order by created_at desc, id desc limit $4 offset $5`,
    [...filterParams(filter), filter.limit ?? 50, filter.offset ?? 0],
  );
  return rows.map(toSession);
}
