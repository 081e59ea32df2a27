/**
 * Connection entries: what a client's configuration file needs to reach this
 * server, over stdio or HTTP.
 *
 * @module
 */

/** Clients that an entry can be made for. */
export const CLIENTS = ["claude", "codex"] as const;

/** A client. `claude` is Claude Code's and Pi's `.mcp.json`. */
export type Client = typeof CLIENTS[number];

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

const NAME = "rootcellar";

/** The entry as text, ready to be pasted. */
export function entryFor(client: Client, connector: Connector): string {
  return client === "claude" ? mcpJson(connector) : codexToml(connector);
}

/** How this very program is started again: the verb and its words. */
export function programArguments(
  main: string,
  words: readonly string[],
): readonly string[] {
  const folder = main.slice(0, main.lastIndexOf("/"));
  return [
    "run",
    "-q",
    "--no-prompt",
    "--frozen",
    `--config=${folder}/deno.json`,
    "-P=server",
    main,
    ...words,
  ];
}

/**
 * How a client starts this program.
 *
 * Without Deno on the machine it runs from npm's cache, which may be cleared;
 * then the entry goes through `npx` as well.
 */
export function clientCommand(
  program: { readonly deno: string; readonly main: string },
  words: readonly string[],
): readonly string[] {
  const run = programArguments(program.main, words);
  return program.deno.includes("/_npx/")
    ? ["npx", "-y", `deno@${Deno.version.deno}`, ...run]
    : [program.deno, ...run];
}

function mcpJson(connector: Connector): string {
  const entry = connector.kind === "stdio"
    ? {
      command: connector.command[0],
      args: connector.command.slice(1),
      ...(Object.keys(connector.env).length === 0
        ? {}
        : { env: connector.env }),
    }
    : {
      type: "http",
      url: connector.url,
      headers: { [connector.header[0]]: connector.header[1] },
    };
  return JSON.stringify({ mcpServers: { [NAME]: entry } }, null, 2);
}

function codexToml(connector: Connector): string {
  // A JSON string is a TOML basic string.
  const text = (value: string | undefined) => JSON.stringify(value ?? "");
  const lines = [`[mcp_servers.${NAME}]`];
  if (connector.kind === "stdio") {
    lines.push(
      `command = ${text(connector.command[0])}`,
      `args = [${connector.command.slice(1).map(text).join(", ")}]`,
    );
    const env = Object.entries(connector.env);
    if (env.length > 0) {
      lines.push(
        `env = { ${
          env.map(([name, value]) => `${name} = ${text(value)}`).join(", ")
        } }`,
      );
    }
  } else {
    const [name, value] = connector.header;
    lines.push(
      `url = ${text(connector.url)}`,
      `http_headers = { ${text(name)} = ${text(value)} }`,
    );
  }
  return lines.join("\n");
}
