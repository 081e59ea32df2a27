/**
 * Keeps the catalog: one snapshot in memory, renewed in the background.
 *
 * Files of this machine are looked at by every call. A remote catalog is waited
 * for where a call is about to be refused, never longer than `WAIT_MS`. A failed
 * reading keeps the last good content, marked stale.
 *
 * @module
 */
import { type Aliases, toAliases } from "./aliases.ts";
import {
  buildContent,
  buildExample,
  type CatalogContent,
  DEFAULT_ROOT,
} from "./content.ts";
import { Copies } from "./source/copies.ts";
import { Documents } from "./source/documents.ts";
import { CatalogUnavailableError } from "./errors.ts";
import { DEFAULT_FILES, EmptyFolder, findSource } from "./source/finder.ts";
import { SourceHealth } from "./health.ts";
import { isQuick } from "./source/quick_files.ts";
import { FETCH_TIMEOUT_MS } from "./source/sources.ts";
import {
  describeLocation,
  describeSource,
  type Location,
  type Unreadable,
} from "./source/location.ts";
import {
  type CatalogPart,
  type GoodReading,
  readCatalog,
} from "./source/reading.ts";
import { CompiledSchemas, Snapshot } from "./snapshot.ts";
import { waitFor } from "./wait.ts";
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
/** Most time a call waits for a reading while there is a snapshot. */
export const WAIT_MS = 2_000;
const NOT_READ_YET =
  "The source was not read since this process started; a copy kept on disk is used";
const NOBODY_ASKED =
  "Nothing has asked for the catalog since, so it was not read again";

/** What the snapshots of one content share. */
interface Held {
  readonly content: CatalogContent;
  readonly schemas: CompiledSchemas;
  readonly parts: readonly CatalogPart[];
  readonly main: unknown;
}

/** What one snapshot says beside its content. */
interface Shown {
  readonly source: string;
  readonly readAt: number;
  readonly staleReason?: string | undefined;
  readonly isExample: boolean;
}

/** Opens a catalog. Nothing is read before the first call. */
export function openCatalog(options: CatalogOptions = {}): CatalogLoader {
  return new Loader(options);
}

class Loader implements CatalogLoader {
  readonly #source: string | undefined;
  readonly #cwd: string;
  readonly #folder: EmptyFolder;
  readonly #refreshMs: number;
  readonly #aliases: Aliases;
  readonly #now: () => number;
  readonly #health: SourceHealth;
  readonly #stop = new AbortController();
  readonly #documents: Documents;
  readonly #copies: Copies;
  #location: Location | undefined;
  /** Whether the folder in which catalogs are looked for is a quick one. */
  #isQuickFolder = false;
  #held: Held | undefined;
  #snapshot: Snapshot | undefined;
  #attemptedAt: number | undefined;
  #unavailable: CatalogUnavailableError | undefined;
  #starting: Promise<CatalogSnapshot> | undefined;
  #reading: Promise<CatalogSnapshot> | undefined;

  constructor(options: CatalogOptions) {
    const { refreshSeconds = DEFAULT_REFRESH_SECONDS } = options;
    if (!(refreshSeconds >= 0)) {
      throw new RangeError(
        `Cannot open the catalog as "refreshSeconds" must be 0 or more: current value is ${refreshSeconds}`,
      );
    }
    this.#source = options.source;
    this.#cwd = options.cwd ?? Deno.cwd();
    this.#folder = new EmptyFolder(this.#cwd);
    this.#refreshMs = refreshSeconds * 1_000;
    this.#aliases = toAliases(options.aliases);
    this.#now = options.now ?? Date.now;
    this.#health = new SourceHealth(options.report);
    this.#documents = new Documents({
      fetch: options.fetch ?? fetch,
      now: this.#now,
      signal: this.#stop.signal,
    });
    this.#copies = new Copies(this.#documents, {
      folder: options.cacheFolder,
      report: (reason) => {
        const source = this.#describeSource();
        this.#health.emit({ kind: "cache_failed", source, reason });
      },
    });
  }

  async current(): Promise<CatalogSnapshot> {
    if (this.#snapshot === undefined) return await this.#first();
    if (!this.#areFilesSame()) await waitFor(this.#followFiles(), WAIT_MS);
    if (this.#isDue(this.#refreshMs)) this.#renewInBackground();
    return this.#snapshot;
  }

  async latest(): Promise<CatalogSnapshot> {
    const snapshot = await this.current();
    if (this.#reading === undefined) return snapshot;
    await waitFor(this.#reading, WAIT_MS);
    const { source, readAt, staleReason, isExample } = this.#snapshot ??
      snapshot;
    const isLate = this.#reading !== undefined && staleReason === undefined;
    if (!isLate) return this.#snapshot ?? snapshot;
    const reason = `No answer within ${WAIT_MS / 1_000} seconds`;
    const at = readAt.getTime();
    return this.#make({ source, readAt: at, staleReason: reason, isExample });
  }

  refresh(): Promise<CatalogSnapshot> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  isBuiltIn = async (): Promise<boolean> =>
    (await this.#locate()).kind === "example";

  status(): CatalogStatus {
    const snapshot = this.#snapshot;
    const age = this.#now() - (snapshot?.readAt.getTime() ?? 0);
    const { lastError } = this.#health;
    const isOld = age > this.#refreshMs + FETCH_TIMEOUT_MS;
    const staleReason = snapshot?.staleReason ??
      (snapshot !== undefined && isOld ? NOBODY_ASKED : undefined);
    return {
      state: snapshot === undefined
        ? "empty"
        : staleReason === undefined
        ? "fresh"
        : "stale",
      source: snapshot?.source ?? this.#describeSource(),
      isExample: snapshot?.isExample ?? false,
      ...(snapshot?.defaultRoot === undefined
        ? {}
        : { defaultRoot: snapshot.defaultRoot.name }),
      ...(snapshot === undefined ? {} : {
        readAt: snapshot.readAt,
        ageSeconds: Math.max(0, Math.floor(age / 1_000)),
      }),
      ...(staleReason === undefined ? {} : { staleReason }),
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
      const hasCopies = await this.#copies.restore(location);
      const kept = hasCopies && this.#unavailable === undefined
        ? await readCatalog(this.#documents, location, { isOffline: true })
        : undefined;
      // A reading that was asked for meanwhile is newer than the copy.
      if (this.#snapshot !== undefined) return this.#snapshot;
      if (kept?.ok) {
        this.#documents.hold(kept.decisive);
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
    await this.#copies.restore(location);
    const reading = await readCatalog(this.#documents, location);
    this.#documents.hold(reading.decisive);
    if (!reading.ok) return this.#fail(reading.reason);
    const isNew = !this.#isHeld(reading);
    const snapshot = this.#hold(reading, location, reading.staleReason);
    await this.#copies.keep(reading, isNew);
    return snapshot;
  }

  /** Once a file or URL was found, it stays the source. */
  async #locate(): Promise<Location | Unreadable> {
    if (this.#location !== undefined && this.#location.kind !== "example") {
      return this.#location;
    }
    const location = await findSource(this.#source, this.#cwd);
    this.#isQuickFolder = await isQuick(this.#cwd);
    if (location.kind !== "unreadable") this.#location = location;
    return location;
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
    const { main, parts, readAt } = reading;
    if (!this.#isHeld(reading)) {
      const content = buildContent(reading, source, this.#aliases);
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
      ...(isExample ? { defaultRoot: DEFAULT_ROOT } : {}),
      roots: content.roots.size,
      ignored: content.ignored,
      ignoredTotal: content.ignoredTotal,
    });
  }

  #show(options: Shown): Snapshot {
    this.#snapshot = this.#make(options);
    this.#unavailable = undefined;
    return this.#snapshot;
  }

  #make(options: Shown): Snapshot {
    const aliases = this.#aliases;
    const { content, schemas } = this.#held ??
      { content: buildExample(aliases), schemas: new CompiledSchemas() };
    return new Snapshot({ ...options, content, schemas, aliases });
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

  /** Whether nothing changed on this machine, where that is told at once. */
  #areFilesSame(): boolean {
    return this.#location?.kind === "example"
      ? this.#source !== undefined ||
        (this.#isQuickFolder && this.#folder.isStillEmpty())
      : this.#documents.areSame();
  }

  /** Reads again what changed on this machine. */
  async #followFiles(): Promise<void> {
    if (!await this.#haveFilesChanged()) return;
    // One that is under way may have read a file before it changed.
    await this.#reading?.catch(() => {});
    if (this.#stop.signal.aborted) return;
    if (await this.#haveFilesChanged()) await this.refresh();
  }

  async #haveFilesChanged(): Promise<boolean> {
    if (this.#location?.kind !== "example") {
      return await this.#documents.haveChanged();
    }
    const { kind } = await findSource(this.#source, this.#cwd);
    return kind !== "example";
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
