/**
 * Content of one reading: roots and other entries merged from all documents.
 *
 * Later files override earlier entries of the same name as a whole. Content is
 * shared by all snapshots taken while the documents stay the same, and so are
 * the compiled schemas that belong to it.
 *
 * @module
 */

import example from "./example/roots.json" with { type: "json" };

import { type Aliases, effectiveRoots, toAliases } from "./aliases.ts";
import { INDEX_KINDS, type IndexKind } from "./parse/air.ts";
import { reportDuplicates } from "./parse/duplicates.ts";
import type { Exclusion } from "./parse/exclude.ts";
import { IgnoredList } from "./parse/ignored.ts";
import { parseArtifacts, parseRoots } from "./parse/parser.ts";
import type { GoodReading } from "./source/reading.ts";
import type {
  AgentRoot,
  Artifact,
  ArtifactIndex,
  ArtifactKind,
  Ignored,
} from "./types.ts";

/** Root of the built-in example that stands in where none is named. */
export const DEFAULT_ROOT = "default";

/** An entry that a later file replaced. */
export interface Override {
  /** Kind of the entry. */
  readonly kind: IndexKind;
  /** Name of the entry. */
  readonly name: string;
  /** File whose entry is not used. */
  readonly from: string;
  /** File whose entry is used. */
  readonly by: string;
}

/** Roots and other entries of one reading. */
export interface CatalogContent {
  /** Entries of roots by key, as they were read. */
  readonly entries: ReadonlyMap<string, AgentRoot>;
  /** Roots by name, aliases applied: each once, in catalog order. */
  readonly roots: ReadonlyMap<string, AgentRoot>;
  /** Other entries by kind. */
  readonly artifacts: ReadonlyMap<ArtifactKind, ArtifactIndex>;
  /** What was left out, bounded. */
  readonly ignored: readonly Ignored[];
  /** How many things were left out. */
  readonly ignoredTotal: number;
  /** Collections declared by all roots. */
  readonly collectionsTotal: number;
  /** Entries a later file replaced. */
  readonly overrides: readonly Override[];
}

const NO_ENTRIES: ArtifactIndex = { entries: new Map() };

/** Merges the documents of a reading, in order. */
export function buildContent(
  { parts, ignored, excluded }: Pick<
    GoodReading,
    "parts" | "ignored" | "excluded"
  >,
  source: string,
  aliases: Aliases = toAliases(),
): CatalogContent {
  const entries = new Map<string, AgentRoot>();
  const others = new Map<ArtifactKind, Map<string, Artifact>>();
  const failures = new Map<ArtifactKind, string>();
  const overrides: Override[] = [];
  for (const { kind, source, document, duplicates, failure } of parts) {
    if (duplicates !== undefined) {
      reportDuplicates(duplicates, source, ignored);
    }
    if (kind === "roots") {
      if (document === undefined) continue;
      const read = parseRoots(document, source, ignored);
      merge(entries, read, { kind, overrides });
      continue;
    }
    if (document === undefined) {
      const reason = `Index file ${failure}`;
      failures.set(kind, reason);
      ignored.add({ source, path: [] }, reason);
      continue;
    }
    const artifacts = others.get(kind) ?? new Map<string, Artifact>();
    others.set(kind, artifacts);
    const read = parseArtifacts(document, { kind, source, ignored });
    merge(artifacts, read, { kind, overrides });
  }
  for (const exclusion of excluded) {
    const kinds = exclusion.kinds.map((kind) =>
      kind === "roots" ? entries : others.get(kind) ?? new Map()
    );
    if (drop(exclusion, kinds)) continue;
    ignored.add(exclusion.place, "Excludes nothing that is there", "warning");
  }
  const roots = effectiveRoots(entries, aliases);
  return {
    entries,
    roots,
    artifacts: toIndexes(others, failures),
    ignored: ignored.toArray(source),
    ignoredTotal: ignored.total,
    collectionsTotal: countCollections(roots),
    overrides,
  };
}

/** Content of the built-in example. */
export function buildExample(aliases?: Aliases): CatalogContent {
  const source = "built-in example";
  const part = { kind: "roots", source, document: example } as const;
  const reading = { parts: [part], ignored: new IgnoredList(), excluded: [] };
  return buildContent(reading, source, aliases);
}

/** Entries of one kind beside roots; empty when no index file names any. */
export function artifactsOf(
  content: CatalogContent,
  kind: ArtifactKind,
): ArtifactIndex {
  return content.artifacts.get(kind) ?? NO_ENTRIES;
}

function merge<T extends AgentRoot | Artifact>(
  into: Map<string, T>,
  entries: ReadonlyMap<string, T>,
  { kind, overrides }: { kind: IndexKind; overrides: Override[] },
): void {
  for (const [name, entry] of entries) {
    const earlier = into.get(name);
    if (earlier !== undefined) {
      overrides.push({ kind, name, from: earlier.source, by: entry.source });
    }
    into.set(name, entry);
  }
}

/** Drops the entries that an exclusion names; says whether there were any. */
function drop(
  { matches }: Exclusion,
  kinds: readonly Map<string, unknown>[],
): boolean {
  let isFound = false;
  for (const entries of kinds) {
    for (const name of [...entries.keys()].filter(matches)) {
      isFound = entries.delete(name);
    }
  }
  return isFound;
}

function toIndexes(
  entries: ReadonlyMap<ArtifactKind, ReadonlyMap<string, Artifact>>,
  failures: ReadonlyMap<ArtifactKind, string>,
): ReadonlyMap<ArtifactKind, ArtifactIndex> {
  const indexes = new Map<ArtifactKind, ArtifactIndex>();
  for (const kind of INDEX_KINDS) {
    if (kind === "roots") continue;
    const incompleteReason = failures.get(kind);
    indexes.set(kind, {
      entries: entries.get(kind) ?? NO_ENTRIES.entries,
      ...(incompleteReason === undefined ? {} : { incompleteReason }),
    });
  }
  return indexes;
}

function countCollections(roots: ReadonlyMap<string, AgentRoot>): number {
  let total = 0;
  for (const root of roots.values()) total += root.collections.size;
  return total;
}
