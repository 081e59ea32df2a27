/**
 * A CortexDB of our own, over an {@link EventLog}.
 *
 * @module
 */
export type {
  AppendOutcome,
  EventLog,
  LogErasure,
  LogErasureRequest,
  LogEvent,
  LogFilter,
  LogForgetRequest,
  LogListRequest,
  LogMember,
  LogObject,
  LogPage,
  LogReach,
  LogReceipt,
  LogSearchRequest,
  LogSearchResult,
  NewLogEvent,
  NewScope,
  ScopeListRequest,
  ScopeRecord,
} from "./port.ts";
export {
  createLocalCortex,
  type LocalCortex,
  type LocalCortexOptions,
} from "./service.ts";
