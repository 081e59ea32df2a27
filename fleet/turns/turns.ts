/**
 * What the rules of turns work on, and how those who wait for work wait.
 *
 * @module
 */
import { ArtifactFiles, type CatalogLoader } from "../../catalog/mod.ts";
import type { Store } from "../../store/mod.ts";
import { readWatch, type WatchReading } from "../../store/turns/mod.ts";
import { SharedLook } from "../shared_look.ts";
import { TURN_DURATIONS } from "./durations.ts";
import type { TurnDurations } from "./protocol.ts";

/** One object a process. */
export interface Turns {
  /** The catalog of agent roots. */
  readonly catalog: CatalogLoader;
  /** The database. */
  readonly store: Store;
  /** Files that the catalog's entries name. */
  readonly artifacts: ArtifactFiles;
  /** How long things take. */
  readonly durations: TurnDurations;
  /** Waits for something that may concern whoever waits. */
  readonly watch: TurnWatch;
}

/** What it is made of. */
export interface TurnsOptions extends Pick<Turns, "catalog" | "store"> {
  /** Those that differ. @default {TURN_DURATIONS} */
  readonly durations?: Partial<TurnDurations> | undefined;
}

/** Makes it. Opens nothing. */
export function openTurns(
  { catalog, store, durations }: TurnsOptions,
): Turns {
  return {
    catalog,
    store,
    artifacts: new ArtifactFiles(),
    durations: { ...TURN_DURATIONS, ...durations },
    watch: new TurnWatch(store),
  };
}

/** How often the database is looked at while anybody waits, in milliseconds. */
const LOOK_MS = 200;

/**
 * One look at the database for all that wait in this process; none while nobody
 * does. Nobody who waits holds a connection.
 */
export class TurnWatch {
  /** What was read; undefined where the database is away. */
  readonly #look: SharedLook<{ readonly reading: WatchReading | undefined }>;

  /** Looks at nothing yet. */
  constructor(store: Store) {
    this.#look = new SharedLook({
      everyMs: LOOK_MS,
      // Whoever waits has just asked.
      beginsLate: true,
      read: async () => {
        try {
          return { reading: await readWatch(await store.db()) };
        } catch {
          return { reading: undefined };
        }
      },
    });
  }

  /**
   * Resolves when a reading concerns the caller, at the limit, or aborted; when
   * the database is away, too: whoever waits asks it next, and says so.
   */
  async wait(
    concerns: (reading: WatchReading) => boolean,
    { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal },
  ): Promise<void> {
    if (signal?.aborted === true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const stop = this.#look.listen(({ reading }) => {
      if (reading === undefined || concerns(reading)) wake();
    });
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
    await promise;
    clearTimeout(timer);
    signal?.removeEventListener("abort", wake);
    stop();
  }
}
