/**
 * Clients that an entry can be made for: the form that each one reads, and what
 * it needs beside to start us reliably.
 *
 * @module
 */
import type { HttpConnector, StdioConnector } from "./connector.ts";

/** Members of an entry by name. */
export type Members = Readonly<Record<string, unknown>>;

/** How a client's configuration file is written. */
export type EntryFormat = "json" | "toml" | "yaml";

/** What a client reads. */
export interface ClientForm {
  /** Name for people. */
  readonly title: string;
  /** Its file, for people. */
  readonly file: string;
  /** How the file is written. */
  readonly format: EntryFormat;
  /** The member that holds all servers. */
  readonly servers: string;
  /** How it starts a program. */
  readonly stdio: (connector: StdioConnector) => Members;
  /** How it calls a server; absent where it can start programs only. */
  readonly http?: (connector: HttpConnector) => Members;
  /** What it needs beside, whatever the transport. */
  readonly beside?: Members;
  /** What lets our tools run without asking; absent where that is set elsewhere. */
  readonly approved?: Members;
  /** What else its user should know, a sentence each. */
  readonly notes?: readonly string[];
}

/** Longest time that a first start may take, in seconds: it fetches PostgreSQL. */
const START_S = 120;

const ABOUT =
  "Notes and memory that outlive a session: call recall_memory when a task begins";

/** The form that most clients share. */
function program({ command: [first, ...args], env }: StdioConnector): Members {
  return {
    command: first,
    args,
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

function headersOf({ header: [name, value] }: HttpConnector): Members {
  return { [name]: value };
}

/** The form that most clients share, `type` being their word for it. */
function address(type?: string): (connector: HttpConnector) => Members {
  return (connector) => ({
    ...(type === undefined ? {} : { type }),
    url: connector.url,
    headers: headersOf(connector),
  });
}

/** Each client by the name that a user gives it. */
export const CLIENTS = {
  claude: {
    title: "Claude Code",
    file: ".mcp.json",
    format: "json",
    servers: "mcpServers",
    stdio: program,
    http: address("http"),
    // Else a model has to search for tools that it was told to begin with.
    beside: { alwaysLoad: true },
    notes: [
      "Claude Code asks once whether a project's servers may start",
      "To let its tools run without asking, allow mcp__NAME in permissions of .claude/settings.json",
    ],
  },
  codex: {
    title: "Codex",
    file: "~/.codex/config.toml",
    format: "toml",
    servers: "mcp_servers",
    stdio: program,
    http: (connector) => ({
      url: connector.url,
      http_headers: headersOf(connector),
    }),
    // Else it goes on without a server that takes longer than a second.
    beside: { required: true, startup_timeout_sec: START_S },
    approved: { default_tools_approval_mode: "approve" },
    notes: [
      "codex exec refuses tools that overwrite or delete unless the entry approves them: --approve",
    ],
  },
  gemini: {
    title: "Gemini CLI",
    file: "~/.gemini/settings.json",
    format: "json",
    servers: "mcpServers",
    stdio: program,
    http: (connector) => ({
      httpUrl: connector.url,
      headers: headersOf(connector),
    }),
    beside: { timeout: START_S * 1_000 },
    approved: { trust: true },
  },
  qwen: {
    title: "Qwen Code",
    file: "~/.qwen/settings.json",
    format: "json",
    servers: "mcpServers",
    stdio: program,
    http: (connector) => ({
      httpUrl: connector.url,
      headers: headersOf(connector),
    }),
    beside: { timeout: START_S * 1_000 },
    approved: { trust: true },
  },
  opencode: {
    title: "opencode",
    file: "~/.config/opencode/opencode.json",
    format: "json",
    servers: "mcp",
    stdio: ({ command, env }) => ({
      type: "local",
      command,
      ...(Object.keys(env).length === 0 ? {} : { environment: env }),
    }),
    http: (connector) => ({
      ...address("remote")(connector),
      // The credential is in the header: a login would only hide its faults.
      oauth: false,
    }),
    beside: { enabled: true, timeout: START_S * 1_000 },
  },
  pi: {
    title: "Pi",
    file: "~/.pi/agent/mcp.json",
    format: "json",
    servers: "mcpServers",
    stdio: program,
    http: address(),
    // Else a model sees the server's name alone, behind a script.
    beside: { exposure: "direct", description: ABOUT, timeout: START_S },
  },
  copilot: {
    title: "Copilot CLI",
    file: "~/.copilot/mcp-config.json",
    format: "json",
    servers: "mcpServers",
    stdio: (connector) => ({ type: "local", ...program(connector) }),
    http: address("http"),
    beside: { tools: ["*"] },
    notes: [
      "To let its tools run without asking, start it with --allow-tool=NAME",
    ],
  },
  cline: {
    title: "Cline",
    file: "~/.cline/data/settings/cline_mcp_settings.json",
    format: "json",
    servers: "mcpServers",
    stdio: (connector) => ({ type: "stdio", ...program(connector) }),
    http: address("streamableHttp"),
    beside: { timeout: START_S, disabled: false },
    notes: [
      "Cline in VS Code has a file of its own: MCP Servers, Configure",
    ],
  },
  continue: {
    title: "Continue",
    file: "~/.continue/config.yaml",
    format: "yaml",
    servers: "mcpServers",
    stdio: (connector) => ({ type: "stdio", ...program(connector) }),
    http: (connector) => ({
      type: "streamable-http",
      url: connector.url,
      requestOptions: { headers: headersOf(connector) },
    }),
    beside: { connectionTimeout: START_S * 1_000 },
  },
  vscode: {
    title: "VS Code",
    file: ".vscode/mcp.json",
    format: "json",
    servers: "servers",
    stdio: (connector) => ({ type: "stdio", ...program(connector) }),
    http: address("http"),
    notes: ["VS Code asks once whether the server may start"],
  },
  cursor: {
    title: "Cursor",
    file: "~/.cursor/mcp.json",
    format: "json",
    servers: "mcpServers",
    stdio: (connector) => ({ type: "stdio", ...program(connector) }),
    http: address(),
  },
  "claude-desktop": {
    title: "Claude Desktop",
    file: "claude_desktop_config.json",
    format: "json",
    servers: "mcpServers",
    stdio: program,
    notes: ["Claude Desktop reads its file when it starts"],
  },
  zed: {
    title: "Zed",
    file: "~/.config/zed/settings.json",
    format: "json",
    servers: "context_servers",
    stdio: program,
    http: address(),
  },
} as const satisfies Readonly<Record<string, ClientForm>>;

/** A client. */
export type Client = keyof typeof CLIENTS;

/** The names of all clients. */
export const CLIENT_NAMES: readonly Client[] = Object.keys(
  CLIENTS,
) as Client[]; // The keys of a constant are its keys.

/** What a client reads. */
export function formOf(client: Client): ClientForm {
  return CLIENTS[client];
}
