/**
 * How a client reaches this server: over stdio, or over HTTP.
 *
 * @module
 */
import { GROUPS } from "../tools/registry.ts";

/** Starts the server as a program of the client's. */
export interface StdioConnector {
  /** Tells it from HTTP. */
  readonly kind: "stdio";
  /** Program and its arguments. */
  readonly command: readonly string[];
  /** Variables that the program needs. */
  readonly env: Readonly<Record<string, string>>;
}

/** Calls a server that runs. */
export interface HttpConnector {
  /** Tells it from stdio. */
  readonly kind: "http";
  /** Address with its query. */
  readonly url: string;
  /** The credential's header. */
  readonly header: readonly [name: string, value: string];
}

/** How a client reaches the server. */
export type Connector = StdioConnector | HttpConnector;

/** Name of the server in a client's configuration. */
export const ENTRY_NAME = "rootcellar";

/** Groups of a session that names none; a group without tools says nothing. */
const GROUPS_OF_ENTRIES = GROUPS
  .filter(({ isSessionDefault, tools }) => isSessionDefault && tools.length > 0)
  .map(({ name }) => name).join(",");

/** Bridge for clients that start a program only: stdio to HTTP. */
const MCP_REMOTE = "mcp-remote@0.15.1";

/**
 * Reaches a session over HTTP: with its token, or else with an API key and its
 * id in the address.
 */
export function sessionConnector(
  origin: string,
  session: { readonly id: number; readonly token?: string | undefined },
  { groups, key }: {
    /** A comma list. @default {those of a session, as far as they have tools} */
    readonly groups: string | undefined;
    /** Used where there is no token. */
    readonly key: string;
  },
): HttpConnector {
  const query = new URLSearchParams({
    tool_groups: groups ?? GROUPS_OF_ENTRIES,
  });
  if (session.token === undefined) query.set("session_id", String(session.id));
  return {
    kind: "http",
    url: `${origin}/mcp?${query.toString().replaceAll("%2C", ",")}`,
    header: session.token === undefined
      ? ["X-API-Key", key]
      : ["Authorization", `Bearer ${session.token}`],
  };
}

/** The same for a client that can start programs only. */
export function bridged(
  { url, header: [name, value] }: HttpConnector,
): StdioConnector {
  const isPlain = url.startsWith("http:");
  return {
    kind: "stdio",
    command: [
      "npx",
      "-y",
      MCP_REMOTE,
      url,
      "--transport",
      "http-only",
      ...(isPlain ? ["--allow-http"] : []),
      "--header",
      // Filled in by the bridge: some clients split arguments at spaces.
      `${name}:\${ROOTCELLAR_CREDENTIAL}`,
    ],
    env: { ROOTCELLAR_CREDENTIAL: value },
  };
}
