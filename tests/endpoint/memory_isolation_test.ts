/** Two people on one database: nothing of one is reachable by the other. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { TOOLS } from "../../mcp/tools/registry.ts";
import type { InputSchema } from "../../mcp/schema.ts";
import {
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";
import { openTestDb } from "../support/test_db.ts";

const SECRET = "SECRET-OF-SEVEN";
const THREAD = "thread-of-seven";

/** One person's endpoint, and how its memory is called. */
interface Person {
  readonly endpoint: TestEndpoint;
  readonly query: string;
}

async function call({ endpoint, query }: Person, name: string, args: object) {
  return await endpoint.call(query, name, args);
}

/** Stores what must stay hidden; the ids. */
async function fill(person: Person, text: string): Promise<string[]> {
  const ids: string[] = [];
  for (
    const args of [
      { kind: "learning", text: `${text} zebra at root` },
      { kind: "learning", text: `${text} zebra of the agent`, share: "agent" },
      { kind: "document", text: `${text} zebra book`, tags: [THREAD] },
      { kind: "document", text: `${text} zebra flow`, node: "service:digest" },
      {
        kind: "conversation",
        thread_id: THREAD,
        turns: [{ role: "user", text: `${text} zebra talk` }],
      },
    ]
  ) {
    const answer = await call(person, "store_memory", args);
    ok(!answer.isError, answer.text);
    ids.push(answer.data.id);
  }
  return ids;
}

/** Everything that a person's memory holds, as its owner sees it. */
async function everything(person: Person, ids: readonly string[]) {
  const answers = [];
  for (
    const [name, args] of [
      ["list_memories", { node: "root", reach: "below" }],
      ["list_memories", { node: "service:digest", reach: "only" }],
      ["get_memory", { ids: ids.slice(0, 3) }],
      ["get_conversation_history", {}],
      ["list_memory_nodes", {}],
    ] as const
  ) {
    answers.push((await call(person, name, args)).data);
  }
  return answers;
}

/** Own cursors with the other root put in place of the own. */
function forge(cursor: string, from: string, to: string): string {
  const [reading, own = ""] = cursor.split(".");
  const json = new TextDecoder().decode(
    Uint8Array.fromBase64(own, { alphabet: "base64url" }),
  );
  const forged = new TextEncoder().encode(json.replaceAll(from, to))
    .toBase64({ alphabet: "base64url", omitPadding: true });
  return `${reading}.${forged}`;
}

/** Arguments that make a call valid, before one of them turns hostile. */
const BASES: Readonly<Record<string, readonly object[]>> = {
  recall_memory: [{ query: "zebra" }],
  store_memory: [
    { kind: "learning", text: "Mine" },
    { kind: "conversation", turns: [{ role: "user", text: "Mine" }] },
  ],
  list_memories: [{}],
  get_memory: [{}],
  get_conversation_history: [{}, { who: "team" }],
  list_memory_nodes: [{}],
  forget_memory: [{}, { tags: [THREAD], agent: "*" }],
  erase_memory: [{ node: "agent:gardener" }],
  get_memory_status: [{}],
};

/** Texts to try, by what they are for. */
interface Hostile {
  readonly nodes: readonly string[];
  readonly cursors: readonly string[];
  readonly ids: readonly string[];
  /** For everything else. */
  readonly others: readonly string[];
}

function textsFor(name: string, hostile: Hostile): readonly string[] {
  if (name === "node" || name === "confirm_node") return hostile.nodes;
  if (name === "cursor") return hostile.cursors;
  return name === "ids" ? hostile.ids : hostile.others;
}

function hostileValues(
  name: string,
  schema: InputSchema["properties"][string],
  hostile: Hostile,
): readonly unknown[] {
  const texts = textsFor(name, hostile);
  const [first] = texts;
  switch (schema.type) {
    case "string":
      return [...texts, 7, null, [first], { path: first }];
    case "array":
      return [...texts.map((one) => [one]), texts, [[first]]];
    case "boolean":
      return [true, first];
    default:
      return [1, -1, 1e9, first];
  }
}

Deno.test("no argument of any memory tool reaches what lies below another org: root", async () => {
  await using test = await openTestDb();
  const person = async (scopeRoot: string) => {
    const endpoint = await openEndpoint({
      test,
      cortex: {
        cortexScopeRoot: scopeRoot,
        cortexScopeOwner: scopeRoot.replace("org", "user"),
      },
    });
    const query = await sessionQuery(endpoint, "gardener", "memory");
    return { endpoint, query };
  };
  const seven = await person("org:7");
  await using _seven = seven.endpoint;
  const mine = await person("org:1");
  await using _mine = mine.endpoint;
  // A root whose text begins with the other's, and back.
  const seventy = await person("org:70");
  await using _seventy = seventy.endpoint;

  const ids = await fill(seven, SECRET);
  await fill(mine, "own");
  await fill(seventy, "own");
  const before = await everything(seven, ids);
  ok(JSON.stringify(before).includes(SECRET));
  const cursorOf = async (who: Person) =>
    String(
      (await call(who, "list_memories", {
        node: "root",
        reach: "below",
        limit: 1,
      })).data.next_cursor,
    );
  const foreign = await cursorOf(seven);
  const forged = forge(await cursorOf(mine), "org:1/", "org:7/");
  ok(forged !== foreign);

  const hostile: Hostile = {
    nodes: [
      "org:7",
      "root/../org:7",
      "org:7/ws:main/app:conversations",
      "../org:7",
      "/org:7",
      "org:7/",
      "..",
      "*",
      "",
      "app:learnings",
      "ws:main/app:conversations",
      "ws:main/../../org:7",
      "agent:gardener/org:7",
      "user:7",
      "root/org:7",
      "%2e%2e%2forg%3a7",
      "agent:x&prefix=org:7",
      "agent:a\u0000/org:7",
      "org:7\n",
      "ｏｒｇ:7",
      "service:digest",
    ],
    cursors: [foreign, forged, "0.org:7", `1.${foreign.slice(2)}`, "1."],
    ids: [...ids, "org:7", "../org:7", ""],
    others: ["org:7", THREAD, "*", String(ids[0])],
  };
  let calls = 0;
  for (const attacker of [mine, seventy]) {
    // The second one only repeats what names a place or a thing.
    const names = attacker === mine ? undefined : ["node", "cursor", "ids"];
    for (const tool of TOOLS.filter(({ group }) => group === "memory")) {
      for (const base of BASES[tool.name] ?? []) {
        for (const [name, schema] of Object.entries(tool.input.properties)) {
          if (names !== undefined && !names.includes(name)) continue;
          for (const value of hostileValues(name, schema, hostile)) {
            const args = { ...base, [name]: value };
            const answer = await call(attacker, tool.name, {
              ...args,
              // Erasing needs the node said twice.
              ...(tool.name === "erase_memory" && name === "node"
                ? { confirm_node: value, include_below: true, whole_tree: true }
                : {}),
            });
            calls++;
            const said = `${tool.name} ${JSON.stringify(args)}: ${answer.text}`;
            ok(!answer.text.includes(SECRET), said);
            ok(!answer.text.includes("Internal error"), said);
            if (answer.isError) continue;
            for (const { scopes = [] } of [answer.data.read ?? {}]) {
              ok(!JSON.stringify(scopes).includes("org:7/"), said);
            }
            equal(
              answer.data.matched_ids?.some((id: string) => ids.includes(id)) ??
                false,
              false,
              said,
            );
          }
        }
      }
    }
  }
  ok(calls > 500, String(calls));
  deepEqual(await everything(seven, ids), before);
});
