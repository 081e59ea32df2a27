/**
 * fleet: the rules of sessions, between those who ask for something and the
 * tables.
 *
 * Tools, REST, pages and the command line call it; it calls the store. Whoever
 * starts a session, the same checks are made; whatever changes the state of
 * one goes through one table, which `docs/session-states.md` shows.
 *
 * @module
 */
export type { FleetCaller } from "./caller.ts";
export { UNRESTRICTED } from "./caller.ts";
export type { Durations } from "./durations.ts";
export { DURATIONS } from "./durations.ts";
export type { FleetRefusalCode } from "./errors.ts";
export { FleetRefusalError } from "./errors.ts";
export type { Fence } from "./fence.ts";
export {
  assertNoFence,
  assertRootInside,
  assertSessionInside,
  fenced,
  isInside,
  narrowFence,
} from "./fence.ts";
export type { Fleet } from "./fleet.ts";
export { archiveSession } from "./sessions/archive.ts";
export { groupsOfList } from "./sessions/groups.ts";
export type { GroupList } from "./sessions/groups.ts";
export type { OfferDetails, Offered, TurnEnd } from "./sessions/offer.ts";
export {
  drain,
  offerTurn,
  retractTurn,
  settleTurn,
  sleepUntilWoken,
} from "./sessions/offer.ts";
export { knownRoot } from "./sessions/root.ts";
export type { SessionRequest } from "./sessions/start.ts";
export { startSession } from "./sessions/start.ts";
export type { SessionEvent } from "./sessions/states.ts";
export type { EventDetails } from "./sessions/transition.ts";
export { change, lockOrRefuse, transition } from "./sessions/transition.ts";
export { type FeedbackRequest, recordFeedback } from "./gate/feedback.ts";
export type { DecisionRequest, RecordedDecision } from "./gate/record.ts";
export { recordDecision } from "./gate/record.ts";
export type { DecisionQuery, FeedbackQuery } from "./gate/search.ts";
export {
  DEFAULT_DECISIONS,
  MAX_DECISION_OFFSET,
  MAX_DECISIONS,
  searchDecisions,
  searchFeedback,
} from "./gate/search.ts";
export type {
  AppendedItem,
  ItemRequest,
  ItemWriter,
} from "./backlog/append.ts";
export { appendItem } from "./backlog/append.ts";
export type { Band } from "./backlog/bands.ts";
export { BANDS, GAP, PRECEDENCES } from "./backlog/bands.ts";
export type { Destination, StartedByPerson } from "./backlog/levers.ts";
export { pinItem, removeItem, startItem, unpinItem } from "./backlog/levers.ts";
export type {
  DeadItem,
  Pulled,
  Puller,
  PullRequest,
  StartedItem,
} from "./backlog/pull.ts";
export { DEAD_REASONS, MAX_PULLED, pullItems } from "./backlog/pull.ts";
export type { CostQuery, Costs } from "./costs/costs.ts";
export { DEFAULT_COST_DAYS, MAX_COST_DAYS, readCosts } from "./costs/costs.ts";
export type {
  ModelPrice,
  PriceFamily,
  PriceRates,
  PriceReading,
  PriceRow,
  PriceTable,
} from "./costs/prices.ts";
export { BUILT_IN_PRICES, priceOf, readPrices } from "./costs/prices.ts";
export {
  classOfGenesis,
  GENESIS_CLASSES,
  genesisOf,
  SETTABLE_GENESES,
} from "./spot/classes.ts";
export type { GateDecision, GateReason } from "./spot/gate.ts";
export { decideGate, RESUME_MARGIN_PCT } from "./spot/gate.ts";
export type { GatingChange, SpotPolicy } from "./spot/policy.ts";
export {
  readSpotPolicy,
  resetGenesisClasses,
  setGating,
  setGenesisClass,
} from "./spot/policy.ts";
export type { HumanChannel, Provenance } from "./views/provenance.ts";
export { readProvenance } from "./views/provenance.ts";
export { countArchive, readArchive, readTranscript } from "./views/archive.ts";
export type { EffectiveClass } from "./views/classes.ts";
export { classOf, genesesOf } from "./views/classes.ts";
export { assertWithin, findFor, keysWithin } from "./views/find.ts";
export type { SearchAnswer, SearchRequest } from "./views/search.ts";
export {
  MAX_QUERY_CHARACTERS,
  SCAN_BUDGET_MS,
  searchFor,
} from "./views/search.ts";
export type { SessionView } from "./views/session.ts";
export {
  QUEUE_PREVIEW_CHARACTERS,
  QUEUE_PREVIEWS,
  readSessionView,
} from "./views/session.ts";
