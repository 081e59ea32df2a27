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
  /** Address of Rootcellar's own tools. */
  readonly ownUrl: string;
}

/** The name of our own entry: a longer one breaks agents' limits of names. */
const OWN_NAME = "rootcellar";

/**
 * Resolves them. The first that points at this very server stands for our own
 * entry, with its query and the turn's token.
 */
export function resolveServers(
  { mcp_servers, mcp_path, session_id }: Pick<
    LeasedTurn,
    "mcp_servers" | "mcp_path" | "session_id"
  >,
  { env, server, trustsCatalogs }: Pick<
    TurnDeps,
    "env" | "server" | "trustsCatalogs"
  >,
): ResolvedServers {
  const servers: McpServer[] = [];
  const notices: string[] = [];
  let retargeted: string | undefined;
  for (const order of mcp_servers) {
    const own = ownAddress(order.url, { server, sessionId: session_id });
    if (own !== undefined && retargeted === undefined) {
      retargeted = own;
      continue;
    }
    if (own !== undefined || order.name === OWN_NAME) {
      notices.push(
        `MCP server "${order.name}" is left out: ${
          own === undefined
            ? "Rootcellar's own tools have that name, and it points elsewhere"
            : "another entry for this very server stands before it"
        }`,
      );
      continue;
    }
    if (order.type === "stdio" && !order.is_trusted && !trustsCatalogs) {
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
    const resolved: McpServer = {
      name: order.name,
      type: order.type,
      url: order.url === null ? null : resolve(order.url),
      headers: each(order.headers),
      command: order.command.map(resolve),
      env: each(order.env),
    };
    if (missing.size === 0) servers.push(resolved);
    else {
      notices.push(
        `MCP server "${order.name}" is left out: the runner has no ${
          [...missing].join(", ")
        }`,
      );
    }
  }
  return { servers, notices, ownUrl: retargeted ?? `${server}${mcp_path}` };
}

/** The address with this session in it, where it is this server's. */
function ownAddress(
  address: string | null,
  { server, sessionId }: {
    readonly server: string;
    readonly sessionId: number;
  },
): string | undefined {
  if (address === null || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.origin !== new URL(server).origin || url.pathname !== "/mcp") {
    return undefined;
  }
  // One that names another session would be refused with this turn's token.
  url.searchParams.set("session_id", String(sessionId));
  return url.href;
}
