/**
 * The state of a session, read and written under its lock.
 *
 * Which state follows which is decided elsewhere; here is only the row.
 *
 * @module
 */
import type { Row, Transaction } from "../pg/db.ts";
import { type Session, SESSION_COLUMNS, toSession } from "./session.ts";
import type { SessionStatus, WaitReason } from "./words.ts";

/** What a change of state writes. */
export interface StateChange {
  /** The new state. */
  readonly status: SessionStatus;
  /** Why it waits; only with the state `waiting`. */
  readonly waitReason?: WaitReason | null;
  /** Until when it waits. */
  readonly waitUntil?: Date | null;
  /** Who holds its queue from now on. */
  readonly pausedBy?: Session["pausedBy"];
  /** What broke. */
  readonly failureReason?: string | null;
  /** Whether its token stops working. @default {false} */
  readonly endsToken?: boolean;
  /** Whether the time of the archive is noted, with the end of its tree. */
  readonly notesArchive?: boolean;
  /** Whether they are forgotten. @default {false} */
  readonly forgetsArchive?: boolean;
  /** Whether it still does the same when its turn ends. @default {false} */
  readonly keepsPendingSleep?: boolean;
}

/** Days that the tree of an archived session is kept. */
const TRASH_DAYS = 4;

/**
 * Reads a session and locks its row until the transaction ends. Not its key:
 * whoever writes a row that only refers to it, a child's for one, goes on.
 */
export async function lockSession(
  tx: Transaction,
  id: number,
): Promise<Session | undefined> {
  const [row] = await tx.write<Row>(
    `select ${SESSION_COLUMNS} from sessions where id = $1 for no key update`,
    [id],
  );
  return row === undefined ? undefined : toSession(row);
}

/**
 * Reads several sessions and locks their rows, in the order of their numbers,
 * so that two that lock some of the same never wait for each other.
 */
export async function lockSessions(
  tx: Transaction,
  ids: readonly number[],
): Promise<Map<number, Session>> {
  const found = new Map<number, Session>();
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    const session = await lockSession(tx, id);
    if (session !== undefined) found.set(id, session);
  }
  return found;
}

/**
 * Writes a state, and forgets what belonged to the one before: reasons, holds,
 * what was to happen at the turn's end. The caller holds the lock.
 */
export async function writeState(
  tx: Transaction,
  id: number,
  change: StateChange,
): Promise<Session> {
  const [row] = await tx.write<Row>(
    `update sessions set status = $2, updated_at = now(),
       state_no = state_no + 1, state_since = clock_timestamp(),
       wait_reason = $3, wait_until = $4, paused_by = $5, failure_reason = $6,
       pending_sleep = case when $10 then pending_sleep end,
       token_hash = case when $7 then null else token_hash end,
       archived_at = case when $8 then now() when $9 then null
         else archived_at end,
       trash_after = case when $8 then now() + ${TRASH_DAYS} * interval '1 day'
         when $9 then null else trash_after end,
       metadata = case when $8
         then metadata || jsonb_build_object('archived_from', status)
         when $9 then metadata - 'archived_from' else metadata end
     where id = $1 returning ${SESSION_COLUMNS}`,
    [
      id,
      change.status,
      change.waitReason ?? null,
      change.waitUntil ?? null,
      change.pausedBy ?? null,
      change.failureReason ?? null,
      change.endsToken ?? false,
      change.notesArchive ?? false,
      change.forgetsArchive ?? false,
      change.keepsPendingSleep ?? false,
    ],
  );
  return toSession(row as Row);
}

/** What is noted on a session without a change of its state. */
export interface StateNote {
  /** Who holds its queue. */
  readonly pausedBy?: Session["pausedBy"];
  /** What it does at the end of its turn. */
  readonly pendingSleep?: Session["pendingSleep"];
  /** Why it waits. */
  readonly waitReason?: WaitReason | null;
  /** Until when. */
  readonly waitUntil?: Date | null;
}

/** Notes it. The caller holds the lock. */
export async function noteState(
  tx: Transaction,
  { id, ...now }: Session,
  note: StateNote,
): Promise<Session> {
  const { pausedBy, pendingSleep, waitReason, waitUntil } = { ...now, ...note };
  const [row] = await tx.write<Row>(
    `update sessions set paused_by = $2, pending_sleep = $3, wait_reason = $4,
       wait_until = $5, updated_at = now()
     where id = $1 returning ${SESSION_COLUMNS}`,
    [id, pausedBy, pendingSleep, waitReason, waitUntil],
  );
  return toSession(row as Row);
}
