/**
 * REST under `/api/v1`: the same keys and services as the tools.
 *
 * Order of a request: credential, method, arguments, then the route. Whatever
 * goes wrong is answered with the one error envelope.
 *
 * @module
 */
import type { Context } from "hono";
import type { Connection } from "../caller/connection.ts";
import { connectionOf } from "../caller/caller_connection.ts";
import { noteChanges } from "../noted_store.ts";
import { credentialOf } from "../http/auth.ts";
import { refuse, refuseError } from "../http/envelope.ts";
import {
  type App,
  type Gate,
  identify,
  originOf,
  refuseButOperators,
  refuseSession,
  type RequestFacts,
} from "../http/gate.ts";
import { readArguments } from "./arguments.ts";
import { BACKLOG_ROUTES } from "./backlog_routes.ts";
import { COST_ROUTES } from "./cost_routes.ts";
import { ELICITATION_ROUTES } from "./fleet/elicitation_routes.ts";
import type { LiveParts } from "./fleet/follow.ts";
import { FLEET_ROUTES } from "./fleet/fleet_routes.ts";
import { GATE_ROUTES } from "./gate_routes.ts";
import { HEALTH_ROUTES } from "./health_routes.ts";
import { describeApi } from "./openapi.ts";
import { ROOT_DATA_ROUTES } from "./root_data_routes.ts";
import {
  type DescribedRoute,
  pathNames,
  PREFIX,
  type RestCall,
  type RestRoute,
} from "./route.ts";
import { RUNNER_ROUTES } from "./runner_routes.ts";
import { SESSION_ROUTES } from "./session_routes.ts";
import { SYSTEM_ROUTES } from "./system_routes.ts";
import { PUSH_ROUTES } from "./push_routes.ts";
import { TRIGGER_ROUTES } from "./trigger_routes.ts";
import { TRANSCRIPT_ROUTES } from "./transcript_routes.ts";

/** All routes, in the order of the document. */
export const REST_ROUTES: readonly RestRoute[] = [
  ...SYSTEM_ROUTES,
  ...SESSION_ROUTES,
  ...TRANSCRIPT_ROUTES,
  ...FLEET_ROUTES,
  ...ELICITATION_ROUTES,
  ...ROOT_DATA_ROUTES,
  ...GATE_ROUTES,
  ...BACKLOG_ROUTES,
  ...TRIGGER_ROUTES,
  ...PUSH_ROUTES,
  ...COST_ROUTES,
  ...HEALTH_ROUTES,
];

/** All that the document describes: those, and the protocol of runners. */
export const DESCRIBED_ROUTES: readonly DescribedRoute[] = [
  ...REST_ROUTES,
  ...RUNNER_ROUTES,
];

/** Mounts the routes. */
export function mountRest(app: App, gate: Gate, live: LiveParts): void {
  const paths = new Set(REST_ROUTES.map(({ path }) => path));
  for (const path of paths) {
    const routes = REST_ROUTES.filter((route) => route.path === path);
    app.all(
      `${PREFIX}${path.replaceAll(/\{([a-z_]+)\}/g, ":$1")}`,
      (c) => answer(c, { gate, live }, routes),
    );
  }
  const document = describeApi(DESCRIBED_ROUTES);
  app.all(
    `${PREFIX}/openapi.json`,
    async (c) =>
      await refuseButOperators(c, gate, "This interface") ??
        (isRead(c.req.method) ? c.json(document) : refuseMethod(c, ["GET"])),
  );
}

async function answer(
  c: Context<RequestFacts>,
  { gate, live }: { readonly gate: Gate; readonly live: LiveParts },
  routes: readonly RestRoute[],
): Promise<Response> {
  const { method } = c.req;
  const route = routes.find((one) =>
    one.method === (isRead(method) ? "GET" : method)
  );
  const caller = await identify(c, gate);
  if (caller instanceof Response) return caller;
  if (route?.isForSessions !== true) {
    const refused = refuseSession(c, caller, "This interface");
    if (refused !== undefined) return refused;
  }
  if (route === undefined) {
    return refuseMethod(c, routes.map((one) => one.method));
  }
  c.header("Cache-Control", "no-store");
  const { services } = gate;
  const noted = isRead(method) ? undefined : noteChanges(services.store);
  try {
    const read = await readArguments(route, c.req.raw, {
      path: pathOf(c, route),
      bodyLimitMs: gate.bodyLimitMs,
    });
    if ("refusal" in read) {
      const { status, error, message } = read.refusal;
      return refuse(c, status, error, message);
    }
    // The query is the route's arguments, and scopes nothing.
    const connection = connectionOf(caller, new URLSearchParams());
    if (typeof connection === "string") throw new TypeError(connection);
    const value = await route.run(
      {
        ...callOf(c, connection),
        services: noted === undefined
          ? services
          : { ...services, store: noted.store },
        live,
      },
      read.args,
    );
    if (value instanceof Response) return value;
    if (value instanceof ReadableStream) {
      c.header("Content-Type", route.media ?? "application/octet-stream");
      return c.body(value);
    }
    return c.json(value, route.status ?? 200);
  } catch (error) {
    return refuseError(c, error, services.log, {
      hasChanged: noted?.hasChanged(),
    });
  }
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function refuseMethod(c: Context, methods: readonly string[]): Response {
  const allowed = methods.flatMap((name) =>
    name === "GET" ? ["GET", "HEAD"] : [name]
  ).join(", ");
  c.header("Allow", allowed);
  return refuse(
    c,
    405,
    "method_not_allowed",
    `Method not allowed here; allowed: ${allowed}`,
  );
}

function pathOf(c: Context, route: RestRoute): Record<string, string> {
  return Object.fromEntries(
    pathNames(route.path).map((name) => [name, c.req.param(name) ?? ""]),
  );
}

function callOf(
  c: Context<RequestFacts>,
  connection: Connection,
): Omit<RestCall, "live" | "services"> {
  return {
    origin: originOf(c),
    signal: c.req.raw.signal,
    lastEventId: c.req.header("last-event-id"),
    key: credentialOf(c.req.raw.headers) ?? "",
    connection,
  };
}
