/**
 * Group `gate_decisions`: the ledger of what gates decided.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { getGateDecisionFeedback } from "./get_gate_decision_feedback.ts";
import { recordGateDecision } from "./record_gate_decision.ts";
import { searchGateDecisions } from "./search_gate_decisions.ts";

/** Who wrote it is never an argument, and people alone give feedback. */
const REFUSED = {
  human_feedback:
    "human_feedback is given by people on the server's page, and by no tool",
  writing_session_id:
    "writing_session_id is taken from the connection and cannot be passed",
  recorded_via: "recorded_via is set by the server and cannot be passed",
  source_key: "source_key is set by the server and cannot be passed",
};

/** The group. */
export const gateDecisionsGroup: ToolGroup = {
  name: "gate_decisions",
  kind: "opt_in",
  isSessionDefault: false,
  summary:
    "The ledger of gate decisions: search past ratings, read the corrections of people, record one",
  instructions: {
    read:
      "Before a gate rates anything, call get_gate_decision_feedback and search_gate_decisions for its surface.",
  },
  refused: REFUSED,
  tools: [searchGateDecisions, getGateDecisionFeedback, recordGateDecision],
};
