/**
 * Copies of remote documents on disk: taken once at the start, written when
 * something new was read. A folder that cannot be used is said once.
 *
 * @module
 */

import { type CacheFolder, CatalogCache } from "./cache.ts";
import type { Documents } from "./documents.ts";
import { type Location, locationKey } from "./location.ts";
import type { GoodReading } from "./reading.ts";

/** Carries documents over from one process to the next. */
export class Copies {
  readonly #documents: Documents;
  readonly #folder: CacheFolder | undefined;
  readonly #report: (reason: string) => void;
  #cache: CatalogCache | undefined;
  #restoring: Promise<boolean> | undefined;
  #isKept = false;
  #fault: string | undefined;

  /** Takes the documents, the folder (absent: none is kept) and what to call. */
  constructor(
    documents: Documents,
    options: {
      folder: CacheFolder | undefined;
      report: (reason: string) => void;
    },
  ) {
    this.#documents = documents;
    this.#folder = options.folder;
    this.#report = options.report;
  }

  /** Takes the copies an earlier process kept; once. Says whether any exist. */
  restore(location: Location): Promise<boolean> {
    this.#restoring ??= (async () => {
      if (this.#folder === undefined) return false;
      this.#cache = new CatalogCache(this.#folder, locationKey(location));
      const kept = await this.#cache.read();
      if (!kept.ok) {
        this.#say(kept.reason);
        return false;
      }
      this.#documents.restore(kept.copies);
      this.#isKept = kept.copies.size > 0;
      return this.#isKept;
    })();
    return this.#restoring;
  }

  /** Writes remote documents to disk, or notes that they were confirmed. */
  async keep(reading: GoodReading, isNew: boolean): Promise<void> {
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
    if (reason !== undefined) this.#say(reason);
  }

  /** Says what is wrong with the copy on disk, once as long as it is the same. */
  #say(reason: string): void {
    if (this.#fault === reason) return;
    this.#fault = reason;
    this.#report(reason);
  }
}
