/**
 * Makes the {@link Connector} for a session or a root, from the configuration
 * of this process.
 *
 * @module
 */
import { BUILT_IN_SOURCE, type CatalogSnapshot } from "../../catalog/mod.ts";
import { type Connector, sessionConnector } from "../../mcp/mod.ts";
import { carriedEnv } from "../settings/carried_env.ts";
import type { Config, Given, KeyOf } from "../settings/config.ts";
import { keepDeno } from "./kept_deno.ts";
import { mainPath, programArguments } from "./start_command.ts";
import { handedOnEnv } from "../settings/environment.ts";
import { clientAddressOf } from "../app/http_server.ts";

/** The settings that an entry over stdio carries. */
export type EntryConfig = Config<
  KeyOf<"database" | "catalog" | "fleet" | "cortex" | "layout">
>;

/**
 * Reaches a server over stdio; `words` name the root or the session.
 *
 * A client starts it in a folder and environment of its own choice, so what
 * this process was configured with goes into the entry, paths absolute.
 *
 * @throws {StartError} Deno cannot be kept in the home.
 */
export async function stdioConnector(
  config: EntryConfig & Given,
  catalog: CatalogSnapshot,
  words: readonly string[],
): Promise<Connector> {
  // A client's folder must not decide: what was found in this one is not found
  // from another, and another may hold what this one does not.
  const found = catalog.isExample ? BUILT_IN_SOURCE : catalog.source;
  const deno = await keepDeno(config.home);
  return {
    kind: "stdio",
    command: [deno, ...programArguments(mainPath(), ["stdio", ...words])],
    env: {
      ...handedOnEnv(),
      ...carriedEnv(
        config,
        config.catalog === undefined ? { catalog: found } : {},
      ),
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
