/**
 * REST under `/api/v1`: the same keys and services as the tools.
 *
 * @module
 */
import { type App, type Gate, refuseButOperators } from "../gate.ts";
import { readHealth } from "../health.ts";

/** Mounts the routes. */
export function mountRest(app: App, gate: Gate): void {
  app.get(
    "/api/v1/health",
    async (c) =>
      await refuseButOperators(c, gate, "The health report") ??
        c.json(await readHealth(gate.services)),
  );
}
