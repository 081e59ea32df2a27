/**
 * Notices about sessions, as far as the rules of sessions write them.
 *
 * @module
 */
import { sendJob } from "../jobs/send.ts";
import type { Transaction } from "../pg/db.ts";

/** A notice. */
export interface NewNotice {
  /** Which session it is about. */
  readonly sessionId: number;
  /** What kind of thing it tells, e.g. `session_needs_input`. */
  readonly type: string;
  /** What is said, where the kind does not say it all. */
  readonly message?: string | undefined;
  /** The change that it tells of: one change makes one notice. */
  readonly marker?: string | undefined;
}

/** Makes a notice; undefined where its change made one already. */
export async function insertNotice(
  tx: Transaction,
  notice: NewNotice,
): Promise<number | undefined> {
  const [row] = await tx.write<{ id: string }>(
    `insert into notifications (session_id, notification_type, message, transition_marker)
     values ($1, $2, $3, $4) on conflict do nothing returning id`,
    [
      notice.sessionId,
      notice.type,
      notice.message ?? null,
      notice.marker ?? null,
    ],
  );
  if (row === undefined) return undefined;
  // Sent to people when it stands, by whichever server comes first.
  await sendJob(tx, "default", {
    kind: "push_notice",
    notice_id: Number(row.id),
  });
  return Number(row.id);
}

/** What a session's notices tell is no longer so. */
export async function staleNotices(
  tx: Transaction,
  sessionId: number,
): Promise<void> {
  await tx.write(
    `update notifications set stale = true, updated_at = now()
     where session_id = $1 and not stale`,
    [sessionId],
  );
}

/** Deletes a session's notices. */
export async function dropNotices(
  tx: Transaction,
  sessionId: number,
): Promise<void> {
  await tx.write("delete from notifications where session_id = $1", [
    sessionId,
  ]);
}
