/**
 * The database seam: what the rest of the store may ask of PostgreSQL.
 *
 * No driver type passes this file. `read` may be sent twice when a connection
 * breaks under it; `write` is sent again only when the server cannot have seen
 * it, so nothing is ever done twice.
 *
 * @module
 */

/** A row as the database returns it: snake_case names, driver-decoded values. */
export type Row = Record<string, unknown>;

/** Something that runs one statement: the pool, or an open transaction. */
export interface Queryable {
  /**
   * Runs one statement that changes nothing.
   *
   * @throws {StoreUnavailableError} The database could not answer.
   */
  read<T extends Row>(text: string, params?: readonly unknown[]): Promise<T[]>;
  /**
   * Runs one statement that changes something.
   *
   * @throws {StoreUnavailableError} Code `outcome_unknown` when the connection
   * broke while the statement was under way, outside of a transaction.
   */
  write<T extends Row>(text: string, params?: readonly unknown[]): Promise<T[]>;
}

/** Bounds of a read that may be dear. */
export interface ReadBounds {
  /** Longest it may run, in milliseconds; the server itself ends it then. */
  readonly limitMs: number;
  /** Cancels it on the server; the read then rejects with an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
}

/** A pool of connections to one PostgreSQL database. */
export interface Db extends Queryable {
  /**
   * Runs one statement that changes nothing. With bounds it waits for one of
   * the connections that such reads share, so that other calls find some left.
   *
   * @throws {StoreUnavailableError} The database could not answer.
   */
  read<T extends Row>(
    text: string,
    params?: readonly unknown[],
    bounds?: ReadBounds,
  ): Promise<T[]>;
  /**
   * Runs `fn` in one transaction: commits when it resolves, rolls back when it
   * rejects. Inside, use only `tx`.
   */
  transaction<T>(fn: (tx: Transaction) => Promise<T>): Promise<T>;
  /** How busy it is; a stand-in may have none. */
  figures?(): PoolFigures;
  /** Ends the pool; statements under way finish first, up to a short limit. */
  close(): Promise<void>;
}

/** How busy a pool is. */
export interface PoolFigures {
  /** Connections at most. */
  readonly connections: number;
  /** Statements and transactions that run or wait for a connection. */
  readonly underWay: number;
}

/** An open transaction. */
export interface Transaction extends Queryable {
  /**
   * Runs a script of several statements (a migration). No begin or commit.
   * Answers with the rows of each.
   */
  exec(script: string): Promise<readonly (readonly Row[])[]>;
}

/** Where a PostgreSQL listens and how to get in. */
export type DatabaseTarget =
  | { readonly kind: "url"; readonly url: string }
  | {
    readonly kind: "socket";
    /** Folder that holds `.s.PGSQL.<port>`. */
    readonly directory: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  }
  | {
    readonly kind: "loopback";
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
