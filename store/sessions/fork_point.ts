/**
 * Where a session was forked off another.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import type { Session } from "./session.ts";

/** The last turn that a fork has in common with its source. */
export interface ForkPoint {
  /** The source. */
  readonly sessionId: number;
  /** Ordinal of the turn. */
  readonly turn: number;
  /** The commit that the source's tree was at after it; null: not known. */
  readonly commit: string | null;
}

/** A turn in which something was said, and where it stands. */
export interface SaidTurn extends Omit<ForkPoint, "sessionId"> {
  /** Its number. */
  readonly turnId: number;
  /** Counts what was said to the session, from 0. */
  readonly index: number;
}

const COMMIT_REGEXP = /^[0-9a-f]{40,64}$/;

/** Where a session was forked off; undefined for any other. */
export function forkPointOf(
  { metadata }: Pick<Session, "metadata">,
): ForkPoint | undefined {
  const from = metadata.forked_from;
  if (typeof from !== "object" || from === null) return undefined;
  const { session_id, turn, commit } = from as Record<string, unknown>;
  // A fork of a session to which nothing was said has no turn of it.
  if (!Number.isSafeInteger(session_id) || !Number.isSafeInteger(turn)) {
    return undefined;
  }
  return {
    sessionId: Number(session_id),
    turn: Number(turn),
    commit: typeof commit === "string" && COMMIT_REGEXP.test(commit)
      ? commit
      : null,
  };
}

/** Turns of a session in which something was said, oldest first. */
export async function listSaidTurns(
  db: Queryable,
  sessionId: number,
): Promise<readonly SaidTurn[]> {
  const rows = await db.read<Row>(
    `select id, ordinal, git_after ->> 'after' as commit from turns
     where session_id = $1 and delivered_at is not null and kind <> 'summary'
     order by ordinal`,
    [sessionId],
  );
  // A turn that was lost told nothing of its tree: it is where it was before.
  let commit: string | null = null;
  return rows.map((row, index) => {
    commit = row.commit as string | null ?? commit;
    return {
      turnId: Number(row.id),
      index,
      turn: Number(row.ordinal),
      commit,
    };
  });
}
