/**
 * One reading of the catalog as its users see it: content, age and aliases.
 *
 * The schema compiler is imported by the first check that needs it, so that a
 * process which checks nothing starts without it.
 *
 * @module
 */

import { type Aliases, findRoot } from "./aliases.ts";
import { artifactsOf, type CatalogContent } from "./content.ts";
import { effectiveDefaults, type RootDefaults } from "./defaults.ts";
import { DeclarationError } from "./errors.ts";
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

  /** Checks data against a declaration; see `CatalogSnapshot.checkData`. */
  async check(
    root: AgentRoot,
    collection: string,
    data: unknown,
  ): Promise<DataCheck> {
    const declaration = root.collections.get(collection);
    if (declaration === undefined) {
      throw new DeclarationError("undeclared", {
        root: root.name,
        collection,
        problems: [],
      });
    }
    const compiled = await this.#compile(root, collection, declaration);
    if (compiled === undefined) return { ok: true };
    const checked = compiled.ok ? compiled.check(data) : compiled;
    if ("kind" in checked) {
      throw new DeclarationError("unusable", {
        root: root.name,
        collection,
        problems: checked.problems,
      });
    }
    return checked;
  }

  /** Why a declaration cannot be used; see `CatalogSnapshot.schemaProblems`. */
  async problems(
    root: AgentRoot,
    collection: string,
  ): Promise<readonly Problem[]> {
    const declaration = root.collections.get(collection);
    const compiled = declaration === undefined
      ? undefined
      : await this.#compile(root, collection, declaration);
    return compiled?.ok === false ? compiled.problems : [];
  }

  /** The compiled schema; undefined where none is declared. */
  async #compile(
    root: AgentRoot,
    collection: string,
    declaration: CollectionDeclaration,
  ): Promise<DeclaredSchema | undefined> {
    if (declaration.schema === undefined) return undefined;
    const { compileSchema } = await import("./schema/collections.ts");
    const known = this.#compiled.get(declaration);
    if (known !== undefined) return known;
    const compiled = compileSchema(declaration.schema);
    this.#compiled.set(declaration, compiled);
    if (!compiled.ok) this.#report(root, collection, compiled.problems);
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

  effectiveDefaults(root: AgentRoot): RootDefaults {
    return effectiveDefaults(this.#content, this.#aliases, root);
  }

  checkData(
    root: AgentRoot,
    collection: string,
    data: unknown,
  ): Promise<DataCheck> {
    return this.#schemas.check(root, collection, data);
  }

  schemaProblems(
    root: AgentRoot,
    collection: string,
  ): Promise<readonly Problem[]> {
    return this.#schemas.problems(root, collection);
  }
}
