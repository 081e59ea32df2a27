/**
 * Watches sessions for all boards that are open at this server: one look at the
 * database for all of them, and none while nobody has one open.
 *
 * @module
 */
import type { Store } from "../../store/mod.ts";
import { LOOK_BACK_SECONDS, readChanges } from "../../store/board/mod.ts";
import { SharedLook } from "../shared_look.ts";

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

/** One object a process. */
export class BoardWatch {
  readonly #store: Store;
  readonly #look: SharedLook<BoardNews>;
  #marks = new Map<string, Date>();
  #since: Date | undefined;

  /** Looks at nothing yet. */
  constructor(store: Store) {
    this.#store = store;
    this.#look = new SharedLook({
      everyMs: LOOK_MS,
      read: () => this.#readNews(),
      forget: () => {
        this.#marks = new Map();
        this.#since = undefined;
      },
    });
  }

  /**
   * Listens from now on; call the answer to stop, which resolves when nothing is
   * looked at for it any more. A listener is not awaited, and must not throw.
   */
  listen(listener: (news: BoardNews) => void): () => Promise<void> {
    return this.#look.listen(listener);
  }

  /**
   * What changed since a moment of the database's time: what a board has missed
   * since it was read, or since it lost its stream.
   */
  async changedSince(since: Date): Promise<BoardNews> {
    const db = await this.#store.db();
    const { at, changed } = await readChanges(db, since, MAX_CHANGED);
    return { at, ids: [...new Set(changed.map(({ id }) => id))] };
  }

  async #readNews(): Promise<BoardNews | undefined> {
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
    return isFirst || fresh.length === 0
      ? undefined
      : { at, ids: [...new Set(fresh.map(({ id }) => id))] };
  }
}
