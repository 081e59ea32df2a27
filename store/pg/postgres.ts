/**
 * The postgres.js pool behind the {@link Db} seam. With `statement.ts`, the only
 * file that knows the driver.
 *
 * Every driver error leaves here as a {@link StoreUnavailableError} whose text
 * names neither host nor credential. A failed connection is tried again after
 * `recover` (which starts an embedded server that died), because a statement
 * that was never sent cannot have happened.
 *
 * @module
 */
import postgres from "postgres";
import { ARRAY_TYPES } from "./arrays.ts";
import { Connections } from "./connections.ts";
import type {
  DatabaseTarget,
  Db,
  PoolFigures,
  Row,
  Transaction,
} from "./db.ts";
import { Deadlines } from "./deadlines.ts";
import { StoreUnavailableError } from "../errors.ts";
import { breaksConnection, HUNG, toUnavailable } from "./faults.ts";
import { leadsToPooler, type Limits, run } from "./statement.ts";
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
    fetch_types: false,
    types: ARRAY_TYPES,
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
  #now: Connections<postgres.Sql>;
  readonly #leaving = new Set<Promise<void>>();
  readonly #connections: number;
  readonly #deadlines: Deadlines;
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
      this.#now = new Connections(this.#connect());
    } catch (cause) {
      throw new StoreUnavailableError(
        "rejected",
        "Cannot use the database address: it must read postgres://user:password@host:port/database",
        { cause },
      );
    }
    this.#connections = options.max ?? DEFAULT_CONNECTIONS;
    this.#turns = new Turns(this.#connections);
    if (target.kind !== "url") this.#look = Promise.resolve();
    this.#deadlines = new Deadlines(
      options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS,
    );
    this.#graceMs = options.cancelGraceMs ?? DEFAULT_CANCEL_GRACE_MS;
    this.#delaysMs = options.retryDelaysMs ?? DEFAULT_RETRY_DELAYS_MS;
    this.#recover = options.recover;
  }

  read<T extends Row>(
    text: string,
    params: readonly unknown[] = [],
  ): Promise<T[]> {
    return this.#attempt(
      (sql) => run<T>(sql, text, params, this.#limits()),
      true,
    );
  }

  write<T extends Row>(
    text: string,
    params: readonly unknown[] = [],
  ): Promise<T[]> {
    return this.#attempt(
      (sql) => run<T>(sql, text, params, this.#limits()),
      false,
    );
  }

  async transaction<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    const result = await this.#attempt(
      (sql) => this.#transactOnce(sql, fn),
      false,
    );
    if ("error" in result) throw result.error;
    return result.value;
  }

  async #transactOnce<T>(
    sql: postgres.Sql,
    fn: (tx: Transaction) => Promise<T>,
  ): Promise<Settled<T>> {
    const link: Link = { isBroken: false };
    let work: Promise<Settled<T>> | undefined;
    try {
      return await sql.begin(async (sql) => {
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
  async #inTurn<T>(
    sql: postgres.Sql,
    once: (sql: postgres.Sql) => Promise<T>,
  ): Promise<T> {
    this.#look ??= leadsToPooler(sql, this.#limits()).then((isPooled) => {
      this.#isPooled = isPooled;
    }, (error) => {
      this.#look = undefined;
      throw error;
    });
    await this.#look;
    return this.#isPooled
      ? await this.#turns.take(() => once(sql))
      : await once(sql);
  }

  /** Limits of a statement on the connections there are now. */
  #limits(): Limits {
    const now = this.#now;
    return {
      deadlines: this.#deadlines,
      graceMs: this.#graceMs,
      isPrepared: !this.#isPooled,
      onHang: () => {
        // The driver cannot drop a single connection, so all are: those of a
        // server that hangs are of no use. The next call opens new ones.
        if (this.#now !== now) return;
        this.#leave(now);
        now.sql.end({ timeout: 0 }).catch(() => {});
      },
    };
  }

  /**
   * Opens new connections for the next call; those under way go on. After a
   * connection broke under a statement, the driver takes that one for the first
   * of its next connection, and calls on a server that lets nobody in yet
   * without a pause.
   */
  #leave(old: Connections<postgres.Sql>): void {
    if (this.#now !== old) return;
    this.#now = new Connections(this.#connect());
    const ended = old.leave().then(() => {
      this.#leaving.delete(ended);
    });
    this.#leaving.add(ended);
  }

  figures(): PoolFigures {
    return { connections: this.#connections, underWay: this.#now.users };
  }

  async close(): Promise<void> {
    await this.#now.sql.end({ timeout: CLOSE_TIMEOUT_S });
    await Promise.all(this.#leaving);
    this.#deadlines.close();
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

  async #attempt<T>(
    once: (sql: postgres.Sql) => Promise<T>,
    mayRepeat: boolean,
  ): Promise<T> {
    for (let tries = 0;; tries++) {
      const now = this.#now;
      try {
        return await now.use((sql) => this.#inTurn(sql, once));
      } catch (error) {
        const failure = toUnavailable(error);
        if (breaksConnection(failure.cause)) this.#leave(now);
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
