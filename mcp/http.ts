/**
 * The HTTP surface: routes, and the checks in front of them.
 *
 * Order: host and origin, credential, method, size and shape of the body, and
 * only then the protocol. Nothing of a request is read before its credential
 * is known to be good.
 *
 * @module
 */
import {
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import {
  type Authenticate,
  type Caller,
  createAuthenticate,
  credentialOf,
} from "./auth.ts";
import { type Brake, createBrake } from "./brake.ts";
import type { Connection } from "./connection.ts";
import { connectionOf } from "./caller_connection.ts";
import { Draining } from "./draining.ts";
import { toCallerText } from "./errors.ts";
import { readHealth } from "./health.ts";
import { createMcpRoute, type ServerFactory } from "./mcp_route.ts";
import { createServer } from "./server.ts";
import type { Services } from "./tool.ts";
import { VERSION } from "./version.ts";

/** Settings of the HTTP surface. */
export interface HttpOptions {
  /** Keys that open it. Empty: only session tokens get in. */
  readonly apiKeys: readonly string[];
  /** Host names it answers to, without port; `*` answers to all. */
  readonly allowedHosts: readonly string[];
  /** Host names of web pages that may call it; `*` admits all. */
  readonly allowedOrigins: readonly string[];
}

/** Answers HTTP requests. */
export interface HttpHandler {
  /**
   * Answers one request; never rejects. `address` is the client's, without
   * port; without one, wrong credentials are not braked.
   */
  fetch(request: Request, address?: string): Promise<Response>;
  /** Refuses new requests with 503, and resolves when none is under way. */
  drain(): Promise<void>;
}

interface RequestFacts {
  readonly Bindings: { readonly address: string | undefined };
}

const HOST_REGEXP = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?$/i;
const ALLOWED_HEADERS = [
  "accept",
  "authorization",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "x-api-key",
];

/** Builds the handler of all routes. */
export function createHttpHandler(
  services: Services,
  options: HttpOptions,
): HttpHandler {
  return createHttpHandlerOf(createServer, services, options);
}

/** The same around another protocol server than the product's. */
export function createHttpHandlerOf(
  makeServer: ServerFactory,
  services: Services,
  options: HttpOptions,
): HttpHandler {
  const authenticate = createAuthenticate(
    options.apiKeys,
    services.store,
  );
  const answerMcp = createMcpRoute(services, makeServer);
  const gate = { authenticate, brake: createBrake(), services };
  const warned = new Set<string>();
  const app = new Hono<RequestFacts>();

  app.use(async (c, next) => {
    const refused = refuseForeign(c, options);
    if (refused !== undefined) return refused;
    return await next();
  });
  app.use(cors({
    origin: (origin) => isAllowedOrigin(origin, options) ? origin : null,
    allowMethods: ["POST", "OPTIONS"],
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: ["www-authenticate", "retry-after"],
    maxAge: 600,
  }));
  app.get("/up", (c) => c.json({ status: "ok", version: VERSION }));
  app.all("/mcp", async (c) => {
    const connection = await admit(c, gate);
    if (connection instanceof Response) return connection;
    warnOfUnknownGroups(connection, services, warned);
    return await answerMcp(c.req.raw, connection);
  });
  app.get("/api/v1/health", async (c) => {
    const caller = await identify(c, gate);
    if (caller instanceof Response) return caller;
    if (caller.kind === "key") return c.json(await readHealth(services));
    return refuse(
      c,
      403,
      "forbidden",
      "The health report is for operators: a session's token does not open it, an API key does",
    );
  });
  app.notFound((c) =>
    refuse(c, 404, "not_found", "There is nothing here; MCP is at POST /mcp")
  );
  app.onError((error, c) => {
    const text = toCallerText(error, services.log);
    return refuse(c, 503, "unavailable", text);
  });
  return withDraining((request, address) =>
    Promise.resolve(app.fetch(request, { address }))
  );
}

interface Gate {
  readonly authenticate: Authenticate;
  readonly brake: Brake;
  readonly services: Services;
}

/** Who sent a request whose credential is good, or the refusal. */
async function identify(
  c: Context<RequestFacts>,
  { authenticate, brake, services }: Gate,
): Promise<Caller | Response> {
  const { address } = c.env;
  const braked = () =>
    address === undefined ? undefined : brake.waitOf(address);
  let wait = braked();
  if (wait !== undefined) return refuseBraked(c, wait);
  const { headers } = c.req.raw;
  const caller = await authenticate(headers);
  // Requests that came in together may have closed the window meanwhile.
  wait = braked();
  if (wait !== undefined) return refuseBraked(c, wait);
  if (caller === undefined) {
    const isGuess = credentialOf(headers) !== undefined;
    if (isGuess && address !== undefined && brake.fail(address)) {
      services.log.warn("credentials_braked", { address });
    }
    c.header("WWW-Authenticate", 'Bearer realm="rootcellar"');
    return refuse(
      c,
      401,
      "unauthorized",
      "A valid API key (X-API-Key or Authorization: Bearer) or session token (Authorization: Bearer rcs_…) is required",
    );
  }
  return caller;
}

/** The connection of a request whose credential is good, or the refusal. */
async function admit(
  c: Context<RequestFacts>,
  gate: Gate,
): Promise<Connection | Response> {
  const caller = await identify(c, gate);
  if (caller instanceof Response) return caller;
  const connection = connectionOf(caller, new URL(c.req.url).searchParams);
  if (typeof connection !== "string") return connection;
  return refuse(c, 403, "forbidden", connection);
}

function refuseBraked(c: Context, seconds: number): Response {
  c.header("Retry-After", String(seconds));
  return refuse(
    c,
    429,
    "too_many_failures",
    `Too many wrong credentials came from this address; it may try again in ${seconds} s. Clients behind one proxy share its address`,
  );
}

function refuseForeign(c: Context, options: HttpOptions): Response | undefined {
  const { allowedHosts } = options;
  // The URL of a request is made of this header: with a path in it, it would
  // say where the request goes and what its query is.
  if (!HOST_REGEXP.test(c.req.header("host") ?? "")) {
    return refuse(
      c,
      400,
      "bad_host",
      "The Host header must be a host name or address, with or without a port",
    );
  }
  if (!allowedHosts.includes("*")) {
    const host = validateHostHeader(c.req.header("host"), [...allowedHosts]);
    if (!host.ok) {
      return refuse(
        c,
        403,
        "forbidden_host",
        "This server does not answer to that host name; add it to ALLOWED_HOSTS",
      );
    }
  }
  const origin = c.req.header("origin");
  if (origin === undefined || isAllowedOrigin(origin, options)) {
    return undefined;
  }
  return refuse(
    c,
    403,
    "forbidden_origin",
    "Pages of that origin may not call this server; add its host name to ALLOWED_ORIGINS",
  );
}

function isAllowedOrigin(
  origin: string,
  { allowedOrigins }: HttpOptions,
): boolean {
  return allowedOrigins.includes("*") ||
    validateOriginHeader(origin, [...allowedOrigins]).ok;
}

function warnOfUnknownGroups(
  { unknownGroups }: Connection,
  { log }: Services,
  warned: Set<string>,
): void {
  const names = unknownGroups.join(",").slice(0, 200);
  // Every request repeats the connection's URL; one warning is enough.
  if (names === "" || warned.has(names) || warned.size > 1_000) return;
  warned.add(names);
  log.warn("unknown_tool_groups", { names });
}

/** The error envelope of everything that is not MCP. */
function refuse(
  c: Context,
  status: 400 | 401 | 403 | 404 | 429 | 503,
  error: string,
  message: string,
): Response {
  return c.json({ error, message, messages: [message] }, status);
}

/** A refusal leaves the body unread: it must not be held until it arrives. */
async function dropUnread(request: Request): Promise<void> {
  if (request.bodyUsed || request.body === null || request.body.locked) return;
  await request.body.cancel().catch(() => {}); // The client may have gone.
}

/**
 * Ends a client's connection with its answer. A stopping server closes those
 * that are idle, and a request that is on its way there would get no answer.
 */
const HANG_UP = { connection: "close" };

function withDraining(
  answer: HttpHandler["fetch"],
): HttpHandler {
  const draining = new Draining();
  return {
    async fetch(request, address) {
      if (draining.hasBegun) {
        return Response.json({
          error: "unavailable",
          message: "The server is stopping; try again shortly",
          messages: ["The server is stopping; try again shortly"],
        }, { status: 503, headers: { "retry-after": "2", ...HANG_UP } });
      }
      const response = await draining.count(
        () => answer(request, address),
        () => dropUnread(request),
      );
      if (!draining.hasBegun) return response;
      const headers = { ...Object.fromEntries(response.headers), ...HANG_UP };
      return new Response(response.body, { status: response.status, headers });
    },
    drain: () => draining.begin(),
  };
}
