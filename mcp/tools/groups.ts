/**
 * Tool groups: their names, and which tools a set of groups shows. Pure.
 *
 * A group that has no tools yet is a known name that lists nothing.
 * Specification: docs/spec/mcp_endpoint.md sections 3.1 and 3.2.
 *
 * @module
 */
import { namesOf, READONLY_SUFFIX } from "./group.ts";
import { GROUPS } from "./registry.ts";
import type { Scoped } from "./tool.ts";

/** Groups that a connection gets when it names none. */
export const BASE_GROUPS: readonly string[] = GROUPS
  .filter(({ kind }) => kind === "base").map(({ name }) => name);

/** Groups made of tools of several domains; they have no read-only form. */
export const COMPOSITE_GROUPS: readonly string[] = GROUPS
  .filter(({ kind }) => kind === "composite").map(({ name }) => name);

/** Groups that a session reaches when it names none. */
export const DEFAULT_SESSION_GROUPS: readonly string[] = GROUPS
  .filter(({ isSessionDefault }) => isSessionDefault).map(({ name }) => name);

/** Every name that `tool_groups` may hold. */
export const GROUP_NAMES: readonly string[] = namesOf(GROUPS);

/** A parsed `tool_groups` value. */
export interface GroupSelection {
  /** Known names, in the order given, without repeats. */
  readonly groups: readonly string[];
  /** Names that are no group, for one warning. */
  readonly unknown: readonly string[];
}

/**
 * Reads a `tool_groups` value. Absent or blank selects the base groups; a
 * value of unknown names only selects nothing, so that a mistyped narrow
 * address never widens.
 */
export function parseGroups(value: string | null | undefined): GroupSelection {
  const names = splitList(value);
  if (names.length === 0) return { groups: BASE_GROUPS, unknown: [] };
  return {
    groups: names.filter((name) => GROUP_NAMES.includes(name)),
    unknown: names.filter((name) => !GROUP_NAMES.includes(name)),
  };
}

/** Splits a comma list: trimmed, without empties and repeats. */
export function splitList(value: string | null | undefined): string[] {
  const parts = (value ?? "").split(",").map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ""))];
}

/**
 * The form of a tool that `groups` show, or undefined.
 *
 * Through its own domain a tool shows its main form; through a composite alone
 * it shows that composite's narrower variant, where it has one.
 */
export function toolInGroups<T extends Scoped<T>>(
  tool: T,
  groups: readonly string[],
): T | undefined {
  const isRead = tool.access === "read";
  if (
    groups.includes(tool.group) ||
    (isRead && groups.includes(tool.group + READONLY_SUFFIX))
  ) return tool;
  const composite = tool.composites?.find((name) => groups.includes(name));
  if (composite === undefined) return undefined;
  return tool.overrides?.[composite] ?? tool;
}

/** All tools that `groups` show, in registry order. */
export function toolsInGroups<T extends Scoped<T>>(
  tools: readonly T[],
  groups: readonly string[],
): T[] {
  return tools.flatMap((tool) => toolInGroups(tool, groups) ?? []);
}
