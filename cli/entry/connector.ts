/**
 * Makes the {@link Connector} for a session or a root, from the configuration
 * of this process.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import type { CatalogSnapshot } from "../../catalog/mod.ts";
import { type Connector, sessionConnector } from "../../mcp/mod.ts";
import { carriedEnv } from "../settings/carried_env.ts";
import type { Config, Given, KeyOf } from "../settings/config.ts";
import { clientCommand } from "./start_command.ts";
import { handedOnEnv } from "../settings/environment.ts";
import { clientAddressOf } from "../app/http_server.ts";

/** The settings that an entry over stdio carries. */
export type EntryConfig = Config<
  KeyOf<"database" | "catalog" | "cortex" | "layout">
>;

/**
 * Reaches a server over stdio; `words` name the root or the session.
 *
 * A client starts it in a folder and environment of its own choice, so what
 * this process was configured with goes into the entry, paths absolute.
 */
export function stdioConnector(
  config: EntryConfig & Given,
  catalog: CatalogSnapshot,
  words: readonly string[],
): Connector {
  // A catalog that was found in this folder is not found from another.
  const isFound = config.catalog === undefined && !catalog.isExample;
  return {
    kind: "stdio",
    command: clientCommand(
      { deno: Deno.execPath(), main: mainPath() },
      ["stdio", ...words],
    ),
    env: {
      ...handedOnEnv(),
      ...carriedEnv(config, isFound ? { catalog: catalog.source } : {}),
    },
  };
}

/** Reaches a server over HTTP, with a session's token or an API key. */
export function httpConnector(
  config: Config<"host" | "port">,
  { key = "", ...session }: {
    readonly id: number;
    readonly token?: string | undefined;
    readonly key?: string | undefined;
  },
  groups: string | undefined,
): Connector {
  return sessionConnector(clientAddressOf(config), session, { groups, key });
}

/** Path of `main.ts`. */
export function mainPath(): string {
  return fileURLToPath(new URL("../../main.ts", import.meta.url));
}
