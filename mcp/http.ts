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
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { type Authenticate, createAuthenticate } from "./auth.ts";
import { readBody } from "./body.ts";
import type { Connection } from "./connection.ts";
import { connectionOf } from "./caller_connection.ts";
import { toCallerText } from "./errors.ts";
import { exchange } from "./exchange.ts";
import {
  HTTP_REFUSAL,
  idOf,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  messageFault,
  PARSE_ERROR,
  rpcError,
} from "./rpc.ts";
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
  /** Answers one request; never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Refuses new requests with 503, and resolves when none is under way. */
  drain(): Promise<void>;
}

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
export async function createHttpHandler(
  services: Services,
  options: HttpOptions,
): Promise<HttpHandler> {
  const authenticate = await createAuthenticate(
    options.apiKeys,
    services.store,
  );
  const answerMcp = createMcpRoute(services);
  const warned = new Set<string>();
  const app = new Hono();

  app.use(async (c, next) => {
    const refused = refuseForeign(c, options);
    if (refused !== undefined) return refused;
    return await next();
  });
  app.use(cors({
    origin: (origin) => isAllowedOrigin(origin, options) ? origin : null,
    allowMethods: ["POST", "OPTIONS"],
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: ["www-authenticate"],
    maxAge: 600,
  }));
  app.get("/up", (c) => c.json({ status: "ok", version: VERSION }));
  app.all("/mcp", async (c) => {
    const connection = await admit(c, authenticate);
    if (connection instanceof Response) return connection;
    warnOfUnknownGroups(connection, services, warned);
    return await answerMcp(c.req.raw, connection);
  });
  app.notFound((c) =>
    refuse(c, 404, "not_found", "There is nothing here; MCP is at POST /mcp")
  );
  app.onError((error, c) => {
    const text = toCallerText(error, services.log);
    return refuse(c, 503, "unavailable", text);
  });
  return withDraining((request) => Promise.resolve(app.fetch(request)));
}

/** Answers the protocol on one POST, in both eras. */
function createMcpRoute(
  services: Services,
): (request: Request, connection: Connection) => Promise<Response> {
  const modern = createMcpHandler(
    ({ authInfo }) =>
      createServer(services, authInfo?.extra?.connection as Connection),
    {
      legacy: "reject",
      onerror: (error) => services.log.debug("mcp_refused", { error }),
    },
  );
  return async (request, connection) => {
    if (request.method !== "POST") {
      return Response.json(
        rpcError(HTTP_REFUSAL, "Method not allowed: POST one message to /mcp"),
        { status: 405, headers: { allow: "POST" } },
      );
    }
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return rpcResponse(
        415,
        HTTP_REFUSAL,
        "Content-Type must be application/json",
      );
    }
    const body = await readBody(request);
    if (body.kind === "too_large") {
      return rpcResponse(413, HTTP_REFUSAL, "The body is larger than 4 MiB");
    }
    if (body.kind === "too_deep") {
      return rpcResponse(
        400,
        INVALID_REQUEST,
        "The message is nested deeper than 64 levels",
      );
    }
    if (body.kind === "malformed") {
      return rpcResponse(
        400,
        PARSE_ERROR,
        "The body is not valid JSON in UTF-8",
      );
    }
    const fault = messageFault(body.value);
    if (fault !== undefined) {
      return rpcResponse(400, INVALID_REQUEST, fault, idOf(body.value));
    }
    const message = body.value as JSONRPCMessage;
    if (await isLegacyRequest(request, message)) {
      return await answerLegacy(request, message, connection, services);
    }
    const response = await modern.fetch(request, {
      parsedBody: message,
      authInfo: { token: "", clientId: "", scopes: [], extra: { connection } },
    });
    return response.ok ? response : await withoutNullId(response);
  };
}

async function answerLegacy(
  request: Request,
  message: JSONRPCMessage,
  connection: Connection,
  services: Services,
): Promise<Response> {
  const version = request.headers.get("mcp-protocol-version");
  const isHandshake = "method" in message && message.method === "initialize";
  if (
    version !== null && !isHandshake &&
    !SUPPORTED_PROTOCOL_VERSIONS.includes(version)
  ) {
    return rpcResponse(
      400,
      HTTP_REFUSAL,
      `Unsupported MCP-Protocol-Version; supported: ${
        SUPPORTED_PROTOCOL_VERSIONS.join(", ")
      }`,
      idOf(message),
    );
  }
  try {
    const answer = await exchange(createServer(services, connection), message);
    return answer === undefined
      ? new Response(null, { status: 202 })
      : Response.json(answer);
  } catch (error) {
    const text = toCallerText(error, services.log);
    return rpcResponse(500, INTERNAL_ERROR, text, idOf(message));
  }
}

/** The connection of a request whose credential is good, or the refusal. */
async function admit(
  c: Context,
  authenticate: Authenticate,
): Promise<Connection | Response> {
  const caller = await authenticate(c.req.raw.headers);
  if (caller === undefined) {
    await c.req.raw.body?.cancel();
    c.header("WWW-Authenticate", 'Bearer realm="rootcellar"');
    return refuse(
      c,
      401,
      "unauthorized",
      "A valid API key (X-API-Key or Authorization: Bearer) or session token (Authorization: Bearer rcs_…) is required",
    );
  }
  const connection = connectionOf(caller, new URL(c.req.url).searchParams);
  if (typeof connection !== "string") return connection;
  await c.req.raw.body?.cancel();
  return refuse(c, 403, "forbidden", connection);
}

function refuseForeign(c: Context, options: HttpOptions): Response | undefined {
  const { allowedHosts } = options;
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
  status: 401 | 403 | 404 | 503,
  error: string,
  message: string,
): Response {
  return c.json({ error, message, messages: [message] }, status);
}

function rpcResponse(
  status: number,
  code: number,
  message: string,
  id?: string | number,
): Response {
  return Response.json(rpcError(code, message, id), { status });
}

async function withoutNullId(response: Response): Promise<Response> {
  const body = await response.json();
  if (body.id === null) delete body.id;
  const { status, headers } = response;
  const kept = new Headers(headers);
  kept.delete("content-length");
  return Response.json(body, { status, headers: kept });
}

function withDraining(
  answer: (request: Request) => Promise<Response>,
): HttpHandler {
  const drained = Promise.withResolvers<void>();
  let underWay = 0;
  let isDraining = false;
  return {
    async fetch(request) {
      if (isDraining) {
        return Response.json({
          error: "unavailable",
          message: "The server is stopping; try again shortly",
          messages: ["The server is stopping; try again shortly"],
        }, { status: 503, headers: { "retry-after": "2" } });
      }
      underWay++;
      try {
        return await answer(request);
      } finally {
        underWay--;
        if (isDraining && underWay === 0) drained.resolve();
      }
    },
    drain() {
      isDraining = true;
      if (underWay === 0) drained.resolve();
      return drained.promise;
    },
  };
}
