/**
 * Joins the local CortexDB with the store.
 *
 * @module
 */
import {
  createEmbedder,
  createLocalCortex,
  EmbeddingError,
  type LocalCortex,
  type StorageFault,
} from "../../cortex/local/mod.ts";
import type { Services } from "../../mcp/mod.ts";
import type { EmbeddingService } from "../settings/embedding_settings.ts";
import { StoreUnavailableError } from "../../store/mod.ts";
import { PostgresEventLog } from "../../store/event_log/mod.ts";

/** What it does beside keeping events. */
export interface LocalCortexExtras {
  /** Keys that open it; without any it is for callers in this process. */
  readonly apiKeys?: readonly string[];
  /** The service that recall asks for vectors. */
  readonly embeddings?: EmbeddingService | undefined;
}

/**
 * The local CortexDB over the store, whose event log is an adapter of cortex's
 * port. Without keys it is for callers inside this process, which send
 * `Bearer noauth-local` or an actor.
 */
export function openLocalCortex(
  { store, log }: Pick<Services, "store" | "log">,
  { apiKeys = [], embeddings }: LocalCortexExtras = {},
): LocalCortex {
  return createLocalCortex({
    log: new PostgresEventLog(() => store.db()),
    apiKeys,
    embedder: embeddings && createEmbedder(embeddings),
    report: (error) =>
      error instanceof EmbeddingError
        ? log.warn("embeddings_failed", { error })
        : log.error("cortex_failed", { error }),
    explain,
  });
}

function explain(error: unknown): StorageFault | undefined {
  if (!(error instanceof StoreUnavailableError)) return undefined;
  const { message, code, isPassing } = error;
  return { message, isOutcomeUnknown: code === "outcome_unknown", isPassing };
}
