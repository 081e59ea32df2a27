/**
 * The HTTP surface: routes, and the checks in front of them.
 *
 * Order: host and origin, credential, method, size and shape of the body, and
 * only then the protocol. Each group of routes mounts itself.
 *
 * @module
 */
import { Hono } from "hono";
import { cors } from "hono/cors";
import { routePath } from "hono/route";
import type { Connection } from "./caller/connection.ts";
import { Draining } from "./http/draining.ts";
import { envelopeOf, REFUSAL, refuse, refuseError } from "./http/envelope.ts";
import {
  admit,
  createGate,
  type HttpOptions,
  isAllowedOrigin,
  originOf,
  refuseForeignHost,
  refuseForeignOrigin,
  type RequestFacts,
} from "./http/gate.ts";
import { mountOauthProbes } from "./http/oauth_probes.ts";
import { answerDirectly } from "./protocol/direct_call.ts";
import {
  createMcpRoute,
  type DirectAnswer,
  type ServerFactory,
} from "./protocol/mcp_route.ts";
import type { Metrics } from "./watch/metrics.ts";
import { EventStreams } from "./pages/live/event_streams.ts";
import { mountPages } from "./pages/mount.ts";
import { isProbe, mountMetrics, mountProbes } from "./watch/probes.ts";
import { createMetrics } from "./watch/prometheus.ts";
import { openTurns, SessionWatch } from "../fleet/mod.ts";
import { noteMcpCall } from "../store/turns/mod.ts";
import { mountHooks } from "./http/hooks.ts";
import { mountRest } from "./rest/routes.ts";
import { mountRunner } from "./rest/runner_routes.ts";
import { createServer } from "./protocol/server.ts";
import type { Services } from "./services.ts";

export type { HttpOptions } from "./http/gate.ts";

/** Answers HTTP requests. */
export interface HttpHandler {
  /**
   * Answers one request; never rejects. `address` is the client's, without
   * port; without one, wrong credentials are not braked.
   */
  fetch(request: Request, address?: string): Promise<Response>;
  /** Refuses new requests with 503, and resolves when none is under way. */
  drain(): Promise<void>;
  /** For what runs beside it and is to be counted. */
  readonly metrics: Metrics;
}

/** The pattern of what runs before every route. */
const ANY_ROUTE = "/*";
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
  return createHttpHandlerOf(createServer, services, options, answerDirectly);
}

/**
 * The same around another protocol server than the product's, which each call
 * goes to where there is no `answer` without one.
 */
export function createHttpHandlerOf(
  makeServer: ServerFactory,
  given: Services,
  options: HttpOptions,
  answer?: DirectAnswer,
): HttpHandler {
  const metrics = createMetrics(given);
  const services: Services = { ...given, metrics };
  const gate = createGate(services, options);
  const answerMcp = createMcpRoute(services, makeServer, {
    ...gate,
    answer,
  });
  const warned = new Set<string>();
  // A trailing slash changes nothing: some clients add one.
  const app = new Hono<RequestFacts>({ strict: false });

  app.use(async (c, next) => {
    const began = performance.now();
    await next();
    const route = routePath(c, -1);
    metrics.requestAnswered({
      route: route === ANY_ROUTE ? undefined : route,
      method: c.req.method,
      status: c.res.status,
      seconds: (performance.now() - began) / 1_000,
      refusal: c.get(REFUSAL),
    });
  });
  app.use(async (c, next) => {
    await next();
    if (c.req.method !== "HEAD" || c.res.body === null) return;
    // Nobody reads the body of a HEAD: a stream would never be ended.
    await c.res.body.cancel();
    c.res = new Response(null, c.res);
  });
  app.use(async (c, next) =>
    // Balancers and supervisors ask by address, whatever names it is open to.
    (isProbe(c) ? undefined : refuseForeignHost(c, options)) ?? await next()
  );
  // They take forms from themselves only, whatever origins may call the rest.
  const streams = new EventStreams();
  mountPages(app, gate, options.apiKeys, { streams });
  app.use(async (c, next) => refuseForeignOrigin(c, options) ?? await next());
  app.use(cors({
    origin: (origin) => isAllowedOrigin(origin, options) ? origin : null,
    allowMethods: ["GET", "POST", "OPTIONS"],
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: ["www-authenticate", "retry-after"],
    maxAge: 600,
  }));
  mountProbes(app, gate, (c) => refuseForeignHost(c, options) === undefined);
  mountMetrics(app, gate, metrics);
  mountOauthProbes(app);
  app.all("/mcp", async (c) => {
    const connection = await admit(c, gate);
    if (connection instanceof Response) return connection;
    const { unheardTurn } = connection;
    if (unheardTurn !== undefined) {
      // Its runner says so in the transcript when no agent gets this far.
      await noteMcpCall(await services.store.db(), unheardTurn);
    }
    warnOfUnknownGroups(connection, services, warned);
    return await answerMcp(c.req.raw, { ...connection, origin: originOf(c) });
  });
  mountRest(app, gate, { streams, watch: new SessionWatch(services.store) });
  mountHooks(app, gate);
  mountRunner(
    app,
    gate,
    openTurns({ ...services, durations: options.turnDurations }),
  );
  app.notFound((c) =>
    refuse(
      c,
      404,
      "not_found",
      "There is nothing here; MCP is at POST /mcp, and GET /api/v1/openapi.json describes the rest",
    )
  );
  app.onError((error, c) => refuseError(c, error, services.log));
  return withDraining(
    (request, address) => Promise.resolve(app.fetch(request, { address })),
    { metrics, streams },
  );
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
  { metrics, streams }: {
    readonly metrics: Metrics;
    readonly streams: EventStreams;
  },
): HttpHandler {
  const draining = new Draining();
  return {
    metrics,
    async fetch(request, address) {
      if (draining.hasBegun) {
        metrics.requestAnswered({
          route: undefined,
          method: request.method,
          status: 503,
          seconds: 0,
          refusal: "stopping",
        });
        return Response.json(
          envelopeOf(
            "unavailable",
            "The server is stopping; try again shortly",
          ),
          { status: 503, headers: { "retry-after": "2", ...HANG_UP } },
        );
      }
      const response = await draining.count(
        () => answer(request, address),
        () => dropUnread(request),
      );
      if (!draining.hasBegun) return response;
      const headers = new Headers(response.headers);
      headers.set("connection", HANG_UP.connection);
      return new Response(response.body, { status: response.status, headers });
    },
    drain() {
      // A stream would go on for as long as its client listens.
      streams.close();
      return draining.begin();
    },
  };
}
