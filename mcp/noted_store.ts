/**
 * Tells whether a call had changed something before it failed: what the store
 * says of a statement, that nothing was changed, is then not so of the call.
 *
 * @module
 */
import type { Store } from "../store/mod.ts";
import type { Db } from "../store/pg/mod.ts";

/** A store for one call, and what became of it. */
export interface NotedStore {
  /** The same store. */
  readonly store: Store;
  /** Whether something was committed through it, or may have been. */
  hasChanged(): boolean;
}

/** The same store, whose commits are noted. */
export function noteChanges(real: Store): NotedStore {
  let hasChanged = false;
  const noting = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    hasChanged = true;
    return result;
  };
  const noted = (db: Db): Db => ({
    read: (text, params, bounds) => db.read(text, params, bounds),
    write: (text, params) => noting(db.write(text, params)),
    transaction: (work) => noting(db.transaction(work)),
    ...(db.figures === undefined ? {} : { figures: db.figures.bind(db) }),
    close: () => db.close(),
  });
  return {
    store: {
      isEmbedded: real.isEmbedded,
      db: async () => noted(await real.db()),
      ...(real.disk === undefined ? {} : { disk: real.disk.bind(real) }),
      ...(real.pool === undefined ? {} : { pool: real.pool.bind(real) }),
      [Symbol.asyncDispose]: () => real[Symbol.asyncDispose](),
    },
    hasChanged: () => hasChanged,
  };
}
