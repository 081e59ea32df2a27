/**
 * What the endpoint asks of memory: the engine, and how it is.
 *
 * Only types come from cortex here and in every file that a start loads: the
 * engine is loaded when memory is first used.
 *
 * @module
 */
import type { Engine } from "../cortex/mod.ts";

/** Where memory stands, with the field names of the wire. */
export interface MemoryHealth {
  /** `down`: nothing can be remembered or recalled. */
  readonly state: "healthy" | "degraded" | "down";
  /** How CortexDB is spoken to; null, as below, where it could not be asked. */
  readonly wire: "direct" | "hosted" | null;
  /** `local`, or the endpoint's origin; never a credential. */
  readonly service: string | null;
  /** How nodes become scopes. */
  readonly layout: "legacy" | "v3" | null;
  /** The scope that everything lies below. */
  readonly root: string | null;
  /** What is wrong, and what to do; null when nothing is. */
  readonly message: string | null;
}

/** Memory, as one process has it. */
export interface MemoryService {
  /** The engine; built by the first call. */
  engine(): Promise<Engine>;
  /** How it is, within seconds. Rejects only when no engine can be built. */
  health(): Promise<MemoryHealth>;
}
