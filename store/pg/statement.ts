/**
 * One statement on a connection of the driver.
 *
 * @module
 */
import type postgres from "postgres";
import type { Row } from "./db.ts";
import type { Call } from "./call.ts";
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
  /** Called with the answer's arrival. */
  readonly onAnswer: () => void;
  /** The call that consists of this statement. */
  readonly call?: Call;
}

/** Ends a statement before its time. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** What was sent before it on its connection; it may be cancelled after. */
  readonly behind: Promise<unknown>;
}

/**
 * Runs one statement on a pool or transaction. At the time limit it is
 * cancelled; a server that does not even answer that is given up on.
 */
export async function run<T extends Row>(
  sql: postgres.Sql | postgres.TransactionSql,
  text: string,
  params: readonly unknown[],
  { deadlines, graceMs, isPrepared, onHang, onAnswer, call }: Limits,
  interrupt?: Interrupt,
): Promise<postgres.RowList<T[]>> {
  const pending = sql.unsafe<T[]>(
    text,
    params as postgres.ParameterOrJSON<never>[],
    { prepare: isPrepared },
  );
  call?.take(pending);
  const hang = Promise.withResolvers<never>();
  let grace: ReturnType<typeof setTimeout> | undefined;
  const end = deadlines.begin(() => {
    cancelStatement(pending);
    grace = setTimeout(() => {
      onHang();
      hang.reject(HUNG);
    }, graceMs);
  });
  let cancelling: Promise<void> | undefined;
  const onAbort = () => {
    cancelling = interrupt?.behind.then(() => cancelStatement(pending));
  };
  interrupt?.signal.addEventListener("abort", onAbort);
  if (interrupt?.signal.aborted) onAbort();
  try {
    const rows = await Promise.race([pending, hang.promise]);
    onAnswer();
    return rows;
  } finally {
    interrupt?.signal.removeEventListener("abort", onAbort);
    end();
    clearTimeout(grace);
    // A cancellation that comes late must not meet the connection's next one.
    await cancelling;
  }
}

/** Where an address leads. */
export interface Whereabouts {
  /** Whether a pooler (PgBouncer) answers: it makes up its process id. */
  readonly isPooled: boolean;
  /** Whether the server takes no writes. */
  readonly isReadOnly: boolean;
}

/** Looks where an address leads. */
export async function lookAround(
  sql: postgres.Sql,
  limits: Limits,
): Promise<Whereabouts> {
  const rows = await run<{ pid: number; read_only: string }>(
    sql,
    "select pg_backend_pid() as pid, current_setting('transaction_read_only') as read_only",
    [],
    { ...limits, isPrepared: false },
  );
  return {
    isPooled: rows[0]?.pid !== rows.state?.pid,
    isReadOnly: rows[0]?.read_only === "on",
  };
}

/**
 * Asks the server to cancel a statement; resolves when it has been asked. The
 * driver's own `cancel()` drops the promise of this behind its back, and a
 * server that cannot be reached would then end the process.
 *
 * A statement that was sent behind another one is left alone: the driver would
 * skip it and take its answer for that of the next. The one before it has a
 * time limit of its own.
 */
export async function cancelStatement(pending: object): Promise<void> {
  if (!("canceller" in pending && "state" in pending && "active" in pending)) {
    return;
  }
  const { canceller, state, active } = pending;
  const isSent = state !== null;
  if (typeof canceller !== "function" || (isSent && active !== true)) return;
  try {
    await canceller(pending);
  } catch {
    // It goes on until its own limit.
  }
}
