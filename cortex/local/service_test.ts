import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openLocalCortex } from "../../tests/support/cortex/local_cortex.ts";

const SCOPE = "org:a/ws:main/app:conversations";

function body(text: string, more: Record<string, unknown> = {}) {
  return {
    scope: SCOPE,
    modality: "conversation",
    content: { kind: "message", role: "user", text },
    ...more,
  };
}

Deno.test("POST /v1/experience answers the wire's shape and lists at once, once", async () => {
  await using cortex = await openLocalCortex();
  const { status, body: answer } = await cortex.call("POST", "experience", {
    ...body("Alice takes her coffee black."),
    context: {
      observed_at: "2026-09-01T09:00:00Z",
      labels: ["topic:coffee"],
      intent: "preference",
    },
    directives: { extract: [] },
    idempotency_key: "alice-0001",
  });
  equal(status, 202);
  match(answer.event_id, /^evt_[0-9a-f]{32}$/);
  equal(answer.status, "captured");
  equal(answer.replayed_from_idempotency, false);
  const page = await cortex.call("GET", `events?scope=${SCOPE}`);
  equal(page.body.has_more, false);
  equal(page.body.items.length, 1);
  const [item] = page.body.items;
  deepEqual(item.content, {
    kind: "message",
    role: "user",
    text: "Alice takes her coffee black.",
  });
  equal(item.id, answer.event_id);
  equal(item.scope, SCOPE);
  equal(item.context.observed_at, "2026-09-01T09:00:00.000Z");
  deepEqual(item.context.labels, ["topic:coffee"]);
  equal(item.context.intent, "preference");
  deepEqual(
    (await cortex.call("GET", `events/${answer.event_id}`)).body,
    item,
  );
});

Deno.test("fifty identical writes at once store one event", async () => {
  await using cortex = await openLocalCortex();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      cortex.call(
        "POST",
        "experience?wait=indexed",
        body("once", { idempotency_key: "k" }),
      )),
  );
  ok(answers.every(({ status }) => status === 200));
  equal(new Set(answers.map((one) => one.body.event_id)).size, 1);
  equal(
    answers.filter((one) => !one.body.replayed_from_idempotency).length,
    1,
  );
  deepEqual(await cortex.texts(SCOPE), ["once"]);
  const other = await cortex.call(
    "POST",
    "experience",
    body("twice", { idempotency_key: "k" }),
  );
  equal(other.status, 409);
  equal(other.body.error_code, "IDEMPOTENCY_CONFLICT");
});

Deno.test("a body is the same whatever the order of its keys", async () => {
  await using cortex = await openLocalCortex();
  const first = body("x", { idempotency_key: "k" });
  const turned = Object.fromEntries(Object.entries(first).reverse());
  await cortex.call("POST", "experience", first);
  const { body: answer } = await cortex.call("POST", "experience", turned);
  equal(answer.replayed_from_idempotency, true);
});

Deno.test("a bulk keeps its order, and is stored whole or not at all", async () => {
  await using cortex = await openLocalCortex();
  const items = ["a", "b", "c"].map((text) =>
    body(text, { idempotency_key: text })
  );
  const { status, body: answer } = await cortex.call(
    "POST",
    "experience/bulk",
    { items, ordering: "strict_temporal" },
  );
  equal(status, 202);
  equal(answer.accepted, 3);
  deepEqual(answer.results.map((one: { index: number }) => one.index), [
    0,
    1,
    2,
  ]);
  deepEqual(await cortex.texts(SCOPE), ["c", "b", "a"]);
  const refused = await cortex.call("POST", "experience/bulk", {
    items: [body("d"), body("other", { idempotency_key: "b" })],
  });
  equal(refused.status, 409);
  match(refused.body.message, /items\[1\]/);
  deepEqual(await cortex.texts(SCOPE), ["c", "b", "a"]);
  const twice = await cortex.call("POST", "experience/bulk", {
    scope: "org:a/ws:other",
    items: [1, 2].map(() => ({ ...body("e"), idempotency_key: "e" })),
  });
  equal(twice.body.results[0].event_id, twice.body.results[1].event_id);
});

Deno.test("pages end, and hold every event once", async () => {
  await using cortex = await openLocalCortex();
  await cortex.call("POST", "experience/bulk", {
    items: Array.from(
      { length: 25 },
      (_, at) => body(`t${at}`, { context: { labels: [`n:${at % 5}`] } }),
    ),
  });
  for (const labels of ["", "&labels=n:0,n:1,n:2,n:3,n:4"]) {
    const seen: string[] = [];
    for (let cursor = ""; cursor !== "end";) {
      const { body: page } = await cortex.call(
        "GET",
        `events?scope=${SCOPE}&limit=7${labels}${cursor}`,
      );
      seen.push(...page.items.map((one: { id: string }) => one.id));
      cursor = page.has_more ? `&cursor=${page.next_cursor}` : "end";
    }
    equal(seen.length, 25);
    equal(new Set(seen).size, 25);
  }
  deepEqual(
    (await cortex.texts(SCOPE, "&labels=n:3")).toSorted(),
    ["t13", "t18", "t23", "t3", "t8"],
  );
});

Deno.test("no read of one scope reaches its siblings", async () => {
  await using cortex = await openLocalCortex();
  const scopes = [
    "org:a/ws:main",
    "org:a/ws:main/agent:x",
    "org:a/ws:main2",
    "org:a/ws:main-2",
    "org:a2/ws:main",
    "org:a",
  ];
  for (const scope of scopes) await cortex.write(scope, `coffee in ${scope}`);
  const recalled = async (view: string) => {
    const { body: pack } = await cortex.call("POST", "recall", {
      scope: "org:a/ws:main",
      query: "coffee",
      view,
    });
    return pack.layers.events.map((one: { scope: string }) => one.scope)
      .toSorted();
  };
  const expected: Readonly<Record<string, readonly string[]>> = {
    granular: ["org:a/ws:main"],
    descend: ["org:a/ws:main", "org:a/ws:main/agent:x"],
    holistic: ["org:a", "org:a/ws:main"],
  };
  for (const [view, scopes] of Object.entries(expected)) {
    deepEqual(await recalled(view), scopes, view);
    deepEqual(
      (await cortex.texts("org:a/ws:main", `&view=${view}`)).toSorted(),
      scopes.map((scope) => `coffee in ${scope}`),
      view,
    );
  }
  const list = async (prefix: string) =>
    (await cortex.call("GET", `scopes/list?prefix=${prefix}`)).body.items
      .map((one: { path: string }) => one.path);
  deepEqual(await list("org:a/ws:main"), [
    "org:a/ws:main",
    "org:a/ws:main/agent:x",
  ]);
  deepEqual(await list("org:a/ws:main/"), ["org:a/ws:main/agent:x"]);
  equal((await list("org:a")).length, 5);
});

Deno.test("two agents share a scope and stay apart by actor and label", async () => {
  await using cortex = await openLocalCortex();
  for (const agent of ["agent:one", "agent:two"]) {
    const { status } = await cortex.call(
      "POST",
      "experience",
      body(`tea of ${agent}`, { context: { labels: [`by:${agent}`] } }),
      agent,
    );
    equal(status, 202);
  }
  const { body: pack } = await cortex.call("POST", "recall", {
    scope: SCOPE,
    view: "granular",
    query: "tea",
    filters: { metadata: { observed_actor: ["agent:two"] } },
  });
  deepEqual(
    pack.layers.events.map((one: { content: unknown }) => one.content),
    [{ kind: "message", role: "user", text: "tea of agent:two" }],
  );
  deepEqual(await cortex.texts(SCOPE, "&labels=by:agent:one"), [
    "tea of agent:one",
  ]);
  const { body: record } = await cortex.call("GET", `scopes?path=${SCOPE}`);
  deepEqual(record.members, [{ actor: "agent:one", role: "owner" }]);
  equal(record.auto_provisioned, true);
});

Deno.test("recall ranks by words, then age, and finds accents and inflected words", async () => {
  await using cortex = await openLocalCortex();
  const scope = "org:a/ws:rank";
  const at = (observed_at: string) => ({ context: { observed_at } });
  await cortex.write(scope, "The weather was fine", at("2026-01-01"));
  await cortex.write(scope, "Alice drinks coffee black", at("2020-01-01"));
  await cortex.write(scope, "Bob likes coffee", at("2020-01-02"));
  await cortex.write(scope, "Café crème für Zoë", at("2020-01-03"));
  await cortex.write(scope, "Carol prefers teapots", at("2020-01-04"));
  const recall = async (query: string) =>
    (await cortex.call("POST", "recall", { scope, query })).body.layers.events
      .map((one: { content: { text: string } }) => one.content.text);
  deepEqual((await recall("black coffee"))[0], "Alice drinks coffee black");
  equal((await recall("black coffee")).length, 2);
  deepEqual(await recall("cafe CREME"), ["Café crème für Zoë"]);
  deepEqual(await recall("teapot"), ["Carol prefers teapots"]);
  deepEqual(await recall("zebra"), []);
  await cortex.write(scope, "Dora likes coffee");
  deepEqual((await recall("likes coffee"))[0], "Dora likes coffee");
  deepEqual(await recall("?!"), []);
  const { body } = await cortex.call("POST", "recall", { scope, query: "?!" });
  deepEqual(body.warnings, ["query_without_words"]);
});

Deno.test("answer quotes what was recalled, says so, and refuses a model", async () => {
  await using cortex = await openLocalCortex();
  const id = await cortex.write(
    SCOPE,
    "We met on Monday. Alice takes her coffee black. It rained.",
  );
  const asked = { scope: SCOPE, question: "How does Alice take her coffee?" };
  const { body: answer } = await cortex.call("POST", "answer", asked);
  equal(answer.answer, "Alice takes her coffee black. [1]");
  equal(answer.citations[0].id, id);
  equal(answer.diagnostics.answer_model, "extractive-no-model");
  ok(answer.warnings.includes("extractive_answer_no_model"));
  const again = { ...asked, use_pack_id: answer.pack_id };
  equal((await cortex.call("POST", "answer", again)).status, 200);
  await cortex.call("POST", "forget", {
    scope: SCOPE,
    selector: { memory_ids: [id] },
    cascade: "redact_events",
  });
  const late = await cortex.call("POST", "answer", again);
  deepEqual(late.body.citations, []);
  equal(late.body.answer, null);
  const lost = { ...asked, use_pack_id: "pack_none" };
  equal((await cortex.call("POST", "answer", lost)).status, 404);
  const model = await cortex.call("POST", "answer", {
    ...asked,
    answer_model: "big",
  });
  deepEqual([model.status, model.body.error_code], [422, "NOT_CONFIGURED"]);
});

Deno.test("the registry keeps owners", async () => {
  await using cortex = await openLocalCortex();
  const path = "org:a";
  const owner = { actor: "user:alice", role: "owner" };
  const first = await cortex.call("POST", "scopes", { path, members: [owner] });
  equal(first.status, 201);
  equal(first.body.auto_provisioned, false);
  const again = await cortex.call("POST", "scopes", { path });
  deepEqual([again.status, again.body.error_code], [
    409,
    "SCOPE_REGISTRATION_EXISTS",
  ]);
  const both = [owner, { actor: "user:bob", role: "owner" }];
  const put = await cortex.call("PUT", "scopes/members?path=org%3Aa", {
    members: both,
  });
  deepEqual(put.body.members, both);
  const read = await cortex.call("GET", "scopes?path=org%3Aa");
  deepEqual(read.body.members, both);
  equal((await cortex.call("GET", "scopes?path=org:b")).status, 404);
  await cortex.write("org:a/ws:x", "only its own scope is registered");
  equal((await cortex.call("GET", "scopes?path=org:a/ws:x")).status, 200);
  const page = await cortex.call("GET", "scopes/list?limit=1");
  equal(page.body.has_more, true);
  const rest = await cortex.call(
    "GET",
    `scopes/list?cursor=${page.body.next_cursor}`,
  );
  deepEqual(rest.body.items.map((one: { path: string }) => one.path), [
    "org:a/ws:x",
  ]);
});

Deno.test("open routes answer without a credential, the others 401", async () => {
  await using cortex = await openLocalCortex({ apiKeys: ["secret"] });
  for (const path of ["health", "ready", "admin/health", "admin/version"]) {
    equal((await cortex.call("GET", path)).status, 200, path);
  }
  const { status, body: answer } = await cortex.call("GET", "auth/whoami");
  deepEqual([status, answer.error_code], [401, "UNAUTHORIZED"]);
});

Deno.test("whoami names the actor that was sent", async () => {
  await using cortex = await openLocalCortex();
  const { body: answer } = await cortex.call(
    "GET",
    "auth/whoami",
    undefined,
    "agent:x",
  );
  equal(answer.caller, "agent:x");
});

Deno.test("a budget cuts the longest events, and drops the worst where little is left", async () => {
  await using cortex = await openLocalCortex();
  await cortex.write(SCOPE, "vintage");
  for (const word of ["red", "white"]) {
    await cortex.write(SCOPE, `vintage ${`${word} `.repeat(5_000)}`);
  }
  const lengths = async (tokens: number) => {
    const { body: answer } = await cortex.call("POST", "recall", {
      scope: SCOPE,
      query: "vintage",
      budgets: { max_tokens: tokens },
      diagnostics: "summary",
    });
    return [
      answer.layers.events.map((
        { content }: { content: { text: string; budget_excerpt?: true } },
      ) => [content.text.length, content.budget_excerpt === true]).sort(),
      answer.diagnostics.knapsack_evictions,
    ];
  };
  const short = [7, false];
  deepEqual(await lengths(100_000), [
    [[20_008, false], [30_008, false], short].sort(),
    0,
  ]);
  deepEqual(await lengths(1_000), [
    [[1_996, true], [1_996, true], short].sort(),
    0,
  ]);
  const [shown, evicted] = await lengths(60);
  deepEqual([shown.length, evicted], [2, 1]);
});

Deno.test("a service that lives long goes on clearing keys away", async () => {
  let time = 0;
  await using cortex = await openLocalCortex({ now: () => time });
  const age = () =>
    cortex.test.db.write(
      "update cortex_keys set written_at = now() - interval '25 hours'",
    );
  const keys = () =>
    cortex.test.db.read("select key from cortex_keys order by key");
  await cortex.write(SCOPE, "first", { idempotency_key: "k1" });
  await age();
  await cortex.write(SCOPE, "second", { idempotency_key: "k2" });
  await age();
  deepEqual(await keys(), [{ key: "k1" }, { key: "k2" }]);
  time += 3_600_000;
  await cortex.texts(SCOPE);
  deepEqual(await keys(), []);
});
