/**
 * What the endpoint is built from, and what one call knows of its caller.
 *
 * @module
 */
import type { CatalogLoader } from "../catalog/mod.ts";
import type { Fleet } from "../fleet/mod.ts";
import type { Store } from "../store/mod.ts";
import type { Connection } from "./caller/connection.ts";
import type { SessionRoots } from "./caller/session_roots.ts";
import type { Log } from "./log.ts";
import type { MemoryService } from "./memory.ts";
import type { Metrics } from "./watch/metrics.ts";

/** What the server is built from; one object a process. */
export interface Services {
  /** The catalog of agent roots. */
  readonly catalog: CatalogLoader;
  /** The database. */
  readonly store: Store;
  /** Which root a session belongs to, remembered for a while. */
  readonly sessionRoots: SessionRoots;
  /** Root data and memory only for connections that prove their session. */
  readonly requireSessionToken: boolean;
  /** The root that work of the backlog is started on. @default {"router"} */
  readonly routerRoot?: string | undefined;
  /** The agent of a session whose root names none. @default {"claude_code"} */
  readonly defaultRuntime?: string | undefined;
  /** How long things take around sessions, where it differs. */
  readonly durations?: Fleet["durations"];
  /** Minutes that a question of an agent is open. @default {60} */
  readonly elicitationMinutes?: number | undefined;
  /** A price table of the operator's own. @default {the built-in one} */
  readonly pricesFile?: string | undefined;
  /** The file of people who sign in to the pages by name. @default {none} */
  readonly usersFile?: string | undefined;
  /** What services outside are reached with. @default {nothing} */
  readonly outside?: Fleet["outside"];
  /** Channels on which what people say is written down. @default {none} */
  readonly humanChannels?: Fleet["humanChannels"];
  /** The log. */
  readonly log: Log;
  /** The memory engine, where there is one. */
  readonly memory?: MemoryService;
  /** Counts what happens, where somebody can read it. */
  readonly metrics?: Metrics;
}

/** What a tool knows of its call. */
export interface ToolContext {
  /** Who calls, and what the call may reach. */
  readonly connection: Connection;
  /** What the server is built from. */
  readonly services: Services;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}
