/**
 * Packs of recent recalls, for an answer that names one. A pack holds ids and
 * places only: what it quotes is read again, so nothing forgotten outlives its
 * deletion.
 *
 * @module
 */
import type { SearchHit } from "./search/search.ts";

/** How long a pack can be named, in milliseconds. */
const PACK_LIFETIME_MS = 60_000;
const MAX_PACKS = 1_000;

/** What a recall brought up. */
export interface ShelvedPack {
  /** The scopes it was asked for: an answer names one of them. */
  readonly scopes: readonly string[];
  /** What it brought up, best first. */
  readonly hits: readonly SearchHit[];
}

/** Keeps packs for a minute, in this process. */
export class PackShelf {
  readonly #packs = new Map<string, ShelvedPack & { readonly until: number }>();
  readonly #now: () => number;

  /** Takes the clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Puts a pack up; its id. */
  keep(pack: ShelvedPack): string {
    const now = this.#now();
    for (const [id, { until }] of this.#packs) {
      // The oldest comes first.
      if (until > now && this.#packs.size < MAX_PACKS) break;
      this.#packs.delete(id);
    }
    const id = `pack_${crypto.randomUUID().replaceAll("-", "")}`;
    this.#packs.set(id, { ...pack, until: now + PACK_LIFETIME_MS });
    return id;
  }

  /** A pack that was kept less than its lifetime ago. */
  find(id: string): ShelvedPack | undefined {
    const pack = this.#packs.get(id);
    return pack !== undefined && pack.until > this.#now() ? pack : undefined;
  }
}
