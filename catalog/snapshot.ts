/**
 * One reading of the catalog as its users see it: content, age and aliases.
 *
 * The schema compiler is imported by the first check that needs it, so that a
 * process which checks nothing starts without it.
 *
 * @module
 */

import { type Aliases, findRoot, namesOf } from "./aliases.ts";
import { artifactsOf, type CatalogContent, DEFAULT_ROOT } from "./content.ts";
import { effectiveDefaults, type RootDefaults } from "./defaults.ts";
import { DeclarationError } from "./errors.ts";
import { formatProblems } from "./parse/problems.ts";
import { staleNote } from "./remarks.ts";
import type {
  AgentRoot,
  ArtifactIndex,
  ArtifactKind,
  CatalogSnapshot,
  CollectionDeclaration,
  DataCheck,
  Ignored,
  Problem,
} from "./types.ts";
import type { DeclaredSchema } from "./schema/collections.ts";

/** Called when a declared schema turns out to be unusable. */
export type UnusableReport = (
  root: AgentRoot,
  collection: string,
  problems: readonly Problem[],
) => void;

/** Compiled schemas of one content; each is compiled when first used. */
export class CompiledSchemas {
  readonly #compiled = new WeakMap<CollectionDeclaration, DeclaredSchema>();
  readonly #report: UnusableReport;

  /** Takes what to call, once for each declaration that cannot be used. */
  constructor(report: UnusableReport = () => {}) {
    this.#report = report;
  }

  /** The compiled schema of a collection; undefined where any object will do. */
  async of(
    root: AgentRoot,
    collection: string,
  ): Promise<DeclaredSchema | undefined> {
    const declaration = root.collections.get(collection);
    if (declaration?.schema === undefined) return undefined;
    const { compileSchema } = await import("./schema/collections.ts");
    let compiled = this.#compiled.get(declaration);
    if (compiled === undefined) {
      compiled = compileSchema(declaration.schema);
      this.#compiled.set(declaration, compiled);
      if (!compiled.ok) this.#report(root, collection, compiled.problems);
    }
    return compiled;
  }
}

/** A snapshot: content as of a time. */
export class Snapshot implements CatalogSnapshot {
  readonly source: string;
  readonly readAt: Date;
  readonly stale: boolean;
  readonly staleReason?: string;
  readonly isExample: boolean;
  readonly defaultRoot?: AgentRoot;
  readonly #content: CatalogContent;
  readonly #schemas: CompiledSchemas;
  readonly #aliases: Aliases;

  constructor(options: {
    source: string;
    readAt: number;
    staleReason?: string | undefined;
    isExample: boolean;
    content: CatalogContent;
    schemas: CompiledSchemas;
    aliases: Aliases;
  }) {
    this.source = options.source;
    this.readAt = new Date(options.readAt);
    this.stale = options.staleReason !== undefined;
    if (options.staleReason !== undefined) {
      this.staleReason = options.staleReason;
    }
    this.isExample = options.isExample;
    this.#content = options.content;
    const root = options.content.roots.get(DEFAULT_ROOT);
    if (options.isExample && root !== undefined) this.defaultRoot = root;
    this.#schemas = options.schemas;
    this.#aliases = options.aliases;
  }

  get ignored(): readonly Ignored[] {
    return this.#content.ignored;
  }

  get ignoredTotal(): number {
    return this.#content.ignoredTotal;
  }

  get roots(): ReadonlyMap<string, AgentRoot> {
    return this.#content.roots;
  }

  artifacts(kind: ArtifactKind): ArtifactIndex {
    return artifactsOf(this.#content, kind);
  }

  findRoot(key: string): AgentRoot | undefined {
    return findRoot(this.#content.entries, this.#aliases, key);
  }

  namesOf(root: AgentRoot): readonly string[] {
    return namesOf(this.#aliases, root.name);
  }

  effectiveDefaults(root: AgentRoot): RootDefaults {
    return effectiveDefaults(this.#content, this.#aliases, root);
  }

  async checkData(
    root: AgentRoot,
    collection: string,
    data: unknown,
  ): Promise<DataCheck> {
    const compiled = await this.#schemas.of(root, collection);
    const about = { root: root.name, collection, note: staleNote(this) };
    if (!root.collections.has(collection)) {
      throw new DeclarationError("undeclared", { ...about, problems: [] });
    }
    const checked = compiled?.ok ? compiled.check(data) : compiled;
    if (checked === undefined) return { ok: true };
    if (!("kind" in checked)) return checked;
    const { problems } = checked;
    throw new DeclarationError("unusable", { ...about, problems });
  }

  async schemaProblem(
    root: AgentRoot,
    collection: string,
  ): Promise<string | undefined> {
    const compiled = await this.#schemas.of(root, collection);
    return compiled === undefined || compiled.ok
      ? undefined
      : formatProblems(compiled.problems);
  }
}
