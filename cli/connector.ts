/**
 * Makes the {@link Connector} for a session or a root, from the configuration
 * of this process.
 *
 * @module
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { CatalogSnapshot } from "../catalog/mod.ts";
import { type Connector, sessionConnector } from "../mcp/mod.ts";
import { apiKeysOf } from "./app/api_key.ts";
import type { Config } from "./settings/config.ts";
import { cortexEnv } from "./settings/cortex_config.ts";
import { clientCommand } from "./entries.ts";
import { addressOf } from "./app/http_server.ts";

/**
 * Reaches a server over stdio; `words` name the root or the session.
 *
 * A client starts it in a folder and environment of its own choice, so what
 * this process was configured with goes into the entry, paths absolute.
 */
export function stdioConnector(
  config: Config,
  catalog: CatalogSnapshot,
  words: readonly string[],
): Connector {
  const source = config.catalog ??
    (catalog.isExample ? undefined : catalog.source);
  const aliases = Object.entries(config.catalogAliases)
    .map(([from, to]) => `${from}=${to}`).join(",");
  return {
    kind: "stdio",
    command: clientCommand(
      { deno: Deno.execPath(), main: mainPath() },
      ["stdio", ...words],
    ),
    env: {
      ...(config.isHomeChosen ? { ROOTCELLAR_HOME: config.home } : {}),
      ...(config.databaseUrl === undefined
        ? {}
        : { DATABASE_URL: config.databaseUrl }),
      ...(source === undefined ? {} : {
        CATALOG: source.includes("://") ? source : resolve(source),
      }),
      ...(aliases === "" ? {} : { CATALOG_ALIASES: aliases }),
      ...cortexEnv(config.cortex),
    },
  };
}

/** Reaches a server over HTTP, with a session's token or an API key. */
export async function httpConnector(
  config: Config,
  session: { readonly id: number; readonly token?: string | undefined },
  groups: string | undefined,
): Promise<Connector> {
  const [key = ""] = session.token === undefined ? await apiKeysOf(config) : [];
  return sessionConnector(addressOf(config), session, { groups, key });
}

/** Path of `main.ts`. */
export function mainPath(): string {
  return fileURLToPath(new URL("../main.ts", import.meta.url));
}
