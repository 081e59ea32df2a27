/**
 * cortex: where a person's memory lies in CortexDB.
 *
 * A `Layout` turns a node and a kind into a scope path and back; settings choose
 * it. All of that is pure. `createLocalCortex` is a CortexDB of our own.
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

export {
  knownScopes,
  listedScopes,
  listPrefixes,
  type ScopeQuery,
} from "./discovery.ts";
export {
  type ConfigProblem,
  CortexConfigError,
  ScopeSyntaxError,
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
  AppendReceipt,
  EventLog,
  LogErasure,
  LogErasureRequest,
  LogEvent,
  LogFilter,
  LogForgetRequest,
  LogListRequest,
  LogObject,
  LogPage,
  LogReach,
  LogSearchRequest,
  LogSearchResult,
  NewLogEvent,
  NewScope,
  ScopeListRequest,
  ScopeMember,
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
