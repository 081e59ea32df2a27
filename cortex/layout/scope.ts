/**
 * What a scope is made of besides its node: leaf, root, actor, and the paths
 * themselves.
 *
 * @module
 */

import { quote, ScopeSyntaxError } from "../errors.ts";
import { type Kind, KINDS, LEAVES } from "../words.ts";
import {
  type Fault,
  segmentEnd,
  segmentFault,
  type SegmentRule,
} from "./segment.ts";

/** The path everything of one engine lies below; empty for a tenant root. */
export type RootPath = string & { readonly __brand: "RootPath" };

/** A path this engine may name in a request. Made by a layout and nothing else. */
export type ScopePath = string & { readonly __brand: "ScopePath" };

/**
 * A path to list scopes below. Empty: list without any prefix parameter, for
 * an empty parameter is never sent.
 */
export type ScopePrefix = string & { readonly __brand: "ScopePrefix" };

/** Who owns a root or signs a request: `user:<id>`, or a key's own name. */
export type Actor = string & { readonly __brand: "Actor" };

/** Groups workflows: stands before a node's first `service:`. */
export const FLOWS = "app:flows";

/** Groups sourced documents: stands before a node's first `source:`. */
export const BRAIN = "app:brain";

/** The root of the legacy layout, which no other root may hold. */
export const LEGACY_ROOT = "app:tinymemory" as RootPath;

/** The root of an engine whose backend puts the tenant in front. */
export const TENANT_ROOT = "" as RootPath;

const RESERVED: ReadonlySet<string> = new Set([
  LEGACY_ROOT,
  FLOWS,
  BRAIN,
  ...Object.values(LEAVES),
]);

const ROOT_RULE: SegmentRule = {
  what: "root",
  types: [
    "org",
    "dept",
    "team",
    "app",
    "user",
    "agent",
    "service",
    "ws",
    "project",
    "source",
  ],
  maxId: Infinity,
};

/** Grammar of the segment a hosted backend puts in front of every path. */
export const TENANT_RULE: SegmentRule = {
  what: "tenant",
  types: ["org"],
  maxId: Infinity,
};

/** The kind whose leaf is the segment `text[start, end)`, compared in place. */
export function leafKind(
  text: string,
  start: number,
  end: number,
): Kind | undefined {
  return KINDS.find((kind) => {
    const leaf = LEAVES[kind];
    return leaf.length === end - start && text.startsWith(leaf, start);
  });
}

/**
 * Reads a kind.
 *
 * @throws {ScopeSyntaxError} when there is no such kind
 */
export function parseKind(text: string): Kind {
  const kind = KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  const reason = `kinds: ${KINDS.join(" ")}`;
  throw new ScopeSyntaxError("kind", text, { reason, offset: 0 });
}

/**
 * Reads a root that a host names; outer white space and outer slashes are
 * trimmed. Segments that a layout itself writes are refused: paths below such
 * a root could not be told from the layout's own.
 *
 * @throws {ScopeSyntaxError} when the text is no root
 */
export function parseRootPath(text: string): RootPath {
  const [start, end] = trimmedRange(text);
  if (start === end) {
    const fault = { reason: "a root has at least one segment", offset: start };
    throw new ScopeSyntaxError("root", text, fault);
  }
  const root = text.slice(start, end);
  for (let at = 0; at <= root.length; at = segmentEnd(root, at) + 1) {
    const fault = rootSegmentFault(root, at);
    if (fault === undefined) continue;
    const offset = fault.offset + start;
    throw new ScopeSyntaxError("root", text, { ...fault, offset });
  }
  return root as RootPath; // Every segment was checked above.
}

function rootSegmentFault(root: string, at: number): Fault | undefined {
  const end = segmentEnd(root, at);
  const fault = segmentFault(root, at, end, ROOT_RULE);
  if (fault !== undefined) return fault;
  const segment = root.slice(at, end);
  if (!RESERVED.has(segment)) return undefined;
  return { reason: `segment ${quote(segment)} is reserved`, offset: at };
}

/** The text without outer white space, then without outer slashes. */
function trimmedRange(text: string): readonly [number, number] {
  const trimmed = text.trim();
  let start = text.length - text.trimStart().length;
  let end = start + trimmed.length;
  while (start < end && text[start] === "/") start++;
  while (start < end && text[end - 1] === "/") end--;
  return [start, end];
}

/**
 * Reads an actor: any text that is not blank, without outer white space and
 * without control characters, which no request could carry.
 *
 * @throws {ScopeSyntaxError} when the text is blank or holds a control character
 */
export function parseActor(text: string): Actor {
  const trimmed = text.trim();
  if (trimmed === "") {
    const fault = { reason: "an actor is not blank", offset: 0 };
    throw new ScopeSyntaxError("actor", text, fault);
  }
  const at = trimmed.search(/\p{Cc}/u);
  if (at < 0) return trimmed as Actor; // Checked just above.
  const reason = "an actor holds no control character";
  const offset = at + text.length - text.trimStart().length;
  throw new ScopeSyntaxError("actor", text, { reason, offset });
}
