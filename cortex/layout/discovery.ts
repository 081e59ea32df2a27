/**
 * From a reach to the scopes read by name and the prefixes listed.
 *
 * No reach (undefined) reads like the root node's subtree.
 *
 * @module
 */

import type { Layout, Scope } from "./layouts.ts";
import { type Kind, KINDS, ROOT_NODE } from "../words.ts";
import { admits, knownNodes, type Reach, subtree } from "./reach.ts";
import type { ScopePath, ScopePrefix } from "./scope.ts";

/** Which scopes a read concerns. */
export interface ScopeQuery {
  /** Which nodes; none: everything below the root, sandboxes left out. */
  readonly reach?: Reach | undefined;
  /** Which kinds; none given: every kind. */
  readonly kinds?: readonly Kind[] | undefined;
}

/**
 * The scopes that are read by name, each path once: by kind, then node, the
 * root before the retired root. They are read whether listed or not.
 */
export function knownScopes(
  layout: Layout,
  query: ScopeQuery,
): readonly Scope[] {
  const { reach = subtree(ROOT_NODE), kinds = KINDS } = query;
  const byPath = new Map<ScopePath, Scope>();
  for (const kind of KINDS.filter((one) => kinds.includes(one))) {
    for (const node of knownNodes(reach)) {
      for (const scope of layout.scopes(node, kind)) {
        // A path that two nodes share is the upper one's, as `parse` reads it.
        if (!byPath.has(scope.path)) byPath.set(scope.path, scope);
      }
    }
  }
  return [...byPath.values()];
}

/** The prefixes to list; none when every scope of the reach is known. */
export function listPrefixes(
  layout: Layout,
  query: ScopeQuery,
): readonly ScopePrefix[] {
  const { reach = subtree(ROOT_NODE), kinds = KINDS } = query;
  if (reach.descendants !== true || kinds.length === 0) return [];
  return layout.prefixes(reach.at);
}

/**
 * What a listed path means for the query: the scopes to read for it, below each
 * root, or none when the path is nobody's or not asked for.
 */
export function listedScopes(
  layout: Layout,
  query: ScopeQuery,
  path: string,
): readonly Scope[] {
  const { reach = subtree(ROOT_NODE), kinds = KINDS } = query;
  const reading = layout.parse(path);
  if (!reading.ok) return [];
  const { node, kind } = reading;
  if (!kinds.includes(kind) || !admits(reach, node)) return [];
  return layout.scopes(node, kind);
}
