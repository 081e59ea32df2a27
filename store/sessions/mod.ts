/**
 * Rows of sessions, their tokens, queues, turns and wakes.
 *
 * @module
 */
export type { SessionEdit } from "./edits.ts";
export { editSession, noteBeat } from "./edits.ts";
export type { SessionFilter } from "./find.ts";
export {
  countSessions,
  findSession,
  findSessionByKey,
  findSessionByName,
  listSessions,
  readSessionTexts,
} from "./find.ts";
export type { ForkPoint, SaidTurn } from "./fork_point.ts";
export { forkPointOf, listSaidTurns } from "./fork_point.ts";
export type { NewSession, StartedSession } from "./insert.ts";
export { insertSession } from "./insert.ts";
export {
  deleteUncle,
  hasUncle,
  insertUncle,
  isAncestor,
  isSenior,
  lockLineage,
  PARENT_OF,
} from "./lineage.ts";
export type { LogLevel } from "./logs.ts";
export { writeLog } from "./logs.ts";
export type { NewNotice } from "./notices.ts";
export { dropNotices, insertNotice, staleNotices } from "./notices.ts";
export type {
  MessageFilter,
  MessageOrigin,
  MessageStatus,
  NewMessage,
  QueuedMessage,
} from "./queue.ts";
export {
  countMessages,
  deleteMessage,
  findMessage,
  findProcessing,
  insertMessage,
  listMessages,
  moveMessage,
  retireMessages,
  returnMessage,
  takeMessage,
  updateMessage,
} from "./queue.ts";
export type { ClassOverrides } from "./scheduling.ts";
export { readClassOverrides, readOffer, topOfSpot } from "./scheduling.ts";
export type { Session, SessionTexts } from "./session.ts";
export { SESSION_COLUMNS, toSession } from "./session.ts";
export type { StateChange, StateNote } from "./state.ts";
export { lockSession, lockSessions, noteState, writeState } from "./state.ts";
export { findSessionByToken, isSessionToken } from "./token.ts";
export type {
  NewTurn,
  OpenTurn,
  TurnKind,
  TurnOrder,
  TurnPhase,
} from "./turns.ts";
export {
  aimTurn,
  cancelTurn,
  findOpenTurn,
  insertTurn,
  orderTurn,
} from "./turns.ts";
export type { SessionEventName, Wake, WakeCondition } from "./wakes.ts";
export {
  dropWakes,
  dropWatchers,
  failWake,
  findWakeOfCondition,
  findWatching,
  insertWake,
  listWakes,
  SESSION_EVENT_NAMES,
} from "./wakes.ts";
export type {
  Genesis,
  SchedulingClass,
  SessionDriver,
  SessionStatus,
  Visibility,
  WaitReason,
} from "./words.ts";
export {
  GENESES,
  SCHEDULING_CLASSES,
  SESSION_DRIVERS,
  SESSION_STATUSES,
  VISIBILITIES,
} from "./words.ts";
