/**
 * What `doctor` says of memory.
 *
 * @module
 */
import {
  CortexRefusalError,
  CortexUnavailableError,
  ROOT_NODE,
} from "../../../cortex/words.ts";
import type { Engine } from "../../../cortex/mod.ts";
import { exactly } from "../../../cortex/layout/mod.ts";
import type { Services } from "../../../mcp/mod.ts";
import type { Config } from "../../settings/config.ts";
import type { Finding } from "./finding.ts";

/** Asks CortexDB how it is, and for a listing. */
export async function checkMemory(
  _config: Config,
  { memory }: Services,
): Promise<Finding[]> {
  if (memory === undefined) return [];
  const { state, message, ...facts } = await memory.health();
  const where = facts.service === "local"
    ? "the local CortexDB"
    : `${facts.service} over the ${facts.wire} wire`;
  // Health asks for no credential; a listing does.
  const fault = state === "healthy"
    ? await listingFault(await memory.engine())
    : message;
  return [{
    check: "memory",
    verdict: fault === null ? "ok" : state === "degraded" ? "warning" : "wrong",
    detail: [
      `${where}, ${facts.layout} layout below ${facts.root}`,
      ...(fault === null ? [] : [fault]),
    ].join("; "),
  }];
}

/** Why nothing can be listed; null when it can. */
async function listingFault(engine: Engine): Promise<string | null> {
  try {
    await engine.list({ filter: { reach: exactly(ROOT_NODE) }, limit: 1 });
    return null;
  } catch (error) {
    const isKnown = error instanceof CortexRefusalError ||
      error instanceof CortexUnavailableError;
    if (!isKnown) throw error;
    return `${error.message}; check CORTEX_API_KEY and CORTEX_ACTOR`;
  }
}
