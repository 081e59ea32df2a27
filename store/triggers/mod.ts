/**
 * Triggers: what starts and tells sessions when something happens.
 *
 * @module
 */
export type { DueCondition, Occurrence } from "./claim.ts";
export {
  claimOccurrence,
  dropOldOccurrences,
  findDueConditions,
  findSystemConditions,
  noteOutcome,
} from "./claim.ts";
export { countClocks, dropClock, noteClock } from "./clocks.ts";
export type { PollOutcome, PollTrouble } from "./polls.ts";
export { notePoll, readPollTroubles, takePoll } from "./polls.ts";
export type {
  Firing,
  TriggeredSession,
  TriggerFilter,
  TriggerWithConditions,
} from "./read.ts";
export {
  countTriggers,
  findTrigger,
  findTriggerOfCondition,
  listTriggerRoots,
  listTriggers,
  lockTrigger,
  readFirings,
  readTriggeredSessions,
} from "./read.ts";
export type { FoundState, SystemState } from "./system_states.ts";
export { clearStates, findSystemStates, noteState } from "./system_states.ts";
export type { Webhook } from "./webhook.ts";
export { findWebhook } from "./webhook.ts";
export type {
  ConditionType,
  Trigger,
  TriggerCondition,
  TriggerSettings,
  TriggerStatus,
} from "./trigger.ts";
export { CONDITION_TYPES, TRIGGER_STATUSES } from "./trigger.ts";
export type { ConditionEdit, NewCondition, TriggerFired } from "./write.ts";
export {
  deleteCondition,
  deleteTrigger,
  insertCondition,
  insertTrigger,
  noteFired,
  parkTrigger,
  setDue,
  setTriggerStatus,
  updateCondition,
  updateTrigger,
} from "./write.ts";
