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
export type { Classed, Edited, Sight } from "./actions/edits.ts";
export {
  changeAutoCompactWindow,
  changeCategory,
  changeGoal,
  changeList,
  changeModel,
  changePrecedence,
  changeSchedulingClass,
  setHeartbeat,
  setVisibility,
  toggleFavorite,
  togglePush,
  updateNotes,
  updateTitle,
} from "./actions/edits.ts";
export type { ForkEnd, RefreshedAll, SummaryWish } from "./actions/copies.ts";
export {
  forkSession,
  refreshAll,
  refreshSession,
  regenerateSummary,
} from "./actions/copies.ts";
export type { Parking, Steered } from "./actions/turns.ts";
export {
  parkSession,
  pauseSession,
  restartSession,
  startNow,
} from "./actions/turns.ts";
export type { Paused } from "./actions/pause.ts";
export { pauseAndWait } from "./actions/pause.ts";
export type { FleetCaller } from "./caller.ts";
export { UNRESTRICTED } from "./caller.ts";
export type { AnalysisRequest, SavedAnalysis } from "./analyses/save.ts";
export { saveAnalysis } from "./analyses/save.ts";
export {
  createCategory,
  deleteCategory,
  listCategories,
  reorderCategories,
  updateCategory,
} from "./categories/categories.ts";
export type { ClockOptions } from "./clock/clock.ts";
export { startClock } from "./clock/clock.ts";
export type { DueOptions } from "./clock/due.ts";
export { fireDue } from "./clock/due.ts";
export type { Swept } from "./clock/handlers.ts";
export { doJob, sweepFleet } from "./clock/handlers.ts";
export type {
  ConfigRoot,
  ConfigRuntime,
  Configs,
  UnavailableServer,
} from "./configs/configs.ts";
export { readConfigs } from "./configs/configs.ts";
export type { Durations } from "./durations.ts";
export { DURATIONS } from "./durations.ts";
export type { Asked, Question } from "./elicitations/ask.ts";
export { ask, askLocked, ELICITATION_MINUTES } from "./elicitations/ask.ts";
export { expireOverdue } from "./elicitations/expire.ts";
export type {
  ElicitationResponse,
  Responded,
  ResponseAction,
} from "./elicitations/respond.ts";
export {
  findQuestion,
  respond,
  RESPONSE_ACTIONS,
} from "./elicitations/respond.ts";
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
export { SessionWatch } from "./board/session_watch.ts";
export type { BoardNews } from "./board/watch.ts";
export { BoardWatch } from "./board/watch.ts";
export type { Author, Delivery, Said } from "./queue/deliver.ts";
export { followUp } from "./queue/deliver.ts";
export type { MessageName, Removal } from "./queue/manage.ts";
export {
  createMessage,
  editMessage,
  interruptWith,
  removeMessage,
  reorderMessage,
  sendNow,
} from "./queue/manage.ts";
export type { ParentReport, ReportReason } from "./queue/message_parent.ts";
export { messageParent, REPORT_REASONS } from "./queue/message_parent.ts";
export type { ArchiveOptions } from "./sessions/archive.ts";
export { archiveSession, unarchiveSession } from "./sessions/archive.ts";
export type { ListName } from "./sessions/artifacts.ts";
export { assertReach } from "./sessions/reach.ts";
export type { Placing } from "./sessions/scheduling.ts";
export { removeUncle } from "./sessions/uncles.ts";
export { isBursting } from "./triggers/burst.ts";
export { pushNotice, sendNotice } from "./notices/send.ts";
export type { Browser } from "./notices/subscribe.ts";
export {
  forgetBrowser,
  listBrowsers,
  pushKey,
  subscribe,
  unsubscribe,
} from "./notices/subscribe.ts";
export type { OutsideSettings } from "./pollers/watcher.ts";
export { WatchError } from "./pollers/watcher.ts";
export type { SlackChannel } from "./pollers/slack.ts";
export { readSlackChannels } from "./pollers/channels.ts";
export type { Configuration } from "./triggers/conditions.ts";
export {
  checkConfiguration,
  GITHUB_TARGETS,
  SETTABLE_TYPES,
  SLACK_EVENTS,
  SYSTEM_EVENTS,
  type SystemEvent,
} from "./triggers/conditions.ts";
export {
  describeCondition,
  describeConfiguration,
} from "./triggers/describe.ts";
export {
  MISSED_RULES,
  SCHEDULE_UNITS,
  WEEK_DAYS,
} from "./triggers/schedule.ts";
export { genesisOfTrigger } from "./triggers/spawn.ts";
export type { SavedTrigger } from "./triggers/edit.ts";
export {
  createTrigger,
  readTrigger,
  removeTrigger,
  toggleTrigger,
  updateTrigger,
} from "./triggers/edit.ts";
export type { FiringEvent, FiringResult, PersonSaid } from "./triggers/fire.ts";
export { fireTrigger } from "./triggers/fire.ts";
export { invokeTrigger } from "./triggers/invoke.ts";
export type { TriggerPage, TriggerView } from "./triggers/list.ts";
export { listTriggers, showTrigger } from "./triggers/list.ts";
export type { TriggerRequest } from "./triggers/settings.ts";
export type { ConditionRequest, WebhookSecret } from "./triggers/upsert.ts";
export { watchSystem } from "./triggers/system_watch.ts";
export type { Posted, Taken } from "./triggers/webhook.ts";
export { MAX_WEBHOOK_BYTES, takeWebhook } from "./triggers/webhook.ts";
export type { Variables } from "./triggers/template.ts";
export type { Armed } from "./wakes/arm.ts";
export { clockWarnings, wakeLater, wakeOnSession } from "./wakes/arm.ts";
export type { Fired, FireOptions } from "./wakes/fire.ts";
export { fireWake, tellState } from "./wakes/fire.ts";
export type { LocalTime } from "./wakes/time.ts";
export { readLocalTime } from "./wakes/time.ts";
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
export { writerOf } from "./sessions/person_writer.ts";
export { knownRoot } from "./sessions/root.ts";
export type { SessionRequest } from "./sessions/request.ts";
export type { Started } from "./sessions/start.ts";
export { startSession, warningsFor } from "./sessions/start.ts";
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
export {
  DEFAULT_COST_DAYS,
  MAX_COST_DAYS,
  readCosts,
  readTurnCosts,
} from "./costs/costs.ts";
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
export type { Acted } from "./health/actions.ts";
export {
  archiveOld,
  cleanUpProcesses,
  clearCliCache,
  MAX_ACTED,
  OLD_DAYS,
  refreshClis,
  retrySessions,
} from "./health/actions.ts";
export { backfillUsage } from "./health/backfill.ts";
export type { CooledAction } from "./health/cooldown.ts";
export {
  COOLDOWN_SECONDS,
  COOLED_ACTIONS,
  underCooldown,
} from "./health/cooldown.ts";
export type { QueuedCount, QueuedJobs } from "./health/jobs.ts";
export {
  discardQueued,
  haltLanes,
  openLanes,
  previewJobs,
  PUT_OFF_MINUTES,
  RECOVERY_MINUTES,
  rescheduleQueued,
} from "./health/jobs.ts";
export type { FleetHealth } from "./health/report.ts";
export { isSeen, readFleetHealth, SILENT_SECONDS } from "./health/report.ts";
export type { EffectiveClass } from "./spot/classes.ts";
export { classOf, genesesOf } from "./spot/classes.ts";
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
export { TURN_DURATIONS } from "./turns/durations.ts";
export { leaseForRunner } from "./turns/lease.ts";
export { readArtifact } from "./turns/given.ts";
export type {
  ArtifactAnswer,
  BeatAnswer,
  BeatRequest,
  EndAnswer,
  EndRequest,
  EventsAnswer,
  EventsRequest,
  FailureClass,
  GitReport,
  HelloAnswer,
  HelloRequest,
  LeaseAnswer,
  LeasedTurn,
  LeaseRequest,
  LimitWindow,
  LoginLimits,
  LoginReport,
  McpServerOrder,
  ProcessIdentity,
  ReleaseRequest,
  RunnerCommand,
  RunnerCommandReceipt,
  RuntimeReport,
  SkillOrder,
  TreeOrder,
  TurnCommand,
  TurnCommandReceipt,
  TurnDurations,
  TurnEvent,
  TurnEventKind,
  TurnKind,
  TurnOrders,
  TurnOutcome,
  TurnPhase,
  UsageReport,
} from "./turns/protocol.ts";
export type { Reporter } from "./turns/report.ts";
export {
  beatTurn,
  endReportedTurn,
  releaseTurn,
  takeEvents,
  waitForCommands,
} from "./turns/report.ts";
export { UNKNOWN_USE } from "./turns/usage.ts";
export type { Turns, TurnsOptions } from "./turns/turns.ts";
export { openTurns, TurnWatch } from "./turns/turns.ts";
export { TURN_TOKEN_GROUPS } from "./turns/token_groups.ts";
