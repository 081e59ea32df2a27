/**
 * What the rules of the fleet work on.
 *
 * @module
 */
import type { CatalogLoader } from "../catalog/mod.ts";
import type { Store } from "../store/mod.ts";
import type { OutsideSettings } from "./pollers/watcher.ts";
import type { Durations } from "./durations.ts";

/** What the rules of the fleet work on; one object a process. */
export interface Fleet {
  /** The catalog of agent roots. */
  readonly catalog: CatalogLoader;
  /** The database. */
  readonly store: Store;
  /** Names of all tool groups: what a session may be given. */
  readonly groupNames: readonly string[];
  /** The root that work of the backlog is started on. @default {"router"} */
  readonly routerRoot?: string | undefined;
  /** The agent of a session whose root names none. @default {"claude_code"} */
  readonly defaultRuntime?: string | undefined;
  /** What services outside are reached with. @default {nothing} */
  readonly outside?: OutsideSettings | undefined;
  /** Channels on which what people say is written down. @default {none} */
  readonly humanChannels?: readonly ("web_ui" | "slack")[] | undefined;
  /**
   * Names of the people who are known now; undefined where nobody can be known.
   * @default {nobody can}
   */
  readonly people?:
    | (() => Promise<ReadonlySet<string> | undefined>)
    | undefined;
  /** How long things take, where it differs. @default {DURATIONS} */
  readonly durations?: Partial<Durations> | undefined;
  /** Minutes that a question of an agent is open. @default {60} */
  readonly elicitationMinutes?: number | undefined;
}
