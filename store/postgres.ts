/**
 * The postgres.js pool behind the {@link Db} seam: the only file that knows the
 * driver.
 *
 * Every driver error leaves here as a {@link StoreUnavailableError} whose text
 * names neither host nor credential. A failed connection is tried again after
 * `recover` (which starts an embedded server that died), because a statement
 * that was never sent cannot have happened.
 *
 * @module
 */
import postgres from "postgres";
import type { DatabaseTarget, Db, Row, Transaction } from "./db.ts";
import { StoreUnavailableError } from "./errors.ts";
import { breaksConnection, HUNG, toUnavailable } from "./faults.ts";
import { Turns } from "./turns.ts";

/** Settings of a pool. */
export interface PoolOptions {
  /** Connections at most. @default {5} */
  readonly max?: number;
  /** Shown in `pg_stat_activity`. @default {"rootcellar"} */
  readonly applicationName?: string;
  /** Longest a statement may run, in milliseconds. @default {20000} */
  readonly statementTimeoutMs?: number;
  /** How long a cancelled statement may take to end. @default {5000} */
  readonly cancelGraceMs?: number;
  /** Called when no connection can be made, before the next attempt. */
  readonly recover?: () => Promise<void>;
  /** Pauses before each further attempt to connect, in milliseconds. */
  readonly retryDelaysMs?: readonly number[];
}

const DEFAULT_STATEMENT_TIMEOUT_MS = 20_000;
const DEFAULT_CANCEL_GRACE_MS = 5_000;
const DEFAULT_RETRY_DELAYS_MS = [100, 400, 1_000];
const DEFAULT_CONNECTIONS = 5;
const CONNECT_TIMEOUT_S = 10;
const CLOSE_TIMEOUT_S = 2;

function connect(target: DatabaseTarget, options: PoolOptions): postgres.Sql {
  const shared = {
    max: options.max ?? DEFAULT_CONNECTIONS,
    connect_timeout: CONNECT_TIMEOUT_S,
    // The pool tries again at once: waiting is done in #attempt, where a
    // recovery may make the next attempt succeed.
    backoff: () => 0,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? "rootcellar",
    },
  };
  if (target.kind === "url") return postgres(target.url, shared);
  const { user, database, port } = target;
  return target.kind === "socket"
    ? postgres({
      ...shared,
      user,
      database,
      port,
      host: target.directory,
      path: `${target.directory}/.s.PGSQL.${port}`,
      password: "",
    })
    : postgres({
      ...shared,
      user,
      database,
      port,
      host: "127.0.0.1",
      password: target.password,
    });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** How long a statement may take, and what happens when it does not end. */
interface Limits {
  readonly timeoutMs: number;
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
async function run<T extends Row>(
  sql: postgres.Sql | postgres.TransactionSql,
  text: string,
  params: readonly unknown[],
  { timeoutMs, graceMs, isPrepared, onHang }: Limits,
): Promise<postgres.RowList<T[]>> {
  const pending = sql.unsafe<T[]>(
    text,
    params as postgres.ParameterOrJSON<never>[],
    { prepare: isPrepared },
  );
  const hang = Promise.withResolvers<never>();
  let timer = setTimeout(() => {
    pending.cancel();
    timer = setTimeout(() => {
      onHang();
      hang.reject(HUNG);
    }, graceMs);
  }, timeoutMs);
  try {
    return await Promise.race([pending, hang.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Opens a pool. Nothing is connected until the first statement.
 *
 * @throws {StoreUnavailableError} Code `rejected` when the target's URL is not
 * one of PostgreSQL.
 */
export function openPool(
  target: DatabaseTarget,
  options: PoolOptions = {},
): Db {
  return new PostgresPool(target, options);
}

/** Runs one statement on a connection of its own, then closes it. */
export async function queryOnce<T extends Row>(
  target: DatabaseTarget,
  text: string,
  params: readonly unknown[] = [],
  options: PoolOptions = {},
): Promise<T[]> {
  const pool = openPool(target, { retryDelaysMs: [], ...options, max: 1 });
  try {
    return await pool.write<T>(text, params);
  } finally {
    await pool.close();
  }
}

/**
 * Whether an address leads to a pooler (PgBouncer) and not to the server: one
 * makes up the process id that it greets with.
 */
async function leadsToPooler(
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

/** What became of the work of a transaction. */
type Settled<T> = { readonly value: T } | { readonly error: unknown };

/** The connection of a transaction. */
interface Link {
  isBroken: boolean;
}

async function settle<T>(work: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work };
  } catch (error) {
    return { error };
  }
}

class PostgresPool implements Db {
  readonly #connect: () => postgres.Sql;
  #sql: postgres.Sql;
  readonly #timeoutMs: number;
  readonly #graceMs: number;
  readonly #delaysMs: readonly number[];
  readonly #recover: (() => Promise<void>) | undefined;
  readonly #turns: Turns;
  #isPooled = false;
  /** The look at where the address leads; undefined before the first. */
  #look: Promise<void> | undefined;

  constructor(target: DatabaseTarget, options: PoolOptions) {
    try {
      this.#connect = () => connect(target, options);
      this.#sql = this.#connect();
    } catch (cause) {
      throw new StoreUnavailableError(
        "rejected",
        "Cannot use the database address: it must read postgres://user:password@host:port/database",
        { cause },
      );
    }
    this.#turns = new Turns(options.max ?? DEFAULT_CONNECTIONS);
    if (target.kind !== "url") this.#look = Promise.resolve();
    this.#timeoutMs = options.statementTimeoutMs ??
      DEFAULT_STATEMENT_TIMEOUT_MS;
    this.#graceMs = options.cancelGraceMs ?? DEFAULT_CANCEL_GRACE_MS;
    this.#delaysMs = options.retryDelaysMs ?? DEFAULT_RETRY_DELAYS_MS;
    this.#recover = options.recover;
  }

  read<T extends Row>(
    text: string,
    params: readonly unknown[] = [],
  ): Promise<T[]> {
    return this.#attempt(
      () => run<T>(this.#sql, text, params, this.#limits()),
      true,
    );
  }

  write<T extends Row>(
    text: string,
    params: readonly unknown[] = [],
  ): Promise<T[]> {
    return this.#attempt(
      () => run<T>(this.#sql, text, params, this.#limits()),
      false,
    );
  }

  async transaction<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    const result = await this.#attempt(() => this.#transactOnce(fn), false);
    if ("error" in result) throw result.error;
    return result.value;
  }

  async #transactOnce<T>(
    fn: (tx: Transaction) => Promise<T>,
  ): Promise<Settled<T>> {
    const link: Link = { isBroken: false };
    let work: Promise<Settled<T>> | undefined;
    try {
      return await this.#sql.begin(async (sql) => {
        work = settle(fn(this.#transactionOn(sql, link)));
        const settled = await work;
        // On a connection that is gone the driver must not get as far as its
        // commit or rollback: writing it would throw where nothing catches, and
        // end the process. begin() rejects by itself when a connection closes.
        if (link.isBroken) await new Promise<never>(() => {});
        if ("error" in settled) throw settled.error;
        return settled;
      }) as Settled<T>;
    } catch (error) {
      link.isBroken = true;
      const settled = await work; // Never two runs of `fn` at once.
      // A rule that said no is rolled back, and handed out as it is.
      if (
        settled !== undefined && "error" in settled &&
        !(settled.error instanceof StoreUnavailableError)
      ) return settled;
      throw error;
    }
  }

  /**
   * Behind a pooler, a statement may run on another connection than the one
   * before it, so none is prepared; and none may be sent before the last one
   * on its connection is done, so no more are begun than there are connections.
   */
  async #inTurn<T>(once: () => Promise<T>): Promise<T> {
    this.#look ??= leadsToPooler(this.#sql, this.#limits()).then((isPooled) => {
      this.#isPooled = isPooled;
    }, (error) => {
      this.#look = undefined;
      throw error;
    });
    await this.#look;
    return this.#isPooled ? await this.#turns.take(once) : await once();
  }

  /** Limits of a statement on the connections there are now. */
  #limits(): Limits {
    const sql = this.#sql;
    return {
      timeoutMs: this.#timeoutMs,
      graceMs: this.#graceMs,
      isPrepared: !this.#isPooled,
      onHang: () => {
        // The driver cannot drop a single connection, so all are: those of a
        // server that hangs are of no use. The next call opens new ones.
        if (this.#sql !== sql) return;
        this.#sql = this.#connect();
        sql.end({ timeout: 0 }).catch(() => {});
      },
    };
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: CLOSE_TIMEOUT_S });
  }

  #transactionOn(sql: postgres.TransactionSql, link: Link): Transaction {
    const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
      if (link.isBroken) {
        throw toUnavailable({ code: "CONNECTION_CLOSED" });
      }
      try {
        return await work();
      } catch (error) {
        if (breaksConnection(error)) link.isBroken = true;
        throw toUnavailable(error);
      }
    };
    const limits = this.#limits();
    const query = <T extends Row>(
      text: string,
      params: readonly unknown[] = [],
    ) => guarded(() => run<T>(sql, text, params, limits));
    return {
      read: query,
      write: query,
      exec: (script) =>
        guarded(async () => {
          await sql.unsafe(script).simple();
        }),
    };
  }

  async #attempt<T>(once: () => Promise<T>, mayRepeat: boolean): Promise<T> {
    for (let tries = 0;; tries++) {
      try {
        return await this.#inTurn(once);
      } catch (error) {
        const failure = toUnavailable(error);
        const repeatable = failure.code === "unreachable" ||
          (failure.code === "outcome_unknown" && mayRepeat &&
            failure.cause !== HUNG);
        const pause = this.#delaysMs[tries];
        if (!repeatable || pause === undefined) throw failure;
        if (this.#recover === undefined) await delay(pause);
        else await this.#recover();
      }
    }
  }
}
