/**
 * Watches sessions for all boards that are open at this server: one look at the
 * database for all of them, and none while nobody has one open.
 *
 * @module
 */
import type { Store } from "../../store/mod.ts";
import { LOOK_BACK_SECONDS, readChanges } from "../../store/board/mod.ts";

/** How often is looked while a board is open, in milliseconds. */
const LOOK_MS = 1_000;
/** How long it is remembered what was seen, in milliseconds. */
const REMEMBER_MS = 2_000 * LOOK_BACK_SECONDS;
/** Changed sessions of a look at most. */
const MAX_CHANGED = 2_000;

/** Sessions that changed, and the moment of the look in the database's time. */
export interface BoardNews {
  /** Their numbers, each once. */
  readonly ids: readonly number[];
  /** Since then nothing was looked for yet. */
  readonly at: Date;
}

/** Told of what changed; not awaited, and it must not throw. */
export type BoardListener = (news: BoardNews) => void;

/** One object a process. */
export class BoardWatch {
  readonly #store: Store;
  readonly #everyMs: number;
  readonly #listeners = new Set<BoardListener>();
  #marks = new Map<string, Date>();
  #since: Date | undefined;
  #isLooking = false;
  #endPause: () => void = () => {};

  /** Looks at nothing yet. */
  constructor(
    store: Store,
    { everyMs = LOOK_MS }: { readonly everyMs?: number | undefined } = {},
  ) {
    this.#store = store;
    this.#everyMs = everyMs;
  }

  /** Listens from now on; call the answer to stop. */
  listen(listener: BoardListener): () => void {
    this.#listeners.add(listener);
    if (!this.#isLooking) void this.#look();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#endPause();
    };
  }

  /**
   * What changed since a moment of the database's time: what a board has missed
   * since it was read, or since it lost its stream.
   */
  async changedSince(since: Date): Promise<BoardNews> {
    const { at, changed } = await readChanges(
      await this.#store.db(),
      since,
      MAX_CHANGED,
    );
    return { at, ids: [...new Set(changed.map(({ id }) => id))] };
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#listeners.size > 0) {
      try {
        const news = await this.#readNews();
        if (news.ids.length > 0) {
          for (const tell of this.#listeners) tell(news);
        }
      } catch {
        // The database is away: the next look finds what this one missed.
      }
      if (this.#listeners.size > 0) await this.#pause();
    }
    this.#marks = new Map();
    this.#since = undefined;
    this.#isLooking = false;
  }

  async #readNews(): Promise<BoardNews> {
    const isFirst = this.#since === undefined;
    const { at, changed } = await readChanges(
      await this.#store.db(),
      this.#since,
      MAX_CHANGED,
    );
    const fresh = changed.filter(({ id, mark }) =>
      !this.#marks.has(`${id} ${mark}`)
    );
    const oldest = new Date(at.getTime() - REMEMBER_MS);
    for (const [mark, seen] of this.#marks) {
      if (seen < oldest) this.#marks.delete(mark);
    }
    for (const { id, mark } of changed) this.#marks.set(`${id} ${mark}`, at);
    this.#since = at;
    // What was there before anybody looked is on every page already, or comes
    // with what its stream begins with.
    const ids = isFirst ? [] : fresh.map(({ id }) => id);
    return { at, ids: [...new Set(ids)] };
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#everyMs);
    this.#endPause = () => {
      clearTimeout(timer);
      resolve();
    };
    await promise;
  }
}
