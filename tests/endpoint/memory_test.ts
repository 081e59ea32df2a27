import { deepEqual, equal, match, ok } from "node:assert/strict";
import { startSession } from "../support/sessions.ts";
import {
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
  type ToolAnswer,
} from "../support/endpoint.ts";

type Call = (name: string, args?: unknown) => Promise<ToolAnswer>;

/** Calls the memory tools as a new session of a root; every answer is good. */
async function asRoot(
  endpoint: TestEndpoint,
  root: string,
  groups = "memory",
): Promise<Call> {
  const query = await sessionQuery(endpoint, root, groups);
  return async (name, args) => {
    const answer = await endpoint.call(query, name, args);
    ok(!answer.isError, answer.text);
    deepEqual(JSON.parse(answer.text), answer.data);
    return answer;
  };
}

/** The text of a refusal. */
async function refused(
  endpoint: TestEndpoint,
  query: string,
  name: string,
  args: unknown,
): Promise<string> {
  const answer = await endpoint.call(query, name, args);
  ok(answer.isError, `${name} ${JSON.stringify(args)}: ${answer.text}`);
  return answer.text;
}

function learning(text: string, more: object = {}): object {
  return { kind: "learning", text, ...more };
}

function textsOf({ data }: ToolAnswer): string[] {
  return data.items.map((one: { text: string }) => one.text);
}

Deno.test("memory shows nine tools, memory_readonly those that only read", async () => {
  await using endpoint = await openEndpoint();
  deepEqual(await endpoint.tools("?tool_groups=memory"), [
    "recall_memory",
    "store_memory",
    "list_memories",
    "get_memory",
    "get_conversation_history",
    "list_memory_nodes",
    "forget_memory",
    "erase_memory",
    "get_memory_status",
  ]);
  deepEqual(await endpoint.tools("?tool_groups=memory_readonly"), [
    "recall_memory",
    "list_memories",
    "get_memory",
    "get_conversation_history",
    "list_memory_nodes",
    "get_memory_status",
  ]);
  const reader = await sessionQuery(endpoint, "gardener", "memory_readonly");
  const response = await endpoint.rpc(reader, {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "store_memory", arguments: learning("x") },
  });
  equal((await response.json()).error.code, -32602);
});

Deno.test("memory needs a session of a root that the catalog has, as root data does", async () => {
  await using endpoint = await openEndpoint();
  const cases: readonly (readonly [string, RegExp])[] = [
    ["?tool_groups=memory", /^Memory belongs to .* names no session/],
    ["?tool_groups=memory&session_id=404", /session 404, which does not exist/],
    [
      await sessionQuery(endpoint, null, "memory"),
      /was not started from an agent root, so it has no memory/,
    ],
    [
      await sessionQuery(endpoint, "ghost", "memory"),
      /Agent root "ghost" \(session \d+\) is not in the catalog/,
    ],
  ];
  for (const [query, text] of cases) {
    match(await refused(endpoint, query, "get_memory_status", {}), text);
    match(
      await refused(endpoint, query, "recall_memory", { query: "x" }),
      text,
    );
  }
});

Deno.test("with REQUIRE_SESSION_TOKEN a key alone opens no memory, a token does", async () => {
  await using endpoint = await openEndpoint({ requireSessionToken: true });
  const { session, token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  match(
    await refused(
      endpoint,
      `?tool_groups=memory&session_id=${session.id}`,
      "recall_memory",
      { query: "x" },
    ),
    /opens memory only to connections that prove their session/,
  );
  const answer = await endpoint.call("", "get_memory_status", {}, {
    authorization: `Bearer ${token}`,
  });
  equal(answer.data.own_node, "agent:gardener");
});

Deno.test("a learning is recalled by another agent, a document is not, unless shared", async () => {
  await using endpoint = await openEndpoint();
  const gardener = await asRoot(endpoint, "gardener");
  const librarian = await asRoot(endpoint, "librarian");
  const stored = await gardener(
    "store_memory",
    learning("The user prefers green tea", {
      learning_kind: "preference",
      confidence: 0.9,
      evidence: "said so",
      tags: ["drinks"],
    }),
  );
  deepEqual(
    [stored.data.result, stored.data.node, stored.data.shared_with],
    ["stored", "root", "all agents of this person"],
  );
  await gardener("store_memory", {
    kind: "document",
    title: "Plan",
    text: "Green beds in May",
  });
  await gardener(
    "store_memory",
    learning("Green hose leaks", { share: "agent" }),
  );
  const found = await librarian("recall_memory", { query: "green" });
  deepEqual(textsOf(found), ["The user prefers green tea"]);
  const [item] = found.data.items;
  deepEqual(
    [item.id, item.agent, item.learning_kind, item.confidence, item.evidence],
    [stored.data.id, "gardener", "preference", 0.9, "said so"],
  );
  equal(found.data.read.node, "agent:librarian");
  equal(found.data.read.listing_cut, false);
  ok(found.data.read.scopes.includes("app:tinymemory/app:learnings"));
  const own = await gardener("recall_memory", { query: "green" });
  deepEqual(textsOf(own).toSorted(), [
    "# Plan\n\nGreen beds in May",
    "Green hose leaks",
    "The user prefers green tea",
  ]);
  await gardener("store_memory", {
    kind: "document",
    text: "Green shelf",
    share: "everyone",
  });
  const more = await librarian("recall_memory", {
    query: "green",
    kinds: ["document"],
    answer: true,
  });
  deepEqual(textsOf(more), ["Green shelf"]);
  match(more.data.answer.text, /Green shelf/);
});

Deno.test("storing the same again changes nothing; another session's same words are another conversation", async () => {
  await using endpoint = await openEndpoint();
  const one = await asRoot(endpoint, "gardener");
  const two = await asRoot(endpoint, "gardener");
  const first = await one("store_memory", learning("Water at dawn"));
  const again = await two("store_memory", learning("Water at dawn"));
  equal(again.data.result, "already_stored");
  equal(again.data.id, first.data.id);
  const talk = { kind: "conversation", turns: [{ role: "user", text: "Hi" }] };
  await one("store_memory", talk);
  equal((await one("store_memory", talk)).data.result, "already_stored");
  equal((await two("store_memory", talk)).data.result, "stored");
});

Deno.test("history is each agent's own turns, team everybody else's, oldest first", async () => {
  await using endpoint = await openEndpoint();
  const gardener = await asRoot(endpoint, "gardener");
  const librarian = await asRoot(endpoint, "librarian");
  const say = (call: Call, ...texts: string[]) =>
    call("store_memory", {
      kind: "conversation",
      thread_id: "t",
      turns: texts.map((text) => ({ role: "user", text, tools: ["look"] })),
    });
  await say(gardener, "g1", "g2");
  await say(librarian, "l1", "l2");
  await say(gardener, "g3");
  const turns = async (call: Call, args: object) => {
    const { data } = await call("get_conversation_history", args);
    return [
      data.turns.map((one: { text: string }) => one.text).join(" "),
      data.has_more,
    ];
  };
  deepEqual(await turns(gardener, {}), ["g1 g2 g3", false]);
  deepEqual(await turns(gardener, { who: "team" }), ["l1 l2", false]);
  deepEqual(await turns(librarian, { who: "team", limit: 1 }), ["g3", true]);
  deepEqual(await turns(librarian, { thread_id: "other" }), ["", false]);
  const { data } = await librarian("get_conversation_history", { limit: 1 });
  deepEqual(
    [data.turns[0].tools, data.turns[0].agent, data.turns[0].thread_id],
    [["look"], "librarian", "t"],
  );
  equal(data.read.scopes[0], "app:tinymemory/ws:main/app:conversations");
});

Deno.test("list pages through both readings without repeats, and filters", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  for (let n = 0; n < 3; n++) {
    await call("store_memory", learning(`Fact ${n}`, { tags: [`t${n}`] }));
    await call("store_memory", {
      kind: "conversation",
      turns: [{ role: "user", text: `Turn ${n}` }],
    });
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await call("list_memories", { limit: 2, cursor });
    seen.push(...data.items.map((one: { text: string }) => one.text));
    equal(data.has_more, data.next_cursor !== null);
    cursor = data.next_cursor ?? undefined;
  } while (cursor !== undefined);
  deepEqual(seen.toSorted(), [
    "Fact 0",
    "Fact 1",
    "Fact 2",
    "user: Turn 0",
    "user: Turn 1",
    "user: Turn 2",
  ]);
  deepEqual(textsOf(await call("list_memories", { tags: ["t1", "t2"] })), [
    "Fact 2",
    "Fact 1",
  ]);
  const later = { observed_after: "2999-01-01", kinds: ["learning"] };
  deepEqual(textsOf(await call("list_memories", later)), []);
  deepEqual(textsOf(await call("list_memories", { agent: "librarian" })), []);
  equal(
    (await call("list_memories", { agent: "gardener", limit: "1" })).data
      .returned,
    1,
  );
  const chats = await call("list_memories", { node: "ws:main", reach: "only" });
  equal(chats.data.returned, 3);
});

Deno.test("recall pages by offset", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  for (let n = 0; n < 5; n++) {
    await call("store_memory", learning(`Rose number ${n}`));
  }
  const seen: string[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const page: ToolAnswer = await call("recall_memory", {
      query: "rose",
      limit: 2,
      offset,
    });
    seen.push(...textsOf(page));
    equal(page.data.has_more, page.data.next_offset !== null);
    offset = page.data.next_offset;
  }
  equal(new Set(seen).size, 5);
  equal(seen.length, 5);
});

Deno.test("a long text is cut where everybody sees it, and comes whole in parts", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  const text = Array.from({ length: 9_000 }, (_, n) => `w${n}`).join(" ");
  const { data } = await call("store_memory", { kind: "document", text });
  const listed = await call("list_memories");
  match(listed.data.items[0].text, /… \[300 of 52889 characters\]$/);
  match(listed.data.note, /get_memory returns them whole/);
  let whole = "";
  let offset: number | null = 0;
  while (offset !== null) {
    const got: ToolAnswer = await call("get_memory", {
      ids: [data.id],
      text_offset: offset,
    });
    const [item] = got.data.items;
    equal(item.text_part.of, text.length);
    whole += item.text;
    offset = item.text_part.next_text_offset;
  }
  equal(whole, text);
});

Deno.test("get names what is not there, and what would be too much at once", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    const text = `${n} ${"long ".repeat(4_000)}`;
    const { data } = await call("store_memory", { kind: "document", text });
    ids.push(data.id);
  }
  const unknown = "f".repeat(40);
  const { data } = await call("get_memory", {
    ids: [...ids, unknown],
    max_bytes: 64_000,
  });
  equal(data.returned, 3);
  deepEqual(data.not_shown, [ids[3]]);
  deepEqual(data.not_found, [unknown]);
  const rest = await call("get_memory", { ids: data.not_shown });
  equal(rest.data.items[0].id, ids[3]);
});

Deno.test("forget by ids reaches every node, and says what it matched and left", async () => {
  await using endpoint = await openEndpoint();
  const gardener = await asRoot(endpoint, "gardener");
  const librarian = await asRoot(endpoint, "librarian");
  const { data: kept } = await librarian("store_memory", {
    kind: "document",
    text: "Kept",
  });
  const { data: gone } = await librarian("store_memory", {
    kind: "document",
    text: "Gone",
  });
  const ids = [gone.id, "0".repeat(40)];
  const preview = await gardener("forget_memory", { ids, preview: true });
  equal(preview.data.result, "preview");
  deepEqual(textsOf(preview), ["Gone"]);
  const done = await gardener("forget_memory", { ids });
  deepEqual(
    [
      done.data.result,
      done.data.matched,
      done.data.forgotten,
      done.data.left,
      done.data.not_found,
    ],
    ["done", 1, 1, 0, ["0".repeat(40)]],
  );
  const left = await librarian("get_memory", { ids: [gone.id, kept.id] });
  deepEqual(left.data.not_found, [gone.id]);
});

Deno.test("a filter forgets this agent's own items, others' only when it names them", async () => {
  await using endpoint = await openEndpoint();
  const gardener = await asRoot(endpoint, "gardener");
  const librarian = await asRoot(endpoint, "librarian");
  await gardener("store_memory", learning("Mine", { tags: ["x"] }));
  await librarian("store_memory", learning("Theirs", { tags: ["x"] }));
  const mine = await gardener("forget_memory", { tags: ["x"] });
  equal(mine.data.forgotten, 1);
  deepEqual(textsOf(await librarian("list_memories")), ["Theirs"]);
  const none = await gardener("forget_memory", { tags: ["x"] });
  deepEqual([none.data.result, none.data.matched], ["done", 0]);
  const all = await gardener("forget_memory", { tags: ["x"], agent: "*" });
  equal(all.data.forgotten, 1);
});

Deno.test("forget refuses what would empty a node, and a mixture", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener", "memory");
  const cases: readonly (readonly [object, RegExp])[] = [
    [{}, /Nothing says what to forget/],
    [{ preview: true }, /Nothing says what to forget/],
    [{ node: "root", reach: "below" }, /Nothing says what to forget/],
    [{ kinds: [] }, /Nothing says what to forget/],
    [{ agent: "*" }, /Nothing says what to forget/],
    [{ ids: ["0".repeat(40)], tags: ["x"] }, /ids or a filter, not both/],
    [{ ids: ["0".repeat(40)], node: "root" }, /ids or a filter, not both/],
    [{ ids: [] }, /Invalid arguments: ids/],
    [{ ids: ["nonsense"] }, /"nonsense" is no item id/],
  ];
  for (const [args, text] of cases) {
    match(await refused(endpoint, query, "forget_memory", args), text);
  }
});

Deno.test("a recall shows where a long text has the words", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  const said = (text: string) => ({ role: "user", text });
  await call("store_memory", {
    kind: "conversation",
    turns: [
      ...Array.from({ length: 90 }, (_, at) => said(`🌱 beans, day ${at}`)),
      said("The quince is to be cut in March"),
      said("x ".repeat(400)),
    ],
  });
  await call("store_memory", {
    kind: "document",
    text: `Quince jam ${"and sugar ".repeat(400)}`,
  });
  const { data } = await call("recall_memory", { query: "cut the quince" });
  const [document, talk] = data.items.toSorted((
    a: { kind: string },
    b: { kind: string },
  ) => a.kind < b.kind ? 1 : -1);
  equal(document.match, undefined);
  ok(!talk.text.includes("quince"));
  ok(talk.match.text.includes("The quince is to be cut in March"));
  const on = await call("get_memory", {
    ids: [talk.id],
    text_offset: talk.match.text_offset,
  });
  ok(textsOf(on)[0]?.startsWith(talk.match.text));
});

Deno.test("what was read in a workflow is found by its id", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  const node = "service:digest";
  const { data: { id } } = await call("store_memory", {
    kind: "document",
    text: "Digest",
    node,
  });
  deepEqual(
    textsOf(await call("list_memories", { node: "root", reach: "below" })),
    [],
  );
  deepEqual(textsOf(await call("list_memories", { node })), ["Digest"]);
  deepEqual(textsOf(await call("get_memory", { ids: [id] })), ["Digest"]);
  const preview = await call("forget_memory", { ids: [id], preview: true });
  deepEqual(textsOf(preview), ["Digest"]);
});

Deno.test("erase previews until the node is said again, and takes what it says", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  const query = await sessionQuery(endpoint, "gardener", "memory");
  await call("store_memory", { kind: "document", text: "Bed plan" });
  await call("store_memory", learning("Shared"));
  await call("store_memory", {
    kind: "document",
    text: "Digest",
    node: "agent:gardener/service:digest",
  });
  const node = "agent:gardener";
  const preview = await call("erase_memory", { node });
  deepEqual(
    [preview.data.result, preview.data.events, preview.data.scopes.length],
    ["preview", 1, 1],
  );
  match(preview.data.note, /call again with confirm_node "agent:gardener"/);
  for (
    const [args, text] of [
      [{ node, confirm_node: "root" }, /confirm_node must be "agent:gardener"/],
      [{ node, preview: false }, /pass confirm_node/],
      [{}, /Missing required arguments: node/],
      [
        { node: "root", include_below: true, confirm_node: "root" },
        /that needs whole_tree: true/,
      ],
    ] as const
  ) {
    match(await refused(endpoint, query, "erase_memory", args), text);
  }
  const still = await call("erase_memory", {
    node,
    confirm_node: node,
    preview: true,
  });
  equal(still.data.result, "preview");
  const alone = await call("erase_memory", { node, confirm_node: node });
  deepEqual([alone.data.result, alone.data.events_left], ["erased", 0]);
  const nodes = await call("list_memory_nodes");
  ok(JSON.stringify(nodes.data).includes("agent:gardener/service:digest"));
  const below = await call("erase_memory", {
    node,
    confirm_node: node,
    include_below: true,
    kinds: ["document"],
  });
  ok(
    below.data.scopes.some((one: { node: string }) =>
      one.node === "agent:gardener/service:digest"
    ),
  );
  deepEqual(textsOf(await call("list_memories")), ["Shared"]);
  const tree = await call("erase_memory", {
    node: "root",
    confirm_node: "root",
    include_below: true,
    whole_tree: true,
  });
  equal(tree.data.result, "erased");
  deepEqual(textsOf(await call("list_memories")), []);
});
