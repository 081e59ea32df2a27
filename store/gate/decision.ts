/**
 * What a decision of a gate is, and its row.
 *
 * @module
 */
import type { Row } from "../pg/db.ts";

/** The gates. */
export type Gate = "pr_merge" | "issue_work";

/** All gates, in display order. */
export const GATES: readonly Gate[] = ["pr_merge", "issue_work"];

/** The way on which a decision came in. */
export type RecordedVia = "api" | "mcp" | "import";

/** All ways. */
export const RECORDED_VIA: readonly RecordedVia[] = ["api", "mcp", "import"];

/** A decision, without what its gate wrote beside the stable fields. */
export interface GateDecision {
  /** Its number in the ledger. */
  readonly id: number;
  /** The gate that made it. */
  readonly gate: Gate;
  /** What it was made about, folded to `lower_case`. */
  readonly surface: string;
  /** The pull request or issue. */
  readonly artifactUrl: string | null;
  /** The day it was made, `YYYY-MM-DD`. */
  readonly decidedAt: string | null;
  /** The verdict. */
  readonly decision: string | null;
  /** The session whose work was judged, or that was started for it. */
  readonly producingSessionUrl: string | null;
  /** The session that recorded it. */
  readonly writingSessionId: number | null;
  /** The way on which it came in. */
  readonly recordedVia: RecordedVia;
  /** `title` of the entry. */
  readonly title: string | null;
  /** The beginning of the entry's `reason`. */
  readonly reason: string | null;
  /** Characters that the whole reason has. */
  readonly reasonCharacters: number;
  /** Bytes of the entry as text. */
  readonly payloadBytes: number;
  /** When it was recorded. */
  readonly createdAt: Date;
}

/** Characters of a reason that are read with a decision. */
export const REASON_CHARACTERS = 400;
/** Characters of a title that are read with a decision. */
const TITLE_CHARACTERS = 300;

/** What {@link toDecision} reads, of a table called `d`. */
export const DECISION_COLUMNS =
  `d.id, d.gate, d.surface, d.artifact_url, d.decided_at::text as decided_at,
  d.decision, d.producing_session_url, d.writing_session_id, d.recorded_via,
  case jsonb_typeof(d.payload -> 'title') when 'string'
    then left(d.payload ->> 'title', ${TITLE_CHARACTERS}) end as title,
  case jsonb_typeof(d.payload -> 'reason') when 'string'
    then left(d.payload ->> 'reason', ${REASON_CHARACTERS}) end as reason,
  case jsonb_typeof(d.payload -> 'reason') when 'string'
    then char_length(d.payload ->> 'reason') else 0 end as reason_characters,
  octet_length(d.payload::text) as payload_bytes, d.created_at,
  coalesce(d.decided_at, '-infinity'::date)::text as day`;

/** Converts a row of {@link DECISION_COLUMNS}. */
export function toDecision(row: Row): GateDecision {
  return {
    id: Number(row.id),
    gate: row.gate as Gate,
    surface: String(row.surface),
    artifactUrl: row.artifact_url as string | null,
    decidedAt: row.decided_at as string | null,
    decision: row.decision as string | null,
    producingSessionUrl: row.producing_session_url as string | null,
    writingSessionId: row.writing_session_id === null
      ? null
      : Number(row.writing_session_id),
    recordedVia: row.recorded_via as RecordedVia,
    title: row.title as string | null,
    reason: row.reason as string | null,
    reasonCharacters: Number(row.reason_characters),
    payloadBytes: Number(row.payload_bytes),
    createdAt: row.created_at as Date,
  };
}
