/**
 * Whose memory a call means: the node of the session's root, its agent id, and
 * the nodes that a person's agents share.
 *
 * A `node` argument names another node below the engine's root. All of them
 * are one person's; what lies outside that root no argument can name.
 * Specification: docs/design.md section 6.
 *
 * @module
 */
import type { AgentRoot } from "../../../catalog/mod.ts";
import { type Node, ScopeSyntaxError } from "../../../cortex/words.ts";
import type { Engine } from "../../../cortex/mod.ts";
import { ToolError } from "../../errors.ts";
import {
  resolveCallingRoot,
  validNamespace,
} from "../../caller/calling_root.ts";
import type { ToolContext } from "../../services.ts";

/** Nodes and reaches, loaded with the first call; a start does without them. */
export type Layouts = typeof import("../../../cortex/layout/mod.ts");

/** Memory as the calling session sees it. */
export interface CallerMemory {
  /** The engine. */
  readonly engine: Engine;
  /** What can be said of nodes and reaches. */
  readonly layouts: Layouts;
  /** The calling session. */
  readonly sessionId: number;
  /** Who says and writes things: the key of the session's root. */
  readonly agent: string;
  /** That key, and those that were the root's before it was renamed. */
  readonly agentNames: readonly string[];
  /** All keys of the root that a key is one of; the key alone of a stranger. */
  namesOf(agent: string): readonly string[];
  /** The node of the agent's own memory. */
  readonly own: Node;
  /** Why it is not the one that the catalog names; null when it is. */
  readonly ownNote: string | null;
}

/** Schema of `node`. */
export const NODE_INPUT = {
  type: "string",
  maxLength: 1_200,
  description:
    "A node of this person's memory, such as agent:librarian or ws:main; root is what all agents share. Default: this agent's own node",
} as const;

/** Asking for a loaded module again is slow. */
let loading: Promise<Layouts> | undefined;

/** Opens the caller's memory. @throws {ToolError} One text a case. */
export async function openMemory(context: ToolContext): Promise<CallerMemory> {
  const { memory, log } = context.services;
  if (memory === undefined) {
    throw new ToolError("This server keeps no memory; root data still works");
  }
  const { sessionId, root, catalog } = await resolveCallingRoot(
    context,
    "Memory",
  );
  const [engine, layouts] = await Promise.all([
    memory.engine(),
    loading ??= import("../../../cortex/layout/mod.ts"),
  ]);
  const named = namedNode(layouts, root);
  const own = named ??
    layouts.parseNode(
      `agent:${layouts.toNodeId(validNamespace(root, catalog))}`,
    );
  const isIgnored = named === undefined && root.memoryNode !== undefined;
  if (isIgnored) log.warn("memory_node_ignored", { root: root.name });
  return {
    engine,
    layouts,
    sessionId,
    agent: root.name,
    agentNames: catalog.namesOf(root),
    namesOf(agent) {
      const named = catalog.findRoot(agent);
      if (named === undefined) return [agent];
      return [...new Set([agent, ...catalog.namesOf(named)])];
    },
    own,
    ownNote: isIgnored
      ? `The catalog's memory_node of root "${root.name}" is no node, so ${own} is used`
      : null,
  };
}

/** The node that `node` names; the agent's own without one. */
export function nodeOf(
  { layouts, own }: CallerMemory,
  node: string | undefined,
): Node {
  if (node === undefined) return own;
  if (node.trim() !== "") return layouts.parseNode(node);
  // Blank text is the root node to cortex; a caller may as well mean nothing.
  throw new ToolError('The node is blank: leave it out, or pass "root"');
}

function namedNode(
  { parseNode }: Layouts,
  { memoryNode }: AgentRoot,
): Node | undefined {
  if (memoryNode === undefined) return undefined;
  try {
    return parseNode(memoryNode);
  } catch (error) {
    if (error instanceof ScopeSyntaxError) return undefined;
    throw error;
  }
}
