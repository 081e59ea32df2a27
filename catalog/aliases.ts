/**
 * Aliases of roots: a key that stands for another root.
 *
 * An alias stands for the entry of its target and for the name used as default
 * namespace. When the catalog lacks the target, an entry under the alias's own
 * key is used, with the target's name as default namespace, so that its data
 * stays in sight once the target appears.
 *
 * @module
 */

import { resolveNamespace } from "./parse/namespace.ts";
import type { AgentRoot } from "./types.ts";

/** Aliases every catalog has. */
export const BUILT_IN_ALIASES: Readonly<Record<string, string>> = {
  "zimmer-router": "zimmer-orchestrator",
};

/** Aliases by key, the built-in ones included. */
export type Aliases = ReadonlyMap<string, string>;

/** Adds configured aliases to the built-in ones. */
export function toAliases(
  configured: Readonly<Record<string, string>> = {},
): Aliases {
  return new Map([
    ...Object.entries(BUILT_IN_ALIASES),
    ...Object.entries(configured),
  ]);
}

/** The key an alias leads to; the key itself when it is none. */
export function resolveAlias(aliases: Aliases, key: string): string {
  const seen = new Set<string>();
  let target = key;
  for (;;) {
    const next = aliases.get(target);
    if (next === undefined) return target;
    // Aliases that lead in a circle stand for nothing.
    if (seen.has(target)) return key;
    seen.add(target);
    target = next;
  }
}

/**
 * Roots by name, aliases applied: each once, in catalog order. An entry whose
 * key is an alias of a root that is there is no root of its own.
 */
export function effectiveRoots(
  entries: ReadonlyMap<string, AgentRoot>,
  aliases: Aliases,
): ReadonlyMap<string, AgentRoot> {
  const roots = new Map<string, AgentRoot>();
  for (const key of entries.keys()) {
    const root = findRoot(entries, aliases, key);
    if (root?.name === key) roots.set(key, root);
  }
  return roots;
}

/** The root a key stands for. */
export function findRoot(
  entries: ReadonlyMap<string, AgentRoot>,
  aliases: Aliases,
  key: string,
): AgentRoot | undefined {
  const name = resolveAlias(aliases, key);
  const target = entries.get(name);
  if (target !== undefined || name === key) return target;
  const own = entries.get(key);
  if (own === undefined || own.namespaceIsDeclared) return own;
  return { ...own, ...resolveNamespace(undefined, name) };
}

/** A root's name, and every key that leads to it. */
export function namesOf(aliases: Aliases, name: string): readonly string[] {
  const others = [...aliases.keys()]
    .filter((key) => key !== name && resolveAlias(aliases, key) === name);
  return [name, ...others];
}
