import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { CortexConfig } from "../../cli/settings/config.ts";
import { createLocalCortex } from "../../cortex/local/mod.ts";
import { PostgresEventLog } from "../../store/event_log/mod.ts";
import { CortexDouble, type Failing } from "../support/cortex/cortex_double.ts";
import {
  openEndpoint,
  ROOTS,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";
import { openTestDb } from "../support/test_db.ts";

const KEY = "key-b7Qz81";

/** Serves on a free loopback port; its address. */
function serve(
  handler: (request: Request) => Promise<Response>,
): AsyncDisposable & { readonly url: string } {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => handler(request),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** An endpoint whose memory is a double on a port. */
async function onDouble(
  cortex: Partial<CortexConfig> = {},
): Promise<
  AsyncDisposable & {
    readonly endpoint: TestEndpoint;
    readonly double: CortexDouble;
    readonly query: string;
  }
> {
  const stack = new AsyncDisposableStack();
  const double = new CortexDouble();
  const { url } = stack.use(serve((request) => double.handle(request)));
  const endpoint = stack.use(
    await openEndpoint({
      cortex: { cortexUrl: url, cortexApiKey: KEY, ...cortex },
    }),
  );
  const query = await sessionQuery(endpoint, "gardener", "memory");
  return {
    endpoint,
    double,
    query,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const WIRES: readonly (readonly [string, Partial<CortexConfig>, string])[] = [
  [
    "direct",
    { cortexScopeRoot: "org:42", cortexScopeOwner: "user:42" },
    "org:42",
  ],
  [
    "hosted",
    { cortexWire: "hosted", cortexTenantRoot: true },
    "the tenant's own",
  ],
  ["hosted", { cortexWire: "hosted", cortexScopeRoot: "team:42" }, "team:42"],
];

for (const [wire, cortex, root] of WIRES) {
  Deno.test(`memory works over the ${wire} wire below ${root}, on a CortexDB with its quirks`, async () => {
    await using setup = await onDouble(cortex);
    const { endpoint, double, query } = setup;
    const other = await sessionQuery(endpoint, "librarian", "memory");
    const call = async (name: string, args: unknown, who = query) => {
      const answer = await endpoint.call(who, name, args);
      ok(!answer.isError, answer.text);
      return answer.data;
    };
    const status = await call("get_memory_status", {});
    deepEqual([status.state, status.wire, status.root], [
      "healthy",
      wire,
      root,
    ]);
    match(status.service, /^http:\/\/127\.0\.0\.1:\d+$/);
    const stored = await call("store_memory", {
      kind: "learning",
      text: "The user likes quiet mornings",
    });
    await call("store_memory", {
      kind: "conversation",
      turns: [{ role: "user", text: "Good morning" }],
    });
    const found = await call("recall_memory", { query: "quiet" }, other);
    ok(found.items.some((one: { id: string }) => one.id === stored.id));
    const team = await call("get_conversation_history", { who: "team" }, other);
    equal(team.turns[0].text, "Good morning");
    const listed = await call("list_memories", {}, other);
    equal(listed.returned, 2);
    const forgotten = await call("forget_memory", { ids: [stored.id] });
    deepEqual([forgotten.forgotten, forgotten.left], [1, 0]);
    const erased = await call("erase_memory", {
      node: "ws:main",
      confirm_node: "ws:main",
    });
    equal(erased.result, "erased");
    equal((await call("list_memories", {}, other)).returned, 0);
    const registered = double.routes.filter((one) => one === "POST /v1/scopes");
    equal(registered.length, wire === "direct" ? 1 : 0);
  });
}

Deno.test("memory works over a local CortexDB that another process serves with a key", async () => {
  await using test = await openTestDb();
  const { fetch } = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(test.db)),
    apiKeys: [KEY],
  });
  await using server = serve(fetch);
  await using endpoint = await openEndpoint({
    cortex: {
      cortexUrl: server.url,
      cortexApiKey: KEY,
      cortexActor: "user:ana",
    },
  });
  await using closed = await openEndpoint({
    cortex: { cortexUrl: server.url, cortexApiKey: "wrong-key-1" },
  });
  const query = await sessionQuery(endpoint, "gardener", "memory");
  const note = { kind: "learning", text: "Keys open doors" };
  const stored = await endpoint.call(query, "store_memory", note);
  equal(stored.data.result, "stored");
  const refused = await closed.call(
    await sessionQuery(closed, "gardener", "memory"),
    "store_memory",
    note,
  );
  match(
    refused.text,
    /CortexDB refuses this server. The operator has to check CORTEX_API_KEY/,
  );
  ok(!closed.logged.join().includes("wrong-key-1"));
});

Deno.test.each<[Failing, string, RegExp]>([
  [
    { status: 503, times: 9 },
    "recall_memory",
    /^Cannot .*: CortexDB answered 503.*Try again shortly \(reference /s,
  ],
  [
    { status: 500, times: 9, route: "POST /v1/experience" },
    "store_memory",
    /may have been done all the same; repeating the same call is safe/,
  ],
  [
    { status: 403, times: 9, text: `denied for ${KEY}` },
    "recall_memory",
    /CortexDB refuses this server/,
  ],
  [
    { status: 200, times: 9, text: "<html>hello</html>" },
    "recall_memory",
    /an answer that this server does not understand.*reference/,
  ],
  [
    { status: 422, times: 9, code: "INVALID_QUERY" },
    "recall_memory",
    /CortexDB answered 422 INVALID_QUERY/,
  ],
])(
  "a CortexDB that answers %j is no secret, and tells %s no more than it can act on",
  async (failing, name, text) => {
    await using setup = await onDouble();
    const { endpoint, double, query } = setup;
    double.fail(failing as Failing);
    const args = name === "store_memory"
      ? { kind: "learning", text: "x" }
      : { query: "x" };
    const answer = await endpoint.call(query, name as string, args);
    ok(answer.isError);
    match(answer.text, text as RegExp);
    const everything = answer.text + endpoint.logged.join("\n");
    ok(!everything.includes(KEY));
  },
);

Deno.test("a CortexDB that is not there is degraded, and says so without harm", async () => {
  const server = serve(() => Promise.resolve(new Response()));
  await server[Symbol.asyncDispose]();
  await using endpoint = await openEndpoint({
    cortex: { cortexUrl: server.url, cortexApiKey: KEY },
  });
  const query = await sessionQuery(endpoint, "gardener", "memory,root_data");
  const status = await endpoint.call(query, "get_memory_status");
  deepEqual([status.data.state, status.data.message], [
    "degraded",
    "Cannot check health: no answer (1 try)",
  ]);
  const refused = await endpoint.call(query, "recall_memory", { query: "x" });
  match(refused.text, /no answer \(3 tries\)\. Try again shortly/);
  const data = await endpoint.call(query, "list_root_collections");
  ok(!data.isError);
});

Deno.test("the node comes from the catalog, else from the namespace", async () => {
  await using endpoint = await openEndpoint({
    roots: {
      ...ROOTS,
      placed: { name: "placed", memory_node: "team:garden/agent:rose" },
      dotted: { name: "dotted", data_namespace: "a.b" },
      broken: { name: "broken", memory_node: "org:7/ws:x" },
      Loud: { name: "Loud", memory_node: "agent:loud" },
      Bad: { name: "Bad" },
      flow: { name: "flow", memory_node: "service:digest" },
    },
  });
  const own = async (root: string) => {
    const query = await sessionQuery(endpoint, root, "memory");
    return (await endpoint.call(query, "get_memory_status")).data;
  };
  equal((await own("gardener")).own_node, "agent:gardener");
  equal((await own("shed")).own_node, "agent:gardener");
  equal((await own("placed")).own_node, "team:garden/agent:rose");
  match((await own("dotted")).own_node, /^agent:a-b-[0-9a-f]{8}$/);
  equal((await own("Loud")).own_node, "agent:loud");
  const broken = await own("broken");
  equal(broken.own_node, "agent:broken");
  match(broken.own_node_note, /memory_node of root "broken" is no node/);
  const bad = await sessionQuery(endpoint, "Bad", "memory");
  match(
    (await endpoint.call(bad, "get_memory_status")).text,
    /namespace "Bad", which is not valid/,
  );
  // A workflow's memory is closed to others, and open to the workflow.
  const flow = await sessionQuery(endpoint, "flow", "memory");
  const note = { kind: "document", text: "Digest of today" };
  const { data } = await endpoint.call(flow, "store_memory", note);
  const get = await endpoint.call(flow, "get_memory", { ids: [data.id] });
  equal(get.data.returned, 1);
  const gardener = await sessionQuery(endpoint, "gardener", "memory");
  const all = { node: "root", reach: "below" };
  const listed = await endpoint.call(gardener, "list_memories", all);
  equal(listed.data.returned, 0);
});

Deno.test("what a tool cannot take is refused by name", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener", "memory");
  const learning = { kind: "learning", text: "x" };
  const cases: readonly (readonly [string, object, RegExp])[] = [
    [
      "store_memory",
      { ...learning, agent_id: "x" },
      /agent_id cannot be passed/,
    ],
    ["store_memory", { ...learning, namespace: "x" }, /set by the server/],
    ["store_memory", { ...learning, scope: "x" }, /Unknown argument "scope"/],
    ["store_memory", { text: "x" }, /Missing required arguments: kind/],
    ["store_memory", { kind: "learning" }, /Missing required argument: text/],
    ["store_memory", { kind: "conversation" }, /required argument: turns/],
    ["store_memory", { kind: "note", text: "x" }, /kind .*allowed values/],
    ["store_memory", { ...learning, title: "x" }, /has no title/],
    [
      "store_memory",
      { ...learning, turns: [{ role: "user", text: "x" }] },
      /has no turns/,
    ],
    ["store_memory", { ...learning, text: "  " }, /text is blank/],
    ["store_memory", { ...learning, text: "a\0b" }, /NUL/],
    ["store_memory", { ...learning, confidence: 2 }, /confidence must be <= 1/],
    [
      "store_memory",
      { ...learning, observed_at: "2026-02-30" },
      /observed_at must be a time/,
    ],
    [
      "store_memory",
      { ...learning, observed_at: "9999-12-31T23:59:59-12:00" },
      /observed_at must be a time/,
    ],
    [
      "list_memories",
      { observed_after: "0000-01-01" },
      /observed_after must be a time/,
    ],
    [
      "store_memory",
      { ...learning, observed_at: "soon" },
      /observed_at must be a time/,
    ],
    [
      "store_memory",
      { ...learning, node: "root", share: "agent" },
      /node or share, not both/,
    ],
    [
      "store_memory",
      { ...learning, node: "garden" },
      /Cannot read node "garden"/,
    ],
    ["store_memory", { ...learning, node: " " }, /The node is blank/],
    [
      "store_memory",
      { ...learning, text: "x".repeat(1_000_001) },
      /text is 1000001 characters; the limit is 1000000/,
    ],
    [
      "store_memory",
      { ...learning, text: "x".repeat(900_000) },
      /Cannot|too|most|larger/,
    ],
    [
      "store_memory",
      { kind: "conversation", turns: [] },
      /turns must NOT have fewer than 1/,
    ],
    ["store_memory", {
      kind: "conversation",
      turns: [{ role: "boss", text: "x" }],
    }, /role .*allowed values/],
    ["recall_memory", {}, /Missing required arguments: query/],
    ["recall_memory", { query: " " }, /query is blank/i],
    ["recall_memory", { query: "x", limit: 51 }, /limit must be <= 50/],
    [
      "recall_memory",
      { query: "x", reach: "up" },
      /reach .*inherited, only, below/,
    ],
    [
      "recall_memory",
      { query: "x", observed_after: "2026" },
      /observed_after must be a time/,
    ],
    ["list_memories", { cursor: "x" }, /The cursor is none of this listing/],
    ["list_memories", { cursor: "0.x" }, /is no cursor of this listing/],
    ["list_memories", { cursor: "7." }, /The cursor is none of this listing/],
    ["list_memories", { kinds: ["note"] }, /allowed values/],
    ["get_memory", { ids: [] }, /ids must NOT have fewer/],
    ["get_memory", { ids: ["x"] }, /"x" is no item id/],
    ["get_conversation_history", { who: "all" }, /allowed values: self, team/],
    ["list_memory_nodes", { node: "app:brain" }, /"app" is no node type/],
    ["get_memory_status", { node: "root" }, /takes none/],
  ];
  for (const [name, args, text] of cases) {
    const answer = await endpoint.call(query, name, args);
    ok(answer.isError, `${name} ${JSON.stringify(args).slice(0, 100)}`);
    match(answer.text, text);
    ok(answer.text.length < 1_000);
  }
});

Deno.test("results stay within what a client takes, with many large items", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener", "memory");
  const tags = Array.from({ length: 32 }, (_, n) => `${n}${"t".repeat(60)}`);
  const wide = "w".repeat(300);
  for (let n = 0; n < 60; n++) {
    const answer = await endpoint.call(query, "store_memory", {
      kind: "learning",
      text: `Large ${n} ${"word ".repeat(600)}`,
      tags,
      url: wide,
      repo: wide,
      file_path: wide,
      language: wide,
    });
    ok(!answer.isError, answer.text);
  }
  const recalled = await endpoint.call(query, "recall_memory", {
    query: "large",
    limit: 50,
    max_bytes: 200_000,
  });
  equal(recalled.data.returned, 50);
  equal(recalled.data.items[0].tags_total, 32);
  const listed = await endpoint.call(query, "list_memories", {
    limit: 60,
    max_bytes: 200_000,
  });
  equal(listed.data.returned, 60);
  for (const { text } of [recalled, listed]) {
    ok(text.length < 300_000, String(text.length));
  }
});
