/**
 * Messages that wait to be said to a session, in their places.
 *
 * Whoever calls holds the lock of the session: so places are given and moved by
 * one at a time. A place is kept by messages that are pending or were retired;
 * one that a turn carries has none.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** Where a message stands. */
export type MessageStatus = "pending" | "processing" | "undelivered";

/** Who said it. */
export type MessageOrigin =
  | "caller"
  | "person"
  | "trigger"
  | "wake"
  | "heartbeat"
  | "automated_pr_merged"
  | "automated_merge_conflict";

/** A message, with as much of its text as was asked for. */
export interface QueuedMessage {
  /** Its number. */
  readonly id: number;
  /** Whose queue it is in. */
  readonly sessionId: number;
  /** What it says, or the first of it. */
  readonly content: string;
  /** How many characters it has. */
  readonly characters: number;
  /** What the session is to reach from then on. */
  readonly goal: string | null;
  /** Its place from 1; null while a turn carries it. */
  readonly position: number | null;
  /** Where it stands. */
  readonly status: MessageStatus;
  /** Who said it. */
  readonly origin: MessageOrigin;
  /** What caused it. */
  readonly cause: Readonly<Record<string, unknown>>;
  /** When it was queued. */
  readonly createdAt: Date;
}

/** A message to be queued. */
export interface NewMessage {
  /** What it says: 1 to 500,000 characters. */
  readonly content: string;
  /** What the session is to reach from then on. */
  readonly goal?: string | null | undefined;
  /** Who says it. @default {"caller"} */
  readonly origin?: MessageOrigin | undefined;
  /** What causes it. */
  readonly cause?: Readonly<Record<string, unknown>> | undefined;
  /** Whether it goes before all others. @default {false} */
  readonly isFirst?: boolean | undefined;
}

const COLUMNS = (content: string) =>
  `id, session_id, ${content} as content, char_length(content) as characters,
  goal, position, status, origin, cause, created_at`;

function toMessage(row: Row): QueuedMessage {
  return {
    id: Number(row.id),
    sessionId: Number(row.session_id),
    content: String(row.content),
    characters: Number(row.characters),
    goal: row.goal as string | null,
    position: row.position as number | null,
    status: row.status as MessageStatus,
    origin: row.origin as MessageOrigin,
    cause: row.cause as Record<string, unknown>,
    createdAt: row.created_at as Date,
  };
}

/** Puts a message at the end of the queue, or before all others. */
export async function insertMessage(
  tx: Transaction,
  sessionId: number,
  message: NewMessage,
): Promise<QueuedMessage> {
  if (message.isFirst === true) await makeRoom(tx, sessionId, 1);
  const [row] = await tx.write<Row>(
    `insert into enqueued_messages (session_id, content, goal, origin, cause, position)
     values ($1, $2, $3, $4, $5::text::jsonb, case when $6 then 1 else (
       select coalesce(max(position), 0) + 1 from enqueued_messages where session_id = $1) end)
     returning ${COLUMNS("content")}`,
    [
      sessionId,
      message.content,
      message.goal ?? null,
      message.origin ?? "caller",
      JSON.stringify(message.cause ?? {}),
      message.isFirst ?? false,
    ],
  );
  return toMessage(row as Row);
}

/** Reads a message of a session; undefined where it has none of that number. */
export async function findMessage(
  db: Queryable,
  sessionId: number,
  id: number,
): Promise<QueuedMessage | undefined> {
  const [row] = await db.read<Row>(
    `select ${COLUMNS("content")} from enqueued_messages
     where id = $2 and session_id = $1`,
    [sessionId, id],
  );
  return row === undefined ? undefined : toMessage(row);
}

/** Reads the message that a turn under way carries. */
export async function findProcessing(
  db: Queryable,
  sessionId: number,
): Promise<QueuedMessage | undefined> {
  const [row] = await db.read<Row>(
    `select ${COLUMNS("content")} from enqueued_messages
     where session_id = $1 and status = 'processing'`,
    [sessionId],
  );
  return row === undefined ? undefined : toMessage(row);
}

/** Which messages to list. */
export interface MessageFilter {
  /** Only these. @default {all} */
  readonly status?: MessageStatus | undefined;
  /** Characters of each text at most. @default {500,000} */
  readonly characters?: number | undefined;
  /** Messages at most. @default {100} */
  readonly limit?: number | undefined;
  /** Messages to skip. @default {0} */
  readonly offset?: number | undefined;
}

/** Lists messages by their places; the one that is carried comes first. */
export async function listMessages(
  db: Queryable,
  sessionId: number,
  filter: MessageFilter = {},
): Promise<QueuedMessage[]> {
  const rows = await db.read<Row>(
    `select ${COLUMNS("left(content, $2::int)")} from enqueued_messages
     where session_id = $1 and ($3::text is null or status = $3)
     order by position nulls first, id limit $4 offset $5`,
    [
      sessionId,
      filter.characters ?? 500_000,
      filter.status ?? null,
      filter.limit ?? 100,
      filter.offset ?? 0,
    ],
  );
  return rows.map(toMessage);
}

/** How many messages a session has, by where they stand. */
export async function countMessages(
  db: Queryable,
  sessionId: number,
): Promise<Record<MessageStatus | "total", number>> {
  const [row] = await db.read<Record<MessageStatus | "total", number>>(
    `select count(*)::int as total,
       (count(*) filter (where status = 'pending'))::int as pending,
       (count(*) filter (where status = 'processing'))::int as processing,
       (count(*) filter (where status = 'undelivered'))::int as undelivered
     from enqueued_messages where session_id = $1`,
    [sessionId],
  );
  return row ?? { total: 0, pending: 0, processing: 0, undelivered: 0 };
}

/** Changes what a pending message says. */
export async function updateMessage(
  tx: Transaction,
  id: number,
  change: { readonly content: string; readonly goal: string | null },
): Promise<QueuedMessage> {
  const [row] = await tx.write<Row>(
    `update enqueued_messages set content = $2, goal = $3, updated_at = now()
     where id = $1 returning ${COLUMNS("content")}`,
    [id, change.content, change.goal],
  );
  return toMessage(row as Row);
}

/** Takes a message out; those behind it move up. */
export async function deleteMessage(
  tx: Transaction,
  { id, sessionId, position }: QueuedMessage,
): Promise<void> {
  await tx.write("delete from enqueued_messages where id = $1", [id]);
  if (position !== null) await closeGap(tx, sessionId, position);
}

/** Moves a message to a place, or to the end where there are fewer. */
export async function moveMessage(
  tx: Transaction,
  { id, sessionId, position }: QueuedMessage,
  to: number,
): Promise<number> {
  const [last] = await tx.read<{ position: number | null }>(
    "select max(position) as position from enqueued_messages where session_id = $1",
    [sessionId],
  );
  const place = Math.min(to, last?.position ?? 1);
  if (place === position) return place;
  // Through places that two have for a moment: they are told apart at commit.
  if (position !== null) await closeGap(tx, sessionId, position);
  await makeRoom(tx, sessionId, place);
  await tx.write(
    "update enqueued_messages set position = $2, updated_at = now() where id = $1",
    [id, place],
  );
  return place;
}

/**
 * A message is carried by a turn from now on: it gives up its place, and what
 * it says is to be reached becomes the session's goal.
 */
export async function takeMessage(
  tx: Transaction,
  { id, sessionId, position, goal }: QueuedMessage,
): Promise<void> {
  if (goal !== null) {
    await tx.write("update sessions set goal = $2 where id = $1", [
      sessionId,
      goal,
    ]);
  }
  await tx.write(
    `update enqueued_messages set status = 'processing', position = null,
       updated_at = now() where id = $1`,
    [id],
  );
  if (position !== null) await closeGap(tx, sessionId, position);
}

/** A message that a turn carried goes back before all others. */
export async function returnMessage(
  tx: Transaction,
  { id, sessionId }: QueuedMessage,
): Promise<void> {
  await makeRoom(tx, sessionId, 1);
  await tx.write(
    `update enqueued_messages set status = 'pending', position = 1,
       updated_at = now() where id = $1`,
    [id],
  );
}

/**
 * Retires what is still to be said: nobody will. A message that a turn carries
 * is retired, too; it gets a place behind the others.
 */
export async function retireMessages(
  tx: Transaction,
  sessionId: number,
): Promise<QueuedMessage[]> {
  const rows = await tx.write<Row>(
    `with last as (select coalesce(max(position), 0) + 1 as place
       from enqueued_messages where session_id = $1)
     update enqueued_messages set status = 'undelivered', updated_at = now(),
       position = coalesce(position, (select place from last))
     where session_id = $1 and status in ('pending', 'processing')
     returning ${COLUMNS("left(content, 200)")}`,
    [sessionId],
  );
  return rows.map(toMessage).sort((a, b) =>
    Number(a.position) - Number(b.position)
  );
}

async function makeRoom(
  tx: Transaction,
  sessionId: number,
  from: number,
): Promise<void> {
  await tx.write(
    `update enqueued_messages set position = position + 1
     where session_id = $1 and position >= $2`,
    [sessionId, from],
  );
}

async function closeGap(
  tx: Transaction,
  sessionId: number,
  behind: number,
): Promise<void> {
  await tx.write(
    `update enqueued_messages set position = position - 1
     where session_id = $1 and position > $2`,
    [sessionId, behind],
  );
}
