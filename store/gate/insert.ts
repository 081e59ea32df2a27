/**
 * Puts decisions and what people say of them into the ledger. There is no other
 * write: the database refuses to change or delete a row.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import type { JsonObject } from "../pg/storable.ts";
import {
  DECISION_COLUMNS,
  type Gate,
  type GateDecision,
  type RecordedVia,
  toDecision,
} from "./decision.ts";
import {
  FEEDBACK_COLUMNS,
  type FeedbackChannel,
  type GateFeedback,
  toFeedback,
} from "./feedback.ts";

/** A decision to record; whoever records it has checked it. */
export interface NewDecision {
  /** The gate. */
  readonly gate: Gate;
  /** What it was made about, folded. */
  readonly surface: string;
  /** The pull request or issue. */
  readonly artifactUrl: string | null;
  /** The day, `YYYY-MM-DD`. */
  readonly decidedAt: string | null;
  /** The verdict. */
  readonly decision: string | null;
  /** The session whose work was judged. */
  readonly producingSessionUrl: string | null;
  /** The session that records it. */
  readonly writingSessionId: number | null;
  /** The way on which it comes in. */
  readonly recordedVia: RecordedVia;
  /** The entry as JSON text. */
  readonly payload: string;
}

/** Records a decision. @throws {StoreUnavailableError} */
export async function insertDecision(
  db: Queryable,
  decision: NewDecision,
): Promise<GateDecision> {
  const [row] = await db.write<Row>(
    `with d as (
       insert into gate_decisions (gate, surface, artifact_url, decided_at,
         decision, producing_session_url, writing_session_id, recorded_via, payload)
       values ($1, $2, $3, $4::text::date, $5, $6,
         (select id from sessions where id = $7::text::bigint), $8, $9::text::jsonb)
       returning *)
     select ${DECISION_COLUMNS} from d`,
    [
      decision.gate,
      decision.surface,
      decision.artifactUrl,
      decision.decidedAt,
      decision.decision,
      decision.producingSessionUrl,
      decision.writingSessionId === null
        ? null
        : String(decision.writingSessionId),
      decision.recordedVia,
      decision.payload,
    ],
  );
  return toDecision(row as Row);
}

/** What a person says of a decision; whoever records it has checked it. */
export interface NewFeedback {
  /** The decision. */
  readonly decisionId: number;
  /** In a word or two: `should-have-held`. */
  readonly verdict: string;
  /** In as many words as it takes. */
  readonly note: string | null;
  /** Who says it. */
  readonly author: string | null;
  /** Where it was said. */
  readonly channel: FeedbackChannel;
  /** More about it. @default {{}} */
  readonly payload?: JsonObject;
}

/** Records feedback; undefined where there is no such decision. */
export async function insertFeedback(
  db: Queryable,
  feedback: NewFeedback,
): Promise<GateFeedback | undefined> {
  const [row] = await db.write<Row>(
    `with f as (
       insert into gate_decision_feedbacks
         (gate_decision_id, verdict, note, author, channel, payload)
       select id, $2, $3, $4, $5, $6::text::jsonb from gate_decisions where id = $1
       returning *)
     select ${FEEDBACK_COLUMNS} from f`,
    [
      feedback.decisionId,
      feedback.verdict,
      feedback.note,
      feedback.author,
      feedback.channel,
      JSON.stringify(feedback.payload ?? {}),
    ],
  );
  return row === undefined ? undefined : toFeedback(row);
}
