/**
 * Makes the {@link Connector} for a session or a root, from the configuration
 * of this process.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { apiKeysOf } from "./api_key.ts";
import { type Config, SETTINGS } from "./config.ts";
import { clientCommand, type Connector } from "./entries.ts";

/** Settings that a stdio process of this machine has to share. */
const SHARED = [
  "ROOTCELLAR_HOME",
  "DATABASE_URL",
  "CATALOG",
  "CATALOG_ALIASES",
];

/** Reaches a server over stdio; `words` name the root or the session. */
export function stdioConnector(
  config: Config,
  words: readonly string[],
): Connector {
  const env: Record<string, string> = {};
  for (const { name } of SETTINGS) {
    const value = Deno.env.get(name);
    if (SHARED.includes(name) && value) env[name] = absolute(name, value);
  }
  if (config.home !== env.ROOTCELLAR_HOME && Deno.env.has("ROOTCELLAR_HOME")) {
    env.ROOTCELLAR_HOME = config.home;
  }
  return {
    kind: "stdio",
    command: clientCommand(
      { deno: Deno.execPath(), main: mainPath() },
      ["stdio", ...words],
    ),
    env,
  };
}

/** Reaches a server over HTTP, with a session's token or an API key. */
export async function httpConnector(
  config: Config,
  session: { readonly id: number; readonly token?: string | undefined },
  groups: string | undefined,
): Promise<Connector> {
  const query = new URLSearchParams({ tool_groups: groups ?? "root_data" });
  if (session.token === undefined) query.set("session_id", String(session.id));
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const url = `http://${host}:${config.port}/mcp?${
    query.toString().replaceAll("%2C", ",")
  }`;
  if (session.token !== undefined) {
    return {
      kind: "http",
      url,
      header: ["Authorization", `Bearer ${session.token}`],
    };
  }
  const [key] = await apiKeysOf(config);
  return { kind: "http", url, header: ["X-API-Key", key ?? ""] };
}

/** Path of `main.ts`. */
export function mainPath(): string {
  return fileURLToPath(new URL("../main.ts", import.meta.url));
}

/** A client starts the server in a folder of its own choice. */
function absolute(name: string, value: string): string {
  const isPath = name !== "DATABASE_URL" && name !== "CATALOG_ALIASES" &&
    !value.includes("://");
  return isPath && !value.startsWith("/") ? `${Deno.cwd()}/${value}` : value;
}
