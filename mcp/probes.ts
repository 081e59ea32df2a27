/**
 * Probes: what a supervisor asks before it sends anybody here.
 *
 * @module
 */
import type { App } from "./gate.ts";
import { VERSION } from "./version.ts";

/** Mounts the probes. */
export function mountProbes(app: App): void {
  app.get("/up", (c) => c.json({ status: "ok", version: VERSION }));
}
