/**
 * The ledger of what requests to models used, and sums of it.
 *
 * @module
 */
export type {
  CostReport,
  CostSums,
  CostWindow,
  Kinds,
  LedgerSpan,
  NamedSums,
  Rate,
  SessionCost,
} from "./report.ts";
export { readCosts, readLedgerSpan } from "./report.ts";
export type { Prices } from "./report_statements.ts";
export type { LatestTurns } from "./turn_costs.ts";
export { readTurnCosts } from "./turn_costs.ts";
export type { RequestUsage } from "./usage.ts";
export { recordUsage, UNKNOWN_MODEL } from "./usage.ts";
