/**
 * The ordered list of migrations. Append only: a checksum guards what has been
 * applied somewhere already.
 *
 * @module
 */
import sessions from "./0001_sessions.sql" with { type: "text" };
import rootData from "./0002_root_data.sql" with { type: "text" };
import eventLog from "./0003_event_log.sql" with { type: "text" };
import searchHits from "./0004_search_hits.sql" with {
  type: "text",
};
import labelPages from "./0005_label_pages.sql" with {
  type: "text",
};
import drivenBy from "./0006_driven_by.sql" with { type: "text" };
import conditionalWrites from "./0007_conditional_writes.sql" with {
  type: "text",
};
import passages from "./0008_passages.sql" with { type: "text" };
import fleet from "./0011_fleet.sql" with { type: "text" };
import sessionSearch from "./0012_session_search.sql" with { type: "text" };
import jobs from "./0013_jobs.sql" with { type: "text" };
import sessionReads from "./0015_session_reads.sql" with {
  type: "text",
};
import distributable from "./0018_distributable.sql" with {
  type: "text",
};
import gateDecisions from "./0021_gate_decisions.sql" with { type: "text" };
import workBacklog from "./0022_work_backlog.sql" with { type: "text" };
import costs from "./0023_costs.sql" with { type: "text" };
import spotAndHealth from "./0034_spot_and_health.sql" with { type: "text" };
import costTotals from "./0035_cost_totals.sql" with { type: "text" };
import elicitations from "./0025_elicitations.sql" with { type: "text" };
import board from "./0032_board.sql" with { type: "text" };
import triggers from "./0027_triggers.sql" with { type: "text" };
import vectors from "./0036_vectors.sql" with { type: "text" };
import recallCosts from "./0037_recall_costs.sql" with { type: "text" };
import foldedConversations from "./0038_folded_conversations.sql" with {
  type: "text",
};
import push from "./0028_push.sql" with { type: "text" };
import treeRemovals from "./0040_tree_removals.sql" with { type: "text" };
import formsAndOwners from "./0046_forms_and_owners.sql" with {
  type: "text",
};
import storeCosts from "./0047_store_costs.sql" with {
  type: "text",
};
import turnReach from "./0040_turn_reach.sql" with { type: "text" };

/** One step of the schema: a script without begin or commit. */
export interface Migration {
  /** Number and name, e.g. `0001_sessions`. */
  readonly id: string;
  /** Statements; the first line says `-- compatible` or `-- breaking`. */
  readonly sql: string;
}

/** All migrations of this program, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  { id: "0001_sessions", sql: sessions },
  { id: "0002_root_data", sql: rootData },
  { id: "0003_event_log", sql: eventLog },
  { id: "0004_search_hits", sql: searchHits },
  { id: "0005_label_pages", sql: labelPages },
  { id: "0006_driven_by", sql: drivenBy },
  { id: "0007_conditional_writes", sql: conditionalWrites },
  { id: "0008_passages", sql: passages },
  { id: "0011_fleet", sql: fleet },
  { id: "0012_session_search", sql: sessionSearch },
  { id: "0013_jobs", sql: jobs },
  { id: "0015_session_reads", sql: sessionReads },
  { id: "0018_distributable", sql: distributable },
  { id: "0021_gate_decisions", sql: gateDecisions },
  { id: "0022_work_backlog", sql: workBacklog },
  { id: "0023_costs", sql: costs },
  { id: "0034_spot_and_health", sql: spotAndHealth },
  { id: "0035_cost_totals", sql: costTotals },
  { id: "0025_elicitations", sql: elicitations },
  { id: "0032_board", sql: board },
  { id: "0027_triggers", sql: triggers },
  { id: "0036_vectors", sql: vectors },
  { id: "0037_recall_costs", sql: recallCosts },
  { id: "0028_push", sql: push },
  { id: "0040_turn_reach", sql: turnReach },
  { id: "0038_folded_conversations", sql: foldedConversations },
  { id: "0040_tree_removals", sql: treeRemovals },
  { id: "0046_forms_and_owners", sql: formsAndOwners },
  { id: "0047_store_costs", sql: storeCosts },
];
