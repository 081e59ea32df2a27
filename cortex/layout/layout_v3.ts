/**
 * The v3 body: `app:flows` before a node's first `service:`, `app:brain` before
 * the first `source:` of a document, and a leaf for every kind but a sourced
 * document.
 *
 * `read` is an automaton over segments: two small ones side by side, of which
 * one watches `app:flows` and `service:` and the other `app:brain` and
 * `source:`. It stops at the first segment that no body has in that place, so
 * it never looks at more than eleven segments, however long the path.
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
import { BRAIN, FLOWS, leafKind } from "./scope.ts";
import { segmentEnd, segmentFault } from "./segment.ts";

const SERVICE = "service:";
const SOURCE = "source:";

/** What a segment is to the automaton; a leaf is any other `app:` segment. */
type Token = "flows" | "brain" | "service" | "source" | "plain" | "leaf";

/** `promised`: `app:flows` has just been read, a `service:` must follow. */
type ServiceState = "unmet" | "promised" | "met";

/** `grouped` and `bare`: the first `source:` had `app:brain` before it, or not. */
type SourceState = "unmet" | "promised" | "grouped" | "bare";

const FLOWS_PLACE =
  "app:flows stands right before the first service:, and nowhere else";
const BRAIN_PLACE =
  "app:brain stands right before the first source:, and nowhere else";

/** Bodies of the v3 layout. */
export const V3_GRAMMAR: BodyGrammar = { render, read, stems };

function render(node: Node, kind: Kind): string {
  const chain = group(nodeText(node), SERVICE, FLOWS);
  if (kind !== "document") return joinPath(chain, LEAVES[kind]);
  const sourced = group(chain, SOURCE, BRAIN);
  return sourced === chain ? joinPath(chain, LEAVES.document) : sourced;
}

function stems(node: Node): readonly string[] {
  const chain = group(nodeText(node), SERVICE, FLOWS);
  const sourced = group(chain, SOURCE, BRAIN);
  return sourced === chain ? [chain] : [chain, sourced];
}

/** The chain with `grouping` before its first segment of `type`, if any. */
function group(chain: string, type: string, grouping: string): string {
  if (chain.startsWith(type)) return `${grouping}/${chain}`;
  const at = chain.indexOf(`/${type}`);
  if (at < 0) return chain;
  return `${chain.slice(0, at)}/${grouping}${chain.slice(at)}`;
}

function read(path: string, start: number): BodyReading {
  let service: ServiceState = "unmet";
  let source: SourceState = "unmet";
  let depth = 0;
  for (let at = start;;) {
    const end = segmentEnd(path, at);
    const token = tokenAt(path, at, end);
    const nextService = stepService(service, token);
    if (nextService === undefined) return unreadable(FLOWS_PLACE, at);
    const nextSource = stepSource(source, token);
    if (nextSource === undefined) return unreadable(BRAIN_PLACE, at);
    service = nextService;
    source = nextSource;
    if (token === "leaf") return readLeaf(path, start, at, end, source);
    if (token !== "flows" && token !== "brain") {
      const fault = segmentFault(path, at, end, NODE_RULE);
      if (fault !== undefined) return { ok: false, ...fault };
      if (depth++ === MAX_NODE_DEPTH) return { ok: false, ...tooDeep(at) };
    }
    if (end === path.length) return readEnd(path, start, service, source);
    at = end + 1;
  }
}

function tokenAt(path: string, at: number, end: number): Token {
  if (path.startsWith("app:", at)) {
    // Both grouping nodes have the same length.
    if (end - at !== FLOWS.length) return "leaf";
    if (path.startsWith(FLOWS, at)) return "flows";
    return path.startsWith(BRAIN, at) ? "brain" : "leaf";
  }
  if (path.startsWith(SERVICE, at)) return "service";
  return path.startsWith(SOURCE, at) ? "source" : "plain";
}

function stepService(
  state: ServiceState,
  token: Token,
): ServiceState | undefined {
  if (token === "flows") return state === "unmet" ? "promised" : undefined;
  if (token === "service") return state === "unmet" ? undefined : "met";
  return state === "promised" ? undefined : state;
}

function stepSource(state: SourceState, token: Token): SourceState | undefined {
  if (token === "brain") return state === "unmet" ? "promised" : undefined;
  if (token === "source") {
    return state === "unmet" || state === "bare" ? "bare" : "grouped";
  }
  return state === "promised" ? undefined : state;
}

function readLeaf(
  path: string,
  start: number,
  at: number,
  end: number,
  source: SourceState,
): BodyReading {
  const kind = leafKind(path, at, end);
  if (kind === undefined) return unreadable("this app: segment is no leaf", at);
  if (end !== path.length) return unreadable("a leaf ends the path", end);
  if (source === "grouped") {
    return unreadable("app:brain is for documents, which have no leaf", at);
  }
  if (source === "bare" && kind === "document") {
    return unreadable("a document with a source has no leaf", at);
  }
  const chain = at === start ? "" : path.slice(start, at - 1);
  return { ok: true, node: ungroup(chain), kind };
}

/** A path that ends in a node's segment: only a sourced document does. */
function readEnd(
  path: string,
  start: number,
  service: ServiceState,
  source: SourceState,
): BodyReading {
  const end = path.length;
  if (service === "promised") return unreadable(FLOWS_PLACE, end);
  if (source === "promised") return unreadable(BRAIN_PLACE, end);
  if (source !== "grouped") return unreadable("the leaf is missing", end);
  return { ok: true, node: ungroup(path.slice(start)), kind: "document" };
}

/** The node of a chain; `read` has checked each of its segments. */
function ungroup(chain: string): Node {
  if (chain === "") return ROOT_NODE;
  if (!chain.includes("app:")) return chain as Node;
  return chain.replace(`${FLOWS}/`, "").replace(`${BRAIN}/`, "") as Node;
}
