/**
 * What the rules of turns work on, and how those who wait for work wait.
 *
 * @module
 */
import { ArtifactFiles, type CatalogLoader } from "../../catalog/mod.ts";
import type { Store } from "../../store/mod.ts";
import { readWatch, type WatchReading } from "../../store/turns/mod.ts";
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

interface Waiter {
  readonly concerns: (reading: WatchReading) => boolean;
  readonly wake: () => void;
}

/**
 * One look at the database for all that wait in this process; none while nobody
 * does. Nobody who waits holds a connection.
 */
export class TurnWatch {
  readonly #store: Store;
  readonly #waiters = new Set<Waiter>();
  #isLooking = false;
  #endPause: () => void = () => {};

  /** Looks at nothing yet. */
  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves when a reading concerns the caller, at the limit, or aborted. */
  async wait(
    concerns: (reading: WatchReading) => boolean,
    { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal },
  ): Promise<void> {
    if (signal?.aborted === true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const waiter = { concerns, wake };
    this.#waiters.add(waiter);
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
    if (!this.#isLooking) void this.#look();
    await promise;
    clearTimeout(timer);
    signal?.removeEventListener("abort", wake);
    this.#waiters.delete(waiter);
    if (this.#waiters.size === 0) this.#endPause();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#waiters.size > 0) {
      await this.#pause();
      if (this.#waiters.size === 0) break;
      try {
        const reading = await readWatch(await this.#store.db());
        for (const waiter of this.#waiters) {
          if (waiter.concerns(reading)) waiter.wake();
        }
      } catch {
        // The database is away. Whoever waits asks it next, and says so.
        for (const waiter of this.#waiters) waiter.wake();
      }
    }
    this.#isLooking = false;
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LOOK_MS);
    // Nothing is left behind of a watch that nobody waits at.
    this.#endPause = () => {
      clearTimeout(timer);
      resolve();
    };
    await promise;
  }
}
