/**
 * What an engine does, whatever carries it: run once for each backend.
 *
 * @module
 */

import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  CortexRefusalError,
  type Engine,
  type Filter,
  type Hit,
  type Item,
  type ItemId,
  itemId,
} from "../../cortex/mod.ts";
import { exactly, subtree, upFrom } from "../../cortex/reach.ts";
import { at, chat, document, learning, type World } from "./engine_worlds.ts";

/** One behaviour. */
export interface Case {
  readonly name: string;
  /** Left out where there is no retired root. */
  readonly needsOld?: true;
  /** Takes long: once for each placing is enough. */
  readonly isHeavy?: true;
  run(world: World): Promise<void>;
}

const EVERYTHING: Filter = {};

/** Texts of items, sorted. */
export function textsOf(hits: readonly Hit[]): readonly string[] {
  return hits.map(({ text }) => text).sort();
}

/** All pages of a listing. */
export async function listAll(
  engine: Engine,
  filter: Filter,
  limit = 100,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list({ filter, limit, cursor });
    ok(page.items.length <= limit);
    hits.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return hits;
}

/** The same without what is undefined, as an item may leave anything out. */
export function plain(item: Item): unknown {
  return JSON.parse(JSON.stringify(item));
}

/** The engine that wrote below the root that is retired now. */
export function oldOf({ old }: World): Engine {
  ok(old);
  return old;
}

async function put(engine: Engine, ...items: Item[]): Promise<ItemId[]> {
  const receipts = await engine.store(items);
  deepEqual(receipts.map(({ id }) => id), items.map(itemId));
  return receipts.map(({ id }) => id);
}

const FULL: Item = {
  kind: "learning",
  text: "Alice drinks her coffee black ☕ — «sans sucre»",
  learningKind: "preference",
  confidence: 0.75,
  evidence: "She said so.\nTwice.",
  meta: {
    node: at("agent:barista"),
    workspace: "café",
    folder: "notes/drinks",
    filePath: "notes/drinks/coffee.md",
    language: "fr",
    repo: "alice/notes",
    commit: "abc123",
    url: "https://example.org/?q=coffee&x=1,2",
    threadId: "thread-1",
    turns: { first: 3, last: 4 },
    agentId: "barista",
    toolCall: { name: "note", id: "call-9" },
    source: { kind: "import", id: "vault" },
    tags: ["drink", "two words", "☕"],
    observedAt: "2026-08-01T10:00:00.5+02:00",
    derive: false,
  },
};

const DIALOGUE: Item = {
  kind: "conversation",
  turns: [
    { role: "system", text: "Be brief." },
    { role: "user", text: "When does the train leave?" },
    {
      role: "assistant",
      text: "Looking.",
      at: "2026-08-01T10:00:00Z",
      toolCalls: [{ name: "timetable", id: "c1" }, { name: "clock" }],
    },
    { role: "tool", text: '{"leaves": "09:14"}' },
  ],
  meta: { node: at("ws:main"), agentId: "guide", threadId: "trip" },
};

const PAGE: Item = {
  kind: "document",
  title: "Opening hours",
  body: "# Opening hours\n\nMonday to Friday, eight to six.\n",
  mime: "text/markdown",
  meta: { node: at("source:site/project:shop") },
};

/** Every behaviour. */
export const CASES: readonly Case[] = [
  {
    name: "gives every kind back as it was stored",
    async run({ engine }) {
      const items = [FULL, DIALOGUE, PAGE];
      const ids = await put(engine, ...items);
      const got = await engine.get({ ids: [...ids].reverse() });
      deepEqual(
        got.items.map(({ item }) => plain(item)),
        [...items].reverse().map(plain),
      );
      for (const hit of got.items) {
        equal(itemId(hit.item), hit.id);
        equal(hit.isWhole, true);
        equal(hit.below, "root");
        ok(hit.recordedAt);
        const { meta: { node }, kind } = hit.item;
        equal(hit.scope, engine.layout.render(node, kind));
      }
      equal(
        got.items[0]?.text,
        `# Opening hours\n\n${PAGE.kind === "document" && PAGE.body}`,
      );
      equal(
        got.items[1]?.text.split("\n")[1],
        "user: When does the train leave?",
      );
      const listed = await listAll(engine, EVERYTHING);
      deepEqual(
        listed.map(({ item }) => item.kind),
        ["document", "conversation", "learning"],
      );
      deepEqual(
        listed.map(({ item }) => plain(item)),
        [
          PAGE,
          DIALOGUE,
          FULL,
        ].map(plain),
      );
    },
  },
  {
    name: "stores an item once, however often it is sent",
    async run({ engine }) {
      const items = [learning("agent:a", "one"), DIALOGUE];
      const first = await engine.store([...items, ...items]);
      deepEqual(first.map(({ isReplay }) => isReplay), [
        false,
        false,
        true,
        true,
      ]);
      // When it was observed makes no other item.
      const again = items.map((item): Item => ({
        ...item,
        meta: { ...item.meta, observedAt: "2026-01-01T00:00:00Z" },
      }));
      for (const wait of ["visible", "accepted"] as const) {
        const receipts = await engine.store(again, { wait });
        ok(receipts.every(({ isReplay }) => isReplay));
        deepEqual(receipts.map(({ id }) => id), items.map(itemId));
      }
      equal((await listAll(engine, EVERYTHING)).length, 2);
      const turn = chat("ws:main", "just this");
      const send = () => engine.store([turn], { wait: "accepted" });
      equal((await send())[0]?.isReplay, false);
      // An answer that was lost leaves open who wrote it.
      const more = [await send(), await send(), await send()].flat();
      ok(more.some(({ isReplay }) => isReplay));
      await engine.store([turn]);
      equal((await listAll(engine, { kinds: ["conversation"] })).length, 2);
    },
  },
  {
    name: "reads the nodes that a reach admits",
    async run({ engine }) {
      const nodes = [
        "root",
        "ws:main",
        "ws:main/agent:a",
        "ws:main2",
        "ws:main/service:nl",
        "ws:main/service:nl/agent:b",
        "service:digest",
      ];
      await put(
        engine,
        ...nodes.map((node) => learning(node, `at ${node}`)),
        document("source:git/project:api", "doc"),
        document("source:git", "doc above"),
      );
      const read = async (filter: Filter) =>
        textsOf(await listAll(engine, { ...filter, kinds: ["learning"] }))
          .map((text) => text.slice(3));
      deepEqual(await read({ reach: exactly(at("ws:main")) }), ["ws:main"]);
      deepEqual(await read({ reach: upFrom(at("ws:main/agent:a")) }), [
        "root",
        "ws:main",
        "ws:main/agent:a",
      ]);
      deepEqual(await read({ reach: subtree(at("ws:main")) }), [
        "ws:main",
        "ws:main/agent:a",
      ]);
      deepEqual(await read({}), [
        "root",
        "ws:main",
        "ws:main/agent:a",
        "ws:main2",
      ]);
      deepEqual(await read({ reach: subtree(at("ws:main/service:nl")) }), [
        "ws:main/service:nl",
        "ws:main/service:nl/agent:b",
      ]);
      const documents: Filter = { kinds: ["document"] };
      equal((await listAll(engine, documents)).length, 2);
      const reach = exactly(at("source:git"));
      deepEqual(textsOf(await listAll(engine, { ...documents, reach })), [
        "doc above",
      ]);
      // An empty list does not constrain.
      const all = { reach: exactly(at("root")), kinds: [], sources: [] };
      deepEqual(textsOf(await listAll(engine, all)), ["at root"]);
    },
  },
  {
    name: "filters by every field",
    async run({ engine }) {
      const plainOne = learning("agent:barista", "nothing else is known");
      await put(engine, FULL, plainOne);
      const reach = exactly(at("agent:barista"));
      const list = (filter: Filter) =>
        listAll(engine, { reach, kinds: ["learning"], ...filter });
      const matching: readonly Filter[] = [
        { workspace: "café" },
        { folder: "notes" },
        { folder: "notes/" },
        { folder: "notes/drinks/" },
        { filePath: "notes/drinks" },
        { language: "fr" },
        { repo: "alice/notes" },
        { commit: "abc123" },
        { url: "https://example.org/?q=coffee&x=1,2" },
        { threadId: "thread-1" },
        { agentId: "barista" },
        { toolCall: "note" },
        { sourceId: "vault" },
        { sources: ["import", "rss"] },
        { tagsAny: ["x", "two words"] },
        { observedAfter: "2026-08-01T08:00:00Z" },
        { observedBefore: "2026-08-01T08:00:01Z" },
        { agentId: "barista", repo: "alice/notes", tagsAny: ["drink"] },
      ];
      for (const filter of matching) {
        deepEqual(
          textsOf(await list(filter)),
          [FULL.kind === "learning" ? FULL.text : ""],
          JSON.stringify(filter),
        );
      }
      const others: readonly Filter[] = [
        { workspace: "cafe" },
        { folder: "note" },
        { filePath: "notes/drinks/coffee" },
        { threadId: "thread-1", repo: "alice/other" },
        { toolCall: "call-9" },
        { sources: ["rss"] },
        { tagsAny: ["words"] },
        { observedAfter: "2026-08-01T08:00:01Z" },
        { observedBefore: "2026-08-01T08:00:00Z" },
        { kinds: ["document"] },
      ];
      for (const filter of others) {
        deepEqual(await list(filter), [], JSON.stringify(filter));
      }
      deepEqual(textsOf(await list({ sources: ["agent"] })), [
        "nothing else is known",
      ]);
    },
  },
  {
    name: "lists newest first, the same over any page size",
    async run({ engine }) {
      const items = Array.from(
        { length: 7 },
        (_, index) => learning("agent:a", `fact ${index}`),
      );
      for (const item of items) await put(engine, item);
      await put(engine, DIALOGUE, chat("ws:main", "short"), PAGE);
      const whole = await listAll(engine, EVERYTHING, 1_000);
      deepEqual(
        whole.slice(-7).map(({ text }) => text),
        items.map((item) => item.kind === "learning" && item.text).reverse(),
      );
      for (const limit of [1, 3, 9, 10]) {
        const paged = await listAll(engine, EVERYTHING, limit);
        deepEqual(paged.map(({ id }) => id), whole.map(({ id }) => id));
      }
    },
  },
  {
    name: "gives an item of both roots once",
    needsOld: true,
    async run(world) {
      const { engine } = world;
      const both = [learning("ws:main", "both"), DIALOGUE, PAGE];
      await put(oldOf(world), ...both, learning("agent:x", "old only"));
      const written = await engine.store(both);
      ok(
        written.every(({ isReplay }) => !isReplay),
        "below the root it is new",
      );
      await put(engine, learning("ws:main", "new only"));
      for (const limit of [1, 2, 5]) {
        const hits = await listAll(engine, EVERYTHING, limit);
        equal(hits.length, 5, `pages of ${limit}`);
        equal(new Set(hits.map(({ id }) => id)).size, 5);
        const retired = hits.filter(({ below }) => below === "retired");
        deepEqual(textsOf(retired), ["old only"]);
      }
      const ids = both.map(itemId);
      const { items } = await engine.get({ ids });
      deepEqual(items.map(({ below }) => below), ["root", "root", "root"]);
      const reach = subtree(at("root"));
      const recalled = await engine.recall({
        query: "both old only",
        filter: { reach, kinds: ["learning"] },
        limit: 10,
      });
      equal(
        new Set(recalled.items.map(({ id }) => id)).size,
        recalled.items.length,
      );
      ok(recalled.items.some(({ text }) => text === "old only"));
      const exported = await Array.fromAsync(engine.export(EVERYTHING));
      equal(exported.length, 5);
      const { nodes } = await engine.nodes(at("root"));
      deepEqual(nodes.map((one) => [one.node, one.isRetired]), [
        ["agent:x", true],
        ["ws:main", true],
        ["source:site/project:shop", true],
      ]);
    },
  },
  {
    name: "forgets an item of both roots in both, and counts it once",
    needsOld: true,
    async run(world) {
      const { engine } = world;
      const items = [learning("ws:main", "both"), DIALOGUE];
      await put(oldOf(world), ...items);
      await put(engine, ...items);
      const one = await engine.forget({ ids: [itemId(DIALOGUE)] });
      deepEqual([one.matched.length, one.left.length, one.events], [1, 0, 8]);
      const rest = await engine.forget({
        filter: { reach: exactly(at("ws:main")) },
      });
      deepEqual([rest.forgotten.length, rest.events], [1, 2]);
      deepEqual(await listAll(engine, EVERYTHING), []);
      deepEqual(await listAll(oldOf(world), EVERYTHING), []);
    },
  },
  {
    name: "gets by ids, in the order asked",
    async run({ engine }) {
      const items = [
        learning("agent:a", "a"),
        learning("ws:main/service:s", "in a sandbox"),
        document("root", "d"),
      ];
      const [a, hidden, d] = await put(engine, ...items);
      ok(a && hidden && d);
      const unknown = "0".repeat(40);
      const got = await engine.get({ ids: [d, unknown, hidden, a, d] });
      deepEqual(got.items.map(({ id }) => id), [d, a]);
      const reach = exactly(at("ws:main/service:s"));
      const inside = await engine.get({ ids: [hidden, a], reach });
      deepEqual(textsOf(inside.items), ["in a sandbox"]);
      for (const ids of [[], [""], ["xyz"], [a.toUpperCase()]]) {
        await rejects(engine.get({ ids }), isInvalid);
      }
    },
  },
  {
    name: "recalls what matches, from every node in reach",
    async run({ engine, recallLag, isRecallExact }) {
      await put(
        engine,
        learning("root", "The cellar door sticks in winter"),
        learning("ws:main", "The cellar key hangs by the stove"),
        learning("ws:main", "Trains leave at nine"),
        learning("ws:other", "The cellar of somebody else"),
        DIALOGUE,
      );
      const filter: Filter = { reach: upFrom(at("ws:main")) };
      const query = "cellar";
      for (let lag = 0; lag < recallLag; lag++) {
        await engine.recall({ query, filter, limit: 10 });
      }
      const found = await engine.recall({ query, filter, limit: 10 });
      const texts = textsOf(found.items);
      ok(texts.includes("The cellar door sticks in winter"));
      ok(texts.includes("The cellar key hangs by the stove"));
      ok(!texts.includes("The cellar of somebody else"));
      equal(found.items[0]?.score, 1);
      equal(found.nextOffset, undefined);
      const none = await engine.recall({ query, filter: {}, limit: 5 });
      deepEqual(textsOf(none.items), ["The cellar door sticks in winter"]);
      if (!isRecallExact) return;
      equal(texts.length, 2);
      const first = await engine.recall({ query, filter, limit: 1 });
      equal(first.nextOffset, 1);
      const second = await engine.recall({
        query,
        filter,
        limit: 1,
        offset: 1,
      });
      equal(second.nextOffset, undefined);
      deepEqual(
        textsOf([...first.items, ...second.items]),
        textsOf(found.items),
      );
      const train = await engine.recall({
        query: "train",
        filter: { reach: exactly(at("ws:main")), kinds: ["conversation"] },
        limit: 5,
      });
      deepEqual(train.items.map(({ item }) => plain(item)), [plain(DIALOGUE)]);
    },
  },
  {
    name: "tells an agent's own turns from its team's",
    async run({ engine }) {
      const say = (text: string, agentId?: string, threadId?: string) =>
        put(engine, chat("ws:main", text, { agentId, threadId }));
      await say("from b", "b", "t1");
      await say("from nobody");
      for (let turn = 0; turn < 5; turn++) await say(`own ${turn}`, "a", "t2");
      const ask = async (
        who: "self" | "team",
        limit: number,
        agentId = "a",
      ) => {
        const { turns, hasMore, scopes } = await engine.history({
          agentId,
          who,
          limit,
        });
        ok(
          scopes.includes(engine.layout.render(at("ws:main"), "conversation")),
        );
        return [turns.map(({ turn }) => turn.text), hasMore];
      };
      deepEqual(await ask("self", 2), [["own 4", "own 3"], true]);
      deepEqual(await ask("self", 5), [
        ["own 4", "own 3", "own 2", "own 1", "own 0"],
        false,
      ]);
      deepEqual(await ask("team", 1), [["from nobody"], true]);
      deepEqual(await ask("team", 2), [["from nobody", "from b"], false]);
      deepEqual(await ask("self", 9, "b"), [["from b"], false]);
      equal(
        (await ask("team", 9, "b"))[0]?.toString().includes("from b"),
        false,
      );
      deepEqual(await ask("self", 9, "A"), [[], false]);
      const thread = await engine.history({
        agentId: "a",
        who: "team",
        limit: 9,
        threadId: "t1",
      });
      deepEqual(thread.turns.map(({ turn }) => turn.text), ["from b"]);
      equal(thread.turns[0]?.agentId, "b");
    },
  },
  {
    name: "hears the team after a thousand turns of one's own",
    isHeavy: true,
    async run({ engine }) {
      const own = Array.from({ length: 1_000 }, (_, index) => `own ${index}`);
      await put(engine, chat("ws:main", ["old", "news"], { agentId: "b" }));
      await put(engine, chat("ws:main", own, { agentId: "a" }));
      const team = await engine.history({
        agentId: "a",
        who: "team",
        limit: 2,
      });
      deepEqual(
        team.turns.map(({ turn, index }) => [turn.text, index]),
        [["news", 1], ["old", 0]],
      );
      equal(team.hasMore, false);
      const self = await engine.history({
        agentId: "a",
        who: "self",
        limit: 1,
      });
      deepEqual(self.turns.map(({ turn }) => turn.text), ["own 999"]);
      const { turns } = await engine.history({
        agentId: "b",
        who: "team",
        limit: 1_000,
      });
      equal(turns.length, 1_000);
    },
  },
  {
    name: "merges the turns of both roots, each once",
    needsOld: true,
    async run(world) {
      const { engine } = world;
      const say = (text: string) => chat("ws:main", text, { agentId: "b" });
      for (const text of ["old", "both"]) await put(oldOf(world), say(text));
      for (const text of ["both", "new"]) await put(engine, say(text));
      const read = async (limit: number) => {
        const request = { agentId: "a", who: "team", limit } as const;
        const { turns, hasMore } = await engine.history(request);
        return [turns.map(({ turn }) => turn.text), hasMore];
      };
      deepEqual(await read(9), [["new", "both", "old"], false]);
      deepEqual(await read(2), [["new", "both"], true]);
      deepEqual(await read(1), [["new"], true]);
    },
  },
  {
    name: "forgets by ids and by filter, and stores anew afterwards",
    async run({ engine }) {
      const items = [
        learning("agent:a", "one", { tags: ["x"] }),
        learning("agent:a", "two"),
        learning("ws:main/service:s", "hidden"),
        DIALOGUE,
      ];
      const ids = await put(engine, ...items);
      const [one, two, hidden, talk] = ids;
      ok(one && two && hidden && talk);
      const preview = await engine.forget({ ids, preview: true });
      deepEqual([preview.matched.length, preview.events], [4, 0]);
      equal((await listAll(engine, EVERYTHING)).length, 3);
      const within = await engine.forget({
        ids: [one, hidden],
        reach: exactly(at("agent:a")),
      });
      deepEqual(within.forgotten, [one]);
      const filtered = await engine.forget({
        filter: { reach: subtree(at("ws:main")) },
      });
      deepEqual(filtered.forgotten, [talk], "a sandbox is left alone");
      const named = await engine.forget({ ids: [hidden, "f".repeat(40)] });
      deepEqual([named.forgotten, named.left], [[hidden], []]);
      deepEqual(textsOf(await listAll(engine, EVERYTHING)), ["two"]);
      // Twice, for keys may outlive what was stored under them.
      for (let round = 0; round < 3; round++) {
        const receipts = await engine.store(items);
        deepEqual(
          receipts.map(({ isReplay }) => isReplay),
          [false, true, false, false],
        );
        const got = await engine.get({ ids: [one, talk] });
        ok(got.items.length === 2 && got.items.every((hit) => hit.isWhole));
        await engine.forget({ ids: [one, hidden, talk] });
        equal((await listAll(engine, EVERYTHING)).length, 1);
      }
      for (const filter of [{}, { kinds: [] }, { reach: undefined }]) {
        await rejects(engine.forget({ filter }), isInvalid);
      }
    },
  },
  {
    name: "erases a source and leaves its collections",
    async run({ engine, canErase }) {
      const items = [
        document("source:github", "about the account"),
        document("source:github/project:api", "the api"),
        learning("source:github", "learned there"),
        document("source:gmail", "mail"),
      ];
      await put(engine, ...items);
      const exact = { at: at("source:github"), descendants: false };
      const preview = await engine.erase({ ...exact, preview: true });
      deepEqual(
        preview.scopes.map(({ events }) => events),
        [1, 1],
      );
      equal((await listAll(engine, EVERYTHING)).length, 4);
      if (!canErase) {
        await rejects(engine.erase(exact), { reason: "unsupported" });
        return;
      }
      const report = await engine.erase(exact);
      equal(report.isProven, true);
      // Without a grouping node there are leaves, and nothing lies below one.
      const isLeaf = engine.layout.name === "legacy";
      deepEqual(
        report.scopes.map(({ kind, how }) => [kind, how]).sort(),
        [["document", isLeaf ? "scope" : "events"], ["learning", "scope"]],
      );
      deepEqual(textsOf(await listAll(engine, EVERYTHING)), [
        "mail",
        "the api",
      ]);
      const receipts = await engine.store(items);
      deepEqual(receipts.map(({ isReplay }) => isReplay), [
        false,
        true,
        false,
        true,
      ]);
      const all = await engine.erase({ ...exact, descendants: true });
      equal(all.scopes.length, 3);
      deepEqual(textsOf(await listAll(engine, EVERYTHING)), ["mail"]);
      await put(engine, ...items);
      equal((await listAll(engine, EVERYTHING)).length, 4);
    },
  },
  {
    name: "erases a workspace with its workflows, below both roots",
    async run({ engine, old, canErase }) {
      const items = [
        learning("ws:main", "w"),
        learning("ws:main/agent:a/agent:b", "deep"),
        learning("ws:main/service:nl", "workflow"),
        document("ws:main/service:nl/source:rss", "feed"),
        learning("ws:main2", "stays"),
      ];
      await put(engine, ...items);
      if (old !== undefined) await put(old, ...items);
      const erase = { at: at("ws:main"), descendants: true };
      if (!canErase) {
        await rejects(engine.erase(erase), { reason: "unsupported" });
        return;
      }
      const report = await engine.erase(erase);
      equal(report.scopes.length, old === undefined ? 4 : 8);
      equal(report.isProven, true);
      const depths = report.scopes.map(({ path }) => path.split("/").length);
      deepEqual(depths, depths.toSorted((a, b) => b - a));
      const ids = items.map(itemId);
      const reach = subtree(at("ws:main/service:nl"));
      deepEqual((await engine.get({ ids, reach })).items, []);
      deepEqual(textsOf(await listAll(engine, EVERYTHING)), ["stays"]);
      const stored = await engine.store(items);
      deepEqual(stored.map(({ isReplay }) => isReplay), [
        false,
        false,
        false,
        false,
        true,
      ]);
    },
  },
  {
    name: "erases everything when asked for the whole tree",
    async run({ engine, old, canErase, double }) {
      const items = [learning("root", "r"), learning("service:s", "s"), PAGE];
      await put(engine, ...items);
      if (old !== undefined) await put(old, learning("root", "old"));
      const tree = { at: at("root"), descendants: true };
      const sent = double?.seen.length;
      await rejects(engine.erase(tree), isInvalid);
      equal(double?.seen.length, sent, "nothing was sent");
      const isTenant = engine.layout.root === "";
      if (!canErase && !isTenant) return;
      const report = await engine.erase({ ...tree, wholeTree: true });
      equal(report.scopes.length, old === undefined ? 3 : 4);
      ok(report.scopes.every(({ how }) => (how === "tenant") === isTenant));
      equal(report.isProven, true);
      deepEqual(await listAll(engine, EVERYTHING), []);
      await put(engine, ...items);
      equal((await engine.get({ ids: items.map(itemId) })).items.length, 2);
    },
  },
  {
    name: "takes a large document apart and puts it together",
    isHeavy: true,
    async run({ engine }) {
      const line =
        "Ein langer Satz über den Keller, Zeile für Zeile. \u{1f347}\n";
      const body = line.repeat(9_700);
      const item = document("source:books", body, { url: "book:1" });
      const [id] = await put(engine, item);
      ok(id);
      for (
        const hits of [
          (await engine.get({ ids: [id] })).items,
          await listAll(engine, { url: "book:1" }),
          (await engine.recall({
            query: "Keller",
            filter: { reach: exactly(at("source:books")) },
            limit: 3,
          })).items,
        ]
      ) {
        deepEqual(hits.map((hit) => [hit.id, hit.isWhole]), [[id, true]]);
        ok(hits[0]?.text === body);
      }
      const report = await engine.forget({ ids: [id] });
      ok(report.events > 2 && report.left.length === 0);
      deepEqual(await listAll(engine, EVERYTHING), []);
    },
  },
  {
    name: "keeps what hardly fits into labels",
    async run({ engine }) {
      const long = "漢".repeat(1_000);
      const item: Item = {
        kind: "document",
        title: long,
        body: '{"v": 1} looks like an envelope, \\ and " and \u0001 are odd',
        mime: "text/plain",
        meta: {
          node: at("root"),
          folder: long,
          url: long,
          tags: Array.from({ length: 4 }, (_, index) => `${long}${index}`),
          agentId: ",",
        },
      };
      const [id] = await put(engine, item);
      ok(id);
      const { items } = await engine.get({ ids: [id] });
      deepEqual(items.map((hit) => plain(hit.item)), [plain(item)]);
      equal((await engine.store([item]))[0]?.isReplay, true);
      deepEqual(
        (await listAll(engine, { agentId: "," })).map((hit) => hit.id),
        [
          id,
        ],
      );
    },
  },
  {
    name: "answers a question from the node that knows most",
    async run({ engine, recallLag, isRecallExact }) {
      await put(
        engine,
        learning("root", "The cellar is cold"),
        learning("ws:main", "The cellar is dark"),
        learning("ws:main", "The cellar door sticks"),
      );
      const filter: Filter = { reach: upFrom(at("ws:main")) };
      for (let lag = 0; lag < recallLag; lag++) {
        await engine.recall({ query: "cellar", filter, limit: 10 });
      }
      const answered = await engine.answer({ question: "the cellar?", filter });
      ok(answered.text?.includes("cellar"));
      equal(answered.cited.length, 3);
      if (!isRecallExact) return;
      const nothing = await engine.answer({
        question: "zeppelin",
        filter: { reach: exactly(at("ws:main")) },
      });
      deepEqual([nothing.text, nothing.cited], [undefined, []]);
    },
  },
  {
    name: "says how it is",
    async run({ engine }) {
      ok(["healthy", "degraded"].includes((await engine.health()).status));
    },
  },
];

/** Whether an error says that the request itself was wrong. */
export function isInvalid(error: unknown): boolean {
  return error instanceof CortexRefusalError &&
    error.reason === "invalid_request" && error.status === undefined;
}
