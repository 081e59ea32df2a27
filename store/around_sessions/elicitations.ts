/**
 * Questions that agents ask people, and what became of them. One is open until
 * it is answered, called off, or its time is over.
 *
 * Whoever changes one holds the lock of its session.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** What can become of a question. */
export type ElicitationStatus =
  | "pending"
  | "accept"
  | "decline"
  | "cancel"
  | "expired";

/** A question. */
export interface Elicitation {
  /** Its number. */
  readonly id: number;
  /** Whose agent asks. */
  readonly sessionId: number;
  /** The turn in which it asks; null where none was under way. */
  readonly turnId: number | null;
  /** Its public name, the same for whoever asks and whoever answers. */
  readonly requestId: string;
  /** `form`: to be answered here. `url`: at an address that the message names. */
  readonly mode: "form" | "url";
  /** What is asked. */
  readonly message: string;
  /** JSON Schema of the answer; empty where anything will do. */
  readonly requestedSchema: Readonly<Record<string, unknown>>;
  /** What people should know before they answer. */
  readonly context: string | null;
  /** The tool that asks. */
  readonly toolName: string | null;
  /** Data of whoever asks. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** What became of it. */
  readonly status: ElicitationStatus;
  /** The answer; null unless it was accepted with one. */
  readonly content: Readonly<Record<string, unknown>> | null;
  /** When it stopped being open. */
  readonly respondedAt: Date | null;
  /** When nobody waits for an answer any more. */
  readonly expiresAt: Date;
  /** When it was asked. */
  readonly createdAt: Date;
  /** Whether it is pending though its time is over. */
  readonly isOverdue: boolean;
}

/** A question to be asked. */
export interface NewElicitation {
  /** Its public name. */
  readonly requestId: string;
  /** The turn in which it is asked. */
  readonly turnId: number | null;
  /** Where it is answered. */
  readonly mode: Elicitation["mode"];
  /** What is asked. */
  readonly message: string;
  /** JSON Schema of the answer. */
  readonly requestedSchema: Readonly<Record<string, unknown>>;
  /** What people should know before they answer. */
  readonly context: string | null;
  /** The tool that asks. */
  readonly toolName: string | null;
  /** Data of whoever asks. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** How long it is open, in seconds. */
  readonly seconds: number;
}

/** Which questions. */
export interface ElicitationFilter {
  /** Of this session only. */
  readonly sessionId?: number | undefined;
  /** Only those in this state. */
  readonly status?: ElicitationStatus | undefined;
}

const COLUMNS =
  `id, session_id, turn_id, request_id, mode, message, requested_schema, context,
  tool_name, meta, status, response_content, responded_at, expires_at, created_at,
  status = 'pending' and expires_at <= now() as is_overdue`;

/** Asks a question; undefined where another one has its public name. */
export async function insertElicitation(
  tx: Transaction,
  sessionId: number,
  asked: NewElicitation,
): Promise<Elicitation | undefined> {
  const [row] = await tx.write<Row>(
    `insert into elicitations (session_id, turn_id, request_id, mode, message,
       requested_schema, context, tool_name, meta, expires_at)
     values ($1, $2, $3, $4, $5, $6::text::json, $7, $8, $9::text::jsonb,
       now() + $10::float8 * interval '1 second')
     on conflict (request_id) do nothing returning ${COLUMNS}`,
    [
      sessionId,
      asked.turnId,
      asked.requestId,
      asked.mode,
      asked.message,
      JSON.stringify(asked.requestedSchema),
      asked.context,
      asked.toolName,
      JSON.stringify(asked.meta),
      asked.seconds,
    ],
  );
  return row === undefined ? undefined : toElicitation(row);
}

/** Finds one by its public name, or else by its number. */
export async function findElicitation(
  db: Queryable,
  name: string,
): Promise<Elicitation | undefined> {
  const number = /^[1-9][0-9]{0,15}$/.test(name) ? Number(name) : null;
  const [row] = await db.read<Row>(
    `select ${COLUMNS} from elicitations where request_id = $1 or id = $2
     order by (request_id = $1) desc limit 1`,
    [name, number],
  );
  return row === undefined ? undefined : toElicitation(row);
}

/** Lists them, newest first. */
export async function listElicitations(
  db: Queryable,
  { sessionId, status }: ElicitationFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly Elicitation[]> {
  const rows = await db.read<Row>(
    `select ${COLUMNS} from elicitations
     where ($1::bigint is null or session_id = $1) and ($2::text is null or status = $2)
     order by id desc limit $3 offset $4`,
    [sessionId ?? null, status ?? null, limit, offset],
  );
  return rows.map(toElicitation);
}

/** Writes what became of an open one. */
export async function resolveElicitation(
  tx: Transaction,
  id: number,
  { status, content }: {
    readonly status: Exclude<ElicitationStatus, "pending">;
    readonly content?: Readonly<Record<string, unknown>> | undefined;
  },
): Promise<Elicitation> {
  const [row] = await tx.write<Row>(
    `update elicitations set status = $2, response_content = $3::text::jsonb,
       responded_at = clock_timestamp(), updated_at = now()
     where id = $1 and status = 'pending' returning ${COLUMNS}`,
    [id, status, content === undefined ? null : JSON.stringify(content)],
  );
  return toElicitation(row as Row);
}

/** How many questions of a session are open. */
export async function countOpenElicitations(
  tx: Transaction,
  sessionId: number,
): Promise<number> {
  const [row] = await tx.read<{ open: number }>(
    `select count(*)::int as open from elicitations
     where session_id = $1 and status = 'pending'`,
    [sessionId],
  );
  return row?.open ?? 0;
}

/** Calls off the open questions of a session: nobody waits for an answer. */
export async function cancelElicitations(
  tx: Transaction,
  sessionId: number,
): Promise<void> {
  await tx.write(
    `update elicitations set status = 'cancel', responded_at = clock_timestamp(),
       updated_at = now()
     where session_id = $1 and status = 'pending'`,
    [sessionId],
  );
}

/** Ends the questions of a session whose time is over; those it ended. */
export async function expireElicitations(
  tx: Transaction,
  sessionId: number,
): Promise<readonly Elicitation[]> {
  const rows = await tx.write<Row>(
    `update elicitations set status = 'expired', responded_at = clock_timestamp(),
       updated_at = now()
     where session_id = $1 and status = 'pending' and expires_at <= now()
     returning ${COLUMNS}`,
    [sessionId],
  );
  return rows.map(toElicitation);
}

/** Sessions with questions whose time is over. */
export async function findWithOverdue(
  db: Queryable,
  limit: number,
): Promise<readonly number[]> {
  const rows = await db.read<{ session_id: string }>(
    `select distinct session_id from (select session_id from elicitations
       where status = 'pending' and expires_at <= now()
       order by expires_at limit $1) due`,
    [limit],
  );
  return rows.map(({ session_id }) => Number(session_id));
}

function toElicitation(row: Row): Elicitation {
  return {
    id: Number(row.id),
    sessionId: Number(row.session_id),
    turnId: row.turn_id === null ? null : Number(row.turn_id),
    requestId: String(row.request_id),
    mode: row.mode as Elicitation["mode"],
    message: String(row.message),
    requestedSchema: row.requested_schema as Record<string, unknown>,
    context: row.context as string | null,
    toolName: row.tool_name as string | null,
    meta: row.meta as Record<string, unknown>,
    status: row.status as ElicitationStatus,
    content: row.response_content as Record<string, unknown> | null,
    respondedAt: row.responded_at as Date | null,
    expiresAt: row.expires_at as Date,
    createdAt: row.created_at as Date,
    isOverdue: row.is_overdue === true,
  };
}
