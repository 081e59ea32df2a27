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
export type { FleetRefusalCode } from "./errors.ts";
export { FleetRefusalError } from "./errors.ts";
export type { Fleet } from "./fleet.ts";
export { archiveSession } from "./sessions/archive.ts";
export { groupsOfList } from "./sessions/groups.ts";
export type { GroupList } from "./sessions/groups.ts";
export { knownRoot } from "./sessions/root.ts";
export type { SessionRequest } from "./sessions/start.ts";
export { startSession } from "./sessions/start.ts";
