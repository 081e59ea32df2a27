/**
 * A tool called by its name, among the tools that a connection sees.
 *
 * @module
 */
import type { Connection } from "../caller/connection.ts";
import { toCallerText } from "../errors.ts";
import type { Services } from "../services.ts";
import { toolInGroups, toolsInGroups } from "../tools/groups.ts";
import { TOOLS } from "../tools/registry.ts";
import { callTool, type Tool, type ToolResult } from "../tools/tool.ts";

/** A tool and what it is called with. */
export interface NamedCall {
  /** As the client wrote it. */
  readonly name: string;
  /** Not checked yet. */
  readonly args: unknown;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Most sets of groups whose tools are kept; more than the rest come and go. */
const MAX_KEPT = 200;
/** Tools by the groups that show them: the same sets come with each request. */
const kept = new Map<string, readonly Tool[]>();

/** The tools that a connection asks for by its groups, in registry order. */
export function askedTools({ groups }: Connection): readonly Tool[] {
  const key = groups.join(",");
  const known = kept.get(key);
  if (known !== undefined) return known;
  const tools = toolsInGroups(TOOLS, groups);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, tools);
  return tools;
}

/**
 * Of the tools that a connection asks for, those that it sees, in order; or why
 * they are not known, since a session's groups are stored.
 */
export async function visibleTools(
  connection: Connection,
  { log }: Services,
): Promise<readonly Tool[] | string> {
  const { confinedTo, readConfinement } = connection;
  const asked = askedTools(connection);
  try {
    const confinement = confinedTo ?? await readConfinement?.();
    if (confinement === undefined) return asked;
    return asked.flatMap((tool) => toolInGroups(tool, confinement) ?? []);
  } catch (error) {
    return toCallerText(error, log);
  }
}

/**
 * Calls the tool of that name; undefined where the connection sees none. Never
 * rejects: what is refused is a result, too.
 */
export async function callByName(
  services: Services,
  connection: Connection,
  { name, args, signal }: NamedCall,
): Promise<ToolResult | undefined> {
  const tools = await visibleTools(connection, services);
  if (typeof tools === "string") {
    return { content: [{ type: "text", text: tools }], isError: true };
  }
  const tool = tools.find((tool) => tool.name === name);
  if (tool === undefined) return undefined;
  return await callTool(tool, { connection, services, signal }, args);
}
