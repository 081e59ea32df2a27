/**
 * The storage of the local CortexDB.
 *
 * @module
 */
export type { EventLogOptions } from "./event_log.ts";
export { PostgresEventLog } from "./event_log.ts";
export type {
  ErasureRecord,
  EventFilter,
  EventForgetRequest,
  EventInput,
  EventListRequest,
  EventReach,
  EventReceipt,
  EventRecord,
  EventScope,
  EventScopeMember,
  EventScopeQuery,
  EventSearchRequest,
  EventsOutcome,
  OpenDb,
} from "./types.ts";
