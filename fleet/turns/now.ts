/**
 * The clock that all servers share.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";

/** The database's clock. */
export async function readNow(tx: Transaction): Promise<Date> {
  const [row] = await tx.read<{ now: Date }>("select clock_timestamp() as now");
  return row?.now ?? new Date(0);
}
