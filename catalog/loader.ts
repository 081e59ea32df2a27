/**
 * Keeps the catalog: one snapshot in memory, renewed in the background.
 *
 * Once there is a snapshot, no call waits for a file or the network. One reading
 * is under way at a time. A failed reading keeps the last good content, marked
 * stale; the first reading that succeeds again is the recovery.
 *
 * @module
 */

import { type Aliases, toAliases } from "./aliases.ts";
import { CatalogCache } from "./source/cache.ts";
import { buildContent, buildExample, type CatalogContent } from "./content.ts";
import { Documents } from "./source/documents.ts";
import { CatalogUnavailableError } from "./errors.ts";
import { DEFAULT_FILES, findSource } from "./source/finder.ts";
import { SourceHealth } from "./health.ts";
import {
  describeLocation,
  describeSource,
  type Location,
  locationKey,
  type Unreadable,
} from "./source/location.ts";
import {
  type CatalogPart,
  type CatalogReading,
  readCatalog,
} from "./source/reading.ts";
import { CompiledSchemas, Snapshot } from "./snapshot.ts";
import type {
  CatalogLoader,
  CatalogOptions,
  CatalogSnapshot,
  CatalogStatus,
} from "./types.ts";

/** Seconds between two readings, unless configured. */
export const DEFAULT_REFRESH_SECONDS = 60;
/** Least time between two tries while there is no snapshot at all. */
export const RETRY_MS = 2_000;

const NOT_READ_YET =
  "The source was not read since this process started; a copy kept on disk is used";

type GoodReading = Extract<CatalogReading, { ok: true }>;

/** What the snapshots of one content share. */
interface Held {
  readonly content: CatalogContent;
  readonly schemas: CompiledSchemas;
  readonly parts: readonly CatalogPart[];
  readonly main: unknown;
}

/** Opens a catalog. Nothing is read before the first call. */
export function openCatalog(options: CatalogOptions = {}): CatalogLoader {
  return new Loader(options);
}

class Loader implements CatalogLoader {
  readonly #source: string | undefined;
  readonly #cwd: string;
  readonly #cacheDirectory: string | undefined;
  readonly #refreshMs: number;
  readonly #aliases: Aliases;
  readonly #now: () => number;
  readonly #health: SourceHealth;
  readonly #stop = new AbortController();
  readonly #documents: Documents;
  #location: Location | undefined;
  #cache: CatalogCache | undefined;
  #isKept = false;
  #cacheFault: string | undefined;
  #held: Held | undefined;
  #snapshot: Snapshot | undefined;
  #attemptedAt: number | undefined;
  #unavailable: CatalogUnavailableError | undefined;
  #starting: Promise<CatalogSnapshot> | undefined;
  #reading: Promise<CatalogSnapshot> | undefined;
  #preparing: Promise<boolean> | undefined;

  constructor(options: CatalogOptions) {
    const { refreshSeconds = DEFAULT_REFRESH_SECONDS } = options;
    if (!(refreshSeconds >= 0)) {
      throw new RangeError(
        `Cannot open the catalog as "refreshSeconds" must be 0 or more: current value is ${refreshSeconds}`,
      );
    }
    this.#source = options.source;
    this.#cwd = options.cwd ?? Deno.cwd();
    this.#cacheDirectory = options.cacheDirectory;
    this.#refreshMs = refreshSeconds * 1_000;
    this.#aliases = toAliases(options.aliases);
    this.#now = options.now ?? Date.now;
    this.#health = new SourceHealth(options.report);
    this.#documents = new Documents({
      fetch: options.fetch ?? fetch,
      now: this.#now,
      signal: this.#stop.signal,
    });
  }

  async current(): Promise<CatalogSnapshot> {
    if (this.#snapshot === undefined) return await this.#first();
    if (this.#isDue(this.#refreshMs)) this.#renewInBackground();
    return this.#snapshot;
  }

  refresh(): Promise<CatalogSnapshot> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  status(): CatalogStatus {
    const snapshot = this.#snapshot;
    const age = this.#now() - (snapshot?.readAt.getTime() ?? 0);
    const { lastError } = this.#health;
    return {
      state: snapshot === undefined
        ? "empty"
        : snapshot.stale
        ? "stale"
        : "fresh",
      source: snapshot?.source ?? this.#describeSource(),
      isExample: snapshot?.isExample ?? false,
      ...(snapshot === undefined ? {} : {
        readAt: snapshot.readAt,
        ageSeconds: Math.max(0, Math.floor(age / 1_000)),
      }),
      ...(snapshot?.staleReason === undefined
        ? {}
        : { staleReason: snapshot.staleReason }),
      ...(this.#attemptedAt === undefined
        ? {}
        : { lastAttemptAt: new Date(this.#attemptedAt) }),
      ...(lastError === undefined ? {} : { lastError }),
      roots: this.#held?.content.roots.size ?? 0,
      collections: this.#held?.content.collectionsTotal ?? 0,
      ignored: this.#held?.content.ignoredTotal ?? 0,
      refreshSeconds: this.#refreshMs / 1_000,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled([this.#starting, this.#reading]);
  }

  /** The first snapshot: from a kept copy when there is one, else read now. */
  async #first(): Promise<CatalogSnapshot> {
    if (this.#unavailable !== undefined && !this.#isDue(RETRY_MS)) {
      throw this.#unavailable;
    }
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return await this.#starting;
  }

  async #start(): Promise<CatalogSnapshot> {
    const location = await this.#locate();
    if (location.kind === "file" || location.kind === "http") {
      const hasCopies = await this.#prepare(location);
      const kept = hasCopies && this.#unavailable === undefined
        ? await readCatalog(this.#documents, location, { isOffline: true })
        : undefined;
      // A reading that was asked for meanwhile is newer than the copy.
      if (this.#snapshot !== undefined) return this.#snapshot;
      if (kept?.ok) {
        const isYoung = this.#now() - kept.readAt < this.#refreshMs;
        const staleReason = isYoung ? kept.staleReason : NOT_READ_YET;
        const snapshot = this.#hold(kept, location, staleReason);
        this.#attemptedAt = kept.readAt;
        if (!isYoung) this.#renewInBackground();
        return snapshot;
      }
    }
    return await this.refresh();
  }

  async #read(): Promise<CatalogSnapshot> {
    this.#attemptedAt = this.#now();
    const location = await this.#locate();
    if (location.kind === "unreadable") return this.#fail(location.reason);
    if (location.kind === "example") return this.#holdExample(location);
    await this.#prepare(location);
    const reading = await readCatalog(this.#documents, location);
    if (!reading.ok) return this.#fail(reading.reason);
    const isNew = !this.#isHeld(reading);
    const snapshot = this.#hold(reading, location, reading.staleReason);
    await this.#keep(reading, isNew);
    return snapshot;
  }

  /** Once a file or URL was found, it stays the source. */
  async #locate(): Promise<Location | Unreadable> {
    if (this.#location !== undefined && this.#location.kind !== "example") {
      return this.#location;
    }
    const location = await findSource(this.#source, this.#cwd);
    if (location.kind !== "unreadable") this.#location = location;
    return location;
  }

  /** Takes the copies an earlier process kept; once. Says whether any exist. */
  #prepare(location: Location): Promise<boolean> {
    this.#preparing ??= (async () => {
      if (this.#cacheDirectory === undefined) return false;
      this.#cache = new CatalogCache(
        this.#cacheDirectory,
        locationKey(location),
      );
      const kept = await this.#cache.read();
      if (!kept.ok) {
        this.#reportCache(kept.reason);
        return false;
      }
      this.#documents.restore(kept.copies);
      this.#isKept = kept.copies.size > 0;
      return this.#isKept;
    })();
    return this.#preparing;
  }

  /** Writes remote documents to disk, or notes that they were confirmed. */
  async #keep(reading: GoodReading, isNew: boolean): Promise<void> {
    const copies = this.#documents.remoteCopies();
    if (this.#cache === undefined || copies.size === 0) return;
    if (!isNew && this.#isKept) {
      if (reading.staleReason === undefined) {
        await this.#cache.confirm(reading.readAt);
      }
      return;
    }
    const reason = await this.#cache.write(copies, reading.readAt);
    this.#isKept = reason === undefined;
    if (reason !== undefined) this.#reportCache(reason);
  }

  /** Says what is wrong with the copy on disk, once as long as it is the same. */
  #reportCache(reason: string): void {
    if (this.#cacheFault === reason) return;
    this.#cacheFault = reason;
    const source = this.#describeSource();
    this.#health.emit({ kind: "cache_failed", source, reason });
  }

  #isHeld({ main, parts }: GoodReading): boolean {
    const held = this.#held;
    return held !== undefined && held.main === main &&
      held.parts.length === parts.length &&
      held.parts.every((part, index) => {
        const other = parts[index];
        return part.kind === other?.kind && part.source === other.source &&
          part.document === other.document && part.failure === other.failure;
      });
  }

  #hold(
    reading: GoodReading,
    location: Location,
    staleReason: string | undefined,
  ): Snapshot {
    const source = describeLocation(location);
    const { main, parts, ignored, readAt } = reading;
    if (!this.#isHeld(reading)) {
      const content = buildContent(parts, ignored, source, this.#aliases);
      this.#replace(content, { parts, main, source, isExample: false });
    }
    const at = this.#now();
    if (staleReason === undefined) this.#health.succeed({ source, at });
    else if (staleReason !== NOT_READ_YET) {
      this.#health.fail(staleReason, { source, at, servesStale: true });
    }
    return this.#show({ source, readAt, staleReason, isExample: false });
  }

  #holdExample(location: Location): Snapshot {
    const source = describeLocation(location);
    if (this.#held === undefined) {
      const options = { parts: [], main: undefined, source, isExample: true };
      this.#replace(buildExample(this.#aliases), options);
    }
    return this.#show({ source, readAt: this.#now(), isExample: true });
  }

  #replace(
    content: CatalogContent,
    { parts, main, source, isExample }: Pick<Held, "parts" | "main"> & {
      source: string;
      isExample: boolean;
    },
  ): void {
    const schemas = new CompiledSchemas((root, collection, problems) =>
      this.#health.emit({
        kind: "declaration_unusable",
        source,
        root: root.name,
        collection,
        problems,
      })
    );
    this.#held = { content, schemas, parts, main };
    this.#health.emit({
      kind: "loaded",
      source,
      isExample,
      roots: content.roots.size,
      ignored: content.ignored,
      ignoredTotal: content.ignoredTotal,
    });
  }

  #show(
    options: {
      source: string;
      readAt: number;
      staleReason?: string | undefined;
      isExample: boolean;
    },
  ): Snapshot {
    const { content, schemas } = this.#held ??
      { content: buildExample(this.#aliases), schemas: new CompiledSchemas() };
    const aliases = this.#aliases;
    this.#snapshot = new Snapshot({ ...options, content, schemas, aliases });
    this.#unavailable = undefined;
    return this.#snapshot;
  }

  /** Keeps the last good snapshot; without one there is no catalog. */
  #fail(reason: string): Snapshot {
    const at = this.#now();
    const snapshot = this.#snapshot;
    const source = snapshot?.source ?? this.#describeSource();
    const servesStale = snapshot !== undefined;
    if (!this.#stop.signal.aborted) {
      this.#health.fail(reason, { source, at, servesStale });
    }
    if (snapshot !== undefined) {
      return this.#show({
        source,
        readAt: snapshot.readAt.getTime(),
        staleReason: reason,
        isExample: snapshot.isExample,
      });
    }
    const since = new Date(this.#health.failingSince ?? at);
    this.#unavailable = new CatalogUnavailableError(source, { reason, since });
    throw this.#unavailable;
  }

  #describeSource(): string {
    if (this.#location !== undefined) return describeLocation(this.#location);
    if (this.#source === undefined) return DEFAULT_FILES.join(" or ");
    return describeSource(this.#source);
  }

  #isDue(intervalMs: number): boolean {
    const elapsed = this.#now() - (this.#attemptedAt ?? 0);
    // A clock that was set back must not stop the renewal.
    return elapsed >= intervalMs || elapsed < 0;
  }

  #renewInBackground(): void {
    if (this.#reading !== undefined || this.#stop.signal.aborted) return;
    // A failure is part of the snapshot it leaves; nothing is lost here.
    this.refresh().catch(() => {});
  }
}
