/**
 * What sessions can be given, for programs.
 *
 * @module
 */
import type { Configs } from "../fleet/mod.ts";
import {
  COUNT,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "./schema.ts";
import { isoTime } from "./render.ts";

const ENTRY = objectOf({
  name: TEXT,
  title: orNull(TEXT),
  description: orNull(TEXT),
});

/** All of it. */
export const CONFIGS = objectOf({
  catalog_state: wordOf(["fresh", "stale", "unreadable"]),
  catalog_read_at: orNull(TIME),
  mcp_servers: listOf(ENTRY),
  unavailable_mcp_servers: listOf(objectOf({ name: TEXT, reason: TEXT })),
  agent_roots: listOf(objectOf({
    name: TEXT,
    display_name: orNull(TEXT),
    description: orNull(TEXT),
    runtime: orNull(TEXT),
    model: orNull(TEXT),
    goal: orNull(TEXT),
    mcp_servers: listOf(TEXT),
    skills: listOf(TEXT),
    hooks: listOf(TEXT),
    plugins: listOf(TEXT),
    subagent_roots: listOf(TEXT),
  })),
  runtimes: listOf(objectOf({
    name: TEXT,
    versions: listOf(TEXT),
    models: listOf(TEXT),
    runners: COUNT,
  })),
  goals: listOf(ENTRY),
  runners: COUNT,
});

/** The whole. */
export function configsShape(configs: Configs): ValueOf<typeof CONFIGS> {
  const { catalog } = configs;
  return {
    catalog_state: catalog.state,
    catalog_read_at: catalog.state === "unreadable"
      ? null
      : isoTime(catalog.readAt),
    mcp_servers: configs.servers.map(entryShape),
    unavailable_mcp_servers: configs.unavailable.map(({ name, reason }) => ({
      name,
      reason,
    })),
    agent_roots: configs.roots.map(({ root, defaults }) => ({
      name: root.name,
      display_name: root.displayName ?? null,
      description: root.description ?? null,
      runtime: defaults.runtime ?? null,
      model: defaults.model ?? null,
      goal: defaults.goal ?? null,
      mcp_servers: defaults.mcpServers,
      skills: defaults.skills,
      hooks: defaults.hooks,
      plugins: defaults.plugins,
      subagent_roots: defaults.subagentRoots,
    })),
    runtimes: configs.runtimes.map(({ name, versions, models, runners }) => ({
      name,
      versions,
      models,
      runners,
    })),
    goals: configs.goals.map(entryShape),
    runners: configs.runners,
  };
}

function entryShape(
  { name, title, description }: Configs["servers"][number],
): ValueOf<typeof ENTRY> {
  return { name, title: title ?? null, description: description ?? null };
}
