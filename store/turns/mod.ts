/**
 * Rows of runners, and of turns as those who carry them out know them: leases,
 * events, commands, use.
 *
 * @module
 */
export type { NewEvent } from "./events.ts";
export { appendEvents } from "./events.ts";
export type { Pick, PickLane, PickOptions } from "./pick.ts";
export { pickTurn } from "./pick.ts";
export type { DoneOrder, OpenCommand, RunnerOrder } from "./commands.ts";
export {
  acknowledgeOrders,
  answerCommands,
  cancelTreeRemoval,
  listOpenCommands,
  listOrders,
  orderRunners,
  orderTreeRemovals,
} from "./commands.ts";
export { readRecap } from "./recap.ts";
export type { Runner, RunnerHello } from "./runners.ts";
export {
  drainRunner,
  findRunner,
  findRunnerByToken,
  insertRunner,
  isRunnerToken,
  listRunners,
  noteHello,
  revokeRunner,
  touchRunner,
} from "./runners.ts";
export {
  noteSaid,
  pickSummary,
  readLastEvents,
  SUMMARY_PATIENCE_SECONDS,
  writeSummary,
} from "./summaries.ts";
export type { LeasedRow, TurnRow } from "./turn_row.ts";
export {
  endTurn,
  findExpiredTurns,
  findLeasedByRequest,
  findSessionByTurnToken,
  isTurnToken,
  leaseTurn,
  listHeldTurns,
  lockTurn,
  noteConversation,
  noteGoal,
  noteLease,
  noteMcpCall,
  notePhase,
  type ProvenTurn,
  readToldGoal,
  renewLease,
  type TurnReach,
} from "./turn_row.ts";
export type { WatchReading } from "./watch.ts";
export { readWatch } from "./watch.ts";
