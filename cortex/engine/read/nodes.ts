/**
 * Which nodes hold something.
 *
 * @module
 */

import { compareNodes, isWithin } from "../../layout/node.ts";
import { type Kind, KINDS, type Node } from "../../words.ts";
import type {
  EngineContext,
  OperationOptions,
  ReadReport,
} from "../context.ts";
import { heldScopes } from "./find_scopes.ts";

/** A node with registered scopes. */
export interface HeldNode {
  /** The node. */
  readonly node: Node;
  /** Kinds that have a scope there, even if an empty one. */
  readonly kinds: readonly Kind[];
  /** Whether any of its scopes lies below the retired root. */
  readonly isRetired: boolean;
}

/** The nodes found. */
export interface NodeListing extends Pick<ReadReport, "isCut"> {
  /** In the order of nodes. */
  readonly nodes: readonly HeldNode[];
}

/** The nodes at and below one that have registered scopes, sandboxes included. */
export async function listNodes(
  context: EngineContext,
  at: Node,
  options: OperationOptions,
): Promise<NodeListing> {
  const { scopes, isCut } = await heldScopes(context, at, {
    ...options,
    mayBeCut: true,
  });
  const within = scopes.filter(({ node }) => isWithin(node, at));
  const nodes = [...Map.groupBy(within, ({ node }) => node)]
    .map(([node, held]) => ({
      node,
      kinds: KINDS.filter((kind) => held.some((one) => one.kind === kind)),
      isRetired: held.some(({ below }) => below === "retired"),
    }))
    .sort((a, b) => compareNodes(a.node, b.node));
  return { nodes, isCut };
}
