/**
 * Runners and their tokens: `rcn_<id>_<secret>`, of which only the SHA-256 is
 * stored.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";
import { hashOf, isHashOf, makeSecret } from "../sessions/token.ts";

/** A runner. */
export interface Runner {
  /** Its number. */
  readonly id: number;
  /** What people call it. */
  readonly name: string;
  /** What it said when it came up. */
  readonly hello: Readonly<Record<string, unknown>>;
  /** What it can start. */
  readonly runtimes: readonly string[];
  /** Turns at once. */
  readonly slots: number;
  /** What people sort it by. */
  readonly labels: readonly string[];
  /** When it last called. */
  readonly seenAt: Date | null;
  /** Since then, in seconds. */
  readonly seenSecondsAgo: number | null;
  /** Whether it takes no new turns. */
  readonly isDraining: boolean;
  /** When its token was taken away. */
  readonly revokedAt: Date | null;
  /** Turns that it has leased. */
  readonly turns: number;
}

/** What a runner says of itself. */
export interface RunnerHello {
  /** All that it said. */
  readonly hello: Readonly<Record<string, unknown>>;
  /** What it can start. */
  readonly runtimes: readonly string[];
  /** Turns at once. */
  readonly slots: number;
  /** What people sort it by. */
  readonly labels: readonly string[];
  /** Names its start. */
  readonly bootId: string;
}

const TOKEN_REGEXP = /^rcn_([1-9][0-9]{0,15})_[A-Za-z0-9_-]{43}$/;

const COLUMNS =
  `r.id, r.name, r.hello, r.runtimes, r.slots, r.labels, r.seen_at,
  extract(epoch from now() - r.seen_at)::float8 as seen_seconds_ago, r.draining,
  r.revoked_at, (select count(*)::int from turns where runner_id = r.id
    and phase in ('leased', 'spawned', 'delivered')) as turns`;

function toRunner(row: Row): Runner {
  return {
    id: Number(row.id),
    name: String(row.name),
    hello: row.hello as Record<string, unknown>,
    runtimes: row.runtimes as string[],
    slots: Number(row.slots),
    labels: row.labels as string[],
    seenAt: row.seen_at as Date | null,
    seenSecondsAgo: row.seen_seconds_ago as number | null,
    isDraining: row.draining === true,
    revokedAt: row.revoked_at as Date | null,
    turns: Number(row.turns),
  };
}

/** Whether a credential has the form of a runner's token. */
export function isRunnerToken(credential: string): boolean {
  return credential.startsWith("rcn_");
}

/** Registers a runner; its token is shown only here. */
export async function insertRunner(
  tx: Transaction,
  name: string,
): Promise<{ readonly id: number; readonly token: string }> {
  const [row] = await tx.write<{ id: string }>(
    "insert into runners (name) values ($1) returning id",
    [name],
  );
  const id = Number(row?.id);
  const token = `rcn_${id}_${makeSecret()}`;
  await tx.write(
    "update runners set token_hash = decode($2, 'hex') where id = $1",
    [id, await hashOf(token)],
  );
  return { id, token };
}

/** The runner that a token proves; undefined when it proves none. */
export async function findRunnerByToken(
  db: Queryable,
  token: string,
): Promise<Runner | undefined> {
  const id = TOKEN_REGEXP.exec(token)?.[1];
  if (id === undefined) return undefined;
  const [row] = await db.read<Row>(
    `select ${COLUMNS}, encode(r.token_hash, 'hex') as hash from runners r
     where r.id = $1 and r.token_hash is not null and r.revoked_at is null`,
    [id],
  );
  return row !== undefined && await isHashOf(token, row.hash)
    ? toRunner(row)
    : undefined;
}

/** Reads a runner by its number. */
export async function findRunner(
  db: Queryable,
  id: number,
): Promise<Runner | undefined> {
  const [row] = await db.read<Row>(
    `select ${COLUMNS} from runners r where r.id = $1`,
    [id],
  );
  return row === undefined ? undefined : toRunner(row);
}

/** Lists runners, the latest first; revoked ones only when asked for. */
export async function listRunners(
  db: Queryable,
  { includeRevoked = false }: { readonly includeRevoked?: boolean } = {},
): Promise<Runner[]> {
  const rows = await db.read<Row>(
    `select ${COLUMNS} from runners r where $1 or r.revoked_at is null
     order by r.id desc limit 200`,
    [includeRevoked],
  );
  return rows.map(toRunner);
}

/** Notes what a runner says of itself. */
export async function noteHello(
  db: Queryable,
  id: number,
  { hello, runtimes, slots, labels, bootId }: RunnerHello,
): Promise<void> {
  await db.write(
    `update runners set hello = $2::text::jsonb, slots = $4, boot_id = $6,
       runtimes = array(select jsonb_array_elements_text($3::text::jsonb)),
       labels = array(select jsonb_array_elements_text($5::text::jsonb)),
       seen_at = now(), updated_at = now()
     where id = $1`,
    [
      id,
      JSON.stringify(hello),
      JSON.stringify(runtimes),
      slots,
      JSON.stringify(labels),
      bootId,
    ],
  );
}

/** Notes that a runner has called, at most once in a few seconds. */
export async function touchRunner(db: Queryable, id: number): Promise<void> {
  await db.write(
    `update runners set seen_at = now() where id = $1
     and (seen_at is null or seen_at < now() - interval '5 seconds')`,
    [id],
  );
}

/** Lets a runner take no new turns, or take some again. */
export async function drainRunner(
  db: Queryable,
  id: number,
  isDraining: boolean,
): Promise<void> {
  await db.write(
    "update runners set draining = $2, updated_at = now() where id = $1",
    [id, isDraining],
  );
}

/** Takes a runner's token away for good. */
export async function revokeRunner(db: Queryable, id: number): Promise<void> {
  await db.write(
    `update runners set revoked_at = coalesce(revoked_at, now()),
       token_hash = null, updated_at = now() where id = $1`,
    [id],
  );
}
