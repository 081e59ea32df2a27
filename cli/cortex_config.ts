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
