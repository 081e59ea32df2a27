/**
 * What is configured of CortexDB, as it was written. What it means is read by
 * `memory_engine.ts`, which loads cortex; this file does not.
 *
 * @module
 */
import type { Setting } from "./config.ts";

/** The `CORTEX_…` settings; undefined where nothing is set. */
export interface CortexConfig {
  /** A CortexDB; without it, the local one in this process. */
  readonly url: string | undefined;
  /** Its key. */
  readonly apiKey: string | undefined;
  /** Whom to act as. */
  readonly actor: string | undefined;
  /** `direct` or `hosted`. */
  readonly wire: string | undefined;
  /** The root of the v3 layout. */
  readonly scopeRoot: string | undefined;
  /** Whether the tenant itself is the root. */
  readonly isTenantRoot: boolean;
  /** A root that is still read. */
  readonly retiredRoot: string | undefined;
  /** Whom the root is registered to. */
  readonly scopeOwner: string | undefined;
  /** Where conversations are shared. */
  readonly chatNode: string | undefined;
}

/** Whether a setting is about CortexDB. */
export function isCortexSetting({ name }: Setting): boolean {
  return name.startsWith("CORTEX_");
}

/** The variables that say the same to another process; secrets included. */
export function cortexEnv(cortex: CortexConfig): Record<string, string> {
  const values: Readonly<Record<string, string | undefined>> = {
    CORTEX_URL: cortex.url,
    CORTEX_API_KEY: cortex.apiKey,
    CORTEX_ACTOR: cortex.actor,
    CORTEX_WIRE: cortex.wire,
    CORTEX_SCOPE_ROOT: cortex.scopeRoot,
    CORTEX_TENANT_ROOT: cortex.isTenantRoot ? "on" : undefined,
    CORTEX_RETIRED_ROOT: cortex.retiredRoot,
    CORTEX_SCOPE_OWNER: cortex.scopeOwner,
    CORTEX_CHAT_NODE: cortex.chatNode,
  };
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) env[name] = value;
  }
  return env;
}
