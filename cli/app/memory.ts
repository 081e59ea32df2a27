/**
 * The memory service: the engine, built when it is first asked for.
 *
 * @module
 */
import type { MemoryService, Services } from "../../mcp/mod.ts";
import type { CortexConfig } from "../settings/config.ts";
import { once } from "./once.ts";

/** Makes the service. Loads and opens nothing. */
export function openMemoryService(
  config: CortexConfig,
  services: Pick<Services, "store" | "log">,
): MemoryService {
  const engine = once(async () => {
    const { buildEngine } = await import("./memory_engine.ts");
    return buildEngine(config, services);
  });
  return {
    engine,
    async health() {
      const { askMemoryHealth } = await import("./memory_health.ts");
      return await askMemoryHealth(await engine(), config, services.log);
    },
  };
}
