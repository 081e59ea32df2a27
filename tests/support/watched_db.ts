/**
 * A database whose statements a test sees, or answers itself.
 *
 * @module
 */
import type { Db, Row, Transaction } from "../../store/pg/db.ts";

/** Called instead of running a statement; `run` runs it. */
export type Watch = (
  text: string,
  run: () => Promise<Row[]>,
) => Promise<Row[]>;

/** The same database, with every statement going through `watch`. */
export function watchedDb(db: Db, watch: Watch): Db {
  return {
    ...watched(db, watch),
    transaction: (fn) =>
      db.transaction((tx) =>
        fn({ ...watched(tx, watch), exec: (script) => tx.exec(script) })
      ),
    close: () => db.close(),
  };
}

function watched(
  on: Pick<Transaction, "read" | "write">,
  watch: Watch,
): Pick<Transaction, "read" | "write"> {
  return {
    read: <T extends Row>(text: string, params?: readonly unknown[]) =>
      watch(text, () => on.read(text, params)) as Promise<T[]>,
    write: <T extends Row>(text: string, params?: readonly unknown[]) =>
      watch(text, () => on.write(text, params)) as Promise<T[]>,
  };
}
