/**
 * Watches the sessions whose pages are open at this server: one look at the
 * database for all of them.
 *
 * @module
 */
import type { Store } from "../../store/mod.ts";
import { readMarks } from "../../store/board/mod.ts";
import { SharedLook } from "../shared_look.ts";

/** How often is looked while a page is open, in milliseconds. */
const LOOK_MS = 500;

/** One object a process. */
export class SessionWatch {
  readonly #look: SharedLook<ReadonlySet<number>>;
  /** How many pages of each session are open. */
  readonly #watched = new Map<number, number>();
  #marks: ReadonlyMap<number, string> = new Map();

  /** Looks at nothing yet. */
  constructor(store: Store) {
    this.#look = new SharedLook<ReadonlySet<number>>({
      everyMs: LOOK_MS,
      forget: () => this.#marks = new Map(),
      read: async () => {
        const marks = await readMarks(await store.db(), [
          ...this.#watched.keys(),
        ]);
        const before = this.#marks;
        this.#marks = marks;
        const changed = [...marks].filter(([id, mark]) =>
          before.get(id) !== mark
        );
        return changed.length === 0
          ? undefined
          : new Set(changed.map(([id]) => id));
      },
    });
  }

  /**
   * Is told when a session changes, and once in the beginning; call the answer
   * to stop, which resolves when nothing is looked at for it any more. The
   * listener is not awaited, and must not throw.
   */
  listen(id: number, listener: () => void): () => Promise<void> {
    this.#watched.set(id, (this.#watched.get(id) ?? 0) + 1);
    let isFirst = true;
    listener();
    const stop = this.#look.listen((changed) => {
      // The first look may only be the first of this session.
      if (changed.has(id) || isFirst) listener();
      isFirst = false;
    });
    return async () => {
      const stopped = stop();
      const others = (this.#watched.get(id) ?? 1) - 1;
      if (others === 0) this.#watched.delete(id);
      else this.#watched.set(id, others);
      await stopped;
    };
  }
}
