/**
 * Joins the local CortexDB with the store.
 *
 * @module
 */
import {
  createLocalCortex,
  type LocalCortex,
  type StorageFault,
} from "../../cortex/local/mod.ts";
import type { Services } from "../../mcp/mod.ts";
import { StoreUnavailableError } from "../../store/mod.ts";
import { PostgresEventLog } from "../../store/event_log/mod.ts";

/**
 * The local CortexDB over the store, whose event log is an adapter of cortex's
 * port. Without keys it is for callers inside this process, which send
 * `Bearer noauth-local` or an actor.
 */
export function openLocalCortex(
  { store, log }: Pick<Services, "store" | "log">,
  apiKeys: readonly string[] = [],
): LocalCortex {
  return createLocalCortex({
    log: new PostgresEventLog(() => store.db()),
    apiKeys,
    report: (error) => log.error("cortex_failed", { error }),
    explain,
  });
}

function explain(error: unknown): StorageFault | undefined {
  if (!(error instanceof StoreUnavailableError)) return undefined;
  const { message, code, isPassing } = error;
  return { message, isOutcomeUnknown: code === "outcome_unknown", isPassing };
}
