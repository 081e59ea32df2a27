/**
 * The MCP servers of an agent root, as this runner can start or reach them.
 *
 * @module
 */
import type { LeasedTurn } from "../../fleet/turns/protocol.ts";
import type { McpServer } from "../agents/agent.ts";
import { resolveVariables } from "../process/environment.ts";
import type { TurnDeps } from "./deps.ts";

/** What the agent gets, and what was left out, in words for people. */
export interface ResolvedServers {
  /** With everything resolved. */
  readonly servers: readonly McpServer[];
  /** One a server that is left out. */
  readonly notices: readonly string[];
}

/** Resolves them. */
export function resolveServers(
  { mcp_servers, is_trusted }: Pick<LeasedTurn, "mcp_servers" | "is_trusted">,
  { env, trustsCatalogs }: Pick<TurnDeps, "env" | "trustsCatalogs">,
): ResolvedServers {
  const servers: McpServer[] = [];
  const notices: string[] = [];
  for (const order of mcp_servers) {
    if (order.type === "stdio" && !is_trusted && !trustsCatalogs) {
      notices.push(
        `MCP server "${order.name}" is left out: the catalog comes from an address, and this runner starts programs that it names only with RUNNER_TRUST_CATALOG=on`,
      );
      continue;
    }
    const missing = new Set<string>();
    const resolve = (text: string): string => {
      const resolved = resolveVariables(text, env);
      for (const name of resolved.missing) missing.add(name);
      return resolved.text;
    };
    const each = (texts: Readonly<Record<string, string>>) =>
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [name, resolve(text)]),
      );
    const server: McpServer = {
      name: order.name,
      type: order.type,
      url: order.url === null ? null : resolve(order.url),
      headers: each(order.headers),
      command: order.command.map(resolve),
      env: each(order.env),
    };
    if (missing.size === 0) servers.push(server);
    else {
      notices.push(
        `MCP server "${order.name}" is left out: the runner has no ${
          [...missing].join(", ")
        }`,
      );
    }
  }
  return { servers, notices };
}
