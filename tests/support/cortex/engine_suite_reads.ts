/**
 * How items are found.
 *
 * @module
 */

import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { Filter } from "../../../cortex/mod.ts";
import { exactly, subtree, upFrom } from "../../../cortex/layout/reach.ts";
import {
  type Case,
  DIALOGUE,
  EVERYTHING,
  FULL,
  isInvalid,
  listAll,
  oldOf,
  PAGE,
  plain,
  put,
  textsOf,
} from "./engine_case.ts";
import { at, chat, document, learning } from "./engine_worlds.ts";

/** How items are found. */
export const READ_CASES: readonly Case[] = [
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
      const scores = found.items.map(({ score }) => score);
      deepEqual(scores, scores.toSorted((a, b) => b - a));
      ok(scores.every((score) => score > 0 && score <= 1));
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
    name: "goes on with older turns, each once, through both roots",
    async run({ engine, old }) {
      const said: string[] = [];
      for (let turn = 0; turn < 7; turn++) {
        const text = `turn ${turn}`;
        const writer = turn < 3 && old !== undefined ? old : engine;
        await writer.store([chat("ws:main", text, { agentId: "a" })]);
        said.push(text);
      }
      for (const limit of [1, 2, 3, 7]) {
        const read: string[] = [];
        let cursor: string | undefined;
        for (;;) {
          const page = await engine.history({
            agentId: ["a", "before a"],
            who: "self",
            limit,
            cursor,
          });
          equal(page.cursors.length, page.turns.length);
          read.push(...page.turns.map(({ turn }) => turn.text));
          cursor = page.cursors.at(-1);
          if (!page.hasMore) break;
          ok(page.turns.length === limit);
        }
        deepEqual(read.toReversed(), said, `pages of ${limit}`);
      }
      // From the middle of a page, as where not all of it is shown.
      const ask = { agentId: "a", who: "self", limit: 4 } as const;
      const { cursors } = await engine.history(ask);
      const rest = await engine.history({ ...ask, cursor: cursors[1] });
      equal(rest.turns[0]?.turn.text, "turn 4");
      for (const cursor of ["x", cursors[0]]) {
        await rejects(
          engine.history({ agentId: "b", who: "self", limit: 1, cursor }),
          isInvalid,
        );
      }
    },
  },
  {
    name: "answers a question from what fits best, wherever it lies",
    async run({ engine, recallLag, isRecallExact }) {
      await put(
        engine,
        learning("root", "In winter the cellar is cold"),
        learning("ws:main", "The cellar is dark"),
        learning("ws:main", "The cellar door sticks"),
      );
      const filter: Filter = { reach: upFrom(at("ws:main")) };
      for (let lag = 0; lag < recallLag; lag++) {
        await engine.recall({ query: "cellar", filter, limit: 10 });
      }
      const answered = await engine.answer({
        question: "Is the cellar cold in winter?",
        filter,
      });
      ok(answered.text?.includes("cellar"));
      const [best] = await listAll(engine, {
        reach: exactly(at("root")),
        kinds: ["learning"],
      });
      equal(answered.cited[0], best?.id);
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
