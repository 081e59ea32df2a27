/**
 * Server processes under load: a home whose catalog has one root with many
 * collections, and calls whose outcome is read as the caller must read it.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import { clusterStatus, openCluster } from "../../store/embedded/mod.ts";
import { startSession } from "./sessions.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { openHome, type ServerProcess, startServer } from "./process.ts";

/** Collections that the root declares: `c0` and on. */
export const COLLECTIONS = 30;
/** The root, and its namespace. */
export const ROOT = "fire";

/** A home with a session of the root. */
export interface FireHome extends AsyncDisposable {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** The session's token. */
  readonly token: string;
  /** A connection past the servers, to look at what is stored. */
  readonly db: Db;
  /** Process id of its PostgreSQL. */
  postmaster(): Promise<number>;
  /** Starts one more server. */
  serve(): Promise<FireServer>;
}

/** One server process, called over HTTP with the session's token. */
export interface FireServer extends ServerProcess {
  call(tool: string, args: unknown): Promise<FireAnswer>;
}

/** What a caller knows after a call. */
export type FireAnswer =
  /** It took effect. */
  // deno-lint-ignore no-explicit-any -- tests look into answers freely
  | { readonly kind: "done"; readonly outcome: string; readonly data: any }
  /** It did not, and the server says so. */
  | { readonly kind: "refused"; readonly outcome: string }
  /** It may have. */
  | { readonly kind: "unknown"; readonly outcome: string };

const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/writes a minute to/, "rate_limited"],
  [/10000 is the most it may/, "row_cap"],
  [/25 is the most it may/, "collection_cap"],
  [/nothing was (read or written|changed)/, "not_done"],
];

/**
 * Makes a home and its database, and registers a session. `others` are further
 * roots of its catalog.
 */
export async function openFireHome(
  others: Readonly<Record<string, unknown>> = {},
): Promise<FireHome> {
  const stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const catalog = `${folder}/roots.json`;
  const names = Array.from({ length: COLLECTIONS }, (_, n) => `c${n}`);
  await Deno.writeTextFile(
    catalog,
    JSON.stringify({
      [ROOT]: { name: ROOT, data_collections: names },
      ...others,
    }),
  );
  const { home, env } = stack.use(
    await openHome({ CATALOG: catalog, LOG_LEVEL: "error" }),
  );
  const cluster = stack.use(await openCluster({ home }));
  const db = openPool(cluster.target, {
    applicationName: cluster.applicationName,
    recover: () => cluster.ensureRunning(),
  });
  stack.defer(() => db.close());
  // The schema is made by the program itself.
  await using first = await startServer(env);
  await first.stop();
  const { token } = await startSession(db, { agentRootKey: ROOT });
  return {
    home,
    env,
    token: String(token),
    db,
    async postmaster() {
      const { pid } = await clusterStatus(home);
      if (pid === undefined) throw new Error("PostgreSQL does not run");
      return pid;
    },
    async serve() {
      const server = await startServer(env);
      return {
        ...server,
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
        call: (tool, args) => call(server.url, String(token), tool, args),
      };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function call(
  url: string,
  token: string,
  tool: string,
  args: unknown,
): Promise<FireAnswer> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${url}?tool_groups=root_data`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: tool, arguments: args },
      }),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    return { kind: "unknown", outcome: String(error) };
  }
  // The credential could not be looked up: no tool ran.
  if (status === 503) return { kind: "refused", outcome: "not_done" };
  const { result } = JSON.parse(text);
  if (result === undefined) throw new Error(`${status}: ${text}`);
  if (result.isError !== true) {
    const data = result.structuredContent;
    return { kind: "done", outcome: data.result ?? "read", data };
  }
  const message: string = result.content[0].text;
  if (/may or may not/.test(message)) {
    return { kind: "unknown", outcome: "unknown" };
  }
  const known = REFUSALS.find(([pattern]) => pattern.test(message));
  return { kind: "refused", outcome: known?.[1] ?? message };
}
