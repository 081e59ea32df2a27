/**
 * The PostgreSQL that benchmarks run on: the product's own, on a throwaway
 * data folder, with a catalog of roots to call as.
 *
 * @module
 */
import postgres from "postgres";
import type { Db } from "../../store/pg/mod.ts";
import { openCluster } from "../../store/embedded/mod.ts";
import type { DatabaseTarget } from "../../store/pg/db.ts";
import { migrate } from "../../store/pg/migrate.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { startSession } from "../support/sessions.ts";
import { processEnv } from "../support/process.ts";

/** Filling and sweeping a million records takes longer than a call may. */
const STATEMENT_TIMEOUT_MS = 900_000;
/** As many as a namespace may have. */
const COLLECTIONS = 25;
/** Roots of the stage's catalog; each benchmark has its own. */
const ROOTS = [
  "records",
  "peer",
  "memory",
  "append",
  "http",
  "rss",
  "search-1k",
  "search-10k",
  "search-100k",
  "blocking",
];

/** Where benchmarks run. */
export interface Stage extends AsyncDisposable {
  /** The migrated database, for filling and for checking. */
  readonly db: Db;
  readonly target: DatabaseTarget;
  readonly version: string;
  /** Environment of a process of the product on this database. */
  readonly env: Readonly<Record<string, string>>;
  /** Another migrated database on the same server. */
  openOther(name: string): Promise<Db>;
  /** The driver alone. */
  bare(connections?: number): postgres.Sql;
}

/** Names of the collections that every root of the stage declares. */
export const COLLECTION_NAMES: readonly string[] = Array.from(
  { length: COLLECTIONS },
  (_, index) => `c${index}`,
);

/** Schema of their records, so that writes are checked as they are in use. */
const SCHEMA = {
  type: "object",
  required: ["title"],
  properties: { title: { type: "string", maxLength: 200 } },
};

/** Opens a stage. */
export async function openStage(): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const home = await Deno.makeTempDir({ prefix: "rc-bench-" });
  stack.defer(() => Deno.remove(home, { recursive: true }));
  const cluster = stack.use(await openCluster({ home }));
  const { target } = cluster;
  const open = async (where: DatabaseTarget) => {
    const db = openPool(where, { statementTimeoutMs: STATEMENT_TIMEOUT_MS });
    pools.defer(() => db.close());
    await migrate(db);
    return db;
  };
  const pools = stack.use(new AsyncDisposableStack());
  const db = await open(target);
  const [row] = await db.read("show server_version");
  const catalog = `${home}/roots.json`;
  await Deno.writeTextFile(catalog, JSON.stringify(catalogOf(ROOTS)));
  const held = stack.move();
  return {
    db,
    target,
    version: String(row?.server_version),
    env: {
      ...processEnv(),
      ROOTCELLAR_HOME: home,
      CATALOG: catalog,
      LOG_LEVEL: "error",
    },
    async openOther(name) {
      await db.write(`create database ${name}`);
      return await open({ ...target, database: name } as DatabaseTarget);
    },
    bare(connections = 1) {
      const sql = bareOn(target, connections);
      pools.defer(() => sql.end());
      return sql;
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** The driver alone, as one would use it. */
export function bareOn(
  target: DatabaseTarget,
  connections: number,
): postgres.Sql {
  if (target.kind === "url") return postgres(target.url, { max: connections });
  const { user, database, port } = target;
  return postgres({
    max: connections,
    user,
    database,
    port,
    ...(target.kind === "socket"
      ? {
        host: target.directory,
        path: `${target.directory}/.s.PGSQL.${port}`,
        password: "",
      }
      : { host: "127.0.0.1", password: target.password }),
  });
}

/** A session of a root, for statements that name one. */
export async function sessionOf(db: Db, root: string): Promise<number> {
  const { session } = await startSession(db, {
    agentRootKey: root,
    withToken: false,
  });
  return session.id;
}

/** Opens a new rate window for every collection that has one. */
export async function openWindows(db: Db): Promise<void> {
  await db.write(
    "update agent_root_record_counters set window_writes = 0 where window_writes > 0",
  );
}

/**
 * Fills a collection with records `k1` to `k<count>` of about 300 bytes, each
 * ten of which share a batch number, and sets its counter to match.
 */
export async function fill(
  db: Db,
  namespace: string,
  collection: string,
  count: number,
): Promise<void> {
  await db.write(
    `insert into agent_root_records
       (namespace, collection, key, data, data_bytes, created_at, updated_at)
     select $1, $2, 'k' || n, data, octet_length(data::text), at, at from (
       select n, now() - make_interval(secs => n) as at, jsonb_build_object(
         'title', 'Record ' || n, 'batch', n / 10, 'even', n % 2 = 0,
         'tags', jsonb_build_array('t' || n % 7, 't' || n % 11),
         'body', repeat(md5($2 || n), 6)) as data
       from generate_series(0, $3::int - 1) n) made`,
    [namespace, collection, count],
  );
  await db.write(
    `insert into agent_root_record_counters
       (namespace, collection, records_count, data_bytes)
     select $1, $2, count(*), coalesce(sum(data_bytes), 0) from agent_root_records
       where namespace = $1 and collection = $2
     on conflict (namespace, collection) do update set
       records_count = excluded.records_count, data_bytes = excluded.data_bytes`,
    [namespace, collection],
  );
}

function catalogOf(roots: readonly string[]): unknown {
  const collections = Object.fromEntries(
    COLLECTION_NAMES.map((name) => [name, { schema: SCHEMA }]),
  );
  return Object.fromEntries(
    roots.map((root) => [root, { data_collections: collections }]),
  );
}
