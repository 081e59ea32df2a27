/**
 * Reaches: which nodes a read, a forget or an erasure concerns.
 *
 * A `service:` node is a sandbox: what lies in it is read at that node or
 * inside it, and never by a reach that comes down from above.
 *
 * @module
 */

import { isWithin, lineage, nodeText } from "./node.ts";
import type { Node } from "../words.ts";

/** Which nodes are meant, seen from one of them. */
export interface Reach {
  /** The node that the reach starts from; always admitted. */
  readonly at: Node;
  /**
   * Whether every node above is admitted too, the root node included.
   *
   * @default {true}
   */
  readonly inherit?: boolean | undefined;
  /**
   * Whether the nodes below are admitted too, sandboxes left out.
   *
   * @default {false}
   */
  readonly descendants?: boolean | undefined;
}

/** The node alone. */
export function exactly(at: Node): Reach {
  return { at, inherit: false, descendants: false };
}

/** The node and everything above it. */
export function upFrom(at: Node): Reach {
  return { at, inherit: true, descendants: false };
}

/** The node and everything below it, sandboxes left out. */
export function subtree(at: Node): Reach {
  return { at, inherit: false, descendants: true };
}

/** Whether the reach admits the node. */
export function admits(reach: Reach, node: Node): boolean {
  const { at, inherit = true, descendants = false } = reach;
  if (node === at) return true;
  if (inherit && isWithin(at, node)) return true;
  return descendants && isWithin(node, at) && !entersSandbox(at, node);
}

/** The nodes known without looking, in listing order: `at`, and those above. */
export function knownNodes(reach: Reach): readonly Node[] {
  const { at, inherit = true } = reach;
  return inherit ? lineage(at) : [at];
}

/** Whether a `service:` segment lies on the way down from `top` to `node`. */
function entersSandbox(top: Node, node: Node): boolean {
  const way = nodeText(node).slice(nodeText(top).length);
  return way.startsWith("service:") || way.includes("/service:");
}
