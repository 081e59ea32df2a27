/**
 * Public types of the catalog: what a root declares, one reading of the
 * catalog, and what is said about things that were left out.
 *
 * No type here comes from a package, so the door of the module stays the same
 * when the schema compiler or the pattern engine behind it changes.
 *
 * @module
 */

import type { RootDefaults } from "./defaults.ts";
import type { CatalogEvent } from "./events.ts";
import type { CacheFolder } from "./source/cache.ts";

/** How much a thing that was left out matters. */
export type IgnoredLevel =
  /** Something declared is not there: a root, a collection, an index file. */
  | "error"
  /** A single field was left out or replaced by another value. */
  | "warning";

/** One thing in the catalog that was left out or changed, and why. */
export interface Ignored {
  /** File or URL it stands in, without credentials. */
  readonly source: string;
  /** JSON pointer (RFC 6901) inside that file. */
  readonly pointer: string;
  /** Why, as a sentence for people. */
  readonly reason: string;
  /** How much it matters. */
  readonly level: IgnoredLevel;
}

/** One collection a root may write. */
export interface CollectionDeclaration {
  /** Name of the collection: a lowercase letter, then letters, digits, "_", "-". */
  readonly name: string;
  /** What the collection is for, as declared. */
  readonly description?: string;
  /** JSON Schema every written record must match; absent means any object. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** A schema was declared that is not an object, so it is not enforced. */
  readonly schemaIgnored: boolean;
  /** Days a record lives after its last write, 1 to 3650; absent: for ever. */
  readonly retentionDays?: number;
}

/** What agents of a root may do: everything, only what is granted, or look. */
export type RootPermission = "all" | "ask" | "read";

/**
 * One agent root: an entry of the catalog.
 *
 * A list that is absent was not declared; an empty list was declared empty. The
 * two mean different things (defaults, or explicitly none).
 */
export interface AgentRoot {
  /** Key of the entry in the catalog; what a session stores. */
  readonly name: string;
  /** File or URL the entry was read from, without credentials. */
  readonly source: string;
  /**
   * What `data_namespace` resolves to: the declared value, else the name. It is
   * usable only when `namespaceIsValid`; otherwise it is a short printable form
   * of what was declared, for messages.
   */
  readonly namespace: string;
  /** Whether `namespace` may be used: `[a-z0-9._-]`, 1 to 200 characters. */
  readonly namespaceIsValid: boolean;
  /** Whether the entry pins `data_namespace` (to a valid value or not). */
  readonly namespaceIsDeclared: boolean;
  /** Collections by name, in declared order. */
  readonly collections: ReadonlyMap<string, CollectionDeclaration>;
  /** Scope path of the root's memory (`memory_node`), not checked here. */
  readonly memoryNode?: string;
  /** `display_name`, else `title`. */
  readonly displayName?: string;
  /** What the root is for. */
  readonly description?: string;
  /** Repository URL. */
  readonly url?: string;
  /** Branch a session starts from. */
  readonly defaultBranch?: string;
  /** Folder inside the repository. */
  readonly subdirectory?: string;
  /** Whether people may start a session of it directly. */
  readonly userInvocable?: boolean;
  /** Agent runtime by default: the name of a profile, or `command`. */
  readonly defaultRuntime?: string;
  /** Program of the runtime `command`, with its arguments; never empty. */
  readonly command?: readonly string[];
  /** What its agents may do without being asked. */
  readonly permission?: RootPermission;
  /** Longest time of one turn, in minutes. */
  readonly maxTurnMinutes?: number;
  /** Model by default. */
  readonly defaultModel?: string;
  /** Id of the goal by default. */
  readonly defaultGoal?: string;
  /** MCP servers by default. */
  readonly defaultMcpServers?: readonly string[];
  /** Skills by default. */
  readonly defaultSkills?: readonly string[];
  /** Hooks by default. */
  readonly defaultHooks?: readonly string[];
  /** Plugins by default. */
  readonly defaultPlugins?: readonly string[];
  /** Roots this root may start (`default_subagent_roots`). */
  readonly subagentRoots?: readonly string[];
  /** Roots this root belongs to by default (`default_in_roots`). */
  readonly defaultInRoots?: readonly string[];
  /** The entry as read, with everything not listed above. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Kinds of catalog entries beside roots. */
export type ArtifactKind =
  | "mcp"
  | "skills"
  | "hooks"
  | "plugins"
  | "references"
  | "goals";

/** One entry of an index that is not a root: a server, skill, hook, goal. */
export interface Artifact {
  /** Key of the entry. */
  readonly name: string;
  /** File or URL it was read from, without credentials. */
  readonly source: string;
  /** Title as declared. */
  readonly title?: string;
  /** Description as declared. */
  readonly description?: string;
  /** Roots it belongs to by default; absent: not declared. */
  readonly defaultInRoots?: readonly string[];
  /** The entry as read. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** All entries of one kind. */
export interface ArtifactIndex {
  /** Entries by name; later files override earlier ones. */
  readonly entries: ReadonlyMap<string, Artifact>;
  /** Why entries may be missing: an index file could not be read. */
  readonly incompleteReason?: string;
}

/** One problem of a record or of a declared schema. */
export interface Problem {
  /** JSON pointer to the part at fault; "" is the whole. */
  readonly pointer: string;
  /** What is wrong with it. */
  readonly reason: string;
}

/** Answer of {@linkcode CatalogSnapshot.checkData}. */
export type DataCheck =
  /** The data matches, or no schema is declared. */
  | { readonly ok: true }
  /** The data does not match. */
  | DataMismatch;

/** Why data does not match its declared schema. */
export interface DataMismatch {
  /** Always false. */
  readonly ok: false;
  /** The first problems, at most ten. */
  readonly problems: readonly Problem[];
  /** How many problems there are. */
  readonly total: number;
  /** Checking stopped early, so there may be more than `total`. */
  readonly totalIsFloor: boolean;
}

/**
 * One reading of the catalog. Immutable: a newer reading is another object.
 */
export interface CatalogSnapshot {
  /** Where it was read, without credentials. */
  readonly source: string;
  /** When the oldest part of it was last read from its source. */
  readonly readAt: Date;
  /** Whether the source could not be read since. */
  readonly stale: boolean;
  /** Why it is stale, for people; holds no secret of a URL. */
  readonly staleReason?: string;
  /** Whether it is the built-in example, because nothing is configured. */
  readonly isExample: boolean;
  /**
   * The root of whoever names none: the built-in catalog's first. A catalog of
   * one's own has no such root, as nobody declared one.
   */
  readonly defaultRoot?: AgentRoot;
  /** What was left out; at most 1,000 entries, the last one says how many more. */
  readonly ignored: readonly Ignored[];
  /** How many things were left out in all. */
  readonly ignoredTotal: number;
  /** Roots by name, aliases applied: each once, in catalog order. */
  readonly roots: ReadonlyMap<string, AgentRoot>;
  /** Entries of one kind beside roots. */
  artifacts(kind: ArtifactKind): ArtifactIndex;
  /**
   * The root a session's key stands for, aliases applied; undefined when the
   * catalog has none.
   */
  findRoot(key: string): AgentRoot | undefined;
  /**
   * The root's name and every alias that leads to it: names under which it may
   * have stored something.
   */
  namesOf(root: AgentRoot): readonly string[];
  /** What a session of the root is given unless it asks for something else. */
  effectiveDefaults(root: AgentRoot): RootDefaults;
  /**
   * Checks data against the schema a root declares for a collection. The first
   * check of a process loads the compiler, hence the promise.
   *
   * @throws {DeclarationError} The collection is not declared, or its schema
   * cannot be used; the data is not at fault.
   */
  checkData(
    root: AgentRoot,
    collection: string,
    data: unknown,
  ): Promise<DataCheck>;
  /**
   * Why the schema declared for a collection cannot be used, so that every write
   * to it is refused; undefined where it can. Compiles it, once a catalog.
   */
  schemaProblem(
    root: AgentRoot,
    collection: string,
  ): Promise<string | undefined>;
}

/** Whether there is a snapshot, and whether its source still answers. */
export type CatalogState =
  /** Nothing was read yet, or nothing could be. */
  | "empty"
  /** The last reading succeeded, within the time that one is due in. */
  | "fresh"
  /** The source failed since, or nothing asked for it. */
  | "stale";

/** State of the catalog for health and doctor. */
export interface CatalogStatus {
  /** Whether there is a snapshot, and whether its source still answers. */
  readonly state: CatalogState;
  /** Where it is read, without credentials. */
  readonly source: string;
  /** Whether it is the built-in example. */
  readonly isExample: boolean;
  /** Name of the root of whoever names none, where there is one. */
  readonly defaultRoot?: string;
  /** When the snapshot was read. */
  readonly readAt?: Date;
  /** Age of the snapshot in whole seconds. */
  readonly ageSeconds?: number;
  /** Why it is stale. */
  readonly staleReason?: string;
  /** When the source was last tried. */
  readonly lastAttemptAt?: Date;
  /** The latest failure, kept after recovery. */
  readonly lastError?: CatalogFailure;
  /** Roots in the snapshot. */
  readonly roots: number;
  /** Collections declared by all roots. */
  readonly collections: number;
  /** Things left out. */
  readonly ignored: number;
  /** Seconds between two readings. */
  readonly refreshSeconds: number;
}

/** One failed reading. */
export interface CatalogFailure {
  /** When it failed. */
  readonly at: Date;
  /** Why, for people; no secret of a URL. */
  readonly reason: string;
}

/** What {@linkcode openCatalog} needs. */
export interface CatalogOptions {
  /**
   * Path, `file:` URL or http(s) URL of an AIR file or a roots file, or
   * `built-in`. Absent: `air.json`, else `roots.json` in `cwd`, else the
   * built-in example.
   */
  readonly source?: string;
  /** Folder relative paths start from. @default {Deno.cwd()} */
  readonly cwd?: string;
  /** Folder for the last known good copy of remote files; absent: none kept. */
  readonly cacheFolder?: CacheFolder;
  /** Seconds between two readings. @default {60} */
  readonly refreshSeconds?: number;
  /** More aliases of roots, key to key; added to the built-in ones. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Replaces `fetch`. */
  readonly fetch?: typeof fetch;
  /** Replaces `Date.now`. */
  readonly now?: () => number;
  /** Called for each event; what it throws is dropped. */
  readonly report?: (event: CatalogEvent) => void;
}

/** Holds the catalog and keeps it up to date. */
export interface CatalogLoader extends AsyncDisposable {
  /**
   * The snapshot to use now. Files of this machine are looked at, and read again
   * when they changed; a remote catalog older than `refreshSeconds` is renewed in
   * the background.
   *
   * @throws {CatalogUnavailableError} There is no snapshot at all.
   */
  current(): Promise<CatalogSnapshot>;
  /**
   * The snapshot to refuse by: the same, but a remote catalog that is being
   * renewed is waited for, two seconds at most.
   *
   * @throws {CatalogUnavailableError} There is no snapshot at all.
   */
  latest(): Promise<CatalogSnapshot>;
  /**
   * Reads the source now and waits for it. A failure answers with the last good
   * snapshot, marked stale.
   *
   * @throws {CatalogUnavailableError} There is no snapshot at all.
   */
  refresh(): Promise<CatalogSnapshot>;
  /**
   * Whether the built-in example is the catalog, because none is configured and
   * none lies in the folder. Reads no catalog; asks the disk at most.
   */
  isBuiltIn(): Promise<boolean>;
  /** State for health and doctor; touches nothing. */
  status(): CatalogStatus;
}
