/**
 * The row of a turn while somebody has it.
 *
 * Whoever writes here holds the lock of the session, and locks the turn after
 * it.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";
import {
  type Session,
  SESSION_COLUMNS,
  toSession,
} from "../sessions/session.ts";
import { isHashOf } from "../sessions/token.ts";
import type { TurnKind, TurnPhase } from "../sessions/turns.ts";

/** A turn. */
export interface TurnRow {
  /** Its number. */
  readonly id: number;
  /** Whose. */
  readonly sessionId: number;
  /** Which of its session. */
  readonly ordinal: number;
  /** What it is for. */
  readonly kind: TurnKind;
  /** How far it came. */
  readonly phase: TurnPhase;
  /** The message that it carries. */
  readonly messageId: number | null;
  /** What is said; null until it is leased. */
  readonly prompt: string | null;
  /** Goal that its message sets. */
  readonly goal: string | null;
  /** The runner that has it. */
  readonly runnerId: number | null;
  /** The lease. */
  readonly leaseNo: number | null;
  /** Expected next event. */
  readonly nextSeq: number;
  /** Which attempt it is. */
  readonly attempt: number;
  /** What its end was answered with. */
  readonly receipt: Readonly<Record<string, unknown>> | null;
  /** Why it is tried again. */
  readonly detail: string | null;
}

const COLUMNS = `id, session_id, ordinal, kind, phase, message_id, prompt, goal,
  runner_id, lease_no, next_seq, attempt, receipt, detail`;
const ACTIVE = "phase in ('leased', 'spawned', 'delivered')";
const TOKEN_REGEXP = /^rct_([1-9][0-9]{0,15})_[A-Za-z0-9_-]{43}$/;

function toTurn(row: Row): TurnRow {
  const numberOf = (value: unknown) => value === null ? null : Number(value);
  return {
    id: Number(row.id),
    sessionId: Number(row.session_id),
    ordinal: Number(row.ordinal),
    kind: row.kind as TurnKind,
    phase: row.phase as TurnPhase,
    messageId: numberOf(row.message_id),
    prompt: row.prompt as string | null,
    goal: row.goal as string | null,
    runnerId: numberOf(row.runner_id),
    leaseNo: numberOf(row.lease_no),
    nextSeq: Number(row.next_seq),
    attempt: Number(row.attempt),
    receipt: row.receipt as Record<string, unknown> | null,
    detail: row.detail as string | null,
  };
}

/** Reads a turn and locks it. */
export async function lockTurn(
  tx: Transaction,
  id: number,
): Promise<TurnRow | undefined> {
  const [row] = await tx.write<Row>(
    `select ${COLUMNS} from turns where id = $1 for update`,
    [id],
  );
  return row === undefined ? undefined : toTurn(row);
}

/** The turn that a runner got by a request, as long as it has it. */
export async function findLeasedByRequest(
  db: Queryable,
  runnerId: number,
  requestHash: string,
): Promise<TurnRow | undefined> {
  const [row] = await db.read<Row>(
    `select ${COLUMNS} from turns
     where runner_id = $1 and request_id = $2 and ${ACTIVE}`,
    [runnerId, requestHash],
  );
  return row === undefined ? undefined : toTurn(row);
}

/** The turns that a runner has. */
export async function listHeldTurns(
  db: Queryable,
  runnerId: number,
): Promise<
  readonly {
    readonly id: number;
    readonly sessionId: number;
    readonly requestHash: string | null;
  }[]
> {
  const rows = await db.read<Row>(
    `select id, session_id, request_id from turns
     where runner_id = $1 and ${ACTIVE} order by id`,
    [runnerId],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    sessionId: Number(row.session_id),
    requestHash: row.request_id as string | null,
  }));
}

/** Turns whose lease is over, oldest first. */
export async function findExpiredTurns(
  db: Queryable,
  limit: number,
): Promise<readonly { readonly id: number; readonly sessionId: number }[]> {
  const rows = await db.read<Row>(
    `select id, session_id from turns
     where ${ACTIVE} and leased_until < now() order by leased_until limit $1`,
    [limit],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    sessionId: Number(row.session_id),
  }));
}

/** What a lease writes. */
export interface LeasedRow {
  /** Who gets it. */
  readonly runnerId: number;
  /** Number of the lease. */
  readonly leaseNo: number;
  /** How long it holds, in milliseconds. */
  readonly leaseMs: number;
  /** SHA-256 of the request, in hexadecimal digits. */
  readonly requestHash: string;
  /** SHA-256 of the turn's token, in hexadecimal digits. */
  readonly tokenHash: string;
  /** What is said. */
  readonly prompt: string;
  /** The message that it carries. */
  readonly messageId: number | null;
  /** What its agent is told to reach. */
  readonly goal: string | null;
}

/** Gives a turn to a runner. */
export async function leaseTurn(
  tx: Transaction,
  { id }: Pick<TurnRow, "id">,
  lease: LeasedRow,
): Promise<void> {
  await tx.write(
    `update turns set phase = 'leased', runner_id = $2, lease_no = $3,
       leased_until = now() + $4 * interval '1 millisecond', request_id = $5,
       token_hash = decode($6, 'hex'), prompt = $7, message_id = $8, goal = $9,
       leased_at = clock_timestamp()
     where id = $1`,
    [
      id,
      lease.runnerId,
      lease.leaseNo,
      lease.leaseMs,
      lease.requestHash,
      lease.tokenHash,
      lease.prompt,
      lease.messageId,
      lease.goal,
    ],
  );
}

/** Notes the number of a session's last lease, and where it is at home. */
export async function noteLease(
  tx: Transaction,
  sessionId: number,
  { leaseNo, runnerId }: Pick<LeasedRow, "leaseNo" | "runnerId">,
): Promise<void> {
  await tx.write(
    `update sessions set lease_no = $2, home_runner_id = $3 where id = $1`,
    [sessionId, leaseNo, runnerId],
  );
}

/** What is known of a turn under way. */
export interface TurnReach {
  /** Whether its agent has called the MCP endpoint. */
  readonly hasCalledMcp: boolean;
}

/** Renews a lease; undefined where it is not the one that is meant. */
export async function renewLease(
  db: Queryable,
  id: number,
  lease: {
    readonly runnerId: number;
    readonly leaseNo: number;
    readonly leaseMs: number;
  },
): Promise<TurnReach | undefined> {
  const [row] = await db.write<Row>(
    `update turns set leased_until = now() + $4 * interval '1 millisecond'
     where id = $1 and runner_id = $2 and lease_no = $3 and ${ACTIVE}
     returning mcp_called_at is not null as has_called`,
    [id, lease.runnerId, lease.leaseNo, lease.leaseMs],
  );
  return row === undefined
    ? undefined
    : { hasCalledMcp: row.has_called === true };
}

/** Notes that the agent of a turn has called the MCP endpoint. */
export async function noteMcpCall(db: Queryable, id: number): Promise<void> {
  await db.write(
    "update turns set mcp_called_at = coalesce(mcp_called_at, now()) where id = $1",
    [id],
  );
}

/** Notes how far a turn has come; never back. */
export async function notePhase(
  db: Queryable,
  id: number,
  phase: "spawned" | "delivered",
  process: unknown,
): Promise<void> {
  await db.write(
    `update turns set
       phase = case when phase = 'leased' or $2 = 'delivered' then $2 else phase end,
       spawned_at = coalesce(spawned_at, clock_timestamp()),
       delivered_at = case when $2 = 'delivered'
         then coalesce(delivered_at, clock_timestamp()) else delivered_at end,
       process = coalesce($3::text::jsonb, process)
     where id = $1 and ${ACTIVE}`,
    [id, phase, process === null ? null : JSON.stringify(process)],
  );
}

/** Notes what the agent calls its conversation. */
export async function noteConversation(
  db: Queryable,
  { id, sessionId }: Pick<TurnRow, "id" | "sessionId">,
  conversationId: string,
): Promise<void> {
  await db.write("update turns set conversation_id = $2 where id = $1", [
    id,
    conversationId,
  ]);
  // Two sessions with one conversation would be a fault of an agent.
  await db.write(
    `update sessions set conversation_id = $2 where id = $1
     and not exists (select from sessions o where o.conversation_id = $2
       and o.id <> $1 and o.agent_runtime is not distinct from sessions.agent_runtime)`,
    [sessionId, conversationId],
  );
}

/** What a session is to reach from now on. */
export async function noteGoal(
  tx: Transaction,
  sessionId: number,
  goal: string,
): Promise<void> {
  await tx.write("update sessions set goal = $2 where id = $1", [
    sessionId,
    goal,
  ]);
}

/**
 * What a session's agent was told last to reach; undefined where it was told
 * nothing yet.
 */
export async function readToldGoal(
  tx: Transaction,
  sessionId: number,
): Promise<string | null | undefined> {
  const [told] = await tx.read<{ goal: string | null }>(
    `select goal from turns where session_id = $1 and kind <> 'summary'
       and delivered_at is not null order by ordinal desc limit 1`,
    [sessionId],
  );
  return told?.goal;
}

/** Ends a turn: its token with it. */
export async function endTurn(
  tx: Transaction,
  id: number,
  end: {
    readonly outcome: string;
    readonly class: string | null;
    readonly detail: string;
    readonly receipt: unknown;
    readonly git: { readonly before: unknown; readonly after: unknown } | null;
  },
): Promise<void> {
  await tx.write(
    `update turns set phase = 'ended', ended_at = clock_timestamp(),
       outcome = $2, class = $3, detail = left($4, 2000),
       receipt = $5::text::jsonb, git_before = $6::text::jsonb,
       git_after = $7::text::jsonb, token_hash = null
     where id = $1`,
    [
      id,
      end.outcome,
      end.class,
      end.detail,
      JSON.stringify(end.receipt),
      end.git === null ? null : JSON.stringify(end.git.before),
      end.git === null ? null : JSON.stringify(end.git.after),
    ],
  );
}

/** Whether a credential has the form of a turn's token. */
export function isTurnToken(credential: string): boolean {
  return credential.startsWith("rct_");
}

/** What a turn's token proves. */
export interface ProvenTurn extends TurnReach {
  /** The session. */
  readonly session: Session;
  /** Its turn. */
  readonly turnId: number;
}

/** The session whose turn a token proves, while its lease holds. */
export async function findSessionByTurnToken(
  db: Queryable,
  token: string,
): Promise<ProvenTurn | undefined> {
  const id = TOKEN_REGEXP.exec(token)?.[1];
  if (id === undefined) return undefined;
  const [row] = await db.read<Row>(
    `select ${SESSION_COLUMNS}, hash, has_called from sessions join (
       select session_id as of, encode(t.token_hash, 'hex') as hash,
         t.mcp_called_at is not null as has_called from turns t
       where t.id = $1 and ${ACTIVE} and t.leased_until > now()
     ) turn on turn.of = sessions.id where status <> 'archived'`,
    [id],
  );
  if (row === undefined || row.hash === null) return undefined;
  if (!await isHashOf(token, row.hash)) return undefined;
  return {
    session: toSession(row),
    turnId: Number(id),
    hasCalledMcp: row.has_called === true,
  };
}
