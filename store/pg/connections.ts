/**
 * The driver's connections, of which a pool may leave some to their end and go
 * on with new ones.
 *
 * @module
 */

/** What ends connections: waits so many seconds for statements under way. */
export interface Endable {
  end(options: { readonly timeout: number }): Promise<void>;
}

/** Connections, and how many calls use them. */
export class Connections<T extends Endable> {
  /** The driver's own. */
  readonly sql: T;
  readonly #ended = Promise.withResolvers<void>();
  /** Which of the servers they lead to. */
  readonly host: number;
  /** The look at where they lead; undefined before the first. */
  look: Promise<void> | undefined;
  /** When an answer came last, in milliseconds. */
  answeredAt = -Infinity;
  #users = 0;
  #isLeft = false;

  constructor(sql: T, host: number) {
    this.sql = sql;
    this.host = host;
  }

  /** How many calls use them now. */
  get users(): number {
    return this.#users;
  }

  /** Runs a call on them. */
  async use<R>(work: (sql: T) => Promise<R>): Promise<R> {
    this.#users++;
    try {
      return await work(this.sql);
    } finally {
      this.#users--;
      this.#endUnused();
    }
  }

  /** Ends them as soon as no call uses them; resolves when they have ended. */
  leave(): Promise<void> {
    this.#isLeft = true;
    this.#endUnused();
    return this.#ended.promise;
  }

  /** Ends them at once, whoever uses them. */
  drop(): void {
    this.sql.end({ timeout: 0 }).catch(() => {});
  }

  #endUnused(): void {
    if (!this.#isLeft || this.#users > 0) return;
    this.sql.end({ timeout: 0 }).catch(() => {}).then(this.#ended.resolve);
  }
}
