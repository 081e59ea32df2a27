/** Forgetting and erasing: what goes, what stays, and what is said of it. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  isInvalid,
  listAll,
  oldOf,
  textsOf,
} from "../../../tests/support/cortex/engine_case.ts";
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
import type { CortexDouble } from "../../../tests/support/cortex/cortex_double.ts";
import { CortexProtocolError, CortexUnavailableError } from "../../errors.ts";
import { exactly, subtree } from "../../layout/reach.ts";
import { itemId } from "../item/item.ts";

/** Requests that remove anything. */
function removals({ routes }: CortexDouble): readonly string[] {
  return routes.filter((route) =>
    /^DELETE |^POST .*\/(forget|erasures)$/.test(route)
  );
}

/** Registers scopes of strangers, until no listing is whole. */
function crowd({ store, quirks }: CortexDouble, above: string): void {
  for (let count = 0; count < quirks.maxScopes; count++) {
    const path = `${above}dept:d${count}`;
    store.scopes.set(path, { path, members: [], isAutoProvisioned: true });
  }
}

Deno.test("a cut listing refuses every removal that would need it whole", async () => {
  for (const placing of [DIRECT, TENANT]) {
    const above = placing === DIRECT ? "org:42/" : "org:t1/";
    await using world = openDoubleWorld(placing, {
      prepare: (double) => {
        crowd(double, above);
        crowd(double, `${above}ws:main/`);
      },
    });
    const { engine, double } = world;
    const items = [learning("ws:main", "a"), learning("ws:main", "b")];
    const [one, two] = items.map(itemId);
    ok(one && two);
    await engine.store(items);
    const tree = { at: at("root"), descendants: true };
    const wide = { ...tree, at: at("ws:main") };
    const refused = [
      () => engine.forget({ ids: [one] }),
      () => engine.forget({ ids: [one], preview: true }),
      () => engine.forget({ ids: [one], reach: subtree(at("ws:main")) }),
      () => engine.forget({ filter: { reach: subtree(at("ws:main")) } }),
      () => engine.forget({ filter: { agentId: "a" } }),
      () => engine.erase(wide),
      () => engine.erase({ ...wide, preview: true }),
      () => engine.erase({ ...wide, descendants: false }),
      ...placing === DIRECT
        ? [() => engine.erase({ ...tree, wholeTree: true })]
        : [],
    ];
    for (const run of refused) await rejects(run(), { reason: "refused" });
    deepEqual(removals(double), []);
    equal(double.store.events.length, 2);
    // What is named needs no listing.
    const reach = exactly(at("ws:main"));
    equal((await engine.forget({ ids: [one], reach })).forgotten.length, 1);
    equal((await engine.forget({ filter: { reach } })).forgotten.length, 1);
    if (placing === DIRECT) continue;
    // What takes everything misses nothing.
    await engine.store(items);
    await engine.erase({ ...tree, wholeTree: true });
    equal(double.store.events.length, 0);
  }
});

Deno.test("forget() within a reach reads and lists nothing else", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const item = learning("agent:a/agent:b", "x");
  await engine.store([item]);
  const before = double.seen.length;
  const reach = subtree(at("agent:a"));
  const { scopes, forgotten } = await engine.forget({
    ids: [itemId(item)],
    reach,
  });
  deepEqual(forgotten, [itemId(item)]);
  const named = double.seen.slice(before).flatMap(({ query, body }) => [
    query.get("prefix"),
    query.get("scope"),
    (body as { scope?: string } | undefined)?.scope,
  ]).filter((path) => typeof path === "string");
  ok(named.length > scopes.length);
  ok(named.every((path) => /^(org|user):42\/agent:a(\/|$)/.test(path)));
});

Deno.test("forget() says what it sends: events by id, the cascade named", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const turns = Array.from({ length: 250 }, (_, index) => `turn ${index}`);
  await engine.store([chat("ws:main", turns)]);
  const filter = { kinds: ["conversation"], agentId: undefined } as const;
  const report = await engine.forget({ filter, reason: "tidying" });
  deepEqual([report.events, report.left], [250, []]);
  const bodies = double.seen.filter(({ route }) => route === "POST /v1/forget")
    .map(({ body }) => body as Record<string, unknown>);
  equal(bodies.length, 3);
  for (const body of bodies) {
    const { selector, ...rest } = body;
    deepEqual(rest, {
      scope: "org:42/ws:main/app:conversations",
      layers: ["events"],
      cascade: "redact_events",
      audit_note: "tidying",
    });
    const { memory_ids: ids } = selector as { memory_ids: readonly string[] };
    ok(ids.length > 0 && ids.length <= 100);
  }
});

Deno.test("forget() tells what is still seen", async () => {
  await using world = openDoubleWorld(DIRECT, {
    // Says that it forgot, and keeps everything.
    wrap: (double) => (input, init) => {
      const request = new Request(input, init);
      return request.url.endsWith("/forget")
        ? Promise.resolve(Response.json({ deleted: { events: 1 }, matched: 1 }))
        : double.handle(request);
    },
  });
  const { engine } = world;
  const item = learning("root", "stubborn");
  await engine.store([item]);
  const report = await engine.forget({ ids: [itemId(item)] });
  deepEqual(report.matched, [itemId(item)]);
  deepEqual([report.forgotten, report.left], [[], [itemId(item)]]);
});

Deno.test("forget() counts as left only what it removed, not what was stored meanwhile", async () => {
  const item = learning("root", "again");
  let store: (() => Promise<unknown>) | undefined;
  await using world = openDoubleWorld(DIRECT, {
    // Somebody stores the same item as soon as it is gone.
    wrap: (double) => async (input, init) => {
      const request = new Request(input, init);
      const answer = await double.handle(request);
      const again = request.url.endsWith("/forget") ? store : undefined;
      if (again !== undefined) {
        store = undefined;
        await again();
      }
      return answer;
    },
  });
  const { engine } = world;
  await engine.store([item]);
  store = () => engine.store([item]);
  const report = await engine.forget({ ids: [itemId(item)] });
  deepEqual([report.forgotten, report.left], [[itemId(item)], []]);
  deepEqual(textsOf(await listAll(engine, {})), ["again"]);
});

Deno.test("forget() by a window takes an item whole or not at all", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double: { store } } = world;
  const observed = (observedAt: string) =>
    chat("ws:main", ["one", "two", "three"], { observedAt });
  await engine.store([observed("2026-01-01T00:00:00Z")]);
  // The last turn is lost, and stored again when it was read another time.
  const [last] = store.events.splice(2, 1);
  ok(last);
  await engine.store([observed("2026-06-01T00:00:00Z")]);
  const later = { observedAfter: "2026-03-01T00:00:00Z" };
  deepEqual((await engine.forget({ filter: later })).matched, []);
  equal(store.events.length, 3);
  const earlier = { observedBefore: "2026-03-01T00:00:00Z" };
  equal((await engine.forget({ filter: earlier })).events, 3);
  equal(store.events.length, 0);
});

Deno.test("forget() by a window judges an item by its first part, and that by its newest copy", async () => {
  const january = { observedBefore: "2026-03-01T00:00:00Z" };
  const june = { observedAfter: "2026-03-01T00:00:00Z" };
  const observed = (observedAt: string) =>
    chat("ws:main", ["one", "two", "three"], { observedAt });
  // What is stored a second time: the first turn alone, or all of them.
  for (const isWhole of [false, true]) {
    await using world = openDoubleWorld(DIRECT);
    const { engine, double: { store } } = world;
    await engine.store([observed("2026-01-01T00:00:00Z")]);
    if (isWhole) {
      // By somebody who knew nothing of the first time.
      await using other = openDoubleWorld(DIRECT);
      await other.engine.store([observed("2026-06-01T00:00:00Z")]);
      store.events.push(
        ...other.double.store.events.map((one) => ({
          ...one,
          id: `${one.id}9`,
        })),
      );
    } else {
      ok(store.events.shift());
      await engine.store([observed("2026-06-01T00:00:00Z")]);
    }
    const count = isWhole ? 6 : 3;
    equal(store.events.length, count);
    deepEqual((await engine.forget({ filter: january })).matched, []);
    equal((await engine.forget({ filter: june })).events, count);
    equal(store.events.length, 0);
  }
});

Deno.test("forget() in one root only where only that one matches", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine } = world;
  await oldOf(world).store([learning("ws:main", "old", { tags: ["x"] })]);
  await engine.store([learning("ws:main", "new")]);
  const { forgotten } = await engine.forget({ filter: { tagsAny: ["x"] } });
  equal(forgotten.length, 1);
  deepEqual(textsOf(await listAll(engine, {})), ["new"]);
});

Deno.test("erase() takes one kind, and leaves strangers below a source, on either wire", async () => {
  // What the engine sends, and what lies in front of it in the store.
  const wires: readonly [Placing, string, string][] = [
    [{ scopeRoot: "org:42" }, "org:42/", ""],
    [{ scopeRoot: "org:42", wire: "hosted" }, "org:42/", "org:t1/"],
    [TENANT, "", "org:t1/"],
  ];
  for (const [placing, root, tenant] of wires) {
    await using world = openDoubleWorld(placing);
    const { engine, double } = world;
    const source = `${root}app:brain/source:github`;
    await engine.store([
      document("source:github", "ours"),
      learning("source:github", "learned"),
    ]);
    // A scope of somebody else, below ours.
    double.store.append(
      {
        scope: `${tenant}${source}/dept:x`,
        content: { text: "theirs" },
      },
      { actor: "user:x", listingLag: 0, recallLag: 0 },
    );
    const report = await engine.erase({
      at: at("source:github"),
      descendants: true,
      kinds: ["document"],
    });
    deepEqual(report.scopes.map(({ path, how }) => [path, how]), [
      [source, "events"],
    ]);
    deepEqual(
      double.store.events.map(({ text }) => text).sort(),
      ["learned", "theirs"],
    );
  }
});

Deno.test("erase() by events takes any number of them", async () => {
  await using world = openDoubleWorld({ scopeRoot: "org:42" }, {
    quirks: { doubleListing: false },
  });
  const { engine, double } = world;
  await engine.store([
    document("source:s", "above"),
    document("source:s/project:p", "below"),
  ]);
  for (let count = 0; count < 5_500; count++) {
    double.store.append(
      { scope: "org:42/app:brain/source:s", content: { text: `${count}` } },
      { actor: "user:x", listingLag: 0, recallLag: 0 },
    );
  }
  const exact = { at: at("source:s"), descendants: false };
  const report = await engine.erase(exact);
  deepEqual(report.scopes.map(({ how, events }) => [how, events]), [
    ["events", 0],
  ]);
  deepEqual(double.store.events.map(({ text }) => text), ["below"]);
});

Deno.test("erase() needs the flag for the whole tree, not for less", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  await engine.store([learning("root", "a"), document("root", "b")]);
  const tree = { at: at("root"), descendants: true };
  const sent = double.seen.length;
  await rejects(engine.erase(tree), isInvalid);
  await rejects(engine.erase({ ...tree, kinds: [] }), isInvalid);
  await rejects(
    engine.erase({
      ...tree,
      kinds: ["learning", "document", "conversation"],
      wholeTree: false,
    }),
    isInvalid,
  );
  equal(double.seen.length, sent);
  const preview = await engine.erase({ ...tree, preview: true });
  deepEqual([preview.scopes.length, preview.isProven], [2, false]);
  deepEqual(removals(double), []);
  await engine.erase({ ...tree, kinds: ["learning"] });
  deepEqual(textsOf(await listAll(engine, {})), ["b"]);
  const nothing = await engine.erase({ at: at("ws:x"), descendants: true });
  deepEqual([nothing.scopes, nothing.isProven], [[], true]);
});

Deno.test("erase() fails when an erasure does", async () => {
  const answers: readonly (readonly [unknown, unknown])[] = [
    [{ erasure_id: "e", status: "failed" }, CortexProtocolError],
    [{ erasure_id: "e", status: "running" }, CortexUnavailableError],
    [{ status: "pending" }, CortexUnavailableError],
  ];
  for (const [body, kind] of answers) {
    await using world = openDoubleWorld(DIRECT, {
      wrap: (double) => (input, init) => {
        const request = new Request(input, init);
        return request.url.includes("/erasures")
          ? Promise.resolve(Response.json(body))
          : double.handle(request);
      },
    });
    const { engine, double } = world;
    await engine.store([learning("ws:main", "a")]);
    const erase = engine.erase({ at: at("ws:main"), descendants: true });
    await rejects(erase, kind as new () => Error);
    equal(double.store.events.length, 1);
  }
});

Deno.test("erase() below a hosted named root never takes the tenant", async () => {
  const placing: Placing = { ...DIRECT, wire: "hosted" };
  await using world = openDoubleWorld(placing);
  const { engine, double } = world;
  await engine.store([learning("root", "ours"), document("source:s", "d")]);
  double.store.append(
    { scope: "org:t1/ws:main/app:learnings", content: { text: "theirs" } },
    { actor: "user:x", listingLag: 0, recallLag: 0 },
  );
  const tree = { at: at("root"), descendants: true, wholeTree: true };
  const { isProven } = await engine.erase(tree);
  equal(isProven, true);
  deepEqual(double.store.events.map(({ text }) => text), ["theirs"]);
  ok(removals(double).every((one) => one === "POST /memory/v1/erasures"));
});

Deno.test("erase() counts and names what of others' stays below", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  await engine.store([learning("root", "ours")]);
  const theirs = "org:42/dept:d/app:learnings";
  const [event] = double.store.events;
  ok(event !== undefined);
  double.store.events.push({ ...event, id: "evt_theirs", scope: theirs });
  double.store.scopes.set(theirs, {
    path: theirs,
    members: [],
    isAutoProvisioned: true,
  });
  const tree = { at: at("root"), descendants: true, wholeTree: true };
  const foreign = [{ path: theirs, events: 1 }];
  deepEqual((await engine.erase({ ...tree, preview: true })).foreign, foreign);
  const report = await engine.erase(tree);
  deepEqual([report.foreign, report.isProven], [foreign, false]);
  deepEqual(report.scopes.map(({ events }) => events), [0]);
  deepEqual(double.store.events.map(({ scope }) => scope), [theirs]);
  // One kind alone says nothing of others.
  const some = {
    at: at("root"),
    descendants: true,
    kinds: ["learning"],
  } as const;
  deepEqual((await engine.erase(some)).foreign, []);
});

Deno.test("erase() that fails half-way says what is gone and what is left", async () => {
  let erasures = 0;
  await using world = openDoubleWorld(DIRECT, {
    wrap: (double) => (input, init) => {
      const request = new Request(input, init);
      const isSecond = request.url.endsWith("/v1/erasures") && ++erasures > 1;
      return isSecond
        ? Promise.resolve(Response.json({ error_code: "X" }, { status: 507 }))
        : double.handle(request);
    },
  });
  const { engine } = world;
  await engine.store([
    learning("ws:a/agent:b", "deep"),
    learning("ws:a", "up"),
  ]);
  const report = await engine.erase({ at: at("ws:a"), descendants: true });
  deepEqual(
    report.scopes.map(({ node, events }) => [node, events]),
    [["ws:a/agent:b", 0], ["ws:a", 1]],
  );
  equal(report.isProven, false);
  equal(report.failure?.path, report.scopes[1]?.path);
  ok(report.failure?.error instanceof Error);
});
