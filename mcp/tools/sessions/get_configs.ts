/**
 * `get_configs`: what a session can be given.
 *
 * @module
 */
import { readConfigs } from "../../../fleet/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { fleetOf } from "../../fleet.ts";
import {
  COUNT,
  listOf,
  NO_INPUT,
  objectOf,
  TEXT,
  wordOf,
} from "../../schema.ts";
import { configsMarkdown } from "../../session_text/configs.ts";
import { defineTool, Written } from "../tool.ts";

/** Names of a list in the answer's data. */
const MAX_NAMES = 100;
const NAMES = listOf(TEXT);

/** The tool. */
export const getConfigs = defineTool({
  name: "get_configs",
  title: "Get configs",
  access: "read",
  description:
    "What a session can be given: MCP servers that work now and those that do not, with the reason; agent roots with their defaults; runtimes and models of the runners that were seen lately; goals. Read it before start_session, and when a server that you expect is not there: one under Unavailable is broken, not absent, so do not register a replacement. A catalog that could not be read is said, never shown as an empty one.",
  isDestructive: false,
  isIdempotent: true,
  input: NO_INPUT,
  output: objectOf({
    catalog_state: wordOf(["fresh", "stale", "unreadable"]),
    mcp_servers: NAMES,
    mcp_servers_total: COUNT,
    unavailable_mcp_servers: NAMES,
    unavailable_mcp_servers_total: COUNT,
    agent_roots: NAMES,
    agent_roots_total: COUNT,
    runtimes: NAMES,
    goals: NAMES,
    goals_total: COUNT,
    runners: COUNT,
  }),
  async run({ connection, services }) {
    const configs = await readConfigs(
      fleetOf(services),
      fleetCallerOf(connection),
    );
    const { servers, unavailable, roots, runtimes, goals } = configs;
    return new Written(configsMarkdown(configs).text, {
      catalog_state: configs.catalog.state,
      mcp_servers: namesOf(servers),
      mcp_servers_total: servers.length,
      unavailable_mcp_servers: namesOf(unavailable),
      unavailable_mcp_servers_total: unavailable.length,
      agent_roots: namesOf(roots.map(({ root }) => root)),
      agent_roots_total: roots.length,
      runtimes: namesOf(runtimes),
      goals: namesOf(goals),
      goals_total: goals.length,
      runners: configs.runners,
    });
  },
});

function namesOf(
  entries: readonly { readonly name: string }[],
): readonly string[] {
  return entries.slice(0, MAX_NAMES).map(({ name }) => name.slice(0, 100));
}
