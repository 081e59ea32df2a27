/**
 * A PostgreSQL with pgvector: PGlite, the server compiled to WebAssembly, in
 * this process and behind a socket, so that the store reaches it as any other.
 *
 * No package of a distribution that the tests run on has pgvector, and the
 * embedded PostgreSQL does not.
 *
 * @module
 */
import { migrate } from "../../store/pg/migrate.ts";
import type { Db } from "../../store/pg/db.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { clientPath } from "./clients.ts";

/** A migrated, empty database that has pgvector to offer. */
export interface VectorDb extends AsyncDisposable {
  /** The pool, of one connection: PGlite has one session. */
  readonly db: Db;
}

/** What is used of PGlite's packages. */
interface Packages {
  readonly PGlite: {
    create(
      options: { extensions: object },
    ): Promise<{ close(): Promise<void> }>;
  };
  readonly PGLiteSocketServer: new (
    options: { readonly db: unknown; readonly path: string },
  ) => { start(): Promise<void>; stop(): Promise<void> };
  readonly vector: object;
}

const PORT = 5432;
/** It shares one thread with the test, on a machine that may be slow. */
const STATEMENT_MS = 120_000;

/** Starts one. */
export async function openVectorDb(): Promise<VectorDb> {
  const { PGlite, PGLiteSocketServer, vector } = await loadPackages();
  await using stack = new AsyncDisposableStack();
  const directory = await Deno.makeTempDir({ prefix: "rootcellar-pglite-" });
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  const server = await PGlite.create({ extensions: { vector } });
  stack.defer(() => server.close());
  const path = `${directory}/.s.PGSQL.${PORT}`;
  const socket = new PGLiteSocketServer({ db: server, path });
  await socket.start();
  stack.defer(() => socket.stop());
  const db = openPool({
    kind: "socket",
    directory,
    port: PORT,
    user: "postgres",
    database: "postgres",
  }, { max: 1, statementTimeoutMs: STATEMENT_MS });
  stack.defer(() => db.close());
  await migrate(db);
  const held = stack.move();
  return { db, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

async function loadPackages(): Promise<Packages> {
  const names = ["pglite", "pglite-socket", "pglite-pgvector"];
  const modules = await Promise.all(names.map(async (name) => {
    const path = await clientPath(`@electric-sql/${name}/dist/index.js`);
    return await import(`file://${path}`);
  }));
  // What the packages export, at the versions that are pinned.
  return Object.assign({}, ...modules) as Packages;
}
