/**
 * Whether a database takes writes: after a failover, or on a full or paused
 * plan, it may answer every read and refuse every write.
 *
 * @module
 */
import type { Queryable } from "./db.ts";

/** Whether writes are refused now. @throws {StoreUnavailableError} */
export async function isReadOnly(db: Queryable): Promise<boolean> {
  const [row] = await db.read<{ setting: string }>(
    "select current_setting('transaction_read_only') as setting",
  );
  return row?.setting === "on";
}
