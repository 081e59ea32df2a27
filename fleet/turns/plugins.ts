/**
 * Plugins of the catalog: names for several MCP servers, skills, hooks and
 * other plugins, so that a root names one. Agents know nothing of them: what a
 * plugin holds is given like what a session names itself.
 *
 * The lists stand in the entry, or in `.plugin/plugin.json` of its folder; a
 * list of the entry wins, as AIR has it.
 *
 * @module
 */
import type { ArtifactFiles, CatalogSnapshot } from "../../catalog/mod.ts";
import type { Session } from "../../store/sessions/mod.ts";
import { parseFields } from "./hook_order.ts";

/** What a session is given, its plugins among it. */
export interface Wanted {
  /** Names of MCP servers, each once. */
  readonly mcpServers: readonly string[];
  /** Names of skills, each once. */
  readonly skills: readonly string[];
  /** Names of hooks, each once. */
  readonly hooks: readonly string[];
  /** Plugins that are nothing, in sentences for people. */
  readonly leftOut: readonly string[];
}

const MANIFEST_FILE = ".plugin/plugin.json";
const LISTS = ["mcp_servers", "skills", "hooks", "plugins"] as const;
/** Most plugins, those of plugins among them. */
const MAX_PLUGINS = 200;

/** Names all that a session and its plugins ask for. */
export async function expandPlugins(
  session: Pick<
    Session,
    "mcpServers" | "catalogSkills" | "catalogHooks" | "catalogPlugins"
  >,
  { snapshot, artifacts }: {
    readonly snapshot: CatalogSnapshot;
    readonly artifacts: ArtifactFiles;
  },
): Promise<Wanted> {
  const { entries } = snapshot.artifacts("plugins");
  const found = {
    mcp_servers: new Set(session.mcpServers),
    skills: new Set(session.catalogSkills),
    hooks: new Set(session.catalogHooks),
    plugins: new Set(session.catalogPlugins),
  };
  const leftOut: string[] = [];
  // What is added while it is walked through comes, too, and each once: a
  // plugin that holds itself ends nowhere else.
  for (const name of found.plugins) {
    const artifact = entries.get(name);
    const inline = artifact?.entry ?? {};
    const reading = artifact !== undefined && inline.path !== undefined
      ? await artifacts.list(artifact)
      : undefined;
    const text = reading?.ok === true
      ? await artifacts.readText(reading.files, MANIFEST_FILE)
      : undefined;
    const whole = { ...parseFields(text ?? "{}"), ...inline };
    let isEmpty = true;
    for (const list of LISTS) {
      for (const one of namesOf(whole[list])) {
        isEmpty = false;
        if (list !== "plugins" || found.plugins.size < MAX_PLUGINS) {
          found[list].add(one);
        }
      }
    }
    if (isEmpty) {
      leftOut.push(
        `Plugin "${name}" is not applied: ${
          artifact === undefined
            ? "the catalog has none of that name"
            : reading?.ok === false
            ? reading.reason
            : `neither its entry nor ${MANIFEST_FILE} of its folder names skills, mcp_servers, hooks or plugins`
        }`,
      );
    }
  }
  return {
    mcpServers: [...found.mcp_servers],
    skills: [...found.skills],
    hooks: [...found.hooks],
    leftOut,
  };
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((one) => typeof one === "string")
    : [];
}
