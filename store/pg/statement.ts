/**
 * One statement on a connection of the driver.
 *
 * @module
 */
import type postgres from "postgres";
import type { Row } from "./db.ts";
import type { Deadlines } from "./deadlines.ts";
import { HUNG } from "./faults.ts";

/** How long a statement may take, and what happens when it does not end. */
export interface Limits {
  readonly deadlines: Deadlines;
  readonly graceMs: number;
  /** Whether the server keeps the statement for the next time. */
  readonly isPrepared: boolean;
  /** Called when even the cancelled statement does not end. */
  readonly onHang: () => void;
}

/**
 * Runs one statement on a pool or transaction. At the time limit it is
 * cancelled; a server that does not even answer that is given up on.
 */
export async function run<T extends Row>(
  sql: postgres.Sql | postgres.TransactionSql,
  text: string,
  params: readonly unknown[],
  { deadlines, graceMs, isPrepared, onHang }: Limits,
): Promise<postgres.RowList<T[]>> {
  const pending = sql.unsafe<T[]>(
    text,
    params as postgres.ParameterOrJSON<never>[],
    { prepare: isPrepared },
  );
  const hang = Promise.withResolvers<never>();
  let grace: ReturnType<typeof setTimeout> | undefined;
  const end = deadlines.begin(() => {
    cancel(pending);
    grace = setTimeout(() => {
      onHang();
      hang.reject(HUNG);
    }, graceMs);
  });
  try {
    return await Promise.race([pending, hang.promise]);
  } finally {
    end();
    clearTimeout(grace);
  }
}

/**
 * Whether an address leads to a pooler (PgBouncer) and not to the server: one
 * makes up the process id that it greets with.
 */
export async function leadsToPooler(
  sql: postgres.Sql,
  limits: Limits,
): Promise<boolean> {
  const rows = await run<{ pid: number }>(
    sql,
    "select pg_backend_pid() as pid",
    [],
    { ...limits, isPrepared: false },
  );
  return rows[0]?.pid !== rows.state?.pid;
}

/**
 * Asks the server to cancel a statement. The driver's own `cancel()` drops the
 * promise of this behind its back, and a server that cannot be reached would
 * then end the process.
 *
 * A statement that was sent behind another one is left alone: the driver would
 * skip it and take its answer for that of the next. The one before it has a
 * time limit of its own.
 */
function cancel(pending: object): void {
  if (!("canceller" in pending && "state" in pending && "active" in pending)) {
    return;
  }
  const { canceller, state, active } = pending;
  const isSent = state !== null;
  if (typeof canceller !== "function" || (isSent && active !== true)) return;
  Promise.resolve(canceller(pending)).catch(() => {});
}
