/**
 * Where memory lies: nodes, reaches, and layouts that turn a node and a kind into
 * a scope path and back. Pure.
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
  type Below,
  type Layout,
  type LayoutParts,
  type NodeCheck,
  parseScopePath,
  type Reading,
  type Scope,
} from "./layouts.ts";
export {
  compareNodes,
  isWithin,
  lineage,
  parseNode,
  toNodeId,
} from "./node.ts";
export { admits, exactly, type Reach, subtree, upFrom } from "./reach.ts";
export { ROOT_NODE } from "../words.ts";
export type { Wire } from "./roots.ts";
export {
  type Actor,
  parseActor,
  parseKind,
  parseRootPath,
  type RootPath,
  type ScopePath,
  type ScopePrefix,
} from "./scope.ts";
export type { Fault } from "./segment.ts";
