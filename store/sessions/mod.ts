/**
 * Rows of sessions and their tokens.
 *
 * @module
 */
export type { SessionFilter } from "./find.ts";
export {
  countSessions,
  findSession,
  findSessionByName,
  listSessions,
} from "./find.ts";
export type { NewSession, StartedSession } from "./insert.ts";
export { insertSession } from "./insert.ts";
export type { Session, SessionDriver, SessionStatus } from "./session.ts";
export { SESSION_DRIVERS, SESSION_STATUSES } from "./session.ts";
export type { StateChange } from "./state.ts";
export { lockSession, writeState } from "./state.ts";
export { findSessionByToken, isSessionToken } from "./token.ts";
