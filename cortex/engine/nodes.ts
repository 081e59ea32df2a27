/**
 * Which nodes hold something.
 *
 * @module
 */

import { compareNodes, type Node } from "../node.ts";
import { type Reach, subtree } from "../reach.ts";
import { type Kind, KINDS } from "../scope.ts";
import type { EngineContext, OperationOptions, ReadReport } from "./context.ts";
import { listPrefixes } from "../discovery.ts";
import { isWithin } from "../node.ts";

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
  { client, layout, report }: EngineContext,
  at: Node,
  options: OperationOptions,
): Promise<NodeListing> {
  const reach: Reach = subtree(at);
  const listings = await Promise.all(
    listPrefixes(layout, { reach }).map((prefix) =>
      client.listScopes({ prefix }, options)
    ),
  );
  const paths = new Set(listings.flatMap((listing) => listing.paths));
  const isCut = listings.some((listing) => listing.isCut);
  if (isCut) report({ kind: "listing_cut", listed: paths.size });
  const scopes = [...paths].flatMap((path) => {
    const reading = layout.parse(path);
    return reading.ok && isWithin(reading.node, at) ? [reading] : [];
  });
  const nodes = [...Map.groupBy(scopes, ({ node }) => node)]
    .map(([node, held]) => ({
      node,
      kinds: KINDS.filter((kind) => held.some((one) => one.kind === kind)),
      isRetired: held.some(({ below }) => below === "retired"),
    }))
    .sort((a, b) => compareNodes(a.node, b.node));
  return { nodes, isCut };
}
