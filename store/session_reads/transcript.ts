/**
 * What sessions said: the events of their turns, in parts.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";

/** Events that are read at once at most. */
export const MAX_EVENTS = 1_000;
/** Bytes of events that are read at once at most, as far as whole ones fit. */
const MAX_BYTES = 2_000_000;

/** An event of a turn. */
export interface TranscriptEvent {
  /** Whose transcript it is in. */
  readonly sessionId: number;
  /** Which turn of its session it belongs to, from 1. */
  readonly turn: number;
  /** The turn's number of all turns. */
  readonly turnId: number;
  /** Its place in the turn, from 1. */
  readonly seq: number;
  /** When. */
  readonly at: Date;
  /** What kind of thing happened. */
  readonly kind: string;
  /** All of it, as it was reported. */
  readonly payload: unknown;
  /** What of it can be read. */
  readonly text: string | null;
}

/** Where an event stands in a transcript: after or before it goes on. */
export interface EventPlace {
  /** Number of its turn. */
  readonly turnId: number;
  /** Its place in the turn. */
  readonly seq: number;
}

const COLUMNS =
  `e.session_id, t.ordinal, e.turn_id, e.seq, e.at, e.kind, e.payload, e.text`;

/**
 * Reads the events of a session behind a place, oldest first: as many as are
 * asked for, and fewer where they are large. One is read in any case.
 */
export async function readEvents(
  db: Queryable,
  sessionId: number,
  { after, limit = MAX_EVENTS }: {
    readonly after?: EventPlace | undefined;
    readonly limit?: number | undefined;
  } = {},
): Promise<readonly TranscriptEvent[]> {
  return await readSome(db, [
    `e.session_id = $1 and (e.turn_id, e.seq) > ($2, $3)`,
    "e.turn_id, e.seq",
    [sessionId, after?.turnId ?? 0, after?.seq ?? 0, limit],
  ]);
}

/** The same for the newest before a place, newest first. */
export async function readNewestEvents(
  db: Queryable,
  sessionId: number,
  { before, limit = MAX_EVENTS }: {
    readonly before?: EventPlace | undefined;
    readonly limit?: number | undefined;
  } = {},
): Promise<readonly TranscriptEvent[]> {
  return await readSome(db, [
    `e.session_id = $1 and ($2::bigint is null or (e.turn_id, e.seq) < ($2, $3))`,
    "e.turn_id desc, e.seq desc",
    [sessionId, before?.turnId ?? null, before?.seq ?? null, limit],
  ]);
}

/**
 * Sizes are looked at before texts are read: of a running sum of what events
 * take, those are read that fit.
 */
async function readSome(
  db: Queryable,
  [where, order, params]: readonly [string, string, readonly unknown[]],
): Promise<readonly TranscriptEvent[]> {
  const rows = await db.read<Row>(
    `select ${COLUMNS} from (
       select turn_id, seq, sum(bytes) over (order by ${
      order.replaceAll("e.", "")
    }) - bytes as before
       from (select e.turn_id, e.seq,
           pg_column_size(e.payload) + coalesce(octet_length(e.text), 0) as bytes
         from turn_events e where ${where} order by ${order} limit $4) sized) fit
     join turn_events e using (turn_id, seq) join turns t on t.id = e.turn_id
     where fit.before < ${MAX_BYTES} order by ${order}`,
    params,
  );
  return rows.map((row) => ({
    sessionId: Number(row.session_id),
    turn: Number(row.ordinal),
    turnId: Number(row.turn_id),
    seq: Number(row.seq),
    at: row.at as Date,
    kind: String(row.kind),
    payload: row.payload,
    text: row.text as string | null,
  }));
}
