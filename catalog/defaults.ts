/**
 * What a session of a root is given unless it asks for something else.
 *
 * A catalog says it in two places, which are united: the root's own `default_*`
 * lists, and `default_in_roots` of the other entries.
 *
 * @module
 */

import { type Aliases, findRoot } from "./aliases.ts";
import { artifactsOf, type CatalogContent } from "./content.ts";
import { present } from "./parse/fields.ts";
import type { AgentRoot, ArtifactKind } from "./types.ts";

/**
 * What a session of a root is given. Lists hold each name once: those of the
 * root first, then those of the other entries, in catalog order. A name need
 * not be in the catalog.
 */
export interface RootDefaults {
  /** Agent runtime. */
  readonly runtime?: string;
  /** Model. */
  readonly model?: string;
  /** Id of the goal. */
  readonly goal?: string;
  /** Branch of the repository. */
  readonly branch?: string;
  /** Names of MCP servers. */
  readonly mcpServers: readonly string[];
  /** Names of skills. */
  readonly skills: readonly string[];
  /** Names of hooks. */
  readonly hooks: readonly string[];
  /** Names of plugins. */
  readonly plugins: readonly string[];
  /** Names of the roots it may start, aliases applied. */
  readonly subagentRoots: readonly string[];
}

/** Reads the defaults of a root; see `CatalogSnapshot.effectiveDefaults`. */
export function effectiveDefaults(
  content: CatalogContent,
  aliases: Aliases,
  root: AgentRoot,
): RootDefaults {
  const nameOf = (key: string) =>
    findRoot(content.entries, aliases, key)?.name ?? key;
  const namesRoot = (
    { defaultInRoots = [] }: { readonly defaultInRoots?: readonly string[] },
  ) => defaultInRoots.some((key) => nameOf(key) === root.name);
  const unite = (own: readonly string[] | undefined, kind: ArtifactKind) => {
    const others = [...artifactsOf(content, kind).entries.values()]
      .filter(namesRoot).map(({ name }) => name);
    return unique([...(own ?? []), ...others]);
  };
  const { defaultRuntime, defaultModel, defaultGoal, defaultBranch } = root;
  return {
    ...present({
      runtime: defaultRuntime,
      model: defaultModel,
      goal: defaultGoal,
      branch: defaultBranch,
    }),
    mcpServers: unite(root.defaultMcpServers, "mcp"),
    skills: unite(root.defaultSkills, "skills"),
    hooks: unite(root.defaultHooks, "hooks"),
    plugins: unite(root.defaultPlugins, "plugins"),
    subagentRoots: unique([
      ...(root.subagentRoots ?? []).map(nameOf),
      ...[...content.roots.values()].filter(namesRoot).map(({ name }) => name),
    ]),
  };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
