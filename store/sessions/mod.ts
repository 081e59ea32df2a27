/**
 * Rows of sessions and their tokens.
 *
 * @module
 */
export type {
  NewSession,
  Session,
  SessionFilter,
  SessionStatus,
  StartedSession,
} from "./sessions.ts";
export {
  archiveSession,
  countSessions,
  findSession,
  findSessionByName,
  findSessionByToken,
  isSessionToken,
  listSessions,
  SESSION_STATUSES,
  startSession,
} from "./sessions.ts";
