/** What strangers may have stored in our scopes changes nothing. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { listAll, textsOf } from "../../tests/support/cortex/engine_case.ts";
import { CASES } from "../../tests/support/cortex/engine_suite.ts";
import {
  at,
  buildEngines,
  chat,
  DIRECT,
  document,
  learning,
  openDoubleWorld,
  TENANT,
  type World,
} from "../../tests/support/cortex/engine_worlds.ts";
import { CortexDouble } from "../../tests/support/cortex/cortex_double.ts";
import { exactly, subtree } from "../layout/reach.ts";
import type { Engine } from "./engine.ts";
import { type Item, itemId } from "./item/item.ts";
import { itemLabel } from "./item/lookup.ts";

const OURS: readonly Item[] = [
  learning("ws:main", "The cellar is dark", { agentId: "a" }),
  learning("root", "The cellar is cold"),
  chat("ws:main", ["Is the cellar locked?", "It is."], { agentId: "a" }),
  chat("ws:main", "The team was in the cellar", { agentId: "b" }),
  document("ws:main", "A plan of the cellar"),
];

const ID = itemId(OURS[0] ?? learning("root", ""));
const OTHER_ID = "0123456789abcdef0123456789abcdef01234567";

/** An envelope that differs from a good one in some fields. */
function envelope(kind: string, more: Record<string, unknown>): string {
  return JSON.stringify({
    v: 1,
    id: OTHER_ID,
    kind,
    meta: { node: "root" },
    part: [0, 1],
    ...more,
  });
}

/** What is wrong with an envelope, whatever its kind. */
const BAD_FIELDS: readonly Record<string, unknown>[] = [
  { v: 2 },
  { v: "1" },
  { id: ID.toUpperCase() },
  { id: ID.slice(1) },
  { id: 5 },
  { id: null },
  { kind: "memory" },
  { kind: ["learning"] },
  { kind: "__proto__" },
  { meta: null },
  { meta: [] },
  { meta: "root" },
  { part: null },
  { part: [] },
  { part: ["0", "1"] },
  { part: { 0: 0, 1: 1 } },
  { part: [1, 1] },
  { part: [-1, 1] },
  { part: [0.5, 1] },
  { part: [0, 1e9] },
  { part: [5, 1e9] },
  { part: [0, 1e300] },
  { part: [2 ** 53, 2 ** 53 + 2] },
];

/** Events as strangers may store them: labels, and a text. */
function badEvents(
  kind: string,
): readonly { labels: readonly string[]; text: string }[] {
  const otherKind = kind === "learning" ? "document" : "learning";
  const label = itemLabel(ID);
  const slice = (text: string, number = "00") => `tm:e:${number}:${text}`;
  const good = envelope(kind, {});
  const text = "The cellar of strangers";
  return [
    ...BAD_FIELDS.flatMap((more) => [
      { labels: [label, slice(envelope(kind, more))], text },
      { labels: [label], text: envelope(kind, { text, ...more }) },
    ]),
    { labels: [], text },
    { labels: ["", ",", "tm:i:", "tm:a:x"], text },
    { labels: [label], text },
    { labels: [label, slice("{")], text },
    { labels: [label, slice("null")], text },
    { labels: [label, slice("[1]")], text },
    { labels: [label, slice(good, "01")], text },
    { labels: [label, slice(good), slice(good)], text },
    { labels: [label, slice(good), slice("", "02")], text },
    { labels: [label, slice(good, "0x")], text },
    { labels: [label, slice(envelope(otherKind, {}))], text },
    { labels: [label, slice(good)], text: "" },
    { labels: [label], text: envelope(kind, {}) },
    { labels: [label], text: envelope(kind, { text: 5 }) },
    { labels: [label], text: "[".repeat(5_000) },
    { labels: [label], text: `{"a":${"[".repeat(5_000)}` },
    { labels: [label], text: '{"__proto__": {"v": 1}, "constructor": 1}' },
    {
      labels: Array.from(
        { length: 64 },
        (_, index) => slice(`{${index}`, String(index).padStart(2, "0")),
      ),
      text,
    },
  ];
}

/** Puts events of strangers into every scope that our items lie in. */
function poison({ layout }: Engine, double: CortexDouble): number {
  const { tenant } = double.quirks;
  let count = 0;
  for (const { meta: { node }, kind } of OURS) {
    const path = layout.render(node, kind);
    const scope = layout.wire === "hosted" ? `${tenant}/${path}` : path;
    const write = (content: unknown, labels: readonly string[] = []) => {
      double.store.append(
        { scope, content, context: { labels }, idempotency_key: `k${count++}` },
        { actor: "user:x", listingLag: 0, recallLag: 0 },
      );
    };
    for (const { labels, text } of badEvents(kind)) {
      write({ kind: "message", role: "user", text }, labels);
    }
    write({ kind: "json", data: { cellar: true } });
    write({ kind: "message", role: "owner", text: "cellar" });
  }
  return count;
}

/** Everything that reads, in a form that can be compared. */
async function readAll({ engine }: World): Promise<unknown> {
  const reach = subtree(at("root"));
  const recalled = await engine.recall({
    query: "cellar",
    filter: { reach },
    limit: 50,
  });
  const got = await engine.get({ ids: [...OURS.map(itemId), OTHER_ID] });
  const team = await engine.history({ agentId: "a", who: "team", limit: 9 });
  const self = await engine.history({ agentId: "a", who: "self", limit: 9 });
  const { nodes } = await engine.nodes(at("root"));
  return {
    listed: textsOf(await listAll(engine, {}, 2)),
    recalled: textsOf(recalled.items),
    got: textsOf(got.items),
    whole: got.items.every(({ isWhole }) => isWhole),
    team: team.turns.map(({ turn }) => turn.text),
    self: self.turns.map(({ turn }) => turn.text),
    nodes,
  };
}

Deno.test("events of strangers are in no answer, and break none", async () => {
  for (const placing of [DIRECT, TENANT]) {
    await using clean = openDoubleWorld(placing);
    await clean.engine.store(OURS);
    await using foul = openDoubleWorld(placing);
    const { engine, double } = foul;
    poison(engine, double);
    await engine.store(OURS);
    const strangers = poison(engine, double);
    deepEqual(await readAll(foul), await readAll(clean));
    // They are in the packs, so that no answer may rest on those.
    const answered = await engine.answer({
      question: "cellar?",
      filter: { reach: subtree(at("root")) },
    });
    equal(answered.text, undefined);
    const again = await engine.store(OURS);
    ok(again.every(({ isReplay }) => isReplay));
    const forgotten = await engine.forget({
      filter: { reach: subtree(at("root")) },
    });
    deepEqual(forgotten.forgotten.toSorted(), OURS.map(itemId).sort());
    const left = double.store.events.length;
    equal(left, strangers, "what is not ours is not forgotten");
    await engine.erase({ at: at("ws:main"), descendants: true });
    ok(double.store.events.every(({ scope }) => !scope.includes("ws:main")));
  }
});

Deno.test("a text of a megabyte of brackets is read like any other", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  for (const text of ["[".repeat(1_000_000), `{"a":${"[".repeat(1_000_000)}`]) {
    const content = { kind: "message", role: "user", text };
    double.store.append(
      { scope: "org:42/app:learnings", content },
      { actor: "user:x", listingLag: 0, recallLag: 0 },
    );
  }
  deepEqual(await listAll(engine, {}), []);
});

Deno.test("what an envelope claims of its node and score counts for nothing", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const odd = envelope("learning", {
    meta: {
      node: "user:42/../root",
      tags: [1, "x", null],
      observed_at: "long ago",
      turns: [1e300, -1],
      source: { kind: "web", id: 5 },
      tool_call: "call",
      agent_id: { a: 1 },
    },
    confidence: 1e308,
    learning_kind: "gospel",
    tool_calls: [{ name: 5 }, null, { name: "t", id: 5 }],
    title: 7,
  });
  double.store.append(
    {
      scope: "org:42/ws:main/app:learnings",
      content: { kind: "message", role: "user", text: "odd" },
      context: { labels: [itemLabel(OTHER_ID as typeof ID), `tm:e:00:${odd}`] },
    },
    { actor: "user:x", listingLag: 0, recallLag: 0 },
  );
  const [hit] = await listAll(engine, {});
  deepEqual(hit && JSON.parse(JSON.stringify(hit.item)), {
    kind: "learning",
    text: "odd",
    learningKind: "other",
    confidence: 0,
    meta: { node: "ws:main", tags: ["x"] },
  });
  const window = { observedAfter: "2000-01-01T00:00:00Z" };
  deepEqual(await listAll(engine, window), []);
});

Deno.test("an item is not found under another one's label", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  await engine.store(OURS);
  const labels = [itemLabel(ID), `tm:e:00:${envelope("learning", {})}`];
  const content = { kind: "message", role: "user", text: "cellar, cellar" };
  double.store.append(
    { scope: "org:42/ws:main/app:learnings", content, context: { labels } },
    { actor: "user:x", listingLag: 0, recallLag: 0 },
  );
  const reach = exactly(at("ws:main"));
  const filter = { reach, kinds: ["learning"] } as const;
  const { items } = await engine.recall({ query: "cellar", filter, limit: 9 });
  deepEqual(items.map(({ id }) => id), [ID]);
  deepEqual((await engine.get({ ids: [OTHER_ID] })).items, []);
  const { text } = await engine.answer({ question: "cellar?", filter });
  equal(text, undefined);
});

Deno.test("events that a backend shows from elsewhere are not taken", async () => {
  // As if every read went up: what lies above is shown as well.
  await using world = openDoubleWorld(DIRECT, {
    wrap: (double) => async (input, init) => {
      const request = new Request(input, init);
      const answer = await double.handle(request);
      if (!request.url.includes("/events?")) return answer;
      const body = await answer.json();
      const other = double.store.events.map((event) => ({
        id: event.id,
        scope: event.scope,
        content: event.body.content,
        context: event.body.context,
      }));
      return Response.json({ ...body, items: [...body.items, ...other] });
    },
  });
  const { engine } = world;
  await engine.store([learning("root", "above"), learning("ws:main", "here")]);
  const reach = exactly(at("ws:main"));
  deepEqual(textsOf(await listAll(engine, { reach })), ["here"]);
  const { forgotten } = await engine.forget({ filter: { reach } });
  equal(forgotten.length, 1);
});

type Run = (engine: Engine, signal: AbortSignal) => Promise<unknown>;

const OPERATIONS: Readonly<Record<string, Run>> = {
  store: (engine, signal) => engine.store(OURS, { signal }),
  list: (engine, signal) => engine.list({ filter: {}, limit: 9 }, { signal }),
  get: (engine, signal) => engine.get({ ids: [ID] }, { signal }),
  recall: (engine, signal) =>
    engine.recall({ query: "x", filter: {}, limit: 9 }, { signal }),
  answer: (engine, signal) =>
    engine.answer({ question: "x", filter: {} }, { signal }),
  history: (engine, signal) =>
    engine.history({ agentId: "a", who: "team", limit: 9 }, { signal }),
  nodes: (engine, signal) => engine.nodes(at("root"), { signal }),
  forget: (engine, signal) => engine.forget({ ids: [ID] }, { signal }),
  erase: (engine, signal) =>
    engine.erase({ at: at("ws:main"), descendants: true }, { signal }),
  health: (engine, signal) => engine.health({ signal }),
};

Deno.test("a signal ends every operation, begun or not, with its reason", async (t) => {
  for (const [name, run] of Object.entries(OPERATIONS)) {
    await t.step(name, async () => {
      const settings = { ...DIRECT, scopeOwner: "user:42" };
      const begun = Promise.withResolvers<void>();
      let sent = 0;
      const { engine } = buildEngines(settings, {
        endpoint: "http://127.0.0.1:3141",
        credential: "key",
        fetch: () => {
          sent++;
          begun.resolve();
          return new Promise(() => {});
        },
      });
      const reason = new Error("enough");
      await rejects(run(engine, AbortSignal.abort(reason)), reason);
      equal(sent, 0);
      const stop = new AbortController();
      const running = run(engine, stop.signal);
      await Promise.race([begun.promise, running]);
      stop.abort(reason);
      await rejects(running, reason);
    });
  }
});

Deno.test("a signal ends the wait for what is not yet seen", async () => {
  const double = new CortexDouble({ listingLag: 1_000_000 });
  const listed = Promise.withResolvers<void>();
  // With the system's own time: 30 seconds would be waited.
  const { engine } = buildEngines(DIRECT, {
    endpoint: "http://127.0.0.1:3141",
    credential: double.credential,
    fetch: async (input, init) => {
      const answer = await double.fetch(input, init);
      if (double.store.events.length > 0) listed.resolve();
      return answer;
    },
  });
  const stop = new AbortController();
  const { signal } = stop;
  const storing = engine.store([learning("root", "x")], { signal });
  await listed.promise;
  stop.abort(new Error("enough"));
  await rejects(storing, { message: "enough" });
});

Deno.test("the suite holds with strangers' events in the scopes", async (t) => {
  // These count scopes, or ask for an answer that would rest on strangers.
  const others = /^(erases|answers|gives an item of both roots)/;
  for (const one of CASES) {
    if (one.isHeavy || others.test(one.name)) continue;
    await t.step(one.name, async () => {
      await using world = openDoubleWorld(DIRECT);
      poison(world.engine, world.double);
      await one.run(world);
    });
  }
});
