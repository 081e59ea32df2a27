/**
 * Engines to run a suite over: on the stand-in of either wire with its quirks,
 * and on whatever else has a `fetch`.
 *
 * Each world has a root, and a retired root that an older engine wrote below.
 * When a world ends, every path that it sent is looked at: none may lie outside
 * the two.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import {
  type ClientLimits,
  type Clock,
  createDirectClient,
  createHostedClient,
} from "../../../cortex/client/mod.ts";
import {
  createEngine,
  type Engine,
  type EngineEvent,
  type EngineOptions,
  type EngineSettings,
  type Item,
  type ItemMeta,
  readEngineSettings,
} from "../../../cortex/mod.ts";
import { parseNode } from "../../../cortex/layout/mod.ts";
import type { Node } from "../../../cortex/words.ts";
import { isAtOrBelow } from "../../../cortex/layout/node.ts";
import { CortexDouble, type Quirks, type Seen } from "./cortex_double.ts";
import { FakeClock } from "../fake_clock.ts";

/** Where engines are tried out. */
export interface World extends AsyncDisposable {
  /** Root and retired root. */
  readonly engine: Engine;
  /** Rooted where `engine` has its retired root; none where there is none. */
  readonly old: Engine | undefined;
  /** What `engine` reported. */
  readonly events: EngineEvent[];
  /** What answers, if it is the stand-in. */
  readonly double: CortexDouble | undefined;
  /** How long was waited, if time is not the system's. */
  readonly clock: FakeClock | undefined;
  /** Whether single scopes can be erased. */
  readonly canErase: boolean;
  /** How many recalls do not yet see what is listed. */
  readonly recallLag: number;
  /** Whether a recall brings up nothing but what shares words with it. */
  readonly isRecallExact: boolean;
}

/** Makes worlds of a sort, each an empty one. */
export interface Backend {
  readonly name: string;
  open(): Promise<World> | World;
}

/** How an engine is placed. */
export type Placing = Pick<
  EngineSettings,
  "wire" | "scopeRoot" | "tenantRoot" | "retiredScopeRoot" | "scopeOwner"
>;

/** On CortexDB's own wire. */
export const DIRECT: Placing = {
  scopeRoot: "org:42",
  retiredScopeRoot: "user:42",
};

/** Behind a backend, below the root of its tenant. */
export const TENANT: Placing = {
  wire: "hosted",
  tenantRoot: true,
  retiredScopeRoot: "user:42",
};

/** The placings that engines have. */
export const PLACINGS: Readonly<Record<string, Placing>> = {
  direct: DIRECT,
  "hosted, named root": { ...DIRECT, wire: "hosted" },
  "hosted, tenant root": TENANT,
  "direct, retired root inside": {
    scopeRoot: "org:42",
    retiredScopeRoot: "org:42/user:42",
  },
  legacy: {},
};

/** What a world on the stand-in may have besides its placing. */
export interface DoubleOptions {
  readonly quirks?: Partial<Quirks>;
  /** Put between the engine and the stand-in. */
  readonly wrap?: (double: CortexDouble) => typeof fetch;
  /** Called before the engine sees anything. */
  readonly prepare?: (double: CortexDouble) => void;
  readonly chatNode?: Node;
}

/** A world on a new stand-in. */
export function openDoubleWorld(
  placing: Placing,
  options: DoubleOptions = {},
): World & { double: CortexDouble; clock: FakeClock } {
  const double = new CortexDouble(options.quirks);
  options.prepare?.(double);
  const clock = new FakeClock();
  const fetch = options.wrap?.(double) ?? double.fetch;
  const parts = buildEngines(placing, {
    fetch,
    clock,
    endpoint: "http://127.0.0.1:3141",
    credential: double.credential,
  });
  const canErase = placing.wire !== "hosted" || double.quirks.hasScopedErasure;
  return {
    ...parts,
    double,
    clock,
    canErase,
    recallLag: double.quirks.recallLag,
    isRecallExact: true,
    [Symbol.asyncDispose]() {
      for (const seen of double.seen) assertConfined(parts.engine, seen);
      return Promise.resolve();
    },
  };
}

/** Engines of a placing, and what they report. */
export function buildEngines(
  placing: Placing,
  connection: {
    readonly endpoint: string;
    readonly credential?: string | undefined;
    readonly fetch?: typeof fetch;
    readonly clock?: Clock;
    readonly limits?: ClientLimits;
  },
): { engine: Engine; old: Engine | undefined; events: EngineEvent[] } {
  const create = placing.wire === "hosted"
    ? createHostedClient
    : createDirectClient;
  const client = create({ ...connection, random: () => 0.5 });
  const events: EngineEvent[] = [];
  const build = (settings: Placing): Engine => {
    const { layout, owner } = readEngineSettings(settings);
    const { clock } = connection;
    const options: EngineOptions = {
      client,
      layout,
      owner,
      clock,
      report: (event) => events.push(event),
    };
    return createEngine(options);
  };
  const { wire, retiredScopeRoot } = placing;
  return {
    engine: build(placing),
    old: retiredScopeRoot === undefined
      ? undefined
      : build({ wire, scopeRoot: retiredScopeRoot }),
    events,
  };
}

/** Every path that a request names. */
export function pathsOf({ query, body }: Seen): readonly string[] {
  const { scope, scopes = [], path, items = [] } = (body ?? {}) as {
    scope?: string;
    scopes?: readonly string[];
    path?: string;
    items?: readonly { scope: string }[];
  };
  const named = ["scope", "prefix", "path"].map((name) => query.get(name));
  return [...named, scope, path, ...scopes, ...items.map((item) => item.scope)]
    .filter((one) => one !== null && one !== undefined);
}

function assertConfined({ layout }: Engine, seen: Seen): void {
  const roots = [layout.root, layout.retired].filter((one) =>
    one !== undefined
  );
  for (const path of pathsOf(seen)) {
    if (path === "tmh:probe") continue; // Asks whether anybody answers.
    const isBelow = roots.some((root) =>
      root === "" ? !path.startsWith("org:") : isAtOrBelow(path, root)
    );
    ok(isBelow, `${seen.route} named ${path}`);
    const isList = seen.query.has("prefix") || seen.route.includes("/scopes");
    // An erasure counts what it leaves to others below its root.
    const isCount = seen.route === "GET /v1/events";
    // What is written or removed is one of the engine's own scopes.
    ok(
      isList || isCount || layout.parse(path).ok,
      `${seen.route} named ${path}`,
    );
  }
}

/** Fails every third request that may be sent again, in a way of its own. */
export function flaky(double: CortexDouble): typeof fetch {
  let count = 0;
  // No request fails twice in a row, so that three tries are always enough.
  const failed = new Set<string>();
  const answers = [
    (request: Request) => fail(request, 503, "UNAVAILABLE"),
    (request: Request) => fail(request, 429, "RATE_LIMITED"),
    () => Promise.reject(new TypeError("connection reset")),
    (request: Request) => fail(request, 502, undefined),
  ];
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const isKeyed = /\/experience(\/bulk)?$/.test(pathname);
    const mayRepeat = request.method === "GET" || isKeyed ||
      /\/(recall|answer)$/.test(pathname);
    const key = `${request.url} ${init?.body}`;
    const answer = answers[Math.floor(count / 3) % answers.length];
    const isSpared = !mayRepeat || ++count % 3 !== 0 || failed.delete(key) ||
      answer === undefined;
    if (isSpared) return await double.handle(request);
    failed.add(key);
    if (!isKeyed || count % 2 === 1) return await answer(request);
    // Carried out all the same, and the answer is lost.
    await (await double.handle(request)).body?.cancel();
    return Response.json({ error_code: "WAIT_TIMEOUT" }, { status: 408 });
  };
}

async function fail(
  request: Request,
  status: number,
  code: string | undefined,
): Promise<Response> {
  await request.body?.cancel();
  const headers = status === 429 ? { "retry-after": "1" } : {};
  return code === undefined
    ? new Response("<html>Bad gateway", { status })
    : Response.json({ error_code: code }, { status, headers });
}

/** A node, as people write it. */
export function at(text: string): Node {
  return parseNode(text);
}

/** A learning. */
export function learning(
  node: string,
  text: string,
  meta: Partial<ItemMeta> = {},
): Item {
  return {
    kind: "learning",
    text,
    learningKind: "fact",
    confidence: 0.5,
    meta: { ...meta, node: at(node) },
  };
}

/** A document. */
export function document(
  node: string,
  body: string,
  meta: Partial<ItemMeta> = {},
): Item {
  return { kind: "document", body, meta: { ...meta, node: at(node) } };
}

/** A conversation of one turn or several. */
export function chat(
  node: string,
  text: string | readonly string[],
  meta: Partial<ItemMeta> = {},
): Item {
  const turns = [text].flat().map((one) =>
    ({ role: "user", text: one }) as const
  );
  return { kind: "conversation", turns, meta: { ...meta, node: at(node) } };
}
