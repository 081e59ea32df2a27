/**
 * A CortexDB-compatible service over an {@link EventLog}: the v1 routes that an
 * engine uses, without the original's quirks.
 *
 * What is written is listed and found at once and listed once; lists are never
 * cut silently; unknown fields and parameters are refused by name.
 *
 * @module
 */
import { postAnswer } from "./answer.ts";
import type { Route, WireCall } from "./call.ts";
import { actorOf, hashKeys } from "./credential.ts";
import { getErasure, postErasure } from "./forget/erasures.ts";
import { invalid, toErrorResponse, WireError } from "./wire_error.ts";
import type { Embedder } from "./embeddings/embedder.ts";
import { QueryVectors } from "./embeddings/query_vectors.ts";
import type { EventLog } from "./port.ts";
import { getEvent, getEvents } from "./events.ts";
import { postBulk, postExperience } from "./experience.ts";
import { postForget } from "./forget/forget.ts";
import { PackShelf } from "./packs.ts";
import { postRecall } from "./recall.ts";
import { postRecallAcross } from "./recall_across.ts";
import { getScope, getScopeList, postScope, putMembers } from "./scopes.ts";
import { createStatus, getWhoami } from "./status.ts";

/** What is known of a fault of the storage. */
export interface StorageFault {
  /** What happened, what it means for the call, and what to do. */
  readonly message: string;
  /** Whether a write may have taken effect all the same. */
  readonly isOutcomeUnknown: boolean;
  /** Whether the same call may succeed in a while. */
  readonly isPassing: boolean;
}

/** What the service is built from. */
export interface LocalCortexOptions {
  /** Where events and scopes are kept. */
  readonly log: EventLog;
  /** Keys that open it; without any, each request still names an actor or carries a credential. */
  readonly apiKeys?: readonly string[];
  /** Finds by meaning, too; without it recall is by words alone. */
  readonly embedder?: Embedder | undefined;
  /** How long a recall waits for a vector, in milliseconds. @default {500} */
  readonly vectorWaitMs?: number | undefined;
  /** Version that health shows. @default {"rootcellar-local"} */
  readonly version?: string;
  /** Clock, in milliseconds. */
  readonly now?: () => number;
  /** Told what the storage or the service itself failed with. */
  readonly report?: (error: unknown) => void;
  /** What an error of the storage means; undefined: nobody knows. */
  readonly explain?: (error: unknown) => StorageFault | undefined;
}

/** The running service. */
export interface LocalCortex {
  /** Answers one request; never rejects. */
  fetch(request: Request): Promise<Response>;
}

/** How long nothing is looked for that may be cleared away. */
const RESUME_MS = 60 * 60_000;

/** How long after that failed. */
const RETRY_MS = 60_000;

/** Routes by path; a path that ends in `/` takes what follows as its rest. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  "/v1/auth/whoami": { GET: getWhoami },
  "/v1/experience": { POST: postExperience },
  "/v1/experience/bulk": { POST: postBulk },
  "/v1/events": { GET: getEvents },
  "/v1/events/": { GET: getEvent },
  "/v1/recall": { POST: postRecall },
  "/v1/recall/across": { POST: postRecallAcross },
  "/v1/answer": { POST: postAnswer },
  "/v1/forget": { POST: postForget },
  "/v1/erasures": { POST: postErasure },
  "/v1/erasures/": { GET: getErasure },
  "/v1/scopes": { POST: postScope, GET: getScope },
  "/v1/scopes/list": { GET: getScopeList },
  "/v1/scopes/members": { PUT: putMembers },
};

/** Builds the service. Opens nothing until the first request. */
export function createLocalCortex(options: LocalCortexOptions): LocalCortex {
  const now = options.now ?? (() => performance.now());
  const {
    log,
    embedder,
    version = "rootcellar-local",
    report = () => {},
    explain = () => undefined,
  } = options;
  const packs = new PackShelf(now);
  const keyHashes = hashKeys(options.apiKeys ?? []);
  const vectors = embedder === undefined ? undefined : new QueryVectors({
    embedder,
    now,
    report,
    waitMs: options.vectorWaitMs,
  });
  const status = createStatus({ log, version, now, vectors });
  const goOn = createResumer(log, { now, report });

  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const open = request.method === "GET" ? status(pathname) : undefined;
    if (open !== undefined) return await open;
    const actor = await actorOf(request.headers, await keyHashes);
    const { route, rest } = findRoute(request.method, pathname);
    if ([...searchParams.values()].some((value) => value.includes("\0"))) {
      throw invalid("A parameter holds NUL", "INVALID_QUERY");
    }
    await goOn(pathname);
    const call: WireCall = {
      request,
      query: searchParams,
      rest,
      actor,
      log,
      packs,
      vectors,
      now,
    };
    return await route(call);
  };

  return {
    async fetch(request) {
      try {
        return await answer(request);
      } catch (error) {
        if (error instanceof WireError) return toErrorResponse(error);
        report(error);
        return toErrorResponse(toWireError(error, explain(error)));
      } finally {
        // A body that nobody read would keep its connection busy.
        if (!request.bodyUsed) await request.body?.cancel().catch(() => {});
      }
    },
  };
}

/**
 * Works on unfinished erasures, a batch with each call: on those that an
 * earlier process left, and on those that this one was asked for. Looks again
 * once an hour, for keys run out however long a process lives. A storage that
 * takes no writes now is no reason to fail a call that only reads.
 */
function createResumer(
  log: EventLog,
  { now, report }: Required<Pick<LocalCortexOptions, "now" | "report">>,
): (path: string) => Promise<void> {
  let next = -Infinity;
  return async (path) => {
    if (now() >= next) {
      try {
        const isLeft = await log.advanceErasures();
        next = isLeft ? -Infinity : now() + RESUME_MS;
      } catch (error) {
        report(error);
        next = now() + RETRY_MS;
      }
    }
    if (path === "/v1/erasures") next = -Infinity;
  };
}

function findRoute(
  method: string,
  path: string,
): { readonly route: Route; readonly rest: string } {
  const slash = path.lastIndexOf("/") + 1;
  const exact = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  const parent = path.slice(0, slash);
  const routes = exact ??
    (Object.hasOwn(ROUTES, parent) ? ROUTES[parent] : undefined);
  if (routes === undefined) {
    throw new WireError(404, "NOT_FOUND", "There is no such route here");
  }
  const route = Object.hasOwn(routes, method) ? routes[method] : undefined;
  if (route === undefined) {
    throw new WireError(
      405,
      "METHOD_NOT_ALLOWED",
      `This route takes ${Object.keys(routes).join(", ")}`,
    );
  }
  return { route, rest: exact === undefined ? path.slice(slash) : "" };
}

/**
 * What the storage failed with. By the status a client knows what became of a
 * write: 500 leaves that open, 503 was turned away and may be sent again, 507
 * was turned away and will be until somebody has seen to it.
 */
function toWireError(
  error: unknown,
  fault: StorageFault | undefined,
): WireError {
  if (fault !== undefined) {
    const { message, isOutcomeUnknown, isPassing } = fault;
    const status = isOutcomeUnknown ? 500 : isPassing ? 503 : 507;
    const isRetriable = status !== 507;
    return new WireError(status, "UNAVAILABLE", message, { isRetriable });
  }
  // A log that cannot answer throws errors of its own; these two are bugs.
  return error instanceof TypeError || error instanceof RangeError
    ? new WireError(500, "INTERNAL", "The service failed; tell the operator")
    : new WireError(
      503,
      "UNAVAILABLE",
      "The storage cannot answer now; a write may or may not have taken effect, so repeat it under the same key",
      { isRetriable: true },
    );
}
