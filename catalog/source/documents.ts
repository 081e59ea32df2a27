/**
 * Documents of one catalog, each with its last good text.
 *
 * A document that cannot be read, is not a JSON object, or holds nothing usable
 * never replaces the last good one. The parsed object stays the same object as
 * long as the text is the same, so callers see a change by identity.
 *
 * @module
 */

import type { Duplicates } from "../parse/duplicates.ts";
import type { JsonObject } from "../parse/json.ts";
import { hashKey, type Location, locationKey } from "./location.ts";
import { FileMarks } from "./file_marks.ts";
import { parseDocument } from "../parse/parser.ts";
import { readSource, type SourceReading, type Validators } from "./sources.ts";

/** A good text of a document, as it is kept. */
export interface StoredDocument {
  /** The text. */
  readonly text: string;
  /** When the source last confirmed it, in milliseconds. */
  readonly readAt: number;
  /** What its server said about it. */
  readonly validators: Validators;
}

/** A document to use, or the reason why there is none. */
export type DocumentReading =
  | {
    readonly ok: true;
    readonly document: JsonObject;
    readonly duplicates: Duplicates;
    readonly readAt: number;
    /** Why it is an old copy; absent: it is what the source says now. */
    readonly staleReason?: string;
  }
  | {
    readonly ok: false;
    readonly reason: string;
    readonly isMissing: boolean;
  };

/** How to read one document. */
export interface ReadOptions {
  /** Says why a document must not replace the last good one. */
  readonly refuse: (document: JsonObject) => string | undefined;
  /** Uses kept copies of remote documents instead of the network. */
  readonly isOffline?: boolean;
}

interface Good extends StoredDocument {
  readonly document: JsonObject;
  readonly duplicates: Duplicates;
}

/** Reads documents and keeps the last good text of each. */
export class Documents {
  readonly #good = new Map<string, Good>();
  readonly #kept = new Map<string, StoredDocument>();
  readonly #marks: FileMarks;
  #heldText: ReadonlyMap<string, string | undefined> = new Map();
  readonly #options: {
    readonly fetch: typeof fetch;
    readonly now: () => number;
    readonly signal: AbortSignal;
  };

  constructor(
    options: { fetch: typeof fetch; now: () => number; signal: AbortSignal },
  ) {
    this.#options = options;
    this.#marks = new FileMarks(options.now);
  }

  /** Takes the files among these over as they were read last. */
  hold(locations: readonly Location[]): void {
    const files = locations.filter((location) => location.kind === "file");
    this.#heldText = new Map(files.map((location) => {
      const text = this.#good.get(locationKey(location))?.text;
      return [location.path, text] as const;
    }));
    this.#marks.hold(files.map(({ path }) => path));
  }

  /** Whether no file that was taken over can have changed, told at once. */
  areSame(): boolean {
    return this.#marks.areSame();
  }

  /** Whether a file that was taken over changed since it was read. */
  async haveChanged(): Promise<boolean> {
    return await this.#marks.haveChanged(async (path) => {
      const reading = await readSource({ kind: "file", path }, this.#options);
      return reading.kind === "content" &&
        reading.text === this.#heldText.get(path);
    });
  }

  /** Takes copies kept by an earlier process, by the hash of their key. */
  restore(kept: ReadonlyMap<string, StoredDocument>): void {
    for (const [key, document] of kept) this.#kept.set(key, document);
  }

  /** The last good copies of remote documents, by location key. */
  remoteCopies(): ReadonlyMap<string, StoredDocument> {
    const copies = new Map<string, StoredDocument>();
    for (const [key, { text, readAt, validators }] of this.#good) {
      if (key.startsWith("http")) copies.set(key, { text, readAt, validators });
    }
    return copies;
  }

  /** Reads one document now; falls back to its last good copy. */
  async read(
    location: Exclude<Location, { kind: "example" }>,
    options: ReadOptions,
  ): Promise<DocumentReading> {
    const key = locationKey(location);
    const last = await this.#lastGood(key, options);
    if (options.isOffline && location.kind === "http") {
      return last === undefined ? missing("No copy is kept") : toReading(last);
    }
    if (location.kind === "file") await this.#marks.note(location.path);
    const reading = await readSource(location, {
      fetch: this.#options.fetch,
      signal: this.#options.signal,
      ...(last === undefined ? {} : { validators: last.validators }),
    });
    const taken = this.#take(reading, last, options);
    if (typeof taken !== "string") {
      this.#good.set(key, taken);
      return toReading(taken);
    }
    if (last === undefined) {
      const isMissing = reading.kind === "failed" && reading.isMissing === true;
      return { ok: false, reason: taken, isMissing };
    }
    return { ...toReading(last), staleReason: taken };
  }

  /** Drops what no document of the catalog refers to any more. */
  keepOnly(locations: readonly Location[]): void {
    const keys = new Set(locations.map(locationKey));
    for (const key of this.#good.keys()) {
      if (!keys.has(key)) this.#good.delete(key);
    }
    this.#kept.clear();
  }

  /** The good document a reading gives, or why it gives none. */
  #take(
    reading: SourceReading,
    last: Good | undefined,
    { refuse }: ReadOptions,
  ): Good | string {
    const readAt = this.#options.now();
    if (reading.kind === "failed") return reading.reason;
    if (reading.kind === "unchanged") {
      return last === undefined ? "No copy is kept" : { ...last, readAt };
    }
    const { text, validators } = reading;
    if (last !== undefined && last.text === text) {
      return { ...last, readAt, validators };
    }
    const parsed = parseDocument(text);
    if (!parsed.ok) return parsed.reason;
    const { document, duplicates } = parsed;
    return refuse(document) ??
      { text, readAt, validators, document, duplicates };
  }

  /** The last good copy of this process, else of an earlier one. */
  async #lastGood(
    key: string,
    { refuse }: ReadOptions,
  ): Promise<Good | undefined> {
    const good = this.#good.get(key);
    if (good !== undefined || this.#kept.size === 0) return good;
    const kept = this.#kept.get(await hashKey(key));
    if (kept === undefined) return undefined;
    const parsed = parseDocument(kept.text);
    if (!parsed.ok || refuse(parsed.document) !== undefined) return undefined;
    const { document, duplicates } = parsed;
    const restored = { ...kept, document, duplicates };
    this.#good.set(key, restored);
    return restored;
  }
}

function toReading(
  { document, duplicates, readAt }: Good,
): Extract<DocumentReading, { ok: true }> {
  return { ok: true, document, duplicates, readAt };
}

function missing(reason: string): DocumentReading {
  return { ok: false, reason, isMissing: true };
}
