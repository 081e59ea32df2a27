/**
 * One of the servers that the HTTP benchmark compares, in a process of its
 * own: `http_server.ts NAME TARGET`. Prints its port.
 *
 * @module
 */
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
} from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { openCatalog } from "../../catalog/mod.ts";
import { createHttpHandler } from "../../mcp/http.ts";
import { createLog } from "../../mcp/mod.ts";
import { rememberSessionRoots } from "../../mcp/caller/session_roots.ts";
import { TOOLS } from "../../mcp/tools/registry.ts";
import type { DatabaseTarget } from "../../store/pg/db.ts";
import type { Store } from "../../store/mod.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { GET_STATEMENT } from "./records.ts";
import { bareOn } from "./stage.ts";

type Fetch = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Response | Promise<Response>;

/** Connections to the database, as the product has by default. */
const POOL = 5;

/** What a connection of the compared call sees. */
const ROOT_DATA = TOOLS.filter(({ group }) => group === "root_data");
/** The called tool alone. */
const CALLED = TOOLS.filter(({ name }) => name === "list_root_collections");

/** The least that HTTP costs: parse a body, answer one of the same size. */
function bareHono(): Fetch {
  const app = new Hono();
  app.post("/mcp", async (c) => {
    const { id } = await c.req.json();
    return c.json({
      jsonrpc: "2.0",
      id,
      result: { content: [{ type: "text", text: "x".repeat(300) }] },
    });
  });
  return (request) => app.fetch(request);
}

/** What one gets by following the SDK's first example. */
function plainServer(
  tools: typeof TOOLS,
  schemaOf = (tool: typeof TOOLS[number]) =>
    fromJsonSchema({ ...tool.input } as never),
): Fetch {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "plain", version: "0" });
    for (const tool of tools) {
      server.registerTool(tool.name, {
        title: tool.title,
        description: String(tool.description),
        inputSchema: schemaOf(tool),
      }, () => ({ content: [{ type: "text", text: "x".repeat(300) }] }));
    }
    return server;
  });
  return (request) => handler.fetch(request);
}

/** The least that a get costs: parse a body, run its statement, answer. */
function honoWithStatement(target: DatabaseTarget): Fetch {
  const sql = bareOn(target, POOL);
  const app = new Hono();
  app.post("/mcp", async (c) => {
    const { id, params: { arguments: args } } = await c.req.json();
    const [row] = await sql.unsafe(GET_STATEMENT, [
      "http",
      args.collection,
      args.key,
    ], { prepare: true });
    return c.json({ jsonrpc: "2.0", id, result: { record: row } });
  });
  return (request) => app.fetch(request);
}

/** The product; without a target its measured call needs no database. */
function product(target?: DatabaseTarget): Fetch {
  const pool = target === undefined
    ? undefined
    : openPool(target, { max: POOL });
  const store: Store = {
    isEmbedded: false,
    db: () =>
      pool === undefined
        ? Promise.reject(new Error("This server has no database"))
        : Promise.resolve(pool),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const source = Deno.env.get("CATALOG");
  const handler = createHttpHandler({
    catalog: openCatalog(source === undefined ? {} : { source }),
    store,
    sessionRoots: rememberSessionRoots(store),
    requireSessionToken: false,
    log: createLog("info"),
  }, {
    apiKeys: ["bench"],
    allowedHosts: ["127.0.0.1"],
    allowedOrigins: ["127.0.0.1"],
  });
  return (request, { remoteAddr }) =>
    handler.fetch(request, remoteAddr.hostname);
}

function fetchOf(name: string | undefined, target: DatabaseTarget): Fetch {
  switch (name) {
    case "hono":
      return bareHono();
    case "plain":
      return plainServer(ROOT_DATA);
    case "plain-one":
      return plainServer(CALLED);
    case "plain-shared": {
      const schemas = new Map(
        ROOT_DATA.map((
          tool,
        ) => [tool, fromJsonSchema({ ...tool.input } as never)]),
      );
      return plainServer(ROOT_DATA, (tool) => schemas.get(tool) as never);
    }
    case "hono-get":
      return honoWithStatement(target);
    case "ours-get":
      return product(target);
    default:
      return product();
  }
}

const fetch = fetchOf(Deno.args[0], JSON.parse(Deno.args[1] ?? "null"));
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  // deno-lint-ignore no-console -- the parent reads the port
  onListen: ({ port }) => console.log(port),
}, fetch);
