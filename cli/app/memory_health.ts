/**
 * How memory is, as the other side of the wire says it.
 *
 * @module
 */
import {
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
} from "../../cortex/words.ts";
import type { Health } from "../../cortex/client/mod.ts";
import type { Engine } from "../../cortex/mod.ts";
import type { Log, MemoryHealth } from "../../mcp/mod.ts";
import type { Config } from "../settings/config.ts";

/** Below the two seconds that the health report gives memory. */
const LIMIT_MS = 1_500;

/** Asks, within a limit. Never rejects. */
export async function askMemoryHealth(
  { layout, health }: Engine,
  { cortexUrl }: Config<"cortexUrl">,
  log: Log,
): Promise<MemoryHealth> {
  const { state, message } = await ask(health, log);
  return {
    state,
    wire: layout.wire,
    service: cortexUrl === undefined ? "local" : new URL(cortexUrl).origin,
    layout: layout.name,
    root: layout.root === "" ? "the tenant's own" : layout.root,
    message,
  };
}

async function ask(
  health: Engine["health"],
  log: Log,
): Promise<Pick<MemoryHealth, "state" | "message">> {
  try {
    const { status, ...facts } = await health({
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (status === "healthy") {
      return { state: "healthy", message: progressMessage(facts) };
    }
    return {
      state: status === "unhealthy" ? "down" : "degraded",
      message: `CortexDB says of itself that it is ${status}`,
    };
  } catch (error) {
    log.warn("cortex_unwell", { error });
    return { state: isTransient(error) ? "degraded" : "down", ...say(error) };
  }
}

/** What recall does without for now; null: nothing. */
function progressMessage(
  { unindexed = 0, unembedded = 0, embeddingFault }: Omit<
    Health,
    "status" | "version"
  >,
): string | null {
  const lines = [
    ...(unindexed > 0
      ? [
        `Recall does not find ${unindexed} stored events yet: they are being indexed in the background`,
      ]
      : []),
    ...(embeddingFault === undefined ? [] : [
      `Recall is by words alone: ${embeddingFault}; check EMBEDDINGS_URL, EMBEDDINGS_MODEL and EMBEDDINGS_API_KEY`,
    ]),
    ...(unembedded > 0
      ? [
        `${unembedded} stored events have no vectors yet: until then recall finds them by their words`,
      ]
      : []),
  ];
  return lines.length === 0 ? null : lines.join(". ");
}

/** Whether it may be over at the next try. */
function isTransient(error: unknown): boolean {
  return error instanceof CortexUnavailableError || isLate(error);
}

function say(error: unknown): Pick<MemoryHealth, "message"> {
  // These say nothing of a credential, and where one came back, mask it.
  const isOurs = error instanceof CortexUnavailableError ||
    error instanceof CortexRefusalError || error instanceof CortexProtocolError;
  if (isOurs) return { message: error.message };
  return {
    message: isLate(error)
      ? `CortexDB did not answer within ${LIMIT_MS / 1_000} s`
      : "CortexDB could not be asked; the server's log has the reason",
  };
}

function isLate(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
