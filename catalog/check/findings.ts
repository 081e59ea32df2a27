/**
 * What the owner of a catalog should know although every entry could be read:
 * namespaces that are shared or cannot be used, aliases, and names that lead to
 * nothing.
 *
 * @module
 */

import { type Aliases, findRoot, resolveAlias } from "../aliases.ts";
import type { CatalogContent } from "../content.ts";
import { namespaceProblem } from "../parse/namespace.ts";
import type { AgentRoot, ArtifactKind } from "../types.ts";
import { type Finding, listNames, quote } from "./finding.ts";
import { findConflicts, findWithoutServer } from "./root_data_findings.ts";

/** Lists what is remarkable in a catalog, in no order of weight. */
export function findFindings(
  content: CatalogContent,
  aliases: Aliases,
): Finding[] {
  return [
    ...findNamespaces(content),
    ...findShares(content, aliases),
    ...findConflicts(content),
    ...findWithoutServer(content, aliases),
    ...findAliases(content, aliases),
    ...findUnknownNames(content, aliases),
    ...findOddities(content),
  ];
}

function* findNamespaces(
  { roots }: CatalogContent,
): Generator<Finding> {
  for (const root of roots.values()) {
    if (root.namespaceIsValid) continue;
    const declares = root.collections.size > 0;
    yield {
      level: declares || root.namespaceIsDeclared ? "error" : "note",
      root: root.name,
      message: `It has no root data: its namespace is ${
        namespaceProblem(root)
      }`,
    };
  }
}

/** Sharing a store must be a decision, so every sharing is said. */
function* findShares(
  { entries, roots }: CatalogContent,
  aliases: Aliases,
): Generator<Finding> {
  const members = new Map<string, string[]>();
  for (const [key, root] of roots) {
    if (!root.namespaceIsValid) continue;
    const names = members.get(root.namespace) ?? [];
    members.set(root.namespace, names);
    names.push(key);
    const other = entries.get(root.namespace);
    const isOwnName = resolveAlias(aliases, key) === root.namespace;
    if (root.namespaceIsDeclared && other !== undefined && !isOwnName) {
      const effective = findRoot(entries, aliases, other.name);
      const shares = effective?.namespace === root.namespace;
      yield {
        level: "warning",
        root: key,
        message: `Its namespace ${quote(root.namespace)} is the name of ` +
          `another root, which ${
            shares ? "shares its records" : "pins another namespace itself"
          }`,
      };
    }
  }
  for (const [namespace, names] of members) {
    if (names.length < 2) continue;
    yield {
      level: "warning",
      message: `Namespace ${quote(namespace)} is shared by ${names.length} ` +
        `roots, which see each other's records: ${listNames(names)}`,
    };
  }
}

function* findAliases(
  { entries }: CatalogContent,
  aliases: Aliases,
): Generator<Finding> {
  for (const key of aliases.keys()) {
    const target = resolveAlias(aliases, key);
    if (target === key) {
      yield {
        level: "warning",
        message: `Alias ${quote(key)} leads back to itself and is not used`,
      };
      continue;
    }
    if (!entries.has(key)) continue;
    yield entries.has(target)
      ? {
        level: "warning",
        root: key,
        message: `Its own entry is not used: the name is an alias of ` +
          quote(target),
      }
      : {
        level: "note",
        root: key,
        message: `The name is an alias of ${quote(target)}, which is not in ` +
          "this catalog; its own entry is used, with that name as the " +
          "default namespace",
      };
  }
}

function* findUnknownNames(
  content: CatalogContent,
  aliases: Aliases,
): Generator<Finding> {
  const { roots, artifacts } = content;
  const isRoot = (name: string) =>
    findRoot(content.entries, aliases, name) !== undefined;
  for (const root of roots.values()) {
    yield* unknown(root, "default_subagent_roots", root.subagentRoots, isRoot);
    yield* unknown(root, "default_in_roots", root.defaultInRoots, isRoot);
    for (const [kind, field, names] of namedArtifacts(root)) {
      const index = artifacts.get(kind);
      // An index that is empty or could not be read proves nothing.
      if (index === undefined || index.incompleteReason !== undefined) continue;
      if (index.entries.size === 0) continue;
      yield* unknown(root, field, names, (name) => index.entries.has(name));
    }
  }
  for (const [kind, { entries }] of artifacts) {
    for (const { name, defaultInRoots } of entries.values()) {
      const missing = defaultInRoots?.filter((root) => !isRoot(root)) ?? [];
      if (missing.length === 0) continue;
      yield {
        level: "warning",
        message: `${kind} entry ${quote(name)} names roots in ` +
          `default_in_roots that are not in this catalog: ${
            listNames(missing)
          }`,
      };
    }
  }
}

function namedArtifacts(
  root: AgentRoot,
): [ArtifactKind, string, readonly string[] | undefined][] {
  const { defaultGoal } = root;
  return [
    ["mcp", "default_mcp_servers", root.defaultMcpServers],
    ["skills", "default_skills", root.defaultSkills],
    ["hooks", "default_hooks", root.defaultHooks],
    ["plugins", "default_plugins", root.defaultPlugins],
    ["goals", "default_goal", defaultGoal === undefined ? [] : [defaultGoal]],
  ];
}

function* unknown(
  root: AgentRoot,
  field: string,
  names: readonly string[] | undefined,
  isKnown: (name: string) => boolean,
): Generator<Finding> {
  const missing = names?.filter((name) => !isKnown(name)) ?? [];
  if (missing.length === 0) return;
  yield {
    level: "warning",
    root: root.name,
    message: `${field} names what is not in this catalog: ${
      listNames(missing)
    }`,
  };
}

function* findOddities(content: CatalogContent): Generator<Finding> {
  for (const { name, entry } of content.roots.values()) {
    const inner = entry["name"];
    if (typeof inner !== "string" || inner === name) continue;
    yield {
      level: "warning",
      root: name,
      message: `Its field "name" says ${quote(inner)}; the key ${
        quote(name)
      } is what counts`,
    };
  }
  for (const { kind, name, from, by } of content.overrides) {
    yield {
      level: "note",
      message: `${kind} entry ${quote(name)} of "${from}" is replaced by the ` +
        `one of "${by}"`,
    };
  }
  if (content.roots.size > 0 && content.collectionsTotal === 0) {
    yield {
      level: "note",
      message: "No root declares data_collections, so nothing can be written " +
        "to root data; add it to the entry of a root",
    };
  }
  if (content.roots.size === 0) {
    yield { level: "warning", message: "The catalog holds no root" };
  }
}
