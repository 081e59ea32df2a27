/**
 * Opens the database on first use: embedded cluster or `DATABASE_URL`, pool,
 * schema. A failed opening is tried again by the next call.
 *
 * @module
 */
import { type DiskSpace, readSpace } from "./disk.ts";
import type { DatabaseTarget, Db, PoolFigures } from "./pg/db.ts";
import type { Cluster, ClusterEvent } from "./embedded/cluster.ts";
import { openCluster } from "./embedded/lazy.ts";
import { migrate } from "./pg/migrate.ts";

/** Which database to use. */
export interface StoreOptions {
  /** A PostgreSQL to use instead of the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Data folder of the embedded PostgreSQL. */
  readonly home: string;
  /** Connections at most. @default {5} */
  readonly poolSize?: number;
  /** Told what the embedded PostgreSQL does. */
  readonly report?: (event: ClusterEvent) => void;
}

/** The database, opened when it is first asked for. */
export interface Store extends AsyncDisposable {
  /** Whether this process runs its own PostgreSQL. */
  readonly isEmbedded: boolean;
  /**
   * The migrated database.
   *
   * @throws {StoreUnavailableError} It cannot be reached.
   * @throws {MigrationError} Its schema does not fit this program.
   * @throws {ClusterError} The embedded PostgreSQL cannot run here.
   */
  db(): Promise<Db>;
  /** Room on the database's disk; undefined where that is another's matter. */
  disk?(): Promise<DiskSpace | undefined>;
  /** Figures of the pool; undefined while it is not open. Opens nothing. */
  pool?(): PoolFigures | undefined;
}

/** Prepares a store; opens nothing yet. */
export function openStore(options: StoreOptions): Store {
  return new LazyStore(options);
}

class LazyStore implements Store {
  readonly #options: StoreOptions;
  #opening: Promise<Db> | undefined;
  #db: Db | undefined;
  #stack: AsyncDisposableStack = new AsyncDisposableStack();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get isEmbedded(): boolean {
    return this.#options.databaseUrl === undefined;
  }

  db(): Promise<Db> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async disk(): Promise<DiskSpace | undefined> {
    return this.isEmbedded ? await readSpace(this.#options.home) : undefined;
  }

  pool(): PoolFigures | undefined {
    return this.#db?.figures?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opening?.catch(() => {});
    await this.#stack.disposeAsync();
  }

  async #open(): Promise<Db> {
    // Moved to the store only once everything stands, so that a failure on
    // the way releases what had been opened, last first.
    await using stack = new AsyncDisposableStack();
    const db = this.#options.databaseUrl === undefined
      ? await this.#openEmbedded(stack)
      : await this.#pool(stack, {
        kind: "url",
        url: this.#options.databaseUrl,
      });
    await migrate(db);
    this.#stack = stack.move();
    this.#db = db;
    return db;
  }

  async #openEmbedded(stack: AsyncDisposableStack): Promise<Db> {
    const { home, report } = this.#options;
    const cluster = stack.use(
      await openCluster(report === undefined ? { home } : { home, report }),
    );
    return await this.#pool(stack, cluster.target, cluster);
  }

  async #pool(
    stack: AsyncDisposableStack,
    target: DatabaseTarget,
    cluster?: Cluster,
  ): Promise<Db> {
    const { openPool } = await import("./pg/postgres.ts");
    const db = openPool(target, {
      max: this.#options.poolSize ?? 5,
      ...(cluster === undefined ? {} : {
        applicationName: cluster.applicationName,
        recover: () => cluster.ensureRunning(),
      }),
    });
    stack.defer(() => db.close());
    return db;
  }
}
