import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
  type ToolAnswer,
} from "../support/endpoint.ts";

type Call = (name: string, args?: unknown) => Promise<ToolAnswer>;

/** Calls the memory tools as a new session of a root. */
async function asRoot(endpoint: TestEndpoint, root: string): Promise<Call> {
  const query = await sessionQuery(endpoint, root, "memory");
  return async (name, args) => {
    const answer = await endpoint.call(query, name, args);
    ok(!answer.isError, answer.text);
    return answer;
  };
}

function textsOf({ data }: ToolAnswer): string[] {
  return data.items.map((one: { text: string }) => one.text);
}

const learning = (text: string, more: object = {}) => ({
  kind: "learning",
  text,
  ...more,
});

Deno.test("recall takes the query in other words and languages", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  await call("store_memory", learning("Der Zug nach Lyon geht um neun"));
  await call("store_memory", learning("Tickets lie in the blue drawer"));
  await call("store_memory", learning("The cellar is damp"));
  const query = "railway departure";
  deepEqual(textsOf(await call("recall_memory", { query })), []);
  const also = ["Zug Lyon", "tickets drawer"];
  deepEqual(
    textsOf(await call("recall_memory", { query, also })).toSorted(),
    ["Der Zug nach Lyon geht um neun", "Tickets lie in the blue drawer"],
  );
});

Deno.test("what several agents said comes once, with the ids of the others", async () => {
  await using endpoint = await openEndpoint();
  const gardener = await asRoot(endpoint, "gardener");
  const librarian = await asRoot(endpoint, "librarian");
  const stored = [
    await gardener("store_memory", learning("The cellar is damp")),
    await librarian("store_memory", learning("the cellar is damp.")),
    await librarian(
      "store_memory",
      learning("The cellar is damp", { tags: ["house"] }),
    ),
  ];
  const { data } = await gardener("recall_memory", { query: "damp cellar" });
  equal(data.items.length, 1);
  const [item] = data.items;
  deepEqual(
    [item.id, ...item.same_as].toSorted(),
    stored.map((one) => one.data.id).toSorted(),
  );
});

Deno.test("a correction takes the place of what it replaces, until it is forgotten", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  const old = (await call("store_memory", learning("The shop shuts at six")))
    .data.id;
  const args = learning("The shop shuts at eight", { replaces: [old] });
  const { data: receipt } = await call("store_memory", args);
  deepEqual([receipt.result, receipt.replaces], ["stored", [old]]);
  equal((await call("store_memory", args)).data.result, "already_stored");
  const query = "when does the shop shut";
  const now = ["The shop shuts at eight"];
  deepEqual(textsOf(await call("recall_memory", { query })), now);
  deepEqual(textsOf(await call("list_memories")), now);
  const got = await call("get_memory", { ids: [old, receipt.id] });
  deepEqual(
    got.data.items.map((one: Record<string, unknown>) => [
      one.replaced_by,
      one.replaces,
    ]),
    [[receipt.id, undefined], [undefined, [old]]],
  );
  const all = await call("list_memories", { include_replaced: true });
  equal(all.data.items.length, 2);
  const { data } = await call("forget_memory", { ids: [receipt.id] });
  deepEqual([data.result, data.restored], ["done", [old]]);
  deepEqual(textsOf(await call("recall_memory", { query })), [
    "The shop shuts at six",
  ]);
  const session = await sessionQuery(endpoint, "gardener", "memory");
  for (
    const [replaces, pattern] of [
      [["nonsense"], /ids of memory items/],
      [["0".repeat(40)], /Nothing was stored: there is no item 0000/],
    ] as const
  ) {
    const refusal = await endpoint.call(session, "store_memory", {
      ...learning("Something else"),
      replaces,
    });
    ok(refusal.isError);
    match(refusal.text, pattern);
  }
});

Deno.test("recall says where it did not look, and that there were no words", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  const { data: kept } = await call(
    "store_memory",
    learning("The hedge is cut in June", { node: "project:garden" }),
  );
  match(kept.note, /node project:garden/);
  await call(
    "store_memory",
    learning("The feed is read at dawn", { node: "service:digest" }),
  );
  const none = await call("recall_memory", { query: "hedge June" });
  deepEqual(none.data.items, []);
  match(none.data.note, /project:garden.*service:digest.*was not looked at/);
  match((await call("list_memories")).data.note, /was not looked at/);
  const below = await call("recall_memory", {
    query: "hedge feed",
    node: "root",
    reach: "below",
  });
  deepEqual(textsOf(below), ["The hedge is cut in June"]);
  deepEqual(below.data.read.left_out, ["service:digest"]);
  match(below.data.read.note, /workflow node/);
  const blank = await call("recall_memory", { query: "???" });
  deepEqual(blank.data.items, []);
  match(blank.data.note, /no words/);
});

Deno.test("a root that was renamed keeps its memory", async () => {
  const roots = {
    keeper: { name: "keeper", data_namespace: "gardener" },
    librarian: { name: "librarian" },
  };
  await using endpoint = await openEndpoint();
  const before = await asRoot(endpoint, "gardener");
  await before("store_memory", learning("The gate sticks"));
  await before("store_memory", {
    kind: "conversation",
    turns: [{ role: "user", text: "Mind the gate" }],
  });
  await using renamed = await openEndpoint({
    test: endpoint.test,
    roots,
    aliases: { gardener: "keeper" },
  });
  const history = async (root: string, who: string) => {
    const call = await asRoot(renamed, root);
    const { data } = await call("get_conversation_history", { who });
    return data.turns.map(({ text }: { text: string }) => text);
  };
  for (const root of ["keeper", "gardener"]) {
    deepEqual(await history(root, "self"), ["Mind the gate"]);
    deepEqual(await history(root, "team"), []);
  }
  deepEqual(await history("librarian", "team"), ["Mind the gate"]);
  const keeper = await asRoot(renamed, "keeper");
  const filter = { kinds: ["learning"], preview: true };
  equal((await keeper("forget_memory", filter)).data.matched, 1);
  const asked = { query: "gate", agent: "keeper", kinds: ["learning"] };
  deepEqual(textsOf(await keeper("recall_memory", asked)), ["The gate sticks"]);
});

Deno.test("history goes on with older turns by its cursor", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  const turns = Array.from({ length: 12 }, (_, turn) => ({
    role: "user",
    text: `turn ${turn}`,
  }));
  await call("store_memory", { kind: "conversation", turns });
  const read: string[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await call("get_conversation_history", {
      limit: 5,
      cursor,
    });
    equal(data.has_more, data.next_cursor !== null);
    read.unshift(...data.turns.map(({ text }: { text: string }) => text));
    cursor = data.next_cursor ?? undefined;
  } while (cursor !== undefined);
  deepEqual(read, turns.map(({ text }) => text));
});

Deno.test("an answer rests on what the filter admits, and on nothing that is replaced", async () => {
  await using endpoint = await openEndpoint();
  const call = await asRoot(endpoint, "gardener");
  const old = (await call("store_memory", learning("The shop shuts at six")))
    .data.id;
  await call(
    "store_memory",
    learning("The shop shuts at eight", { replaces: [old], tags: ["hours"] }),
  );
  await call("store_memory", learning("The shop shuts in August"));
  const query = "When does the shop shut?";
  const answer = async (more: object = {}) =>
    (await call("recall_memory", { query, answer: true, ...more })).data.answer;
  const { text, cited } = await answer();
  match(text, /eight/);
  ok(!text.includes("six"));
  equal(cited.length, 2);
  const tagged = await answer({ tags: ["hours"] });
  match(tagged.text, /eight/);
  ok(!tagged.text.includes("August"));
  equal(tagged.cited.length, 1);
  const none = await call("recall_memory", {
    query: "Which vaccine does a ferret need?",
    answer: true,
  });
  equal(none.data.answer.text, null);
});
