/**
 * The state of a session, read and written under its lock.
 *
 * Which state follows which is decided elsewhere; here is only the row.
 *
 * @module
 */
import type { Row, Transaction } from "../pg/db.ts";
import {
  type Session,
  SESSION_COLUMNS,
  type SessionStatus,
  toSession,
} from "./session.ts";

/** What a change of state writes. */
export interface StateChange {
  /** The new state. */
  readonly status: SessionStatus;
  /** Whether its token stops working. @default {false} */
  readonly endsToken?: boolean;
  /** Whether the time of the archive is noted. @default {false} */
  readonly notesArchive?: boolean;
}

/** Reads a session and locks its row until the transaction ends. */
export async function lockSession(
  tx: Transaction,
  id: number,
): Promise<Session | undefined> {
  const [row] = await tx.write<Row>(
    `select ${SESSION_COLUMNS} from sessions where id = $1 for update`,
    [id],
  );
  return row === undefined ? undefined : toSession(row);
}

/** Writes a state. The caller holds the lock of {@link lockSession}. */
export async function writeState(
  tx: Transaction,
  id: number,
  change: StateChange,
): Promise<Session> {
  const [row] = await tx.write<Row>(
    `update sessions set status = $2, updated_at = now(),
       token_hash = case when $3 then null else token_hash end,
       archived_at = case when $4 then now() else archived_at end
     where id = $1 returning ${SESSION_COLUMNS}`,
    [
      id,
      change.status,
      change.endsToken ?? false,
      change.notesArchive ?? false,
    ],
  );
  return toSession(row as Row);
}
