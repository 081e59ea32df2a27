/**
 * What the owner of a catalog should know of root data: declarations that
 * contradict each other, and agents that have no way to it.
 *
 * @module
 */

import type { Aliases } from "../aliases.ts";
import { artifactsOf, type CatalogContent } from "../content.ts";
import { effectiveDefaults } from "../defaults.ts";
import { isJsonObject } from "../parse/json.ts";
import type { AgentRoot, Artifact, CollectionDeclaration } from "../types.ts";
import { type Finding, listNames, quote } from "./finding.ts";

// By the names and the URLs that such an entry has by convention.
const SERVER_REGEXP = /root[-_]data|rootcellar/i;

/** Collections of one namespace that its roots declare in different ways. */
export function* findConflicts(
  { roots }: CatalogContent,
): Generator<Finding> {
  const first = new Map<string, [AgentRoot, CollectionDeclaration]>();
  for (const root of roots.values()) {
    if (!root.namespaceIsValid) continue;
    for (const declaration of root.collections.values()) {
      const key = `${root.namespace} ${declaration.name}`;
      const [other, theirs] = first.get(key) ?? [];
      if (other === undefined || theirs === undefined) {
        first.set(key, [root, declaration]);
        continue;
      }
      const differs = compare(theirs, declaration);
      if (differs.length === 0) continue;
      yield {
        level: "warning",
        root: root.name,
        message: `Collection ${quote(declaration.name)} of namespace ${
          quote(root.namespace)
        } is declared in another way than by root ${quote(other.name)}: ${
          differs.join("; ")
        }. Each write follows the root that makes it, and both read all`,
      };
    }
  }
}

function compare(
  theirs: CollectionDeclaration,
  own: CollectionDeclaration,
): string[] {
  const differs: string[] = [];
  if (toSorted(own.schema) !== toSorted(theirs.schema)) {
    const kinds = [own, theirs].map(({ schema }) =>
      schema === undefined ? "no schema" : "a schema"
    );
    const [here, there] = kinds;
    differs.push(here === there ? "another schema" : `${here}, not ${there}`);
  }
  if (own.retentionDays !== theirs.retentionDays) {
    const [here, there] = [own, theirs].map(({ retentionDays }) =>
      retentionDays === undefined ? "for ever" : `${retentionDays} days`
    );
    differs.push(`records are kept ${here}, not ${there}`);
  }
  return differs;
}

/** A schema as text, members in one order; nesting without end is no text. */
function toSorted(schema: unknown): string | undefined {
  try {
    return JSON.stringify(
      schema,
      (_key, value: unknown) =>
        isJsonObject(value)
          ? Object.fromEntries(
            Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1),
          )
          : value,
    );
  } catch {
    return "too deep";
  }
}

/** Roots with collections whose agents are given no server of root data. */
export function* findWithoutServer(
  content: CatalogContent,
  aliases: Aliases,
): Generator<Finding> {
  const { entries, incompleteReason } = artifactsOf(content, "mcp");
  const roots = [...content.roots.values()];
  const saysServers = entries.size > 0 ||
    roots.some(({ defaultMcpServers }) => defaultMcpServers !== undefined);
  // A catalog that says nothing of servers leaves them to the clients.
  if (!saysServers || incompleteReason !== undefined) return;
  const lacking = roots.filter((root) =>
    root.collections.size > 0 &&
    !effectiveDefaults(content, aliases, root).mcpServers.some((name) =>
      isServer(name, entries.get(name))
    )
  );
  if (lacking.length === 0) return;
  yield {
    level: "note",
    message: `Agents cannot reach what these roots declare, because none of ` +
      `their MCP servers is one for root data: ${
        listNames(lacking.map(({ name }) => name))
      }. Add an entry whose URL ends in /mcp?tool_groups=root_data (or ` +
      "root_data_readonly) to the MCP servers, and its name to " +
      "default_mcp_servers of the roots",
  };
}

function isServer(name: string, server: Artifact | undefined): boolean {
  if (SERVER_REGEXP.test(name)) return true;
  if (server === undefined) return false;
  const { url, command, args } = server.entry;
  return [url, command, ...(Array.isArray(args) ? args : [])]
    .some((value) => typeof value === "string" && SERVER_REGEXP.test(value));
}
