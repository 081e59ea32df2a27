/** Storing: what is sent, what is not, and what is there afterwards. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { listAll } from "../../../tests/support/cortex/engine_case.ts";
import {
  at,
  chat,
  DIRECT,
  document,
  learning,
  openDoubleWorld,
  type Placing,
  TENANT,
} from "../../../tests/support/cortex/engine_worlds.ts";
import {
  LAYOUT,
  openFixture,
} from "../../../tests/support/cortex/cortex_fixture.ts";
import { CortexUnavailableError } from "../../errors.ts";
import { exactly } from "../../layout/reach.ts";
import { parseActor } from "../../layout/scope.ts";
import { toExperience } from "../../client/wire.ts";
import { type Item, itemId } from "../item/item.ts";
import { createEngine } from "../engine.ts";
import { layOut } from "../item/layout_events.ts";
import { createOwnership } from "./ownership.ts";

const TALK = chat("ws:main", ["hello", "good day", "how is the cellar?"]);

/** A document of two large pieces and a small one. */
const BOOK = document("source:books", `${"word ".repeat(120_000)}end`);

function writes(routes: readonly string[]): readonly string[] {
  return routes.filter((route) => /POST .*\/experience(\/bulk)?$/.test(route));
}

Deno.test("store() refuses a node that would not read back, and sends nothing", async () => {
  const cases: readonly (readonly [Placing, string])[] = [
    [{ scopeRoot: "user:42" }, "user:42"],
    [{ scopeRoot: "user:42" }, "user:42/ws:main"],
    [DIRECT, "user:42"],
    [DIRECT, "user:42/agent:a"],
    [{ wire: "hosted", scopeRoot: "user:42" }, "ws:main/user:42"],
    [TENANT, "user:42/ws:main"],
    [TENANT, "ws:main/user:42"],
    [
      { scopeRoot: "org:42", retiredScopeRoot: "org:42/user:42" },
      "user:42/ws:main",
    ],
  ];
  for (const [placing, node] of cases) {
    await using world = openDoubleWorld({ ...placing, scopeOwner: "user:42" });
    const { engine, double, events } = world;
    const items = [learning("ws:main", "fine"), learning(node, "not fine")];
    await rejects(engine.store(items), { reason: "invalid_request" }, node);
    deepEqual([double.seen.length, events.length], [0, 0]);
  }
});

Deno.test("store() refuses an event that is too large, and sends nothing", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const items = [TALK, chat("ws:main", ["short", "x".repeat(800_000)])];
  await rejects(engine.store(items), { reason: "invalid_request" });
  equal(double.seen.length, 0);
  // What JSON writes at length is cut smaller, not refused.
  const odd = document("root", '\u0001\\"'.repeat(150_000));
  await engine.store([odd], { wait: "accepted" });
  const [hit] = await listAll(engine, {});
  equal(hit?.isWhole, true);
  equal(hit.id, itemId(hit.item));
});

Deno.test("store() sends one event alone, several together, much in parts", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const send = async (item: Item) => {
    const before = double.seen.length;
    await engine.store([item], { wait: "accepted" });
    return writes(double.routes.slice(before));
  };
  deepEqual(await send(chat("ws:main", "alone")), ["POST /v1/experience"]);
  deepEqual(await send(TALK), ["POST /v1/experience/bulk"]);
  const twice = learning("root", "twice");
  const before = double.seen.length;
  await engine.store([twice, TALK, twice]);
  deepEqual(writes(double.routes.slice(before)), ["POST /v1/experience"]);
  const turns = Array.from({ length: 1_000 }, (_, index) => `turn ${index}`);
  deepEqual(await send(chat("ws:main", turns)), ["POST /v1/experience/bulk"]);
  const long = Array.from({ length: 14 }, () => "x".repeat(700_000));
  deepEqual(await send(chat("ws:main", long)), [
    "POST /v1/experience/bulk",
    "POST /v1/experience/bulk",
  ]);
  const hits = await listAll(engine, {}, 1);
  deepEqual(hits.map(({ isWhole }) => isWhole), Array(5).fill(true));
});

Deno.test("store() on the hosted wire claims each event by itself", async () => {
  await using world = openDoubleWorld(TENANT);
  const { engine, double } = world;
  await engine.store([TALK, learning("root", "x")]);
  const sent = double.seen.filter(({ route }) =>
    route === "POST /memory/experience"
  );
  equal(sent.length, 4);
  const claims = sent.map(({ headers }) => headers.get("idempotency-key"));
  equal(new Set(claims).size, 4);
});

Deno.test("store() writes only what is missing of an item", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double: { store } } = world;
  const ids = [BOOK, TALK].map(itemId);
  await engine.store([BOOK, TALK]);
  const all = store.events.length;
  for (const scope of ["org:42/app:brain/source:books", "ws:main"]) {
    const one = store.events.findLast((event) => event.scope.includes(scope));
    ok(one);
    store.forget(one.scope, [one.id], {
      isRedacting: true,
      releasesKeys: true,
    });
  }
  const damaged = await engine.get({ ids });
  deepEqual(damaged.items.map(({ isWhole }) => isWhole), [false, false]);
  const listed = await listAll(engine, {});
  deepEqual(listed.map(({ isWhole }) => isWhole), [false, false]);
  const receipts = await engine.store([BOOK, TALK]);
  deepEqual(receipts.map(({ isReplay }) => isReplay), [false, false]);
  equal(store.events.length, all);
  const mended = await engine.get({ ids });
  deepEqual(mended.items.map(({ isWhole }) => isWhole), [true, true]);
  deepEqual(mended.items.map(({ item }) => itemId(item)), ids);
});

Deno.test("store() takes no part of a copy that was cut otherwise for its own", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double: { store } } = world;
  const path = engine.layout.render(BOOK.meta.node, "document");
  const { drafts } = await layOut(BOOK, path);
  const [first] = drafts;
  ok(first && drafts.length > 1);
  // The first piece of five, as another release might have cut it.
  const labels = first.labels.map((label) =>
    label.replace(`"part":[0,${drafts.length}]`, `"part":[0,5]`)
  );
  store.append(
    toExperience({ ...first, labels, idempotencyKey: "other" }),
    { actor: "user:x", listingLag: 0, recallLag: 0 },
  );
  const [part] = await listAll(engine, {});
  deepEqual([part?.id, part?.isWhole], [itemId(BOOK), false]);
  const [receipt] = await engine.store([BOOK]);
  equal(receipt?.isReplay, false);
  const [hit, ...others] = await listAll(engine, {});
  deepEqual([hit?.isWhole, others.length], [true, 0]);
  ok(hit && itemId(hit.item) === itemId(BOOK));
  const { events } = await engine.forget({ ids: [itemId(BOOK)] });
  equal(events, drafts.length + 1);
  equal(store.events.length, 0);
});

Deno.test("store() finds out whether a write whose answer was lost is there", async () => {
  for (const item of [learning("root", "x"), TALK]) {
    await using world = openDoubleWorld(TENANT);
    const { engine, double } = world;
    // The write is carried out; its next try meets the claim of this one.
    const route = "POST /memory/experience";
    double.fail({ status: 408, route, isApplied: true });
    const [receipt] = await engine.store([item]);
    equal(receipt?.isReplay, false);
    equal(double.store.events.length, item.kind === "learning" ? 1 : 3);
    equal((await listAll(engine, {}))[0]?.isWhole, true);
  }
});

Deno.test("store() says so when it cannot find that out", async () => {
  await using world = openDoubleWorld(TENANT, {
    quirks: { listingLag: 1_000 },
  });
  const { engine, double } = world;
  const route = "POST /memory/experience";
  double.fail({ status: 408, route, isApplied: true });
  await rejects(engine.store([learning("root", "x")]), (error) => {
    ok(error instanceof CortexUnavailableError);
    return error.isOutcomeUnknown;
  });
  // Other turns of the same conversation are no proof.
  const claims: string[] = [];
  await using partly = openDoubleWorld(TENANT, {
    wrap: (other) => async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith("/experience")) {
        return await other.handle(request);
      }
      claims.push(request.headers.get("idempotency-key") ?? "");
      if (new Set(claims).size < 3) return await other.handle(request);
      await request.body?.cancel();
      return new Response("late", { status: 504 });
    },
  });
  await rejects(partly.engine.store([TALK]), CortexUnavailableError);
  equal(partly.double.store.events.length, 2);
  // A claim that stood before the first try is somebody else's.
  double.fail({ status: 409, code: "CONFLICT", route });
  await rejects(engine.store([learning("root", "y")]), { reason: "conflict" });
});

Deno.test("store() is not kept from storing by another tenant's key", async () => {
  await using world = openDoubleWorld(TENANT);
  const { engine, double } = world;
  const items = [learning("root", "the same everywhere"), TALK];
  for (const tenant of ["org:t1", "org:t2", "org:t3"]) {
    double.quirks.tenant = tenant;
    const first = await engine.store(items);
    deepEqual(first.map(({ isReplay }) => isReplay), [false, false]);
    const second = await engine.store(items);
    deepEqual(second.map(({ isReplay }) => isReplay), [true, true]);
    equal((await listAll(engine, {})).length, 2);
  }
  equal(double.store.events.length, 12);
});

Deno.test("store() writes a bulk event by event when a key in it is taken", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double: { store } } = world;
  const path = engine.layout.render(at("ws:main"), "conversation");
  const { drafts } = await layOut(TALK, path);
  const key = drafts[1]?.idempotencyKey;
  ok(key);
  store.append(
    { scope: "org:7", content: { text: "other" }, idempotency_key: key },
    { actor: "user:x", listingLag: 0, recallLag: 0 },
  );
  await engine.store([TALK]);
  const [hit] = await listAll(engine, {});
  deepEqual([hit?.isWhole, store.events.length], [true, 4]);
});

Deno.test("store() waits until it is listed, and says when it is not", async () => {
  await using slow = openDoubleWorld(DIRECT, { quirks: { listingLag: 9 } });
  const items = [learning("ws:main", "a"), learning("ws:other", "b"), TALK];
  await slow.engine.store(items);
  equal((await listAll(slow.engine, {})).length, 3);
  ok(slow.clock.slept.length > 0);

  await using never = openDoubleWorld(DIRECT, {
    quirks: { listingLag: 1_000_000 },
  });
  await rejects(never.engine.store(items), (error) => {
    ok(error instanceof CortexUnavailableError);
    ok(error.message.includes("not listed after 30 s"), error.message);
    return !error.isOutcomeUnknown;
  });
  equal(never.double.store.events.length, 5);
  const before = never.double.seen.length;
  await never.engine.store([TALK], { wait: "accepted" });
  ok(
    never.double.routes.slice(before).every((route) =>
      route !== "POST /v1/recall"
    ),
  );
});

Deno.test("store() waits for recall for a while, whatever recall does", async () => {
  await using deaf = openDoubleWorld(DIRECT, {
    quirks: { recallLag: 1_000_000 },
  });
  await deaf.engine.store([TALK]);
  ok(deaf.clock.now() >= 10_000 && deaf.clock.now() < 15_000);
  for (const status of [400, 403, 422, 500]) {
    await using world = openDoubleWorld(DIRECT);
    const route = "POST /v1/recall";
    world.double.fail({ status, route, times: 1_000 });
    await world.engine.store([TALK]);
    equal(world.double.store.events.length, 3);
  }
});

Deno.test("store() waits for what it wrote, not for what was there", async () => {
  const texts = [
    `${" ".repeat(300)}far behind`,
    `${"x".repeat(199)}\u{1f600}`,
    "?!",
    "the",
  ];
  for (const text of texts) {
    await using world = openDoubleWorld(DIRECT);
    const there = learning("ws:main", "nothing in common");
    await world.engine.store([there]);
    await world.engine.store([learning("ws:main", text), there]);
    deepEqual(world.clock.slept, [], text);
    for (const { body, route } of world.double.seen) {
      if (route !== "POST /v1/recall") continue;
      const { query } = body as { query: string };
      ok(query.isWellFormed() && query.trim() !== "");
    }
  }
});

Deno.test("store() keeps the items before an error, and may be sent again", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const items = [
    learning("root", "one"),
    learning("root", "two"),
    learning("root", "three"),
  ];
  const route = "POST /v1/experience";
  const refuse = { status: 403, route, code: "POLICY_DENIED" };
  // The first one passes: the failures begin with the second.
  let writes = 0;
  const handle = double.handle.bind(double);
  double.handle = async (request) => {
    if (request.url.includes("/experience") && ++writes === 2) {
      double.fail(refuse);
    }
    return await handle(request);
  };
  await rejects(engine.store(items), { reason: "unauthorized" });
  equal(double.store.events.length, 1);
  const receipts = await engine.store(items);
  deepEqual(receipts.map(({ isReplay }) => isReplay), [true, false, false]);
  equal(double.store.events.length, 3);
});

Deno.test("store() stores an item once, however many store it at once", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  await Promise.all(
    Array.from(
      { length: 8 },
      () => engine.store([TALK, learning("root", "x")]),
    ),
  );
  equal(double.store.events.length, 4);
});

Deno.test("the first writes register the root once, however many they are", async () => {
  await using world = openDoubleWorld({ ...DIRECT, scopeOwner: "user:42" });
  const { engine, double, events } = world;
  const write = (index: number) => engine.store([learning("root", `${index}`)]);
  await Promise.all(Array.from({ length: 20 }, (_, index) => write(index)));
  await write(20);
  const registered = double.routes.filter((one) => one === "POST /v1/scopes");
  equal(registered.length, 1);
  // Nothing was written before.
  const first = double.routes.findIndex((one) => one.startsWith("POST"));
  equal(double.routes[first], "POST /v1/scopes");
  deepEqual(events, [{ kind: "ownership_held", wasHeld: false }]);
  deepEqual(double.store.scopes.get("org:42")?.members, [
    { actor: "user:42", role: "owner" },
  ]);
  equal(double.store.events.length, 21);
});

Deno.test("a registration that fails fails no write, and is tried again", async () => {
  await using world = openDoubleWorld(
    { ...DIRECT, scopeOwner: "user:42" },
    { quirks: { registrationStatus: 403 } },
  );
  const { engine, double, events } = world;
  const write = (index: number) => engine.store([learning("root", `${index}`)]);
  const tries = () =>
    double.routes.filter((route) => route === "POST /v1/scopes").length;
  await Promise.all(Array.from({ length: 5 }, (_, index) => write(index)));
  const before = tries();
  ok(before >= 1 && before <= 5);
  await write(5);
  equal(tries(), before + 1);
  equal(
    events.filter(({ kind }) => kind === "ownership_failed").length,
    tries(),
  );
  equal(double.store.scopes.has("org:42"), false);
  double.quirks.registrationStatus = undefined;
  await write(6);
  await write(7);
  equal(tries(), before + 2);
  equal(double.store.events.length, 8);
});

Deno.test("ensure() makes one try for all who come while it lasts", async () => {
  const { client, double, clock } = openFixture("direct", {
    registrationStatus: 403,
  });
  const ownership = createOwnership(
    {
      client,
      clock,
      layout: LAYOUT,
      isVisibleAtOnce: false,
      listsBelow: false,
      report: () => {},
    },
    parseActor("user:42"),
  );
  const all = () => Promise.all(Array.from({ length: 20 }, ownership.ensure));
  const tries = () =>
    double.routes.filter((route) => route === "POST /v1/scopes").length;
  await all();
  equal(tries(), 1);
  await all();
  equal(tries(), 2);
  double.quirks.registrationStatus = undefined;
  await all();
  await all();
  equal(tries(), 3);
});

Deno.test("ensure() pauses behind a try that took long", async () => {
  const { client, double, clock } = openFixture("direct", {
    registrationStatus: 403,
  });
  const slow = {
    ...client,
    async registerScope(...args: Parameters<typeof client.registerScope>) {
      await clock.sleep(10_000);
      await client.registerScope(...args);
    },
  };
  const ownership = createOwnership(
    {
      client: slow,
      clock,
      layout: LAYOUT,
      isVisibleAtOnce: false,
      listsBelow: false,
      report: () => {},
    },
    parseActor("user:42"),
  );
  const tries = () =>
    double.routes.filter((route) => route === "POST /v1/scopes").length;
  for (let write = 0; write < 20; write++) await ownership.ensure();
  equal(tries(), 1);
  await clock.sleep(299_000);
  await ownership.ensure();
  equal(tries(), 1);
  await clock.sleep(1_000);
  await ownership.ensure();
  equal(tries(), 2);
});

Deno.test("store() asks for nothing afterwards where all is visible at once", async () => {
  for (const isVisibleAtOnce of [true, false]) {
    const { client, double, clock } = openFixture("direct");
    const engine = createEngine({
      client,
      clock,
      layout: LAYOUT,
      isVisibleAtOnce,
    });
    await engine.store([TALK]);
    const asked = ["GET /v1/events", "POST /v1/experience/bulk"];
    const looked = isVisibleAtOnce ? [] : ["GET /v1/events", "POST /v1/recall"];
    deepEqual(
      double.routes.filter((route) => !route.endsWith("whoami")),
      [...asked, ...looked],
    );
  }
});

Deno.test("a registration that hangs holds no write that is given up", async () => {
  const asked = Promise.withResolvers<void>();
  const hang = Promise.withResolvers<Response>();
  await using world = openDoubleWorld({ ...DIRECT, scopeOwner: "user:42" }, {
    wrap: (double) => (input, init) => {
      const request = new Request(input, init);
      const isRegistration = request.url.endsWith("/v1/scopes");
      if (!isRegistration) return double.handle(request);
      asked.resolve();
      return hang.promise;
    },
  });
  const { engine, double } = world;
  const stop = new AbortController();
  const given = engine.store([learning("root", "given up")], {
    signal: stop.signal,
  });
  const kept = engine.store([learning("root", "kept")]);
  await asked.promise;
  stop.abort(new Error("enough"));
  await rejects(given, { message: "enough" });
  equal(double.store.events.length, 0);
  hang.resolve(Response.json({}, { status: 201 }));
  await kept;
  deepEqual(world.events.map(({ kind }) => kind), ["ownership_held"]);
  deepEqual(double.store.events.map(({ text }) => text), ["kept"]);
  const filter = { reach: exactly(at("root")) };
  equal((await listAll(engine, filter)).length, 1);
});
