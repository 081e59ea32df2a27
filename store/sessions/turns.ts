/**
 * Turns as far as the rules of sessions know them: one is queued, taken back,
 * or under way. How a turn is leased and reported is told elsewhere.
 *
 * Whoever calls holds the lock of the session.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** What a turn is for. */
export type TurnKind = "start" | "message" | "wake" | "recovery" | "summary";

/** How far a turn got. */
export type TurnPhase =
  | "queued"
  | "leased"
  | "spawned"
  | "delivered"
  | "ended";

/** A turn that is not over. */
export interface OpenTurn {
  /** Its number. */
  readonly id: number;
  /** Which turn of its session it is, from 1. */
  readonly ordinal: number;
  /** What it is for. */
  readonly kind: TurnKind;
  /** How far it got. */
  readonly phase: TurnPhase;
  /** The message that it carries, or is to carry and no other. */
  readonly messageId: number | null;
  /** Not to be leased before. */
  readonly notBefore: Date | null;
  /** When it was queued. */
  readonly queuedAt: Date;
}

/** A turn to be queued. */
export interface NewTurn {
  /** What it is for. */
  readonly kind: TurnKind;
  /** The message that is meant. @default {the first when it is leased} */
  readonly messageId?: number | undefined;
  /** What is said, where no message says it. */
  readonly prompt?: string | undefined;
  /** What is to be reached, where no message says it. */
  readonly goal?: string | undefined;
  /** Not to be leased before. */
  readonly notBefore?: Date | undefined;
  /** Which attempt at the same thing it is. @default {1} */
  readonly attempt?: number | undefined;
}

const COLUMNS = "id, ordinal, kind, phase, message_id, not_before, queued_at";

function toOpenTurn(row: Row): OpenTurn {
  return {
    id: Number(row.id),
    ordinal: Number(row.ordinal),
    kind: row.kind as TurnKind,
    phase: row.phase as TurnPhase,
    messageId: row.message_id === null ? null : Number(row.message_id),
    notBefore: row.not_before as Date | null,
    queuedAt: row.queued_at as Date,
  };
}

/** Queues a turn. The session has no other open one. */
export async function insertTurn(
  tx: Transaction,
  sessionId: number,
  turn: NewTurn,
): Promise<OpenTurn> {
  const [row] = await tx.write<Row>(
    `insert into turns (session_id, ordinal, kind, message_id, prompt, goal,
       not_before, attempt, conversation_id)
     select id, (select coalesce(max(ordinal), 0) + 1 from turns where session_id = $1),
       $2, $3, $4, $5, $6, $7, conversation_id
     from sessions where id = $1
     returning ${COLUMNS}`,
    [
      sessionId,
      turn.kind,
      turn.messageId ?? null,
      turn.prompt ?? null,
      turn.goal ?? null,
      turn.notBefore ?? null,
      turn.attempt ?? 1,
    ],
  );
  return toOpenTurn(row as Row);
}

/** The turn of a session that is not over, summaries left aside. */
export async function findOpenTurn(
  db: Queryable,
  sessionId: number,
): Promise<OpenTurn | undefined> {
  const [row] = await db.read<Row>(
    `select ${COLUMNS} from turns
     where session_id = $1 and phase <> 'ended' and kind <> 'summary'`,
    [sessionId],
  );
  return row === undefined ? undefined : toOpenTurn(row);
}

/** Names the message that a queued turn is to carry. */
export async function aimTurn(
  tx: Transaction,
  id: number,
  messageId: number | null,
): Promise<void> {
  await tx.write("update turns set message_id = $2 where id = $1", [
    id,
    messageId,
  ]);
}

/** Takes a queued turn back, which nobody leased. */
export async function cancelTurn(
  tx: Transaction,
  id: number,
  reason: string,
): Promise<void> {
  await tx.write(
    `update turns set phase = 'ended', ended_at = clock_timestamp(),
       outcome = 'cancelled', detail = $2
     where id = $1 and phase = 'queued'`,
    [id, reason],
  );
}

/** What a runner is told about a turn under way. */
export type TurnOrder = "interrupt" | "stop";

/** Asks the runner of a turn to end it; asking twice is asking once. */
export async function orderTurn(
  tx: Transaction,
  turnId: number,
  order: { readonly kind: TurnOrder; readonly reason: string },
): Promise<number> {
  const [open] = await tx.read<{ id: string }>(
    `select id from turn_commands
     where turn_id = $1 and kind = $2 and answered_at is null`,
    [turnId, order.kind],
  );
  if (open !== undefined) return Number(open.id);
  const [row] = await tx.write<{ id: string }>(
    `insert into turn_commands (turn_id, kind, reason) values ($1, $2, $3)
     returning id`,
    [turnId, order.kind, order.reason],
  );
  return Number(row?.id);
}
