/**
 * Indexing memory in the background of a running server: what an earlier
 * version stored, and what an older analyser indexed.
 *
 * Several servers on one database all work on it; what one has indexed the
 * others leave out. A step that fails is logged and tried again later.
 *
 * @module
 */
import type { Log, Services } from "../../mcp/mod.ts";

/** How long nothing is looked for when nothing was left, in milliseconds. */
const REST_MS = 60_000;
/** Between two steps, so that calls have the database to themselves as well. */
const BREATH_MS = 20;

/** What the background needs. */
export interface IndexingOptions {
  /** Takes one step; whether more may be left. */
  readonly advance: () => Promise<boolean>;
  /** Told of faults, and of an end. */
  readonly log: Log;
  /** @default {REST_MS} */
  readonly restMs?: number;
}

/** Starts it. Disposing stops it behind the step that is under way. */
export function startIndexing(
  { advance, log, restMs = REST_MS }: IndexingOptions,
): AsyncDisposable {
  const stopping = new AbortController();
  const work = async () => {
    let steps = 0;
    while (!stopping.signal.aborted) {
      let isLeft = false;
      try {
        isLeft = await advance();
        if (isLeft) steps++;
        else if (steps > 0) log.info("memory_indexed", { steps });
      } catch (error) {
        log.warn("memory_indexing_failed", { error });
      }
      if (!isLeft) steps = 0;
      await rest(isLeft ? BREATH_MS : restMs, stopping.signal);
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

/** Takes a step on the store's own memory; loads the analyser when asked to. */
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

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
