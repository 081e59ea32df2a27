/**
 * The postgres.js pool behind the {@link Db} seam. With `driver.ts`,
 * `statement.ts` and `transaction.ts`, the only files that know the driver.
 *
 * Every driver error leaves here as a {@link StoreUnavailableError} whose text
 * names neither host nor credential. A failed connection is tried again after
 * `recover` (which starts an embedded server that died), because a statement
 * that was never sent cannot have happened.
 *
 * @module
 */
import type postgres from "postgres";
import { Call } from "./call.ts";
import { Connections } from "./connections.ts";
import type {
  DatabaseTarget,
  Db,
  PoolFigures,
  ReadBounds,
  Row,
  Transaction,
} from "./db.ts";
import { Deadlines } from "./deadlines.ts";
import { openRoute, type Route } from "./driver.ts";
import { StoreUnavailableError } from "../errors.ts";
import { breaksConnection, HUNG, toUnavailable } from "./faults.ts";
import { type Limits, lookAround, run } from "./statement.ts";
import {
  assertNotAborted,
  readBounded,
  type Settled,
  transact,
} from "./transaction.ts";
import { Semaphore } from "./semaphore.ts";

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
const CLOSE_TIMEOUT_S = 2;
/** Connections that bounded reads leave to all others. */
const KEPT_CONNECTIONS = 2;

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
  return new PostgresPool(openRoute(target), options);
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

/** One attempt of a call. */
type Once<T> = (now: Connections<postgres.Sql>, call: Call) => Promise<T>;

class PostgresPool implements Db {
  readonly #route: Route;
  readonly #connect: (host: number) => Connections<postgres.Sql>;
  #now: Connections<postgres.Sql>;
  readonly #leaving = new Set<Promise<void>>();
  readonly #connections: number;
  /** Of statements. */
  readonly #deadlines: Deadlines;
  /** Of calls until they are answered, connecting and waiting included. */
  readonly #callDeadlines: Deadlines;
  readonly #graceMs: number;
  readonly #delaysMs: readonly number[];
  readonly #recover: (() => Promise<void>) | undefined;
  readonly #turns: Semaphore;
  /** Turns of bounded reads. */
  readonly #boundedTurns: Semaphore;
  #isPooled = false;

  constructor(route: Route, options: PoolOptions) {
    const {
      max = DEFAULT_CONNECTIONS,
      applicationName = "rootcellar",
      statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS,
      cancelGraceMs = DEFAULT_CANCEL_GRACE_MS,
      retryDelaysMs = DEFAULT_RETRY_DELAYS_MS,
    } = options;
    this.#route = route;
    this.#connect = (host) =>
      new Connections(route.open(host, { max, applicationName }), host);
    this.#now = this.#connect(0);
    this.#connections = max;
    this.#turns = new Semaphore(max);
    this.#boundedTurns = new Semaphore(Math.max(1, max - KEPT_CONNECTIONS));
    this.#deadlines = new Deadlines(statementTimeoutMs);
    this.#callDeadlines = new Deadlines(statementTimeoutMs + cancelGraceMs);
    this.#graceMs = cancelGraceMs;
    this.#delaysMs = retryDelaysMs;
    this.#recover = options.recover;
  }

  read<T extends Row>(
    text: string,
    given?: readonly unknown[],
    bounds?: ReadBounds,
  ): Promise<T[]> {
    const params = given ?? [];
    if (bounds !== undefined) return this.#readBounded(text, params, bounds);
    return this.#attempt(
      new Call("read"),
      ({ sql }, call) => run<T>(sql, text, params, this.#limits(call)),
    );
  }

  write<T extends Row>(
    text: string,
    params: readonly unknown[] = [],
  ): Promise<T[]> {
    return this.#attempt(
      new Call("write"),
      ({ sql }, call) => run<T>(sql, text, params, this.#limits(call)),
    );
  }

  async transaction<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    return await this.#transact(
      new Call("write"),
      (sql, call) => transact(sql, fn, { call, limits: this.#limits() }),
    );
  }

  async #readBounded<T extends Row>(
    text: string,
    params: readonly unknown[],
    bounds: ReadBounds,
  ): Promise<T[]> {
    const statement = { text, params, bounds };
    return await this.#transact(
      new Call("read"),
      (sql, call) =>
        this.#boundedTurns.take(() => {
          assertNotAborted(bounds.signal);
          const limits = this.#limits();
          return readBounded<T>(sql, statement, { call, limits });
        }),
    );
  }

  async #transact<T>(
    call: Call,
    once: (sql: postgres.Sql, call: Call) => Promise<Settled<T>>,
  ): Promise<T> {
    const result = await this.#attempt(call, async (now, call) => {
      const result = await once(now.sql, call);
      if ("error" in result && result.fault !== undefined) {
        this.#leaveAfter(result.fault, now, true);
      }
      return result;
    });
    if ("error" in result) throw result.error;
    return result.value;
  }

  /**
   * Behind a pooler, a statement may run on another connection than the one
   * before it, so none is prepared; and none may be sent before the last one
   * on its connection is done, so no more are begun than there are connections.
   */
  async #inTurn<T>(
    now: Connections<postgres.Sql>,
    once: () => Promise<T>,
  ): Promise<T> {
    if (this.#route.mayBePooled) {
      now.look ??= this.#lookAround(now).catch((error) => {
        now.look = undefined;
        throw error;
      });
      await now.look;
    }
    return this.#isPooled ? await this.#turns.take(once) : await once();
  }

  async #lookAround(now: Connections<postgres.Sql>): Promise<void> {
    const { isPooled, isReadOnly } = await lookAround(now.sql, this.#limits());
    this.#isPooled = isPooled;
    if (!isReadOnly || !this.#route.needsWrites) return;
    throw new StoreUnavailableError(
      "unreachable",
      "The database takes no writes now, and its address asks for a server that does; nothing was read or written. Try again shortly, and tell the operator if it lasts",
    );
  }

  /** Limits of a statement on the connections there are now. */
  #limits(call?: Call): Limits {
    const now = this.#now;
    return {
      deadlines: this.#deadlines,
      graceMs: this.#graceMs,
      isPrepared: !this.#isPooled,
      ...(call === undefined ? {} : { call }),
      onAnswer: () => {
        now.answeredAt = performance.now();
      },
      onHang: () => {
        // The driver cannot drop a single connection, so all are: those of a
        // server that hangs are of no use. The next call opens new ones.
        if (this.#now !== now) return;
        this.#leave(now);
        now.drop();
      },
    };
  }

  /**
   * Opens new connections for the next call; those under way go on. After a
   * connection broke under a statement, the driver takes that one for the first
   * of its next connection, and calls on a server that lets nobody in yet
   * without a pause.
   */
  #leave(old: Connections<postgres.Sql>, host: number = old.host): void {
    if (this.#now !== old) return;
    this.#now = this.#connect(host);
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
    this.#callDeadlines.close();
  }

  /** Makes attempts until one succeeds or none is left, within the limit. */
  async #attempt<T>(call: Call, once: Once<T>): Promise<T> {
    const limit = Promise.withResolvers<never>();
    const endLimit = this.#callDeadlines.begin(() => {
      limit.reject(toUnavailable(HUNG, call.circumstances));
      this.#leaveIfDead(this.#now, call);
      call.giveUp();
    });
    call.onWork = endLimit;
    try {
      return await Promise.race([this.#attempts(call, once), limit.promise]);
    } finally {
      endLimit();
    }
  }

  async #attempts<T>(call: Call, once: Once<T>): Promise<T> {
    for (let tries = 0;; tries++) {
      const now = this.#now;
      try {
        return await now.use(() => this.#inTurn(now, () => once(now, call)));
      } catch (error) {
        if (isAbort(error)) throw error;
        const { circumstances } = call;
        const failure = toUnavailable(error, circumstances);
        const isMisled = this.#leaveAfter(failure, now, circumstances.isSent);
        if (failure.code === "timeout") this.#leaveIfDead(now, call);
        const pause = this.#delaysMs[tries] ??
          (isMisled && tries + 1 < this.#route.hosts ? 0 : undefined);
        if (
          call.isOver || pause === undefined || !isRepeatable(failure, tries)
        ) throw failure;
        if (this.#recover === undefined || failure.code !== "unreachable") {
          await delay(pause);
        } else await this.#recover();
        if (call.isOver) throw failure;
      }
    }
  }

  /**
   * Drops connections on which a call waited in vain while nobody had an
   * answer: the driver never uses one again whose first statement was given up
   * while it connected.
   */
  #leaveIfDead(now: Connections<postgres.Sql>, call: Call): void {
    if (call.circumstances.isSent || now.answeredAt >= call.begunAt) return;
    this.#leave(now);
    now.drop();
  }

  /** Leaves connections that are of no use; whether for another server. */
  #leaveAfter(
    failure: StoreUnavailableError,
    now: Connections<postgres.Sql>,
    isSent: boolean,
  ): boolean {
    // A pool that waits for its server to take writes again waits for ever.
    const isReadOnly = failure.sqlState === "25006";
    const isElsewhere = this.#route.hosts > 1 &&
      (isReadOnly || failure.code === "unreachable");
    const isBroken = isSent && breaksConnection(failure.cause);
    if (isElsewhere) this.#leave(now, now.host + 1);
    else if (isReadOnly || isBroken) this.#leave(now);
    return isElsewhere;
  }
}

/** Whether another attempt does nothing twice, and may go better. */
function isRepeatable(failure: StoreUnavailableError, tries: number): boolean {
  // A connection of before a failover says so once; another one may not.
  if (failure.sqlState === "25006") return tries === 0;
  return failure.sqlState === "53300" ||
    (failure.code === "unreachable" && failure.cause !== HUNG);
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
