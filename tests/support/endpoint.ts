/**
 * The whole endpoint on a database and catalog of its own, called without a
 * port.
 *
 * @module
 */
import { openCatalog } from "../../catalog/mod.ts";
import type { MemoryService } from "../../mcp/memory.ts";
import { type CortexConfig, settingsOf } from "../../cli/settings/config.ts";
import { readSettings } from "../../cli/settings/read_config.ts";
import { openMemoryService } from "../../cli/app/memory.ts";
import {
  createHttpHandler,
  type HttpHandler,
  type HttpOptions,
} from "../../mcp/http.ts";
import { createLog } from "../../mcp/log.ts";
import { rememberSessionRoots } from "../../mcp/caller/session_roots.ts";
import type { Services } from "../../mcp/services.ts";
import type { Store } from "../../store/mod.ts";
import { assertAnnounced } from "./answers.ts";
import { openTestDb, type TestDb } from "./test_db.ts";

/** The key that opens the endpoint. */
export const API_KEY = "test-key";

/** A catalog with roots for most needs. */
export const ROOTS: Readonly<Record<string, unknown>> = {
  gardener: {
    name: "gardener",
    url: "https://example.org/shared.git",
    data_collections: {
      notes: {
        description: "Notes",
        schema: { type: "object", required: ["title"] },
      },
      runs: { retention_days: 30 },
      free: {},
    },
  },
  librarian: {
    name: "librarian",
    url: "https://example.org/shared.git",
    data_collections: ["books", "free"],
  },
  shed: {
    name: "shed",
    data_namespace: "gardener",
    data_collections: ["free"],
  },
  bare: { name: "bare" },
};

/** Nothing is set: the local CortexDB, the legacy layout. */
export const NO_CORTEX: CortexConfig = readSettings(
  settingsOf("cortex", "layout"),
  { flags: {}, env: () => undefined, os: "linux", uid: 0 },
).config;

/** Settings of a test endpoint. */
export interface EndpointOptions extends Partial<HttpOptions> {
  readonly roots?: Readonly<Record<string, unknown>>;
  /** Text of the catalog's file, in the place of roots. */
  readonly rootsText?: string;
  /** The catalog, in the place of a file of it. */
  readonly catalog?: Services["catalog"];
  readonly aliases?: Readonly<Record<string, string>>;
  readonly requireSessionToken?: boolean;
  /** Replaces the database. */
  readonly store?: Store;
  /** Replaces memory. */
  readonly memory?: MemoryService;
  /** Channels on which people are listened to. */
  readonly humanChannels?: Services["humanChannels"];
  /** The file of people. */
  readonly usersFile?: string;
  /** How long things take around sessions. */
  readonly durations?: Services["durations"];
  /** The agent of sessions whose root names none. */
  readonly defaultRuntime?: string;
  /** Settings of memory. */
  readonly cortex?: Partial<CortexConfig>;
  /** Clones no database of its own but works on this one. */
  readonly test?: TestDb;
}

/** A tool result, read. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- tests look into results freely
  readonly data: any;
}

/** An endpoint under test. */
export interface TestEndpoint extends AsyncDisposable {
  readonly test: TestDb;
  readonly services: Services;
  /** For requests of a real port. */
  readonly handler: HttpHandler;
  /** Where the catalog's file lies. */
  readonly folder: string;
  /** Lines of the log. */
  readonly logged: readonly string[];
  /** Replaces the catalog's file; the next read sees it. */
  setRoots(roots: unknown): Promise<void>;
  /** The same, with the file's text. */
  setRootsText(text: string): Promise<void>;
  /** Sends one request as it is, from an address where one is given. */
  fetch(path: string, init?: RequestInit, address?: string): Promise<Response>;
  /** Sends one JSON-RPC message with the key. */
  rpc(query: string, message: unknown): Promise<Response>;
  /** Calls a tool; the answer must be a result. */
  call(
    query: string,
    name: string,
    args?: unknown,
    headers?: Record<string, string>,
  ): Promise<ToolAnswer>;
  /** Names of the tools that a query shows. */
  tools(query: string): Promise<string[]>;
}

/** Opens an endpoint. */
export async function openEndpoint(
  options: EndpointOptions = {},
): Promise<TestEndpoint> {
  const stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const path = `${folder}/roots.json`;
  await Deno.writeTextFile(
    path,
    options.rootsText ?? JSON.stringify(options.roots ?? ROOTS),
  );
  const catalog = options.catalog ?? stack.use(openCatalog({
    source: path,
    aliases: options.aliases ?? {},
  }));
  const test = options.test ?? stack.use(await openTestDb());
  const store = options.store ?? {
    isEmbedded: false,
    db: () => Promise.resolve(test.db),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const logged: string[] = [];
  const log = createLog("debug", (line) => logged.push(line));
  const services: Services = {
    catalog,
    store,
    sessionRoots: rememberSessionRoots(store),
    requireSessionToken: options.requireSessionToken ?? false,
    humanChannels: options.humanChannels,
    usersFile: options.usersFile,
    durations: options.durations,
    defaultRuntime: options.defaultRuntime,
    log,
    memory: options.memory ??
      openMemoryService({ ...NO_CORTEX, ...options.cortex }, { store, log }),
  };
  const handler = createHttpHandler(services, {
    apiKeys: options.apiKeys ?? [API_KEY],
    allowedHosts: options.allowedHosts ?? ["localhost"],
    allowedOrigins: options.allowedOrigins ?? ["localhost"],
    ...(options.bodyLimitMs === undefined
      ? {}
      : { bodyLimitMs: options.bodyLimitMs }),
    ...(options.turnDurations === undefined
      ? {}
      : { turnDurations: options.turnDurations }),
  });
  const fetch = (path: string, init?: RequestInit, address?: string) => {
    const headers = new Headers(init?.headers);
    if (!headers.has("host")) headers.set("host", "localhost");
    // As a server makes it: of the header, where that is a host.
    const host = headers.get("host") ?? "";
    const origin = /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`)
      ? `http://${host}`
      : "http://localhost";
    return handler.fetch(
      new Request(`${origin}${path}`, { ...init, headers }),
      address,
    );
  };
  const setRootsText = async (text: string) => {
    await Deno.writeTextFile(path, text);
    await catalog.refresh();
  };
  const post = (
    query: string,
    message: unknown,
    headers: Record<string, string>,
  ) =>
    fetch(`/mcp${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
  return {
    test,
    services,
    handler,
    folder,
    logged,
    fetch,
    setRoots: (roots) => setRootsText(JSON.stringify(roots)),
    setRootsText,
    rpc: (query, message) => post(query, message, { "x-api-key": API_KEY }),
    async call(query, name, args = {}, headers = { "x-api-key": API_KEY }) {
      const response = await post(query, {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      }, headers);
      const body = await response.json();
      if (body.result === undefined) throw new Error(JSON.stringify(body));
      const { content, structuredContent, isError } = body.result;
      if (isError !== true) assertAnnounced(name, structuredContent);
      return {
        isError: isError === true,
        text: content[0].text,
        data: structuredContent,
      };
    },
    async tools(query) {
      const response = await post(query, {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/list",
      }, { "x-api-key": API_KEY });
      const body = await response.json();
      return body.result.tools.map((tool: { name: string }) => tool.name);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Registers a session and returns its query. */
export async function sessionQuery(
  endpoint: TestEndpoint,
  root: string | null,
  groups = "root_data",
): Promise<string> {
  const { startSession } = await import("./sessions.ts");
  const { session } = await startSession(endpoint.test.db, {
    agentRootKey: root,
  });
  return `?tool_groups=${groups}&session_id=${session.id}`;
}
