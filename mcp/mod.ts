/**
 * The endpoint: who may call, what a connection sees, tools and transports.
 *
 * `main.ts` builds {@link Services} and hands them to {@link createHttpHandler}
 * or {@link runStdio}.
 *
 * @module
 */
export type { Connection } from "./caller/connection.ts";
export { parseConnection } from "./caller/parse_connection.ts";
export { DEFAULT_SESSION_GROUPS } from "./tools/groups.ts";
export { Draining } from "./http/draining.ts";
export type {
  Client,
  ClientForm,
  EntryFormat,
  Members,
} from "./entries/clients.ts";
export { CLIENT_NAMES, CLIENTS, formOf } from "./entries/clients.ts";
export type {
  Connector,
  HttpConnector,
  StdioConnector,
} from "./entries/connector.ts";
export { ENTRY_NAME, sessionConnector } from "./entries/connector.ts";
export type { EntryOptions } from "./entries/entry_text.ts";
export { entryFor, entryOf, tomlMembers } from "./entries/entry_text.ts";
export { oneLinerFor } from "./entries/one_liner.ts";
export type { HttpHandler, HttpOptions } from "./http.ts";
export { createHttpHandler } from "./http_door.ts";
export type { Log, LogFields, LogLevel } from "./log.ts";
export { createLog, LOG_LEVELS, withoutCredentials } from "./log.ts";
export { toPrintable, toPrintableJson } from "./printable.ts";
export type {
  AnsweredRequest,
  Metrics,
  UncaughtKind,
} from "./watch/metrics.ts";
export type { ErrorKind } from "./errors.ts";
export { ToolError } from "./errors.ts";
export { toJsonLine } from "./json_line.ts";
export { GROUP_NAMES } from "./tools/groups.ts";
export { fleetOf } from "./fleet.ts";
export { describeSession } from "./session_shape.ts";
export {
  describeTrigger,
  describeTriggerView,
} from "./tools/triggers/trigger_shape.ts";
export type { User, UserRole, UsersReading } from "./people/users.ts";
export {
  hashOfUserKey,
  makeUserKey,
  nameOfSlackId,
  readUsers,
  USER_NAME_REGEXP,
  writeUsers,
} from "./people/users.ts";
export type { Prices } from "./prices.ts";
export { pricesOf } from "./prices.ts";
export type { MemoryHealth, MemoryService } from "./memory.ts";
export type { SessionRoots } from "./caller/session_roots.ts";
export { rememberSessionRoots } from "./caller/session_roots.ts";
export type { StdioStreams } from "./protocol/stdio.ts";
export { runStdio } from "./protocol/stdio.ts";
export type { Services } from "./services.ts";
export { VERSION } from "./version.ts";
