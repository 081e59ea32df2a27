/**
 * The pages on a port with a browser in front of them, and what can go wrong
 * behind them.
 *
 * @module
 */
import { openMemoryService } from "../../cli/app/memory.ts";
import { createLog } from "../../mcp/log.ts";
import type { MemoryHealth } from "../../mcp/memory.ts";
import type { Store } from "../../store/mod.ts";
import type { Db } from "../../store/pg/mod.ts";
import type { Browser, Look, Visitor } from "./browser.ts";
import {
  type EndpointOptions,
  NO_CORTEX,
  openEndpoint,
  type TestEndpoint,
} from "./endpoint.ts";
import { signIn } from "./pages.ts";
import { openTestDb } from "./test_db.ts";

/** Memory that has nothing to say. */
export const HEALTHY_MEMORY: MemoryHealth = {
  state: "healthy",
  wire: "direct",
  service: "local",
  layout: "v3",
  root: "org:rootcellar",
  message: null,
};

/** A server and its database. */
export interface ServedSite extends AsyncDisposable {
  /** Where the pages are, without path. */
  readonly origin: string;
  readonly endpoint: TestEndpoint;
  readonly db: Db;
  /** What the memory engine says of itself. */
  memory: MemoryHealth;
  /** Whether the server cannot reach its database. */
  isDatabaseGone: boolean;
}

/** The same with a browser in front of it. */
export interface Site extends ServedSite {
  /** Opens a window without a sign-in. */
  visit(look?: Look): Promise<Visitor>;
  /** Opens a window that is signed in. */
  visitSignedIn(look?: Look, key?: string): Promise<Visitor>;
}

/** Opens a server and its database, to be looked at with a browser. */
export async function openSite(
  browser: Browser,
  options: EndpointOptions = {},
): Promise<Site> {
  const site = await serveSite(options);
  const visit = (look?: Look) => browser.visit(site.origin, look);
  return Object.assign(site, {
    visit,
    async visitSignedIn(look?: Look, key?: string) {
      const visitor = await visit(look);
      await visitor.setCookie(site.origin, await signIn(site.endpoint, key));
      return visitor;
    },
  });
}

/** Opens a server and its database. */
export async function serveSite(
  options: EndpointOptions = {},
): Promise<ServedSite> {
  const stack = new AsyncDisposableStack();
  const { db } = stack.use(await openTestDb());
  const state = { memory: HEALTHY_MEMORY, isDatabaseGone: false };
  const store: Store = {
    isEmbedded: false,
    db: () =>
      state.isDatabaseGone
        ? Promise.reject(new Error("There is no database"))
        : Promise.resolve(db),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const { engine } = openMemoryService(NO_CORTEX, {
    store,
    log: createLog("error", () => {}),
  });
  const endpoint = stack.use(
    await openEndpoint({
      ...options,
      allowedHosts: ["127.0.0.1", "localhost"],
      memory: { engine, health: () => Promise.resolve(state.memory) },
      store,
    }),
  );
  const server = stack.use(Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, { remoteAddr }) =>
      endpoint.handler.fetch(request, remoteAddr.hostname),
  ));
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return Object.assign(state, {
    origin,
    endpoint,
    db,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  });
}
