/**
 * The transcripts of all sessions, as a bulk export goes through them: by the
 * numbers of sessions, a part at a time, so that no read takes long and nothing
 * is held between two.
 *
 * @module
 */
import type { Db, Queryable, Row } from "../pg/db.ts";
import {
  type Session,
  SESSION_COLUMNS,
  toSession,
} from "../sessions/session.ts";
import { readEvents, type TranscriptEvent } from "./transcript.ts";

/** What there is to be exported. */
export interface ArchiveFigures {
  /** Sessions with a transcript. */
  readonly sessions: number;
  /** Bytes that transcripts take in the database. */
  readonly storedBytes: number;
  /** Now, by the database's clock. */
  readonly now: Date;
}

/** A session, or an event of the session named last. */
export type ArchiveEntry =
  | { readonly kind: "session"; readonly session: Session }
  | { readonly kind: "event"; readonly event: TranscriptEvent };

/** Sessions that are looked for at once. */
const SESSIONS_AT_ONCE = 100;

const WITH_TRANSCRIPT =
  "exists (select from turn_events e where e.session_id = s.id)";

/** Counts what there is. */
export async function readArchiveFigures(
  db: Queryable,
): Promise<ArchiveFigures> {
  const [row] = await db.read<Row>(
    `select (select count(*)::int from sessions s where ${WITH_TRANSCRIPT}) as sessions,
       pg_total_relation_size('turn_events')::float8 as bytes, now() as now`,
  );
  return {
    sessions: Number(row?.sessions ?? 0),
    storedBytes: Number(row?.bytes ?? 0),
    now: row?.now as Date,
  };
}

/**
 * Goes through all of it. What is added meanwhile is read where it lies ahead;
 * nothing is read twice.
 */
export async function* readArchive(db: Db): AsyncGenerator<ArchiveEntry> {
  for (let last = 0;;) {
    const rows = await db.read<Row>(
      `select ${SESSION_COLUMNS} from sessions s
       where id > $1 and ${WITH_TRANSCRIPT} order by id limit ${SESSIONS_AT_ONCE}`,
      [last],
    );
    for (const session of rows.map(toSession)) {
      last = session.id;
      yield { kind: "session", session };
      let after: { readonly turnId: number; readonly seq: number } | undefined;
      for (;;) {
        const events = await readEvents(db, session.id, { after });
        for (const event of events) yield { kind: "event", event };
        after = events.at(-1);
        if (after === undefined) break;
      }
    }
    if (rows.length < SESSIONS_AT_ONCE) return;
  }
}
