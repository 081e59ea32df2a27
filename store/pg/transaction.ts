/**
 * Transactions on a connection of the driver, and reads with bounds, which need
 * one.
 *
 * Until its commit is sent, a transaction whose connection breaks has changed
 * nothing: the server rolls back.
 *
 * @module
 */
import type postgres from "postgres";
import type { Call } from "./call.ts";
import type { ReadBounds, Row, Transaction } from "./db.ts";
import { StoreUnavailableError } from "../errors.ts";
import { breaksConnection, HUNG, toUnavailable } from "./faults.ts";
import { type Interrupt, type Limits, run } from "./statement.ts";

/** What became of a transaction. */
export type Settled<T> = { readonly value: T } | {
  /** What the caller gets. */
  readonly error: unknown;
  /** What the database failed with, where it did. */
  readonly fault: StoreUnavailableError | undefined;
};

/** What a transaction runs under. */
export interface Conditions {
  readonly call: Call;
  readonly limits: Limits;
  /** Whether it only reads. @default {false} */
  readonly isRead?: boolean;
}

/** How often a server looks whether its client is still there. */
const CLIENT_CHECK_MS = 2_000;

/**
 * Sent in front of a bounded read. Only Linux can look for the client in every
 * release that is served, and elsewhere the setting is refused.
 */
const SET_BOUNDS = `
  select set_config('statement_timeout', $1, true),
    case when version() like '%linux%'
      then set_config('client_connection_check_interval', $2, true) end`;

/** What a fault means before the commit. */
const ROLLED_BACK = { isSent: true, mayStand: false };

/** A transaction whose statements can be interrupted. */
interface OwnTransaction extends Transaction {
  run<T extends Row>(
    text: string,
    params: readonly unknown[],
    interrupt?: Interrupt,
  ): Promise<T[]>;
}

/** The connection of a transaction. */
class Link {
  isBroken = false;
  readonly #broken = Promise.withResolvers<never>();

  constructor() {
    this.#broken.promise.catch(() => {}); // Not everybody waits for it.
  }

  /** Rejects when the connection is gone. */
  get broken(): Promise<never> {
    return this.#broken.promise;
  }

  break(error: unknown): void {
    this.isBroken = true;
    this.#broken.reject(error);
  }
}

/**
 * Runs `fn` in one transaction. What it rejects with comes back as a value: the
 * transaction was rolled back, and is not to be tried again.
 */
export async function transact<T>(
  sql: postgres.Sql,
  fn: (tx: OwnTransaction) => Promise<T>,
  { call, limits, isRead = false }: Conditions,
): Promise<Settled<T>> {
  const link = new Link();
  let work: Promise<Result<T>> | undefined;
  let isCommitting = false;
  let endLimit = () => {};
  const whole = sql.begin(isRead ? "read only" : "", async (sql) => {
    if (call.isOver) throw new Error("Nobody waits for it any more");
    call.onWork();
    work = settle(fn(transactionOn(sql, link, limits)));
    const result = await work;
    // On a connection that is gone the driver must not get as far as its
    // commit or rollback: writing it would throw where nothing catches, and
    // end the process.
    if (link.isBroken) await new Promise<never>(() => {});
    endLimit = limits.deadlines.begin(() => {
      limits.onHang();
      link.break(HUNG);
    });
    if ("error" in result) throw result.error;
    isCommitting = true;
    return result;
  }) as Promise<Settled<T>>;
  try {
    // A server that hangs never ends the driver's part.
    return await Promise.race([whole, link.broken]);
  } catch (error) {
    whole.catch(() => {}); // It may reject later.
    link.break(error);
    if (work === undefined) throw error;
    const result = await work; // Never two runs of `fn` at once.
    if ("error" in result) {
      // A rule that said no is handed out as it is.
      const fault = [result.error, error].find(isOfDatabase);
      return {
        error: result.error,
        fault: fault === undefined ? undefined : toUnavailable(fault),
      };
    }
    const mayStand = isCommitting && !isRead;
    const fault = toUnavailable(error, { isSent: true, mayStand });
    return { error: fault, fault };
  } finally {
    endLimit();
  }
}

/** Runs one statement within its bounds. */
export async function readBounded<T extends Row>(
  sql: postgres.Sql,
  { text, params, bounds }: {
    readonly text: string;
    readonly params: readonly unknown[];
    readonly bounds: ReadBounds;
  },
  conditions: Conditions,
): Promise<Settled<T[]>> {
  const { signal, limitMs } = bounds;
  const settings = [String(limitMs), String(CLIENT_CHECK_MS)];
  return await transact<T[]>(sql, async (tx) => {
    try {
      const behind = tx.run(SET_BOUNDS, settings);
      behind.catch(() => {}); // What follows fails as well, and says so.
      // A pooler may take one statement at a time only.
      if (!conditions.limits.isPrepared) await behind;
      assertNotAborted(signal);
      return await tx.run<T>(
        text,
        params,
        signal === undefined ? undefined : { signal, behind },
      );
    } catch (error) {
      assertNotAborted(signal);
      throw error;
    }
  }, { ...conditions, isRead: true });
}

/** @throws {DOMException} `AbortError`: the caller has gone. */
export function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new DOMException("The call was cancelled", "AbortError");
}

/** How work ended. */
type Result<T> = { readonly value: T } | { readonly error: unknown };

async function settle<T>(work: Promise<T>): Promise<Result<T>> {
  try {
    return { value: await work };
  } catch (error) {
    return { error };
  }
}

function isOfDatabase(error: unknown): boolean {
  return error instanceof StoreUnavailableError || breaksConnection(error);
}

function transactionOn(
  sql: postgres.TransactionSql,
  link: Link,
  limits: Limits,
): OwnTransaction {
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (link.isBroken) {
      throw toUnavailable({ code: "CONNECTION_CLOSED" }, ROLLED_BACK);
    }
    try {
      return await work();
    } catch (error) {
      if (breaksConnection(error)) link.break(error);
      throw toUnavailable(error, ROLLED_BACK);
    }
  };
  const query = <T extends Row>(
    text: string,
    params: readonly unknown[] = [],
  ) => guarded(() => run<T>(sql, text, params, limits));
  return {
    run: (text, params, interrupt) =>
      guarded(() => run(sql, text, params, limits, interrupt)),
    read: query,
    write: query,
    exec: (script) =>
      guarded(async () => {
        const results = await sql.unsafe<Row[]>(script).simple();
        // One statement answers with its rows, several with a list of such.
        return results.every(Array.isArray)
          ? results as unknown as Row[][]
          : [[...results]];
      }),
  };
}
