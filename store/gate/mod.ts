/**
 * The ledger of gate decisions, and what people said of them. It only grows.
 *
 * @module
 */
export type { Gate, GateDecision, RecordedVia } from "./decision.ts";
export { GATES, REASON_CHARACTERS, RECORDED_VIA } from "./decision.ts";
export type {
  FeedbackChannel,
  FeedbackFilter,
  FeedbackWithDecision,
  GateFeedback,
  LedgerTotals,
} from "./feedback.ts";
export {
  countLedger,
  FEEDBACK_CHANNELS,
  feedbackOn,
  listFeedback,
} from "./feedback.ts";
export { findDecision, readPayloads } from "./find.ts";
export type { NewDecision, NewFeedback } from "./insert.ts";
export { insertDecision, insertFeedback } from "./insert.ts";
export type { DecisionPage, DecisionSearch } from "./search.ts";
export { searchDecisions } from "./search.ts";
export type { DecisionFilter } from "./search_statement.ts";
