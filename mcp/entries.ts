/**
 * Connection entries: what a client's configuration file needs to reach this
 * server, over stdio or HTTP.
 *
 * @module
 */
import { GROUPS } from "./tools/registry.ts";

/** Clients that an entry can be made for, each with what reads it. */
export const CLIENTS = {
  claude: "Claude Code and Pi, .mcp.json",
  "claude-desktop": "Claude Desktop, claude_desktop_config.json",
  codex: "Codex, config.toml",
} as const;

/** A client. */
export type Client = keyof typeof CLIENTS;

/** How a client reaches the server. */
export type Connector =
  | {
    readonly kind: "stdio";
    /** Program and its arguments. */
    readonly command: readonly string[];
    /** Variables that the program needs. */
    readonly env: Readonly<Record<string, string>>;
  }
  | {
    readonly kind: "http";
    /** Address with its query. */
    readonly url: string;
    /** The credential's header. */
    readonly header: readonly [name: string, value: string];
  };

/** Name of the server in a client's configuration. */
export const ENTRY_NAME = "rootcellar";

/** Groups of a session that names none; a group without tools says nothing. */
const GROUPS_OF_ENTRIES = GROUPS
  .filter(({ isSessionDefault, tools }) => isSessionDefault && tools.length > 0)
  .map(({ name }) => name).join(",");

/** Bridge for clients that start a program only: stdio to HTTP. */
const MCP_REMOTE = "mcp-remote@0.15.1";

/** The entry as text, ready to be pasted. */
export function entryFor(
  client: Client,
  connector: Connector,
  name: string = ENTRY_NAME,
): string {
  const entry = entryOf(client, connector);
  return client === "codex"
    ? [`[mcp_servers.${name}]`, ...tomlMembers(entry)].join("\n")
    : JSON.stringify({ mcpServers: { [name]: entry } }, null, 2);
}

/** What a client's configuration says of one server. */
export function entryOf(
  client: Client,
  connector: Connector,
): Readonly<Record<string, unknown>> {
  if (connector.kind === "http" && client !== "claude-desktop") {
    const { url, header: [name, value] } = connector;
    const headers = { [name]: value };
    return client === "codex"
      ? { url, http_headers: headers }
      : { type: "http", url, headers };
  }
  const { command, env } = connector.kind === "stdio"
    ? connector
    : bridged(connector);
  const [program, ...args] = command;
  return {
    command: program,
    args,
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

/** Members of a TOML table, a line each. */
export function tomlMembers(
  table: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.entries(table).map(([name, value]) =>
    `${name} = ${tomlValue(value)}`
  );
}

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
): Connector {
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

function bridged(
  { url, header: [name, value] }: Extract<Connector, { kind: "http" }>,
): Extract<Connector, { kind: "stdio" }> {
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

/** Texts, lists and groups of them: all that an entry holds. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return tomlText(value);
  const members = Object.entries(value).map(([name, one]) =>
    `${tomlText(name)} = ${tomlValue(one)}`
  );
  return `{ ${members.join(", ")} }`;
}

/** A JSON string is a basic string of TOML, but for one character. */
function tomlText(value: unknown): string {
  return JSON.stringify(String(value)).replaceAll("\x7f", "\\u007f");
}
