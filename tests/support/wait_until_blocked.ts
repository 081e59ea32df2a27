/**
 * Waiting for a statement that waits for a lock: so a race is made, not hoped
 * for.
 *
 * @module
 */
import type { Db } from "../../store/pg/db.ts";

const DEADLINE_MS = 120_000;

/** Resolves once some statement of this database waits for a lock. */
export async function waitUntilBlocked(db: Db): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const rows = await db.read(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
    if (performance.now() > deadline) {
      throw new Error("Nothing waited for a lock");
    }
  }
}
