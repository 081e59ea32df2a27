/**
 * Nodes: whose memory an item is.
 *
 * A `Node` is its own canonical text (`root`, or `type:id` segments joined with
 * `/`), so nodes compare with `===` and work as keys. Only `parseNode` and the
 * layout parsers make one. Ids hold no `/` and no `:`, which is why text
 * comparisons that begin and end at a `/` compare whole segments.
 *
 * @module
 */

import { ScopeSyntaxError } from "../errors.ts";
import { type Node, ROOT_NODE } from "../words.ts";
import {
  type Fault,
  segmentEnd,
  segmentFault,
  type SegmentRule,
} from "./segment.ts";

/** The types a node's segments may have, in the order listings sort them. */
export const NODE_TYPES: readonly string[] = [
  "agent",
  "team",
  "user",
  "ws",
  "project",
  "source",
  "service",
];

/** The most segments of a node. */
export const MAX_NODE_DEPTH = 8;

/** The most characters of a node's id. */
const MAX_NODE_ID = 128;

/** Grammar of a node's segments. */
export const NODE_RULE: SegmentRule = {
  what: "node",
  types: NODE_TYPES,
  maxId: MAX_NODE_ID,
};

/** Length that leaves room for `-` and eight hex digits in a host id. */
const MAX_HOST_ID_KEPT = MAX_NODE_ID - 9;

const NODE_ID_REGEXP = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Reads a node as people write it: outer white space is trimmed, and both the
 * empty text and `root` are the root node.
 *
 * @throws {ScopeSyntaxError} when the text is no node
 */
export function parseNode(text: string): Node {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === ROOT_NODE) return ROOT_NODE;
  const fault = chainFault(trimmed);
  if (fault === undefined) return trimmed as Node; // Checked just above.
  const offset = fault.offset + text.length - text.trimStart().length;
  throw new ScopeSyntaxError("node", text, { ...fault, offset });
}

function chainFault(text: string): Fault | undefined {
  let start = 0;
  for (let depth = 1; start <= text.length; depth++) {
    if (depth > MAX_NODE_DEPTH) return tooDeep(start);
    const end = segmentEnd(text, start);
    const fault = segmentFault(text, start, end, NODE_RULE);
    if (fault !== undefined) return fault;
    start = end + 1;
  }
  return undefined;
}

/** The fault of a ninth segment. */
export function tooDeep(offset: number): Fault {
  const reason = `a node has at most ${MAX_NODE_DEPTH} segments`;
  return { reason, offset };
}

/** The node's segments as they stand in a path: empty for the root node. */
export function nodeText(node: Node): string {
  return node === ROOT_NODE ? "" : node;
}

/** Whether `node` is `top` or lies below it. */
export function isWithin(node: Node, top: Node): boolean {
  return top === ROOT_NODE || isAtOrBelow(node, top);
}

/** Whether `text` is `top` or goes on from it with whole segments. */
export function isAtOrBelow(text: string, top: string): boolean {
  if (!text.startsWith(top)) return false;
  return text.length === top.length || text[top.length] === "/";
}

/** The node and everything above it, the root node first. */
export function lineage(node: Node): readonly Node[] {
  const line = [ROOT_NODE];
  const text = nodeText(node);
  for (let end = 0; end < text.length;) {
    end = segmentEnd(text, end + 1);
    line.push(text.slice(0, end) as Node); // A node's own leading segments.
  }
  return line;
}

/** Sorts nodes: by segment, a segment by type (as in `NODE_TYPES`), then id. */
export function compareNodes(a: Node, b: Node): number {
  const left = a === ROOT_NODE ? [] : a.split("/");
  const right = b === ROOT_NODE ? [] : b.split("/");
  for (const [index, segment] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (segment !== other) return compareSegments(segment, other);
  }
  return left.length - right.length;
}

function compareSegments(a: string, b: string): number {
  const byType = typeRank(a) - typeRank(b);
  if (byType !== 0) return byType;
  return a < b ? -1 : 1;
}

function typeRank(segment: string): number {
  return NODE_TYPES.indexOf(segment.slice(0, segment.indexOf(":")));
}

/**
 * An id that a node may hold, for any id a host uses. A legal id is kept; any
 * other has its illegal characters replaced and a digest of the original
 * appended, so that two host ids that look alike stay apart.
 */
export function toNodeId(hostId: string): string {
  if (hostId === "") return "_";
  if (NODE_ID_REGEXP.test(hostId)) return hostId;
  // A character is at most two code units long; more than this is cut anyway.
  const kept = hostId.slice(0, 2 * MAX_HOST_ID_KEPT)
    .replace(/[^A-Za-z0-9_-]/gu, "-").slice(0, MAX_HOST_ID_KEPT);
  return `${kept}-${fnv1a(hostId)}`;
}

/** 32-bit FNV-1a of the text's UTF-8, as eight hex digits. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
