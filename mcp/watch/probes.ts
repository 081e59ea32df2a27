/**
 * Probes and metrics: what a supervisor asks before it sends anybody here.
 *
 * `/up` looks at this process only. `/up/deep` makes real round trips and
 * writes nothing; whoever may not read details learns which part failed.
 *
 * @module
 */
import type { Context } from "hono";
import { isReadOnly } from "../../store/pg/mod.ts";
import { refuse } from "../http/envelope.ts";
import { toCallerText } from "../errors.ts";
import {
  type App,
  type Gate,
  hasCredential,
  isLocal,
  refuseButOperators,
  type RequestFacts,
} from "../http/gate.ts";
import { readFleet, readMemoryHealth } from "./health.ts";
import type { ReadableMetrics } from "./metrics.ts";
import type { Services } from "../services.ts";
import { VERSION } from "../version.ts";
import { TimeLimitError, withTimeLimit } from "../time_limit.ts";

/** How long a part may take, in milliseconds. */
const PART_LIMIT_MS = 3_000;

/** The database answers, and would refuse every write. */
class NoWritesError extends Error {
  override readonly name = "NoWritesError";
}

/** How a part came out. */
interface Check {
  readonly isOk: boolean;
  /** What there is to say, for operators. */
  readonly detail: string;
}

const PROBES: readonly string[] = ["/up", "/up/deep"];

/** Whether a request asks how the server is. */
export function isProbe(c: Context): boolean {
  return PROBES.includes(c.req.path.replace(/(?<=.)\/$/, ""));
}

/** Mounts the probes, which answer to any host name; details do not. */
export function mountProbes(
  app: App,
  gate: Gate,
  isOwnHost: (c: Context<RequestFacts>) => boolean,
): void {
  const probe = shared(() => checkParts(gate.services));
  app.get("/up", (c) => c.json({ status: "ok", version: VERSION }));
  app.get("/up/deep", async (c) => {
    // Without a credential it opens to load balancers, which have none.
    const mayReadDetails = isOwnHost(c) && (isLocal(c) || hasCredential(c));
    if (mayReadDetails) {
      const refused = await refuseRemote(c, gate, "The detail of this probe");
      if (refused !== undefined) return refused;
    }
    const checks = await probe();
    const failed = Object.keys(checks).filter((name) => !checks[name]?.isOk);
    c.header("Cache-Control", "no-store");
    return c.json({
      status: failed.length === 0 ? "ok" : "failed",
      version: VERSION,
      failed,
      ...(mayReadDetails ? { checks: detailsOf(checks) } : {}),
    }, failed.length === 0 ? 200 : 503);
  });
  onlyRead(app, PROBES);
}

/** Mounts the metrics. */
export function mountMetrics(
  app: App,
  gate: Gate,
  metrics: ReadableMetrics,
): void {
  app.get("/metrics", async (c) => {
    const refused = await refuseRemote(c, gate, "This page of metrics");
    if (refused !== undefined) return refused;
    const { text, contentType } = await metrics.read();
    return c.body(text, 200, {
      "content-type": contentType,
      "cache-control": "no-store",
    });
  });
  onlyRead(app, ["/metrics"]);
}

function onlyRead(app: App, paths: readonly string[]): void {
  for (const path of paths) {
    app.all(path, (c) => {
      c.header("Allow", "GET, HEAD");
      return refuse(
        c,
        405,
        "method_not_allowed",
        `Method not allowed: GET ${path}`,
      );
    });
  }
}

/**
 * Undefined for API keys, and for programs on this machine that bring nothing.
 */
async function refuseRemote(
  c: Context<RequestFacts>,
  gate: Gate,
  what: string,
): Promise<Response | undefined> {
  return isLocal(c) && !hasCredential(c)
    ? undefined
    : await refuseButOperators(c, gate, what);
}

/** Whoever comes while it runs gets the result of that run. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () =>
    running ??= work().finally(() => {
      running = undefined;
    });
}

async function checkParts(
  services: Services,
): Promise<Readonly<Record<string, Check>>> {
  const [database, catalog, memory, fleet] = await Promise.all([
    check(services, async () => {
      if (await isReadOnly(await services.store.db())) {
        throw new NoWritesError("The database answers, and takes no writes");
      }
      const space = await services.store.disk?.();
      if (space?.state === "full") throw new NoWritesError(space.complaint);
      return space?.complaint ?? "answers";
    }),
    check(services, async () => {
      // A stale catalog still serves: the health report is where it shows.
      const { staleReason } = await services.catalog.current();
      return staleReason === undefined ? "read" : `stale: ${staleReason}`;
    }),
    checkMemory(services),
    checkFleet(services),
  ]);
  return {
    database,
    catalog,
    ...(memory === undefined ? {} : { memory }),
    fleet,
  };
}

async function check(
  { log }: Services,
  work: () => Promise<string>,
): Promise<Check> {
  try {
    return { isOk: true, detail: await withTimeLimit(PART_LIMIT_MS, work) };
  } catch (error) {
    const detail = error instanceof TimeLimitError ||
        error instanceof NoWritesError
      ? error.message
      : toCallerText(error, log);
    return { isOk: false, detail };
  }
}

/**
 * Runners that are away and lanes that are backed up are said, and fail no
 * probe: another copy of this server would not be better off. Figures that
 * cannot be read do.
 */
async function checkFleet(services: Services): Promise<Check> {
  const { unreadable, concerns } = await readFleet(services);
  return unreadable.length === 0
    ? {
      isOk: true,
      detail: concerns.length === 0 ? "well" : concerns.join("; "),
    }
    : { isOk: false, detail: `could not be read: ${unreadable.join(", ")}` };
}

async function checkMemory(services: Services): Promise<Check | undefined> {
  const memory = await readMemoryHealth(services);
  if (memory === null) return undefined;
  const { state, message } = memory;
  const detail = message === null ? state : `${state}: ${message}`;
  return { isOk: state !== "down", detail };
}

function detailsOf(
  checks: Readonly<Record<string, Check>>,
): Record<string, { ok: boolean; detail: string }> {
  return Object.fromEntries(
    Object.entries(checks).map(([name, { isOk, detail }]) => [
      name,
      { ok: isOk, detail },
    ]),
  );
}
