/**
 * cortex: a person's memory in CortexDB.
 *
 * A `Layout` turns a node and a kind into a scope path and back; settings choose
 * it: that part is pure. A `CortexClient` carries requests, over either wire. An
 * `Engine` stores items with both, finds, forgets and erases them.
 * `createLocalCortex` is a CortexDB of our own.
 *
 * @example
 * ```ts
 * import { parseNode, readEngineSettings } from "./mod.ts";
 * import { equal } from "node:assert/strict";
 *
 * const { layout } = readEngineSettings({ scopeRoot: "org:42" });
 * const path = layout.render(parseNode("ws:main"), "conversation");
 * equal(path, "org:42/ws:main/app:conversations");
 * ```
 *
 * @module
 */

export { createDirectClient } from "./client_direct.ts";
export { createHostedClient } from "./client_hosted.ts";
export type {
  CallOptions,
  ClientLimits,
  ClientOptions,
  Clock,
  CortexClient,
  WriteOptions,
} from "./client_types.ts";
export {
  knownScopes,
  listedScopes,
  listPrefixes,
  type ScopeQuery,
} from "./discovery.ts";
export type { Answered, AnswerRequest } from "./engine/answer.ts";
export type {
  EngineEvent,
  EngineOptions,
  OperationOptions,
  ReadReport,
} from "./engine/context.ts";
export {
  createEngine,
  DEFAULT_CHAT_NODE,
  type Engine,
} from "./engine/engine.ts";
export type {
  ErasedScope,
  EraseReport,
  EraseRequest as EraseNodesRequest,
} from "./engine/erase.ts";
export type { Filter } from "./engine/filter.ts";
export type {
  ForgetReport,
  ForgetRequest as ForgetItemsRequest,
} from "./engine/forget.ts";
export { type GetRequest, type Got, MAX_IDS } from "./engine/get.ts";
export type { History, HistoryRequest, HistoryTurn } from "./engine/history.ts";
export {
  type ConversationItem,
  type DocumentItem,
  isItemId,
  type Item,
  type ItemId,
  itemId,
  type ItemMeta,
  itemText,
  LEARNING_KINDS,
  type LearningItem,
  type LearningKind,
  SOURCE_KINDS,
  type SourceKind,
  type ToolCall,
  type Turn,
} from "./engine/item.ts";
export {
  isTime,
  MAX_BATCH,
  MAX_META_CHARACTERS,
  MAX_TAGS,
  MAX_TURNS,
} from "./engine/item_check.ts";
export type { ItemPage, ListRequest } from "./engine/list.ts";
export type { HeldNode, NodeListing } from "./engine/nodes.ts";
export type { Hit } from "./engine/rebuild.ts";
export type { Recalled, RecallRequest } from "./engine/recall.ts";
export type { StoreOptions, StoreReceipt } from "./engine/store.ts";
export {
  type ConfigProblem,
  CortexConfigError,
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
  type ProtocolFault,
  type RefusalFacts,
  type RefusalReason,
  ScopeSyntaxError,
  type UnavailableFacts,
} from "./errors.ts";
export {
  type Below,
  type Layout,
  type LayoutParts,
  type NodeCheck,
  parseScopePath,
  type Reading,
  type Scope,
} from "./layouts.ts";
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
} from "./local/event_log.ts";
export {
  createLocalCortex,
  type LocalCortex,
  type LocalCortexOptions,
} from "./local/service.ts";
export {
  compareNodes,
  isWithin,
  lineage,
  type Node,
  parseNode,
  ROOT_NODE,
  toNodeId,
} from "./node.ts";
export { admits, exactly, type Reach, subtree, upFrom } from "./reach.ts";
export type { Wire } from "./roots.ts";
export {
  type Actor,
  type Kind,
  KINDS,
  parseActor,
  parseKind,
  parseRootPath,
  type RootPath,
  type ScopePath,
  type ScopePrefix,
} from "./scope.ts";
export type { CommandResult } from "./scope_answers.ts";
export {
  runScopeCommand,
  SCOPE_USAGE,
  type ScopeCommand,
} from "./scope_command.ts";
export type { Fault } from "./segment.ts";
export {
  type EngineConfig,
  type EngineSettings,
  readEngineSettings,
} from "./settings.ts";
export {
  type Answer,
  type AnswerQuery,
  type AppendReceipt,
  type Citation,
  type DerivedLayer,
  draftKey,
  type EraseRequest,
  type Erasure,
  type ErasureId,
  type EventDraft,
  type EventId,
  type EventPage,
  type EventQuery,
  type ForgetRequest,
  type Forgotten,
  type Health,
  type Modality,
  type Pack,
  type PackId,
  type RecallQuery,
  type Role,
  type ScopeListing,
  type ScopeListQuery,
  type ScopeMember,
  type ScopeMembers,
  type StoredEvent,
  type Version,
} from "./wire.ts";
