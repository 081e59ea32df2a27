/**
 * Where memory lies: nodes, reaches, and layouts that turn a node and a kind into
 * a scope path and back. Pure.
 *
 * @module
 */
export type {
  Below,
  Layout,
  LayoutParts,
  NodeCheck,
  Reading,
  Scope,
} from "./layouts.ts";
export { parseNode, toNodeId } from "./node.ts";
export { admits, exactly, type Reach } from "./reach.ts";
export {
  type Actor,
  parseActor,
  parseKind,
  type RootPath,
  type ScopePath,
  type ScopePrefix,
} from "./scope.ts";
export type { Fault } from "./segment.ts";
export { ROOT_NODE } from "../words.ts";
