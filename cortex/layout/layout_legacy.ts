/**
 * The legacy body: the node's segments as they are, then the kind's leaf.
 *
 * @module
 */

import {
  type BodyGrammar,
  type BodyReading,
  joinPath,
  unreadable,
} from "./grammar.ts";
import { MAX_NODE_DEPTH, NODE_RULE, nodeText, tooDeep } from "./node.ts";
import { type Kind, LEAVES, type Node, ROOT_NODE } from "../words.ts";
import { leafKind } from "./scope.ts";
import { segmentEnd, segmentFault } from "./segment.ts";

/** Bodies of the legacy layout. */
export const LEGACY_GRAMMAR: BodyGrammar = { render, read, stems };

function render(node: Node, kind: Kind): string {
  return joinPath(nodeText(node), LEAVES[kind]);
}

function stems(node: Node): readonly string[] {
  return [nodeText(node)];
}

function read(path: string, start: number): BodyReading {
  let at = start;
  for (let depth = 0;; depth++) {
    const end = segmentEnd(path, at);
    if (path.startsWith("app:", at)) return readLeaf(path, start, at, end);
    const fault = segmentFault(path, at, end, NODE_RULE);
    if (fault !== undefined) return { ok: false, ...fault };
    if (depth === MAX_NODE_DEPTH) return { ok: false, ...tooDeep(at) };
    if (end === path.length) return unreadable("the leaf is missing", end);
    at = end + 1;
  }
}

function readLeaf(
  path: string,
  start: number,
  at: number,
  end: number,
): BodyReading {
  const kind = leafKind(path, at, end);
  if (kind === undefined) return unreadable("this app: is no leaf", at);
  if (end !== path.length) return unreadable("a leaf ends the path", end);
  if (at === start) return { ok: true, node: ROOT_NODE, kind };
  // Every segment from `start` to here was a node's.
  return { ok: true, node: path.slice(start, at - 1) as Node, kind };
}
