/**
 * `catalog check`: reads a catalog as the server would, without any old copy,
 * and says what its owner should know. Never throws for what it reads.
 *
 * @module
 */

import { type Aliases, toAliases } from "../aliases.ts";
import { buildContent, buildExample, type CatalogContent } from "../content.ts";
import { Documents } from "../source/documents.ts";
import type { Finding } from "./finding.ts";
import { findFindings } from "./findings.ts";
import { findSource } from "../source/finder.ts";
import { describeLocation, describeSource } from "../source/location.ts";
import { formatProblems } from "../parse/problems.ts";
import { readCatalog } from "../source/reading.ts";
import type { AgentRoot, Ignored } from "../types.ts";

/** What {@linkcode checkCatalog} needs. */
export interface CheckOptions {
  /** Path or URL; absent: found as the server finds it. */
  readonly source?: string;
  /** Folder relative paths start from. @default {Deno.cwd()} */
  readonly cwd?: string;
  /** More aliases of roots. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Replaces `fetch`. */
  readonly fetch?: typeof fetch;
}

/** One line of the table of roots. */
export interface CheckedRoot {
  /** Name of the root. */
  readonly name: string;
  /** What its namespace resolves to, aliases applied. */
  readonly namespace: string;
  /** Whether that may be used. */
  readonly namespaceIsValid: boolean;
  /** Names of its collections. */
  readonly collections: readonly string[];
  /** Collections whose schema cannot be used. */
  readonly unusable: readonly string[];
}

/** What a check found. */
export interface CheckReport {
  /** No finding is an error and the catalog could be read. */
  readonly ok: boolean;
  /** Where it was read, without credentials. */
  readonly source: string;
  /** Whether it is the built-in example. */
  readonly isExample: boolean;
  /** Why nothing could be read. */
  readonly failure?: string;
  /** Its roots, in catalog order. */
  readonly roots: readonly CheckedRoot[];
  /** How many entries there are of each other kind. */
  readonly artifacts: Readonly<Record<string, number>>;
  /** What was left out. */
  readonly ignored: readonly Ignored[];
  /** How many things were left out in all. */
  readonly ignoredTotal: number;
  /** What the owner should know, errors first. */
  readonly findings: readonly Finding[];
}

/**
 * Reads the catalog once and reports. Takes the same `source` as the loader;
 * the verb passes its one positional argument (a path or URL), else the value
 * of `CATALOG`, else nothing. Never rejects for what a catalog holds.
 */
export async function checkCatalog(
  options: CheckOptions = {},
): Promise<CheckReport> {
  const aliases = toAliases(options.aliases);
  const read = await readOnce(options, aliases);
  if (!read.ok) {
    const { source, failure } = read;
    const findings = [{ level: "error", message: failure } as const];
    return { ...NOTHING_READ, source, failure, findings };
  }
  const { content, source, isExample } = read;
  // The compiler is loaded here and not with the module; see snapshot.ts.
  const { compileSchema } = await import("../schema/collections.ts");
  const roots: CheckedRoot[] = [];
  const findings: Finding[] = [];
  for (const root of content.roots.values()) {
    const unusable = checkSchemas(root, compileSchema, findings);
    roots.push({
      name: root.name,
      namespace: root.namespace,
      namespaceIsValid: root.namespaceIsValid,
      collections: [...root.collections.keys()],
      unusable,
    });
  }
  findings.push(...findFindings(content, aliases));
  if (isExample) findings.push({ level: "note", message: EXAMPLE_NOTE });
  const order = { error: 0, warning: 1, note: 2 };
  findings.sort((a, b) => order[a.level] - order[b.level]);
  const { ignored, ignoredTotal } = content;
  return {
    ok: ![...ignored, ...findings].some(({ level }) => level === "error"),
    source,
    isExample,
    roots,
    artifacts: countArtifacts(content),
    ignored,
    ignoredTotal,
    findings,
  };
}

const EXAMPLE_NOTE =
  "This is the built-in example, because there is no air.json or roots.json " +
  "here and no catalog is named; set CATALOG to a path or URL";

const NOTHING_READ = {
  ok: false,
  isExample: false,
  roots: [],
  artifacts: {},
  ignored: [],
  ignoredTotal: 0,
} as const;

type CompileSchema = typeof import("../schema/collections.ts").compileSchema;

type ReadOnce =
  | {
    readonly ok: true;
    readonly content: CatalogContent;
    readonly source: string;
    readonly isExample: boolean;
  }
  | { readonly ok: false; readonly source: string; readonly failure: string };

async function readOnce(
  options: CheckOptions,
  aliases: Aliases,
): Promise<ReadOnce> {
  const { cwd = Deno.cwd() } = options;
  const location = await findSource(options.source, cwd);
  if (location.kind === "unreadable") {
    const source = describeSource(options.source ?? "");
    return { ok: false, source, failure: location.reason };
  }
  const source = describeLocation(location);
  if (location.kind === "example") {
    return {
      ok: true,
      content: buildExample(aliases),
      source,
      isExample: true,
    };
  }
  const documents = new Documents({
    fetch: options.fetch ?? fetch,
    now: Date.now,
    signal: new AbortController().signal,
  });
  const reading = await readCatalog(documents, location);
  if (!reading.ok) return { ok: false, source, failure: reading.reason };
  const content = buildContent(reading, source, aliases);
  return { ok: true, content, source, isExample: false };
}

/** Compiles what a root declares; answers the collections that cannot be used. */
function checkSchemas(
  root: AgentRoot,
  compileSchema: CompileSchema,
  findings: Finding[],
): string[] {
  const unusable: string[] = [];
  for (const { name, schema } of root.collections.values()) {
    if (schema === undefined) continue;
    const compiled = compileSchema(schema);
    if (compiled.ok) continue;
    unusable.push(name);
    findings.push({
      level: "error",
      root: root.name,
      message: `The schema of collection "${name}" cannot be used, so every ` +
        `write to it is refused: ${formatProblems(compiled.problems)}`,
    });
  }
  return unusable;
}

function countArtifacts(content: CatalogContent): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [kind, { entries }] of content.artifacts) {
    counts[kind] = entries.size;
  }
  return counts;
}
