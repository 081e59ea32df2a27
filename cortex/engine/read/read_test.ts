/** Reading: cursors, cut listings, both roots, recall, answers. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import fc from "fast-check";
import {
  isInvalid,
  listAll,
  oldOf,
  textsOf,
} from "../../../tests/support/cortex/engine_case.ts";
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
} from "../../../tests/support/cortex/engine_worlds.ts";
import { CortexDouble } from "../../../tests/support/cortex/cortex_double.ts";
import { FakeClock } from "../../../tests/support/fake_clock.ts";
import {
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
} from "../../errors.ts";
import { exactly, subtree } from "../../layout/reach.ts";
import type { Filter } from "./filter.ts";
import { type Item, itemId } from "../item/item.ts";

const EXACT: Filter = { reach: exactly(at("ws:main")), kinds: ["learning"] };

function facts(count: number): readonly Item[] {
  return Array.from(
    { length: count },
    (_, index) => learning("ws:main", `fact ${index}`),
  );
}

/** Removes what a listing showed. */
async function remove({ engine }: World, items: readonly Item[]) {
  await engine.forget({ ids: items.map(itemId), reach: EXACT.reach });
}

/** Stores newer items than a listing showed. */
async function add({ engine }: World, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const item = learning("ws:main", `newer ${index}`);
    await engine.store([item], { wait: "accepted" });
  }
}

/** Registers scopes of strangers, until no listing is whole. */
function crowd({ store, quirks }: CortexDouble, above: string): void {
  for (let count = 0; count < quirks.maxScopes; count++) {
    const path = `${above}dept:d${count}`;
    store.scopes.set(path, { path, members: [], isAutoProvisioned: true });
  }
}

Deno.test("list() gives every item once, whatever the page, whatever the root", async () => {
  const place = fc.record({
    node: fc.constantFrom("root", "ws:main", "ws:main/agent:a", "source:s"),
    kind: fc.constantFrom("learning", "document", "conversation"),
    where: fc.constantFrom("root", "retired", "both"),
    size: fc.constantFrom(1, 1, 1, 3),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(place, { maxLength: 12 }),
      fc.boolean(),
      async (places, isDouble) => {
        const world = openDoubleWorld(DIRECT, {
          quirks: { doubleListing: isDouble },
        });
        const items = places.map(({ node, kind, size }, index): Item => {
          const text = `item ${index}`;
          if (kind === "learning") return learning(node, text);
          if (kind === "document") return document(node, text);
          const turns = Array.from({ length: size }, () => text);
          return chat(node, turns);
        });
        const send = async (engine: World["engine"], where: string) => {
          const some = items.filter((_, index) =>
            ["both", where].includes(places[index]?.where ?? "")
          );
          if (some.length > 0) await engine.store(some, { wait: "accepted" });
        };
        await send(oldOf(world), "retired");
        await send(world.engine, "root");
        const ids = items.map(itemId).sort();
        for (let limit = 1; limit <= items.length + 1; limit++) {
          const hits = await listAll(world.engine, {}, limit);
          deepEqual(hits.map(({ id }) => id).sort(), ids, `pages of ${limit}`);
        }
        await world[Symbol.asyncDispose]();
      },
    ),
    { numRuns: 25 },
  );
});

Deno.test("list() goes on where it was, though items came and went", async () => {
  const items = facts(6);
  const [, , , , fourth, fifth] = items;
  ok(fourth && fifth);
  const cases: readonly [
    string,
    (world: World) => Promise<unknown>,
    readonly string[],
  ][] = [
    ["nothing happened", () => Promise.resolve(), ["fact 3", "fact 2"]],
    ["the last is gone", (world) => remove(world, [fourth]), [
      "fact 3",
      "fact 2",
    ]],
    ["all of it is gone", (world) => remove(world, [fourth, fifth]), [
      "fact 3",
      "fact 2",
    ]],
    ["a newer one came", async ({ engine }) => {
      await engine.store([learning("ws:main", "newer")]);
    }, ["fact 3", "fact 2"]],
    ["newer ones came, up to a page's border", (world) => add(world, 99), [
      "fact 3",
      "fact 2",
    ]],
    ["pages of newer ones came", (world) => add(world, 101), [
      "fact 3",
      "fact 2",
    ]],
    ["the next is gone", async (world) => {
      const next = items[3];
      ok(next);
      await remove(world, [next]);
    }, ["fact 2", "fact 1"]],
  ];
  for (const [name, happen, expected] of cases) {
    await using world = openDoubleWorld(DIRECT);
    const { engine } = world;
    for (const item of items) await engine.store([item]);
    const first = await engine.list({ filter: EXACT, limit: 2 });
    deepEqual(first.items.map(({ text }) => text), ["fact 5", "fact 4"]);
    await happen(world);
    const { nextCursor: cursor } = first;
    const second = await engine.list({ filter: EXACT, limit: 2, cursor });
    deepEqual(second.items.map(({ text }) => text), expected, name);
  }
});

Deno.test("list() goes on behind a page whose end was forgotten", async () => {
  for (const doubleListing of [true, false]) {
    await using world = openDoubleWorld(DIRECT, { quirks: { doubleListing } });
    const { engine, double } = world;
    const items = facts(450);
    for (const item of items) {
      double.store.now += 1_000;
      await engine.store([item], { wait: "accepted" });
    }
    const first = await engine.list({ filter: EXACT, limit: 10 });
    await remove(world, items.slice(440, 444));
    await add(world, 1);
    const sent = double.seen.length;
    const { nextCursor: cursor } = first;
    const second = await engine.list({ filter: EXACT, limit: 3, cursor });
    deepEqual(textsOf(second.items), ["fact 437", "fact 438", "fact 439"]);
    ok(double.seen.length - sent < 4, "looks for what is gone to the end");
    // All that was listed later is gone as well.
    await remove(world, items.slice(240, 440));
    await remove(world, items.slice(40, 240));
    await remove(world, items.slice(0, 40));
    const last = await engine.list({ filter: EXACT, limit: 3, cursor });
    deepEqual(textsOf(last.items), []);
  }
});

Deno.test("list() gives an item that was stored twice on one page only", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const items = facts(3);
  for (const item of items) await engine.store([item]);
  // As two writers may have done when their keys were forgotten.
  const [first] = double.store.events;
  ok(first);
  double.store.append(
    { ...first.body, idempotency_key: "another" },
    { actor: "user:x", listingLag: 0, recallLag: 0 },
  );
  for (const limit of [1, 2, 3]) {
    const hits = await listAll(engine, EXACT, limit);
    deepEqual(textsOf(hits), ["fact 0", "fact 1", "fact 2"]);
  }
  const { events } = await engine.forget({ filter: EXACT });
  equal(events, 4);
});

Deno.test("list() resumes at the next scope when the cursor's is gone", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  await engine.store([
    learning("agent:a", "a"),
    learning("agent:b", "b"),
    learning("agent:c", "c"),
  ]);
  const first = await engine.list({ filter: {}, limit: 2 });
  deepEqual(first.items.map(({ text }) => text), ["a", "b"]);
  await engine.erase({ at: at("agent:b"), descendants: true });
  double.store.scopes.delete("org:42/agent:b/app:learnings");
  const { nextCursor: cursor } = first;
  const second = await engine.list({ filter: {}, limit: 9, cursor });
  deepEqual(second.items.map(({ text }) => text), ["c"]);
});

Deno.test("list() refuses a cursor that is none, and one of another filter", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  await engine.store(facts(3));
  const { nextCursor } = await engine.list({ filter: EXACT, limit: 1 });
  ok(nextCursor);
  const json = (value: unknown) =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64();
  const sent = double.seen.length;
  const bad = [
    "",
    "!",
    nextCursor.slice(1),
    nextCursor.slice(0, -4),
    `${nextCursor}A`.repeat(2),
    json(null),
    json([]),
    json({}),
    json({ s: "org:7/app:learnings", f: "x", a: [] }),
    json({ s: 5, f: {} }),
    "A".repeat(1_000_000),
    "\0\ud800",
  ];
  for (const cursor of bad) {
    await rejects(engine.list({ filter: EXACT, limit: 1, cursor }), isInvalid);
  }
  const others: readonly Filter[] = [
    {},
    { ...EXACT, kinds: ["document"] },
    { reach: exactly(at("ws:other")), kinds: ["learning"] },
  ];
  for (const filter of others) {
    const list = engine.list({ filter, limit: 1, cursor: nextCursor });
    await rejects(list, /another filter/);
  }
  for (const limit of [0, -1, 1.5, NaN, 1_001]) {
    await rejects(engine.list({ filter: EXACT, limit }), isInvalid);
  }
  for (const observedAfter of ["", "now", "2026-02-30T00:00:00Z"]) {
    const filter = { observedAfter };
    await rejects(engine.list({ filter, limit: 1 }), isInvalid);
  }
  equal(double.seen.length, sent);
});

Deno.test("reads of a cut listing say so", async () => {
  for (const placing of [DIRECT, TENANT]) {
    const above = placing === DIRECT ? "org:42/" : "org:t1/";
    await using world = openDoubleWorld(placing, {
      prepare: (double) => crowd(double, above),
    });
    const { engine, events } = world;
    await engine.store([learning("root", "here"), learning("agent:a7", "in")]);
    const page = await engine.list({ filter: {}, limit: 10 });
    deepEqual([textsOf(page.items), page.isCut], [["here", "in"], true]);
    const filter: Filter = { reach: subtree(at("root")) };
    equal(
      (await engine.recall({ query: "here", filter, limit: 1 })).isCut,
      true,
    );
    equal((await engine.get({ ids: ["0".repeat(40)] })).isCut, true);
    equal((await engine.nodes(at("root"))).isCut, true);
    equal((await engine.answer({ question: "here?", filter })).isCut, true);
    ok(events.filter(({ kind }) => kind === "listing_cut").length >= 5);
    // Where nothing has to be listed, nothing is cut.
    const exact: Filter = { reach: exactly(at("agent:a7")) };
    equal((await engine.list({ filter: exact, limit: 1 })).isCut, false);
  }
});

Deno.test("a copy that is whole is preferred, whichever root holds it", async () => {
  const talk = chat("ws:main", ["one", "two", "three"]);
  const id = itemId(talk);
  for (const index of [0, 2]) {
    await using world = openDoubleWorld(DIRECT);
    const { engine, double: { store } } = world;
    await oldOf(world).store([talk]);
    await engine.store([talk]);
    const mine = store.events.filter(({ scope }) => scope.startsWith("org:42"));
    store.events = store.events.filter((event) => event !== mine[index]);
    for (
      const hits of [
        await listAll(engine, {}, 1),
        (await engine.get({ ids: [id] })).items,
        (await engine.recall({
          query: "one two three",
          filter: { reach: exactly(at("ws:main")) },
          limit: 5,
        })).items,
      ]
    ) {
      deepEqual(
        hits.map((hit) => [hit.id, hit.isWhole, hit.below]),
        [[id, true, "retired"]],
      );
    }
    // Neither is whole: the root's is as good as the other.
    store.events = store.events.filter(({ text, scope }) =>
      text !== "two" || !scope.startsWith("user:42")
    );
    const [hit] = (await engine.get({ ids: [id] })).items;
    deepEqual([hit?.isWhole, hit?.below], [false, "root"]);
    const { matched, left } = await engine.forget({ ids: [id] });
    deepEqual([matched, left, store.events.length], [[id], [], 0]);
  }
});

Deno.test("history() of a thread reads that thread alone", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const said = (threadId: string, agentId: string, count: number) =>
    chat("ws:main", Array.from({ length: count }, () => threadId), {
      agentId,
      threadId,
    });
  await engine.store([said("old", "a", 2), said("old", "b", 1)]);
  await engine.store([said("new", "a", 900)], { wait: "accepted" });
  for (const [who, count] of [["self", 2], ["team", 1]] as const) {
    const sent = double.seen.length;
    const { turns, hasMore } = await engine.history({
      agentId: "a",
      who,
      threadId: "old",
      limit: 5,
    });
    deepEqual([turns.length, hasMore], [count, false]);
    // One request for each root.
    equal(double.seen.length - sent, 2);
  }
});

Deno.test("recall() has room for long texts, and gives one item once", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const long = Array.from(
    { length: 8 },
    (_, index) =>
      document("ws:main", `vintage ${index} ${"grape ".repeat(3_000)}`),
  );
  const talk = chat("ws:main", ["vintage one", "vintage two", "vintage three"]);
  await engine.store([...long, talk]);
  const filter: Filter = { reach: exactly(at("ws:main")) };
  const { items } = await engine.recall({
    query: "vintage",
    filter,
    limit: 20,
  });
  equal(items.length, 9);
  equal(new Set(items.map(({ id }) => id)).size, 9);
  const pages: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page = await engine.recall({
      query: "vintage",
      filter,
      limit: 4,
      offset,
    });
    pages.push(...page.items.map(({ id }) => id));
    offset = page.nextOffset;
  }
  deepEqual(pages, items.map(({ id }) => id));
  const sent = double.seen.length;
  await rejects(engine.recall({ query: " ", filter, limit: 1 }), isInvalid);
  const recall = { query: "vintage", filter, limit: 1 };
  await rejects(engine.recall({ ...recall, offset: -1 }), isInvalid);
  await rejects(engine.recall({ ...recall, limit: 0 }), isInvalid);
  await rejects(engine.answer({ question: "", filter }), isInvalid);
  await rejects(
    engine.history({ agentId: " ", who: "self", limit: 1 }),
    isInvalid,
  );
  equal(double.seen.length, sent);
});

Deno.test("recall() gives an item at the best of its ranks", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine } = world;
  const low = learning("ws:main", "the cellar");
  const high = learning("ws:main", "the cellar door");
  await oldOf(world).store([low]);
  await engine.store([high, low]);
  const { items } = await engine.recall({
    query: "cellar door",
    filter: EXACT,
    limit: 5,
  });
  deepEqual(items.map(({ text, below }) => [text, below]), [
    ["the cellar door", "root"],
    ["the cellar", "root"],
  ]);
  const [first = 0, second = 0] = items.map(({ score }) => score);
  ok(first > second && second > 0);
});

Deno.test("answer() builds its packs anew when they are gone, three times", async () => {
  for (const placing of [DIRECT, TENANT]) {
    const isHosted = placing === TENANT;
    const route = isHosted ? "POST /memory/answer" : "POST /v1/answer";
    const gone = isHosted
      ? { status: 400, code: "MISSING_PACK", route }
      : { status: 404, code: "NOT_FOUND", route };
    await using world = openDoubleWorld(placing);
    const { engine, double } = world;
    await engine.store(facts(2));
    const ask = () => engine.answer({ question: "fact?", filter: EXACT });
    double.fail({ ...gone, times: 2 });
    const answered = await ask();
    ok(answered.text?.includes("fact"));
    equal(double.routes.filter((one) => one === route).length, 3);
    double.fail({ ...gone, times: 3 });
    await rejects(ask(), CortexUnavailableError);
    equal(double.routes.filter((one) => one === route).length, 6);
  }
});

Deno.test("answer() rests on no pack with what the filter leaves out", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine } = world;
  await engine.store([
    learning("ws:main", "the cellar is dark", { tags: ["a"] }),
    learning("ws:main", "the cellar is cold", { tags: ["b"] }),
    learning("root", "the cellar is deep", { tags: ["a"] }),
  ]);
  const filter: Filter = { reach: { at: at("ws:main") }, tagsAny: ["a"] };
  const { text, cited } = await engine.answer({ question: "cellar?", filter });
  equal(text, "Answer to cellar?: the cellar is deep");
  equal(cited.length, 1);
});

Deno.test("a listing that never ends is given up", async () => {
  for (const name of ["cycle", "endless"]) {
    let pages = 0;
    await using world = openDoubleWorld(DIRECT, {
      wrap: (double) => async (input, init) => {
        const request = new Request(input, init);
        const answer = await double.handle(request);
        if (!request.url.includes("/events?")) return answer;
        const body = await answer.json();
        pages++;
        const next = name === "cycle" ? `${pages % 2}` : `${pages}`;
        return Response.json({ ...body, has_more: true, next_cursor: next });
      },
    });
    const list = world.engine.list({ filter: EXACT, limit: 1 });
    await rejects(list, CortexProtocolError);
    ok(pages <= 501);
  }
});

Deno.test("a scope too large to be looked through says so", async () => {
  let pages = 0;
  await using world = openDoubleWorld(DIRECT, {
    wrap: (double) => (input, init) => {
      const request = new Request(input, init);
      if (!request.url.includes("/events?")) return double.handle(request);
      const from = 200 * pages++;
      const items = Array.from({ length: 200 }, (_, index) => ({
        id: `evt_${from + index}`,
        content: { text: "somebody else's" },
      }));
      const page = { items, has_more: true, next_cursor: `${pages}` };
      return Promise.resolve(Response.json(page));
    },
  });
  await rejects(world.engine.list({ filter: EXACT, limit: 1 }), {
    name: "CortexRefusalError",
    message: /^Given up after 100000 events of org:42\/ws:main.*: narrow/,
  });
});

Deno.test("events so large that a page of them is not read are read", async () => {
  const double = new CortexDouble();
  const { engine } = buildEngines({ scopeRoot: "org:42" }, {
    endpoint: "http://127.0.0.1:3141",
    credential: double.credential,
    fetch: double.fetch,
    clock: new FakeClock(),
    limits: { maxBodyBytes: 100_000 },
  });
  const items = Array.from(
    { length: 40 },
    (_, index) => learning("ws:main", `${index} ${"x".repeat(9_000)}`),
  );
  const long = chat(
    "ws:main",
    items.map((_, index) => "y".repeat(index + 9_000)),
  );
  await engine.store([...items, long]);
  equal((await listAll(engine, {}, 7)).length, 41);
  const { items: got } = await engine.get({ ids: [itemId(long)] });
  deepEqual(got.map(({ isWhole }) => isWhole), [true]);
  const { left } = await engine.forget({ ids: [...items, long].map(itemId) });
  deepEqual([left, double.store.events.length], [[], 0]);
});

Deno.test("a refused listing of scopes is no empty one", async () => {
  for (const status of [403, 500]) {
    await using world = openDoubleWorld(DIRECT, {
      wrap: (double) => (input, init) => {
        const request = new Request(input, init);
        return request.url.includes("/scopes/list")
          ? Promise.resolve(Response.json({}, { status }))
          : double.handle(request);
      },
    });
    const { engine, double } = world;
    await engine.store(facts(1));
    const isBad = (error: unknown) =>
      error instanceof CortexRefusalError ||
      error instanceof CortexUnavailableError;
    await rejects(engine.list({ filter: {}, limit: 1 }), isBad);
    await rejects(engine.get({ ids: ["0".repeat(40)] }), isBad);
    await rejects(engine.forget({ ids: ["0".repeat(40)] }), isBad);
    const erase = { at: at("ws:main"), descendants: true };
    await rejects(engine.erase(erase), isBad);
    equal(double.store.events.length, 1);
  }
});
