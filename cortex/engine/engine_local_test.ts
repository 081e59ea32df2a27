/** The suite over the local CortexDB, and over a real one when there is one. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { CASES } from "../../tests/support/cortex/engine_suite.ts";
import {
  freshRoots,
  openLocalWorld,
} from "../../tests/support/cortex/engine_local.ts";
import {
  at,
  buildEngines,
  chat,
  document,
  learning,
} from "../../tests/support/cortex/engine_worlds.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { PostgresEventLog } from "../../store/event_log/mod.ts";
import { createLocalCortex } from "../local/mod.ts";
import { readEngineSettings } from "../settings.ts";
import { createEngine } from "./engine.ts";
import { createDirectClient } from "../client/client_direct.ts";
import { ROOT_NODE } from "../words.ts";
import { exactly, subtree } from "../layout/reach.ts";
import type { ScopePath, ScopePrefix } from "../layout/scope.ts";
import type { Filter } from "./read/filter.ts";

Deno.test("engine, local CortexDB", async (t) => {
  await using test = await openTestDb();
  for (const one of CASES) {
    await t.step(one.name, async () => {
      await using world = openLocalWorld(test);
      await one.run(world);
    });
  }
});

Deno.test("engine, local CortexDB: a listing of scopes is whole, however many there are", async () => {
  await using test = await openTestDb();
  await using world = openLocalWorld(test);
  const { engine } = world;
  const root = String(engine.layout.root);
  const register = (count: number) =>
    test.db.write(
      `insert into cortex_scopes (root, path, members, auto_provisioned)
       select $1, $1 || '/agent:a' || n || '/app:learnings', '[]', true
       from generate_series(1, $2::int) n on conflict do nothing`,
      [root, count],
    );
  for (const count of [1_000, 2_000, 2_001]) {
    await register(count);
    const { nodes, isCut } = await engine.nodes(ROOT_NODE);
    deepEqual([nodes.length, isCut], [count, false]);
  }
});

Deno.test("engine, local CortexDB: no item keeps another one out of a recall", async () => {
  await using test = await openTestDb();
  await using world = openLocalWorld(test);
  const { engine } = world;
  const turns = Array.from({ length: 60 }, (_, at) => `zebra zebra ${at}`);
  const books = [0, 1, 2].map((at) =>
    document("ws:main", `giraffe ${"lorem ipsum ".repeat(25_000)}${at}`)
  );
  await engine.store([
    chat("ws:main", "a zebra came by"),
    chat("ws:main", turns),
    ...books,
    document("ws:main", "giraffe"),
    learning("ws:main", "lion of old", { tags: ["old"] }),
  ]);
  const lions = Array.from(
    { length: 90 },
    (_, at) => learning("ws:main", `lion lion lion ${at}`),
  );
  await engine.store(lions);
  const filter: Filter = { reach: exactly(at("ws:main")) };
  const count = async (query: string, more: Filter = {}) => {
    const request = { query, filter: { ...filter, ...more }, limit: 9 };
    const { items, isRankingCut } = await engine.recall(request);
    return [items.length, isRankingCut];
  };
  // One conversation has all of the best events, one document all the room.
  deepEqual(await count("zebra"), [2, false]);
  deepEqual(await count("giraffe"), [4, false]);
  // Only the worst of many matches has the tag.
  deepEqual(await count("lion", { tagsAny: ["old"] }), [1, false]);
  await engine.store(
    lions.map((_, at) => learning("ws:main", `lion lion cub ${at}`)),
  );
  await engine.store(
    lions.map((_, at) => learning("ws:main", `lion lion king ${at}`)),
  );
  deepEqual(await count("lion", { tagsAny: ["old"] }), [0, true]);
  deepEqual(await count("lion"), [9, false]);
});

Deno.test("engine, local CortexDB: ids are looked for in many scopes by one listing", async () => {
  await using test = await openTestDb();
  const { fetch } = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(test.db)),
  });
  const asked: string[] = [];
  const engine = createEngine({
    client: createDirectClient({
      endpoint: "http://localhost",
      credential: "any",
      fetch: (input, init) => {
        const request = new Request(input, init);
        asked.push(`${request.method} ${new URL(request.url).pathname}`);
        return fetch(request);
      },
    }),
    layout: readEngineSettings({ scopeRoot: "org:many" }).layout,
    isVisibleAtOnce: true,
    listsBelow: true,
  });
  const items = Array.from(
    { length: 60 },
    (_, n) => learning(`agent:a${n}`, `The barrel ${n} leaks`),
  );
  const [first, ...others] = (await engine.store(items)).map(({ id }) => id);
  ok(first);
  const [by] = await engine.store([
    learning("root", "No barrel leaks", { replaces: [first] }),
  ]);
  const took = async (work: () => Promise<unknown>) => {
    asked.length = 0;
    await work();
    return asked.length;
  };
  const ids = [...others.slice(0, 20), first, "0".repeat(40)];
  const calls = await took(async () => {
    const got = await engine.get({ ids, reach: "everywhere" });
    deepEqual(got.items.map(({ id }) => id), ids.slice(0, 21));
    equal(got.items.at(-1)?.replacedBy, by?.id);
  });
  ok(calls <= 3, `${calls} requests`);
  const previewed = await took(async () => {
    const report = await engine.forget({ ids, preview: true });
    equal(report.matched.length, 21);
  });
  ok(previewed <= 3, `${previewed} requests`);
  const recalled = await took(async () => {
    const filter: Filter = { reach: subtree(ROOT_NODE) };
    const query = "leaking barrels";
    const { items } = await engine.recall({ query, filter, limit: 5 });
    equal(items.length, 5);
    ok(items.every(({ score }) => score > 0));
  });
  // The scopes, the ranking, and the items that are shown.
  ok(recalled <= 8, `${recalled} requests`);
});

Deno.test("engine, local CortexDB: a person with many scopes is erased by few requests, and nobody else is", async () => {
  await using test = await openTestDb();
  const { fetch } = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(test.db)),
  });
  const asked: string[] = [];
  let isFailing = false;
  const client = createDirectClient({
    endpoint: "http://localhost",
    credential: "any",
    fetch: async (input, init) => {
      const request = new Request(input, init);
      asked.push(`${request.method} ${new URL(request.url).pathname}`);
      if (isFailing && request.url.endsWith("/v1/erasures")) {
        await request.body?.cancel();
        return Response.json({ error_code: "X" }, { status: 507 });
      }
      return await fetch(request);
    },
  });
  const engineOf = (scopeRoot: string) =>
    createEngine({
      client,
      layout: readEngineSettings({ scopeRoot }).layout,
      isVisibleAtOnce: true,
      listsBelow: true,
    });
  const engine = engineOf("org:many");
  const other = engineOf("org:many2");
  await other.store([learning("agent:a1", "Somebody else's barrel")]);
  await engine.store([
    learning("root", "The cellar is cold"),
    ...Array.from(
      { length: 60 },
      (_, n) => learning(`agent:a${n}`, `The barrel ${n} leaks`),
    ),
    learning("agent:a1/agent:b", "The lid fits"),
  ]);
  const tree = { at: ROOT_NODE, descendants: true, wholeTree: true } as const;
  isFailing = true;
  const failed = await engine.erase(tree);
  deepEqual([failed.isProven, failed.failure?.path], [false, "org:many"]);
  ok(failed.scopes.every(({ events }) => events === 1));
  isFailing = false;
  // What a stranger keeps below stays, and so does what lies beside a node.
  const kept = "org:many/agent:a7/dept:d";
  await test.db.write(
    `insert into cortex_scopes (root, path, members, auto_provisioned)
     values ('org:many', $1, '[]', true)`,
    [kept],
  );
  await test.db.write(
    `insert into cortex_events (root, id, scope, actor, modality, kind, labels,
       content, context, observed_at, recorded_at, terms)
     select root, gen_random_uuid(), $1, actor, modality, kind, labels, content,
       context, observed_at, recorded_at, terms
     from cortex_events where root = 'org:many' limit 1`,
    [kept],
  );
  asked.length = 0;
  const node = await engine.erase({
    at: at("agent:a1"),
    descendants: true,
  });
  deepEqual(
    [node.scopes.length, node.isProven, node.failure],
    [2, true, undefined],
  );
  equal(asked.filter((one) => one === "POST /v1/erasures").length, 1);
  const { scopes, foreign } = await engine.erase(tree);
  ok(scopes.every(({ events }) => events === 0));
  deepEqual(foreign, [{ path: kept, events: 1 }]);
  equal(
    (await test.db.read(
      "select scope from cortex_events where root = 'org:many'",
    )).length,
    1,
  );
  await test.db.write("delete from cortex_events where scope = $1", [kept]);
  await test.db.write("delete from cortex_scopes where path = $1", [kept]);
  await engine.store(
    Array.from({ length: 60 }, (_, n) => learning(`agent:a${n}`, "Anew")),
  );
  asked.length = 0;
  const all = await engine.erase(tree);
  deepEqual([all.isProven, all.failure], [true, undefined]);
  ok(all.scopes.length >= 60);
  ok(asked.length <= 8, `${asked.length} requests`);
  equal((await other.list({ filter: {}, limit: 10 })).items.length, 1);
});

const LIVE_URL = Deno.env.get("CORTEX_LIVE_URL");

if (LIVE_URL === undefined) {
  // No part of a run can install one, so this is no skipped test.
  Deno.test("live: engine NOT run, for CORTEX_LIVE_URL names no CortexDB", () => {});
} else {
  const endpoint = LIVE_URL;
  Deno.test("live: engine, the CortexDB of CORTEX_LIVE_URL", async (t) => {
    const connection = {
      endpoint,
      credential: Deno.env.get("CORTEX_LIVE_API_KEY"),
    };
    const root = `org:rootcellar-test-${crypto.randomUUID()}`;
    try {
      for (const one of CASES) {
        await t.step(one.name, async () => {
          const world = buildEngines(freshRoots(`${root}/team:`), connection);
          await one.run({
            ...world,
            double: undefined,
            clock: undefined,
            canErase: true,
            recallLag: 0,
            // With embeddings, anything is a little like anything else.
            isRecallExact: false,
            [Symbol.asyncDispose]: () => Promise.resolve(),
          });
        });
      }
    } finally {
      await eraseBelow(root, connection);
    }
  });
}

/** Erases every scope below a root, deepest first. */
async function eraseBelow(
  root: string,
  connection: { endpoint: string; credential: string | undefined },
): Promise<void> {
  const client = createDirectClient(connection);
  const { paths } = await client.listScopes({ prefix: root as ScopePrefix });
  const depth = (path: string) => path.split("/").length;
  for (const path of paths.toSorted((a, b) => depth(b) - depth(a))) {
    if (path !== root && !path.startsWith(`${root}/`)) continue;
    const scope = path as ScopePath;
    await client.erase({ scope, auditNote: "end of a test run" });
  }
}
