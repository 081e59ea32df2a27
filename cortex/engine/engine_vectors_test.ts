/** The golden vectors of ownership and scenarios, end to end. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { CortexDouble } from "../../tests/support/cortex/cortex_double.ts";
import {
  at,
  buildEngines,
  chat,
  learning,
  pathsOf,
} from "../../tests/support/cortex/engine_worlds.ts";
import { listAll } from "../../tests/support/cortex/engine_case.ts";
import { FakeClock } from "../../tests/support/fake_clock.ts";
import { CortexRefusalError } from "../errors.ts";
import { Layout } from "../layout/layouts.ts";
import { type Kind, ROOT_NODE } from "../words.ts";
import { exactly, type Reach, subtree } from "../layout/reach.ts";
import type { RootPath, ScopePath } from "../layout/scope.ts";
import type { EngineSettings } from "../settings.ts";
import { type EventDraft, toExperience } from "../client/wire.ts";
import type { Engine } from "./engine.ts";
import type { Filter } from "./read/filter.ts";
import { type Item, itemId } from "./item/item.ts";
import { layOut } from "./item/layout_events.ts";

interface Exchange {
  readonly method?: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly status?: number | null;
  readonly code?: string;
  readonly answer?: unknown;
  readonly then?: string;
}

type VectorReach = "none" | { readonly exact: string } | {
  readonly subtree: string;
};

interface Vector {
  readonly id: string;
  readonly op: string;
  readonly case: string;
  readonly wire: "direct" | "hosted";
  readonly settings: EngineSettings;
  readonly exchange: readonly Exchange[];
  readonly root: string | null;
  readonly tenantRoot: boolean;
  readonly retired: string | null;
  readonly given: readonly {
    readonly id: string;
    readonly scope: string;
    readonly agent_id?: string;
    readonly newest?: number;
  }[];
  // deno-lint-ignore no-explicit-any -- each vector has fields of its own
  readonly when: any;
  // deno-lint-ignore no-explicit-any -- the same
  readonly expect: any;
}

const FILE = new URL("../../tests/data/scope-vectors.json", import.meta.url);
const VECTORS: readonly Vector[] =
  JSON.parse(Deno.readTextFileSync(FILE)).vectors;

function vectorsOf(op: string): readonly Vector[] {
  return VECTORS.filter((vector) => vector.op === op);
}

function open(settings: EngineSettings, double = new CortexDouble()) {
  const clock = new FakeClock();
  const world = buildEngines(settings, {
    endpoint: "http://127.0.0.1:3141",
    credential: double.credential,
    fetch: double.fetch,
    clock,
  });
  return { ...world, double, clock };
}

/** What a script was asked for. */
interface Script {
  readonly fetch: typeof fetch;
  /** Requests that registering sends, repeats of a read included. */
  readonly sent: string[];
  /** Where a request was not the one of the vector. */
  readonly problems: unknown[];
}

/** Answers registrations as a vector says, and the rest as ever. */
function follow({ exchange }: Vector, double: CortexDouble): Script {
  const left = exchange.filter(({ method }) => method !== undefined);
  const sent: string[] = [];
  const problems: unknown[] = [];
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    sent.push(`${request.method} ${pathname.slice(1)}${search}`);
    const text = await request.text();
    const [step] = left;
    // After the script there is only the question whether anything comes.
    if (step === undefined) return Response.json({}, { status: 403 });
    const body = text === "" ? undefined : JSON.parse(text);
    try {
      deepEqual([sent.at(-1), body], [
        `${step.method} ${step.path}`,
        step.body,
      ]);
    } catch (problem) {
      problems.push(problem);
    }
    const { status = 200, code } = step;
    // A read is tried three times when it may pass; the rest is sent once.
    const tries = sent.filter((one) => one === sent.at(-1)).length;
    if (request.method !== "GET" || status !== 503 || tries === 3) left.shift();
    if (status === null) throw new DOMException("late", "TimeoutError");
    const content = status >= 400 ? { error_code: code } : step.answer ?? {};
    return Response.json(content, { status });
  };
  return {
    sent,
    problems,
    fetch: (input, init) => {
      const request = new Request(input, init);
      const isOurs = /\/v1\/scopes(\/members)?(\?|$)/.test(request.url);
      return isOurs ? answer(request) : double.handle(request);
    },
  };
}

async function runOwnership(vector: Vector): Promise<void> {
  const { wire, settings, expect, exchange } = vector;
  const double = new CortexDouble();
  const script = follow(vector, double);
  const clock = new FakeClock();
  const { sent, problems } = script;
  const { engine, events } = buildEngines({ ...settings, wire }, {
    endpoint: "http://127.0.0.1:3141",
    credential: double.credential,
    fetch: script.fetch,
    clock,
  });
  const count = (kind: string) =>
    events.filter((event) => event.kind === kind).length;
  const store = (node: string) =>
    engine.store([learning(node, crypto.randomUUID())]);
  const thens = exchange.flatMap((step) => step.then ?? []);
  if (thens[0] === "list, get, forget, erase") {
    await listAll(engine, {});
    await engine.get({ ids: ["0".repeat(40)] });
    await engine.forget({ ids: ["0".repeat(40)] });
    await engine.erase({ at: at("ws:main"), descendants: true });
  } else if (thens[0]?.startsWith("write at node ")) {
    const node = thens[0].slice("write at node ".length);
    equal(expect.error, "InvalidRequest");
    await rejects(store(node), { reason: "invalid_request" });
    equal(double.seen.length, 0);
  } else {
    for (let write = 0; write <= thens.length; write++) await store("ws:main");
    equal(double.store.events.length, thens.length + 1, "each write went on");
  }
  deepEqual(problems, []);
  equal(count("ownership_held"), expect.registered === true ? 1 : 0);
  const requests = exchange.filter(({ method }) => method !== undefined);
  const isRead = requests.some(({ status }) =>
    status === 503 &&
    requests.length > 1
  );
  equal(sent.length, requests.length + (isRead ? 2 : 0));
  if (expect.registrationRequests !== undefined) {
    equal(sent.length, expect.registrationRequests);
  }
  if (expect.nextWriteRegistersAgain === undefined) return;
  equal(count("ownership_failed"), expect.nextWriteRegistersAgain ? 1 : 0);
  const before = sent.length;
  // Behind a try that took long there is a pause.
  await clock.sleep(3_600_000);
  await store("ws:main");
  equal(sent.length > before, expect.nextWriteRegistersAgain);
}

Deno.test("ownership: every golden vector holds", async (t) => {
  const vectors = vectorsOf("ownership");
  equal(vectors.length, 31);
  for (const vector of vectors) {
    await t.step(vector.id, () => runOwnership(vector));
  }
});

/** Puts an item into the store as an engine would, whoever's path it is. */
async function give(
  double: CortexDouble,
  vector: Vector,
  items: Map<string, Item>,
): Promise<Map<string, string>> {
  const letters = new Map<string, string>();
  const given = vector.given.toSorted((a, b) =>
    (a.newest ?? 0) - (b.newest ?? 0)
  );
  const reader = new Layout({
    wire: vector.wire,
    root: vector.tenantRoot ? "" as RootPath : vector.root as RootPath ??
      undefined,
    retired: vector.retired as RootPath ?? undefined,
  });
  for (const { id, scope, agent_id: agentId } of given) {
    const reading = reader.parse(scope);
    const node = reading.ok ? reading.node : ROOT_NODE;
    const kind: Kind = scope.includes("conversations")
      ? "conversation"
      : scope.includes("app:learnings")
      ? "learning"
      : "document";
    const item = items.get(id) ?? itemOf(kind, node, id, agentId);
    items.set(id, item);
    const { drafts } = await layOut(item, scope as ScopePath);
    for (const draft of drafts) write(double, vector, draft);
    letters.set(itemId(item), id);
  }
  return letters;
}

function itemOf(
  kind: Kind,
  node: string,
  text: string,
  agentId: string | undefined,
): Item {
  if (kind === "learning") return learning(node, text, { agentId });
  if (kind === "conversation") return chat(node, text, { agentId });
  return { kind: "document", body: text, meta: { node: at(node), agentId } };
}

function write(double: CortexDouble, vector: Vector, draft: EventDraft): void {
  const { tenant } = double.quirks;
  const stored = vector.wire === "hosted"
    ? `${tenant}/${draft.scope}`
    : draft.scope;
  double.store.append(
    { ...toExperience(draft), scope: stored },
    { actor: "user:x", listingLag: 0, recallLag: 0 },
  );
}

function reachOf(reach: VectorReach): Reach | undefined {
  if (reach === "none") return undefined;
  return "exact" in reach
    ? exactly(at(reach.exact))
    : subtree(at(reach.subtree));
}

/** What a step of a scenario came to, in the words of its expectation. */
interface Outcome {
  ids?: readonly string[];
  forgotten?: number;
  erased?: readonly string[];
  receipt?: { id: string; replayed: boolean };
}

type Act = (
  engine: Engine,
  // deno-lint-ignore no-explicit-any -- as in the vector
  what: any,
  help: {
    letters: ReadonlyMap<string, string>;
    items: ReadonlyMap<string, Item>;
  },
) => Promise<Outcome>;

const ACTS: Readonly<Record<string, Act>> = {
  async list(engine, { reach, limit = 100 }, { letters }) {
    const hits = await listAll(engine, { reach: reachOf(reach) }, limit);
    return { ids: hits.map(({ id }) => letters.get(id) ?? "stranger") };
  },
  async store(engine, { id }, { items }) {
    const item = items.get(id);
    ok(item);
    const [receipt] = await engine.store([item]);
    equal(receipt?.id, itemId(item));
    return { receipt: { id, replayed: receipt?.isReplay === true } };
  },
  async forget(engine, { ids, filter }, { items }) {
    const request = ids === undefined
      ? { filter: toFilter(filter) }
      : { ids: idsOf(ids, items) };
    const { forgotten, left } = await engine.forget(request);
    deepEqual(left, []);
    return { forgotten: forgotten.length };
  },
  async erase(engine, { reach, kinds, wholeTree }) {
    const report = await engine.erase({
      at: at(reach.exact ?? reach.subtree),
      descendants: "subtree" in reach,
      kinds,
      wholeTree,
    });
    return { erased: report.scopes.map(({ path }) => path) };
  },
  async history(engine, { agent_id: agentId, limit }, { letters }) {
    const request = { agentId, limit, who: "self" } as const;
    const { turns } = await engine.history(request);
    return { ids: turns.map(({ itemId }) => letters.get(itemId) ?? "") };
  },
  async team(engine, { agent_id: agentId, limit }, { letters }) {
    const request = { agentId, limit, who: "team" } as const;
    const { turns } = await engine.history(request);
    return { ids: turns.map(({ itemId }) => letters.get(itemId) ?? "") };
  },
};

function toFilter({ reach }: { reach?: VectorReach }): Filter {
  return reach === undefined ? {} : { reach: reachOf(reach) };
}

function idsOf(
  letters: readonly string[],
  items: ReadonlyMap<string, Item>,
): readonly string[] {
  return letters.map((letter) => {
    const item = items.get(letter);
    ok(item);
    return itemId(item);
  });
}

const ERRORS: Readonly<Record<string, string>> = {
  InvalidRequest: "invalid_request",
  Engine: "refused",
};

async function runScenario(vector: Vector): Promise<void> {
  const { wire, root, tenantRoot, retired, expect } = vector;
  const world = open({
    wire,
    tenantRoot,
    scopeRoot: root ?? undefined,
    retiredScopeRoot: retired ?? undefined,
  });
  const { engine, double, events } = world;
  const items = new Map<string, Item>();
  if (vector.when.store !== undefined) {
    items.set(vector.when.store.id, learning(vector.when.store.node, "A"));
  }
  const letters = await give(double, vector, items);
  const [[name, what] = ["", {}]] = Object.entries<
    Record<string, number | boolean>
  >(vector.when);
  double.quirks.plainPrefix = vector.case === "a string-prefix backend";
  prepare(double, what);
  const act = ACTS[name];
  ok(act, `no such step: ${name}`);
  const before = double.store.events.length;
  const run = act(engine, what, { letters, items });
  if (expect.error !== undefined) {
    await rejects(run, (error) => {
      ok(error instanceof CortexRefusalError);
      equal(error.reason, ERRORS[expect.error]);
      return true;
    });
    if (expect.requestsSent !== undefined) {
      equal(double.seen.length, expect.requestsSent);
    }
    ok(double.routes.every((route) => route.startsWith("GET")));
    equal(double.store.events.length, before);
    return;
  }
  const outcome = await run;
  checkOutcome(outcome, expect);
  if (expect.warned === true) {
    ok(events.some(({ kind }) => kind === "listing_cut"));
  }
  checkStore(world, vector, { letters, before });
}

function prepare(
  double: CortexDouble,
  what: Readonly<Record<string, unknown>>,
): void {
  const { store } = double;
  if (what.scopeListingTruncated === true) {
    for (let count = 0; count < 1_000; count++) {
      const path = `org:42/ws:main/agent:a${count}/app:learnings`;
      store.scopes.set(path, { path, members: [], isAutoProvisioned: true });
    }
  }
  const { scopeListingStatus: status } = what;
  if (typeof status === "number") {
    double.fail({ status, route: "GET /v1/scopes/list", times: Infinity });
  }
}

// deno-lint-ignore no-explicit-any -- as in the vector
function checkOutcome(outcome: Outcome, expect: any): void {
  const order = (list: readonly string[] = []) =>
    expect.unordered === true ? [...list].sort() : list;
  if (expect.ids !== undefined) {
    deepEqual(order(outcome.ids), order(expect.ids));
  }
  if (expect.forgotten !== undefined) {
    equal(outcome.forgotten, expect.forgotten);
  }
  if (expect.erasedScopes !== undefined) {
    deepEqual(order(outcome.erased), order(expect.erasedScopes));
  }
  if (expect.count !== undefined) equal(outcome.erased?.length, expect.count);
  if (expect.receipt !== undefined) {
    deepEqual(outcome.receipt, expect.receipt);
  }
}

function checkStore(
  { double }: { double: CortexDouble },
  { wire, given, expect }: Vector,
  { letters, before }: { letters: Map<string, string>; before: number },
): void {
  const { seen, store, routes } = double;
  if (expect.left !== undefined) {
    const texts = store.events.map(({ text }) => text);
    deepEqual(texts, expect.left);
    equal(letters.size > 0 || given.length === 0, true);
  }
  if (expect.written !== undefined) {
    const fresh = store.events.slice(before);
    deepEqual(fresh.map(({ scope }) => scope), expect.written);
  }
  if (expect.scopesRead !== undefined) {
    deepEqual([...new Set(seen.flatMap(pathsOf))], expect.scopesRead);
    ok(routes.every((route) =>
      route === "GET /v1/events" ||
      route === "GET /v1/auth/whoami"
    ));
  }
  if (expect.scopeListRequests !== undefined) {
    const lists = seen.filter(({ route }) => route === "GET /memory/scopes");
    deepEqual(
      lists.map(({ query }) => `GET memory/scopes?${query}`),
      expect.scopeListRequests,
    );
  }
  if (expect.requests !== undefined) {
    const acts = routes.filter((route) => !route.startsWith("GET"));
    deepEqual(acts.map((route) => route.replace("/", "")), expect.requests);
    equal(wire, "hosted");
  }
}

Deno.test("scenarios: every golden vector holds", async (t) => {
  const vectors = vectorsOf("scenario");
  equal(vectors.length, 33);
  for (const vector of vectors) {
    await t.step(vector.id, () => runScenario(vector));
  }
});
