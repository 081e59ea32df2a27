/**
 * From the settings to the memory engine. Loads all of cortex, so it is
 * imported when memory is first used.
 *
 * @module
 */
import {
  createEngine,
  type Engine,
  type EngineEvent,
} from "../../cortex/mod.ts";
import type { Log, Services } from "../../mcp/mod.ts";
import type { CortexConfig } from "../settings/config.ts";
import { chatNodeOf, clientOf, layoutOf } from "../settings/cortex_settings.ts";
import { embeddingServiceOf } from "../settings/embedding_settings.ts";
import { openLocalCortex } from "./local_cortex.ts";

/** Builds the engine. Sends nothing. @throws {CortexConfigError} */
export function buildEngine(
  config: CortexConfig,
  services: Pick<Services, "store" | "log">,
): Engine {
  const isLocal = config.cortexUrl === undefined;
  const { layout, owner } = layoutOf(config);
  return createEngine({
    client: clientOf(config, isLocal ? localFetch(config, services) : fetch),
    layout,
    owner,
    chatNode: chatNodeOf(config),
    // So the local service answers; of another one it is not known.
    isVisibleAtOnce: isLocal,
    listsBelow: isLocal,
    report: (event) => logEvent(services.log, event),
  });
}

/** The local CortexDB, called without a port. */
function localFetch(
  config: CortexConfig,
  services: Pick<Services, "store" | "log">,
): typeof fetch {
  const local = openLocalCortex(services, {
    embeddings: embeddingServiceOf(config),
  });
  return (input, init) => local.fetch(new Request(input, init));
}

function logEvent(log: Log, { kind, ...fields }: EngineEvent): void {
  if (kind === "ownership_held") log.info("cortex_ownership_held", fields);
  else log.warn(`cortex_${kind}`, fields);
}
