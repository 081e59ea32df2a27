/**
 * Notices for people. One is pending until it is read or no longer so; one that
 * was dismissed is listed no more.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** A notice. */
export interface Notification {
  /** Its number. */
  readonly id: number;
  /** Which session it is about. */
  readonly sessionId: number;
  /** What that is called. */
  readonly sessionTitle: string;
  /** What kind of thing it tells. */
  readonly type: string;
  /** What is said, where the kind does not say it all. */
  readonly message: string | null;
  /** Whether somebody read it. */
  readonly isRead: boolean;
  /** Whether what it tells is no longer so. */
  readonly isStale: boolean;
  /** When it was made. */
  readonly createdAt: Date;
}

/** Which notices. */
export interface NotificationFilter {
  /** Only read, or only unread ones. */
  readonly isRead?: boolean | undefined;
  /** Only about sessions of these roots, and the caller's own. */
  readonly fence?: {
    readonly rootKeys: readonly string[];
    readonly sessionId: number | null;
  } | undefined;
}

const COLUMNS =
  `n.id, n.session_id, s.title, n.notification_type, n.message, n.read, n.stale,
  n.created_at`;

/** Active ones of a filter; its parameters are {@link paramsOf}. */
const ACTIVE = `not n.stale and n.dismissed_at is null
  and ($1::boolean is null or n.read = $1)
  and ($2::text is null or s.agent_root_key = any (
    array(select jsonb_array_elements_text($2::text::jsonb))) or s.id = $3)`;

function paramsOf({ isRead, fence }: NotificationFilter): readonly unknown[] {
  return [
    isRead ?? null,
    fence === undefined ? null : JSON.stringify(fence.rootKeys),
    fence?.sessionId ?? null,
  ];
}

/** Counts active ones. */
export async function countNotifications(
  db: Queryable,
  filter: NotificationFilter,
): Promise<number> {
  const [row] = await db.read<{ total: number }>(
    `select count(*)::int as total from notifications n
     join sessions s on s.id = n.session_id where ${ACTIVE}`,
    paramsOf(filter),
  );
  return row?.total ?? 0;
}

/** Lists active ones, newest first. */
export async function listNotifications(
  db: Queryable,
  filter: NotificationFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly Notification[]> {
  const rows = await db.read<Row>(
    `select ${COLUMNS} from notifications n
     join sessions s on s.id = n.session_id where ${ACTIVE}
     order by n.id desc limit $4 offset $5`,
    [...paramsOf(filter), limit, offset],
  );
  return rows.map(toNotification);
}

/** Reads one, with the root of its session; undefined where there is none. */
export async function findNotification(
  db: Queryable,
  id: number,
): Promise<
  | Notification & {
    readonly session: {
      readonly id: number;
      readonly agentRootKey: string | null;
    };
  }
  | undefined
> {
  const [row] = await db.read<Row>(
    `select ${COLUMNS}, s.agent_root_key from notifications n
     join sessions s on s.id = n.session_id
     where n.id = $1 and n.dismissed_at is null`,
    [id],
  );
  if (row === undefined) return undefined;
  return {
    ...toNotification(row),
    session: {
      id: Number(row.session_id),
      agentRootKey: row.agent_root_key as string | null,
    },
  };
}

/** Marks one as read; whether there is one. */
export async function markRead(
  tx: Transaction,
  id: number,
): Promise<boolean> {
  const rows = await tx.write(
    `update notifications set read = true, updated_at = now()
     where id = $1 and dismissed_at is null returning id`,
    [id],
  );
  return rows.length > 0;
}

/** Marks all active ones of a filter as read; how many were unread. */
export async function markAllRead(
  tx: Transaction,
  filter: NotificationFilter,
): Promise<number> {
  const rows = await tx.write(
    `update notifications u set read = true, updated_at = now()
     from notifications n join sessions s on s.id = n.session_id
     where u.id = n.id and not n.read and ${ACTIVE} returning u.id`,
    paramsOf(filter),
  );
  return rows.length;
}

/** Dismisses one that was read: "unread" where it was not, "none" without one. */
export async function dismiss(
  tx: Transaction,
  id: number,
): Promise<"dismissed" | "unread" | "none"> {
  const [row] = await tx.write<{ read: boolean }>(
    `select read from notifications where id = $1 and dismissed_at is null
     for update`,
    [id],
  );
  if (row === undefined) return "none";
  if (!row.read) return "unread";
  await tx.write(
    "update notifications set dismissed_at = now(), updated_at = now() where id = $1",
    [id],
  );
  return "dismissed";
}

/** Dismisses all of a filter that were read; how many. */
export async function dismissAllRead(
  tx: Transaction,
  filter: NotificationFilter,
): Promise<number> {
  const rows = await tx.write(
    `update notifications u set dismissed_at = now(), updated_at = now()
     from notifications n join sessions s on s.id = n.session_id
     where u.id = n.id and n.read and ${ACTIVE} returning u.id`,
    paramsOf(filter),
  );
  return rows.length;
}

function toNotification(row: Row): Notification {
  return {
    id: Number(row.id),
    sessionId: Number(row.session_id),
    sessionTitle: String(row.title),
    type: String(row.notification_type),
    message: row.message as string | null,
    isRead: row.read === true,
    isStale: row.stale === true,
    createdAt: row.created_at as Date,
  };
}
