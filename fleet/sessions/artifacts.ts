/**
 * What a session is given of the catalog: MCP servers, skills, hooks, plugins
 * and its goal, as callers name them.
 *
 * @module
 */
import {
  type AgentRoot,
  type ArtifactKind,
  type CatalogSnapshot,
  cutText,
  firstLookAlike,
  staleNote,
} from "../../catalog/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import { assertLength, badArgument, LIMITS } from "./texts.ts";

/** Lists that a session has, as callers name them. */
export type ListName = "mcp_servers" | "skills" | "hooks" | "plugins";

const KINDS: Readonly<Record<ListName, ArtifactKind>> = {
  mcp_servers: "mcp",
  skills: "skills",
  hooks: "hooks",
  plugins: "plugins",
};

/** Entries of a list at most. */
const MAX_ENTRIES: Readonly<Record<ListName, number>> = {
  mcp_servers: 50,
  skills: 100,
  hooks: 100,
  plugins: 50,
};

const MAX_NAME_CHARACTERS = 100;
/** Names that a refusal lists. */
const MAX_NAMED = 50;

/**
 * A list of names, each once.
 *
 * @throws {FleetRefusalError} Too many, too long, or not in the catalog; the
 * message lists what the catalog has.
 */
export function knownList(
  catalog: CatalogSnapshot,
  list: ListName,
  names: readonly string[],
): readonly string[] {
  const wanted = [...new Set(names)];
  if (wanted.length > MAX_ENTRIES[list]) {
    throw badArgument(
      `${list} has ${
        MAX_ENTRIES[list]
      } entries at most; this has ${wanted.length}. Nothing was changed`,
    );
  }
  const index = catalog.artifacts(KINDS[list]);
  const unknown = wanted.filter((name) =>
    name.length > MAX_NAME_CHARACTERS || !index.entries.has(name)
  );
  if (unknown.length === 0) return wanted;
  const known = [...index.entries.keys()].sort();
  const more = known.length - MAX_NAMED;
  throw new FleetRefusalError(
    "bad_argument",
    `${list} names what the catalog does not have: "${
      cutText(unknown.join('", "'), 200)
    }"; it has: ${known.slice(0, MAX_NAMED).join(", ") || "none"}${
      more > 0 ? `, and ${more} more` : ""
    }${
      index.incompleteReason === undefined
        ? ""
        : `. Some of it could not be read: ${index.incompleteReason}`
    }${firstLookAlike(unknown, known)}${
      staleNote(catalog)
    }. Nothing was changed`,
  );
}

/**
 * The goal that a caller means: a known id stands for its description, a
 * sentence for itself.
 *
 * @throws {FleetRefusalError} A single word that is no known id, or too long.
 */
export function knownGoal(catalog: CatalogSnapshot, goal: string): string {
  const text = goal.trim();
  const { entries } = catalog.artifacts("goals");
  const known = entries.get(text);
  if (known === undefined && !/\s/.test(text)) {
    throw badArgument(
      `"${
        cutText(text, 100)
      }" is no goal of the catalog, and one word is no sentence; goals: ${
        [...entries.keys()].sort().slice(0, MAX_NAMED).join(", ") || "none"
      }. Write the goal out, or name one of these`,
    );
  }
  const meant = known?.description ?? known?.title ?? text;
  assertLength(meant, "goal", LIMITS.goal);
  return meant;
}

/** The goal of a root, where it has one; a text that is no id stands for itself. */
export function goalOfRoot(
  catalog: CatalogSnapshot,
  root: AgentRoot,
): string | undefined {
  const { goal } = catalog.effectiveDefaults(root);
  if (goal === undefined) return undefined;
  const known = catalog.artifacts("goals").entries.get(goal);
  const text = known?.description ?? goal;
  return text.trim() === "" || text.length > LIMITS.goal ? undefined : text;
}

/** Whether two lists hold the same names, in whatever order. */
export function isSameList(
  a: readonly string[],
  b: readonly string[],
): boolean {
  const [x, y] = [new Set(a), new Set(b)];
  return x.size === y.size && [...x].every((name) => y.has(name));
}
