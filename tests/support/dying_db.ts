/**
 * A database whose server dies between two of its statements.
 *
 * @module
 */
import { StoreUnavailableError } from "../../store/mod.ts";
import type { Db, Row } from "../../store/pg/mod.ts";
import { watchedDb } from "./watched_db.ts";

/** What the statement fails with that the server did not live to run. */
export class Died extends StoreUnavailableError {
  /** What whoever called is told. */
  constructor() {
    super("unreachable", "Nothing was read or written");
  }
}

/** A database that dies. */
export interface Dying {
  readonly db: Db;
  /** Statements that were run. */
  count(): number;
  /** Whether anything was committed before it died. */
  hasCommitted(): boolean;
}

/** The same database, whose server dies before its statement number `at`. */
export function dying(real: Db, at: number): Dying {
  let count = 0;
  let hasCommitted = false;
  const db = watchedDb(real, (_text, run): Promise<Row[]> => {
    if (count === at) throw new Died();
    count++;
    return run();
  });
  return {
    db: {
      ...db,
      async transaction(work) {
        const result = await db.transaction(work);
        hasCommitted = true;
        return result;
      },
    },
    count: () => count,
    hasCommitted: () => hasCommitted,
  };
}
