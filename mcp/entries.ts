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
export function entryFor(client: Client, connector: Connector): string {
  if (client === "codex") return codexToml(connector);
  const mcpServers = { [ENTRY_NAME]: jsonEntry(client, connector) };
  return JSON.stringify({ mcpServers }, null, 2);
}

/** The value of one server in a JSON configuration. */
export function jsonEntry(
  client: Exclude<Client, "codex">,
  connector: Connector,
): Readonly<Record<string, unknown>> {
  if (connector.kind === "http" && client === "claude") {
    const [name, value] = connector.header;
    return { type: "http", url: connector.url, headers: { [name]: value } };
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

function codexToml(connector: Connector): string {
  // A JSON string is a TOML basic string.
  const text = (value: string | undefined) => JSON.stringify(value ?? "");
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) =>
      `${text(name)} = ${text(value)}`
    )
      .join(", ");
  const lines = [`[mcp_servers.${ENTRY_NAME}]`];
  if (connector.kind === "stdio") {
    const [command, ...args] = connector.command;
    lines.push(
      `command = ${text(command)}`,
      `args = [${args.map(text).join(", ")}]`,
    );
    if (Object.keys(connector.env).length > 0) {
      lines.push(`env = { ${pairs(connector.env)} }`);
    }
  } else {
    const [name, value] = connector.header;
    lines.push(
      `url = ${text(connector.url)}`,
      `http_headers = { ${pairs({ [name]: value })} }`,
    );
  }
  return lines.join("\n");
}
