/**
 * Vectors of queries, for whoever cannot wait.
 *
 * A recall waits for the service a short while and goes on without. While an
 * answer is late nobody else waits; behind a failure nobody asks for a while.
 *
 * @module
 */
import { type Embedder, EmbeddingError } from "./embedder.ts";
import { modelKey } from "./model_key.ts";

/** What they are built from. */
export interface QueryVectorsOptions {
  /** The service. */
  readonly embedder: Embedder;
  /** Clock, in milliseconds. */
  readonly now: () => number;
  /** Told what the service failed with. */
  readonly report: (error: unknown) => void;
  /** How long a recall waits, in milliseconds. @default {WAIT_MS} */
  readonly waitMs?: number | undefined;
}

/** A query's vector. */
export interface QueryVector {
  /** The model that it is of. */
  readonly model: string;
  /** Its numbers. */
  readonly numbers: Float32Array;
}

/** How long a recall waits for a vector, in milliseconds. */
const WAIT_MS = 500;
/** How long a late answer is waited for by nobody: a model may have to load. */
const LATE_MS = 30_000;
/** How long nobody asks behind a failure. */
const PAUSE_MS = 30_000;
/** Queries whose vectors are kept. */
const MAX_KEPT = 200;
/** Longest query that is asked for. */
const MAX_LENGTH = 2_000;

/** Gets vectors of queries. */
export class QueryVectors {
  readonly #options: QueryVectorsOptions;
  readonly #kept = new Map<string, QueryVector>();
  #pausedUntil = -Infinity;
  #fault: string | undefined;
  #late: Promise<unknown> | undefined;

  /** Asks nothing until the first query. */
  constructor(options: QueryVectorsOptions) {
    this.#options = options;
  }

  /** Why the last query had no vector; undefined: it had one. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** A query's vector; undefined: there is none for now. Never rejects. */
  async of(query: string): Promise<QueryVector | undefined> {
    const text = query.slice(0, MAX_LENGTH).toWellFormed();
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    if (this.#late !== undefined) return undefined;
    if (this.#options.now() < this.#pausedUntil) return undefined;
    const asked = this.#ask(text);
    const { promise: limit, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      this.#fault = "The embedding service takes longer than a recall waits";
      this.#late = asked;
      asked.finally(() => this.#late = undefined);
      resolve(undefined);
    }, this.#options.waitMs ?? WAIT_MS);
    try {
      return await Promise.race([asked, limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(text: string): Promise<QueryVector | undefined> {
    const { embedder, report, now } = this.#options;
    try {
      const [numbers] = await embedder.embed(
        [text],
        AbortSignal.timeout(LATE_MS),
      );
      this.#fault = undefined;
      if (numbers === undefined) return undefined;
      const found = { model: modelKey(embedder.name, numbers), numbers };
      this.#kept.set(text, found);
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > MAX_KEPT && oldest !== undefined) {
        this.#kept.delete(oldest);
      }
      return found;
    } catch (error) {
      this.#fault = error instanceof Error ? error.message : String(error);
      report(error);
      const wish = error instanceof EmbeddingError
        ? error.retryAfterMs
        : undefined;
      this.#pausedUntil = now() + (wish ?? PAUSE_MS);
      return undefined;
    }
  }
}
