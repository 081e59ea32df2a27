/**
 * Where notices are sent to, and how that goes.
 *
 * @module
 */
import type { Db, Queryable, Row } from "../pg/db.ts";

/** A browser that asked for Web Push. */
export interface PushSubscription {
  /** Its number. */
  readonly id: number;
  /** Address of its push service for it alone: a secret. */
  readonly endpoint: string;
  /** Its public key, base64url. */
  readonly p256dh: string;
  /** Its authentication secret, base64url. */
  readonly auth: string;
  /** The person who asked; null where an API key did, which is everybody's. */
  readonly owner: string | null;
}

/** The pair of keys that push services know this program by, base64url. */
export interface VapidKeys {
  /** What browsers are given. */
  readonly publicKey: string;
  /** What requests are signed with. */
  readonly privateKey: string;
}

/**
 * Remembers a browser; the same endpoint is one, and belongs to whoever asked
 * last. Answers with its number.
 */
export async function saveSubscription(
  db: Db,
  { endpoint, p256dh, auth, owner }: Omit<PushSubscription, "id">,
): Promise<number> {
  const [row] = await db.write<{ id: string }>(
    `insert into push_subscriptions (endpoint, p256dh, auth, owner)
     values ($1, $2, $3, $4)
     on conflict (endpoint) do update set p256dh = $2, auth = $3, owner = $4
     returning id`,
    [endpoint, p256dh, auth, owner],
  );
  return Number(row?.id);
}

/** How many browsers there are. */
export async function countSubscriptions(db: Queryable): Promise<number> {
  const [row] = await db.read<{ n: number }>(
    "select count(*)::int as n from push_subscriptions",
  );
  return row?.n ?? 0;
}

/** Numbers of all browsers. */
export async function listSubscriptionIds(db: Queryable): Promise<number[]> {
  const rows = await db.read<{ id: string }>(
    "select id from push_subscriptions order by id",
  );
  return rows.map(({ id }) => Number(id));
}

/** A browser, without what is needed to write to it. */
export type ListedSubscription =
  & Pick<PushSubscription, "id" | "endpoint" | "owner">
  & {
    /** When it was asked for. */
    readonly since: Date;
  };

/** All browsers, oldest first. */
export async function listSubscriptions(
  db: Queryable,
): Promise<ListedSubscription[]> {
  const rows = await db.read<Row>(
    `select id, endpoint, owner, created_at as since
     from push_subscriptions order by id`,
  );
  return rows.map((row) => ({
    id: Number(row.id),
    endpoint: String(row.endpoint),
    owner: row.owner as string | null,
    since: row.since as Date,
  }));
}

/** Reads a browser; undefined where it is gone. */
export async function findSubscription(
  db: Queryable,
  id: number,
): Promise<PushSubscription | undefined> {
  const [row] = await db.read<Row>(
    "select id, endpoint, p256dh, auth, owner from push_subscriptions where id = $1",
    [id],
  );
  return row === undefined ? undefined : {
    id: Number(row.id),
    endpoint: String(row.endpoint),
    p256dh: String(row.p256dh),
    auth: String(row.auth),
    owner: row.owner as string | null,
  };
}

/** Forgets a browser by its number; whether there was one. */
export async function dropSubscription(db: Db, id: number): Promise<boolean> {
  return await drop(db, "id = $1", [id]) > 0;
}

/** Forgets the browsers of everybody but of these, and but those of nobody. */
export async function dropSubscriptionsBut(
  db: Db,
  owners: readonly string[],
): Promise<number> {
  return await drop(
    db,
    `owner is not null and owner not in (
       select jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify(owners)],
  );
}

/** How it went is forgotten with them; numbers are not used again. */
async function drop(
  db: Db,
  condition: string,
  params: readonly unknown[],
): Promise<number> {
  const rows = await db.write<{ id: string }>(
    `with gone as (delete from push_subscriptions where ${condition} returning id),
       untold as (delete from notice_targets
         where target in (select 'push:' || id from gone))
     select id from gone`,
    params,
  );
  return rows.length;
}

/** The pair of keys; undefined until one was made. */
export async function readVapidKeys(
  db: Queryable,
): Promise<VapidKeys | undefined> {
  const [row] = await db.read<Row>(
    "select public_key, private_key from vapid_keys",
  );
  return row === undefined ? undefined : {
    publicKey: String(row.public_key),
    privateKey: String(row.private_key),
  };
}

/** Keeps a pair of keys, unless another server was first: the pair that holds. */
export async function keepVapidKeys(
  db: Db,
  keys: VapidKeys,
): Promise<VapidKeys> {
  await db.write(
    `insert into vapid_keys (public_key, private_key) values ($1, $2)
     on conflict do nothing`,
    [keys.publicKey, keys.privateKey],
  );
  return await readVapidKeys(db) ?? keys;
}

/** Something was sent to a target. */
export async function noteSent(db: Db, target: string): Promise<void> {
  await db.write(
    `insert into notice_targets as t (target, last_sent_at)
     values ($1, clock_timestamp())
     on conflict (target) do update set last_sent_at = clock_timestamp(),
       failures = 0, last_error = null, failed_at = null`,
    [target],
  );
}

/** Something could not be sent. */
export async function noteUnsent(
  db: Db,
  target: string,
  error: string,
): Promise<void> {
  await db.write(
    `insert into notice_targets as t (target, failures, last_error, failed_at)
     values ($1, 1, left($2, 500), clock_timestamp())
     on conflict (target) do update set failures = t.failures + 1,
       last_error = left($2, 500), failed_at = clock_timestamp()`,
    [target, error],
  );
}

/** A target that cannot be reached. */
export interface TargetTrouble {
  /** Which one. */
  readonly target: string;
  /** Tries that failed in a row. */
  readonly failures: number;
  /** Why the last one did. */
  readonly error: string;
}

/** Targets whose last try failed. */
export async function readTargetTroubles(
  db: Queryable,
): Promise<readonly TargetTrouble[]> {
  const rows = await db.read<Row>(
    `select target, failures, last_error from notice_targets
     where failures > 0 order by failures desc, target limit 20`,
  );
  return rows.map((row) => ({
    target: String(row.target),
    failures: Number(row.failures),
    error: String(row.last_error ?? ""),
  }));
}

/** A notice that is to be sent. */
export interface SendableNotice {
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
  /** When it was made. */
  readonly createdAt: Date;
}

/**
 * Reads a notice that people still have to know of: undefined where it is no
 * longer so, or somebody has read or dismissed it.
 */
export async function findSendable(
  db: Queryable,
  id: number,
): Promise<SendableNotice | undefined> {
  const [row] = await db.read<Row>(
    `select n.id, n.session_id, s.title, n.notification_type, n.message, n.created_at
     from notifications n join sessions s on s.id = n.session_id
     where n.id = $1 and not n.stale and not n.read and n.dismissed_at is null`,
    [id],
  );
  return row === undefined ? undefined : {
    id: Number(row.id),
    sessionId: Number(row.session_id),
    sessionTitle: String(row.title),
    type: String(row.notification_type),
    message: row.message as string | null,
    createdAt: row.created_at as Date,
  };
}
