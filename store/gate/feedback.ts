/**
 * What people said of decisions.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import { parameters } from "../root_data/statement.ts";
import {
  DECISION_COLUMNS,
  type Gate,
  type GateDecision,
  toDecision,
} from "./decision.ts";

/** Where feedback was given: the page, or before there was one. */
export type FeedbackChannel = "web_ui" | "imported";

/** All channels. */
export const FEEDBACK_CHANNELS: readonly FeedbackChannel[] = [
  "web_ui",
  "imported",
];

/** What a person said of a decision. */
export interface GateFeedback {
  /** Its number. */
  readonly id: number;
  /** The decision. */
  readonly decisionId: number;
  /** In a word or two. */
  readonly verdict: string;
  /** In as many words as it takes. */
  readonly note: string | null;
  /** The day, `YYYY-MM-DD`. */
  readonly receivedAt: string;
  /** Who said it, where that is known. */
  readonly author: string | null;
  /** Where. */
  readonly channel: FeedbackChannel;
}

/** What {@link toFeedback} reads, of a table called `f`. */
export const FEEDBACK_COLUMNS =
  `f.id, f.gate_decision_id, f.verdict, f.note, f.received_at::text as received_at,
  f.author, f.channel`;

/** Converts a row of {@link FEEDBACK_COLUMNS}. */
export function toFeedback(row: Row): GateFeedback {
  return {
    id: Number(row.id),
    decisionId: Number(row.gate_decision_id),
    verdict: String(row.verdict),
    note: row.note as string | null,
    receivedAt: String(row.received_at),
    author: row.author as string | null,
    channel: row.channel as FeedbackChannel,
  };
}

/** Feedback on some decisions, oldest first. */
export async function feedbackOn(
  db: Queryable,
  decisionIds: readonly number[],
): Promise<GateFeedback[]> {
  if (decisionIds.length === 0) return [];
  const rows = await db.read<Row>(
    `select ${FEEDBACK_COLUMNS} from gate_decision_feedbacks f
     where f.gate_decision_id = any ($1::text::bigint[]) order by f.id`,
    [`{${decisionIds.join(",")}}`],
  );
  return rows.map(toFeedback);
}

/** Which feedback to list. */
export interface FeedbackFilter {
  /** On decisions of this gate. */
  readonly gate?: Gate | undefined;
  /** On decisions about this, folded. */
  readonly surface?: string | undefined;
  /** On this decision. */
  readonly decisionId?: number | undefined;
  /** At most so many. */
  readonly limit: number;
}

/** Feedback and the decision that it is about. */
export interface FeedbackWithDecision {
  /** What was said. */
  readonly feedback: GateFeedback;
  /** Of what. */
  readonly decision: GateDecision;
}

/** Lists feedback, newest first. */
export async function listFeedback(
  db: Queryable,
  { gate, surface, decisionId, limit }: FeedbackFilter,
): Promise<FeedbackWithDecision[]> {
  const { params, bind } = parameters();
  const where = [
    ...(gate === undefined ? [] : [`d.gate = ${bind(gate, "text")}`]),
    ...(surface === undefined ? [] : [`d.surface = ${bind(surface, "text")}`]),
    ...(decisionId === undefined
      ? []
      : [`f.gate_decision_id = ${bind(decisionId, "bigint")}`]),
  ];
  const rows = await db.read<Row>(
    `select ${DECISION_COLUMNS}, ${
      FEEDBACK_COLUMNS.replace("f.id,", "f.id as feedback_id,")
    }
     from gate_decision_feedbacks f join gate_decisions d on d.id = f.gate_decision_id
     ${where.length === 0 ? "" : `where ${where.join(" and ")}`}
     order by f.received_at desc, f.id desc limit ${bind(limit, "int")}`,
    params,
  );
  return rows.map((row) => ({
    feedback: toFeedback({ ...row, id: row.feedback_id }),
    decision: toDecision(row),
  }));
}

/** How much the ledger holds. */
export interface LedgerTotals {
  /** Decisions. */
  readonly decisions: number;
  /** Feedback. */
  readonly feedbacks: number;
}

/** Counts the whole ledger. */
export async function countLedger(db: Queryable): Promise<LedgerTotals> {
  const [row] = await db.read<Row>(
    `select (select count(*) from gate_decisions) as decisions,
       (select count(*) from gate_decision_feedbacks) as feedbacks`,
  );
  return {
    decisions: Number(row?.decisions ?? 0),
    feedbacks: Number(row?.feedbacks ?? 0),
  };
}
