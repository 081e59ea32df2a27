/**
 * What a running server does for memory in the background: it indexes what an
 * earlier version stored and what an older analyser indexed, and gets vectors
 * for passages where an embedding service is configured.
 *
 * Several servers on one database all work on it; what one has done the others
 * leave out. A step that fails is logged and tried again later.
 *
 * @module
 */
import type { Log, Services } from "../../mcp/mod.ts";
import type { EmbeddingService } from "../settings/embedding_settings.ts";
import { once } from "./once.ts";

/** How long nothing is looked for when nothing was left, in milliseconds. */
const REST_MS = 60_000;
/** How long with an embedding service: what is stored shall be found soon. */
const EMBEDDING_REST_MS = 5_000;
/** Between two steps, so that calls have the database to themselves as well. */
const BREATH_MS = 20;

/** Work in steps. */
export interface SteadyWork {
  /**
   * Takes one step: true: more is left; false: nothing is; a number: nothing
   * can be done for so many milliseconds.
   */
  readonly advance: (signal: AbortSignal) => Promise<boolean | number>;
  /** What lines of the log about it begin with. */
  readonly name: string;
  /** Told of faults, and of an end. */
  readonly log: Log;
  /** @default {REST_MS} */
  readonly restMs?: number;
}

/** Starts all of it. Disposing stops it. */
export function startMemoryWork(
  services: Pick<Services, "store" | "log">,
  embeddings: EmbeddingService | undefined,
): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const { log } = services;
  stack.use(
    startSteadyWork({
      advance: createIndexingStep(services),
      name: "memory_indexing",
      log,
    }),
  );
  if (embeddings !== undefined) {
    stack.use(
      startSteadyWork({
        advance: createEmbeddingStep(services, embeddings),
        name: "memory_embedding",
        log,
        restMs: EMBEDDING_REST_MS,
      }),
    );
  }
  return stack;
}

/** Starts one kind. Disposing stops it behind the step that is under way. */
export function startSteadyWork(
  { advance, name, log, restMs = REST_MS }: SteadyWork,
): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = async () => {
    let steps = 0;
    while (!signal.aborted) {
      let left: boolean | number = false;
      try {
        left = await advance(signal);
        if (left === true) steps++;
        else if (left === false && steps > 0) {
          log.info(`${name}_done`, { steps });
        }
      } catch (error) {
        log.warn(`${name}_failed`, { error });
      }
      if (left === false) steps = 0;
      const ms = left === true ? BREATH_MS : left === false ? restMs : left;
      await rest(ms, signal);
    }
  };
  const running = work();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

/** Indexes on the store's own memory; loads the analyser when asked to. */
export function createIndexingStep(
  { store }: Pick<Services, "store">,
): () => Promise<boolean> {
  return async () => {
    const [{ advanceIndexing }, { PostgresEventLog }] = await Promise.all([
      import("../../cortex/local/mod.ts"),
      import("../../store/event_log/mod.ts"),
    ]);
    return await advanceIndexing(new PostgresEventLog(() => store.db()));
  };
}

/** Gets vectors for the store's own memory. */
export function createEmbeddingStep(
  { store, log }: Pick<Services, "store" | "log">,
  service: EmbeddingService,
): SteadyWork["advance"] {
  const filler = once(async () => {
    const [{ createEmbedder, createFiller }, { PostgresEventLog }] =
      await Promise.all([
        import("../../cortex/local/mod.ts"),
        import("../../store/event_log/mod.ts"),
      ]);
    return createFiller({
      log: new PostgresEventLog(() => store.db()),
      embedder: createEmbedder(service),
      report: (error) => log.warn("embeddings_failed", { error }),
    });
  });
  return async (signal) => await (await filler())(signal);
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
