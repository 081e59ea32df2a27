/**
 * How recall merges what it finds, and how items replace others.
 *
 * @module
 */

import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type {
  Engine,
  Filter,
  Item,
  ItemId,
  RecallRequest,
} from "../../../cortex/mod.ts";
import { CortexUnavailableError } from "../../../cortex/words.ts";
import { exactly, upFrom } from "../../../cortex/layout/reach.ts";
import {
  type Case,
  isInvalid,
  listAll,
  oldOf,
  put,
  textsOf,
} from "./engine_case.ts";
import { at, document, learning, type World } from "./engine_worlds.ts";

const FROM_MAIN: Filter = { reach: upFrom(at("ws:main")) };

/** Texts in the order recalled, once recall has seen everything. */
async function recalled(
  { engine, recallLag }: World,
  request: Omit<RecallRequest, "limit">,
): Promise<readonly string[]> {
  for (let lag = 0; lag < recallLag; lag++) {
    await engine.recall({ ...request, limit: 20 });
  }
  const { items } = await engine.recall({ ...request, limit: 20 });
  return items.map(({ text }) => text);
}

/** Stores an item; what is not done is safe to be done again. */
async function untilStored(
  engine: Engine,
  item: Item,
): Promise<readonly ItemId[]> {
  for (let tries = 1;; tries++) {
    try {
      return (await engine.store([item])).map(({ id }) => id);
    } catch (error) {
      if (!(error instanceof CortexUnavailableError) || tries >= 5) throw error;
    }
  }
}

/** How recall merges, and how items replace others. */
export const RECALL_CASES: readonly Case[] = [
  {
    name: "ranks by relevance across scopes and kinds",
    async run(world) {
      await put(
        world.engine,
        document("root", "Minutes: the tests take four hours, and the early"),
        learning("root", "Nora takes the early train, never the bus."),
        learning("ws:main", "Somebody takes notes."),
      );
      const texts = await recalled(world, {
        query: "Which early train does Nora take?",
        filter: FROM_MAIN,
      });
      equal(texts[0], "Nora takes the early train, never the bus.");
    },
  },
  {
    name: "merges other phrasings of a query",
    async run(world) {
      const { engine } = world;
      await put(
        engine,
        learning("root", "Der Zug nach Lyon"),
        learning("ws:main", "Tickets lie in the drawer"),
        learning("ws:main", "Nothing of it"),
      );
      const query = "railway";
      const both = await recalled(world, {
        query,
        also: ["Zug Lyon", "tickets drawer", "railway"],
        filter: FROM_MAIN,
      });
      ok(both.includes("Der Zug nach Lyon"));
      ok(both.includes("Tickets lie in the drawer"));
      ok(!both.includes("Nothing of it"));
      const many = { query, filter: FROM_MAIN, limit: 5 };
      await rejects(
        engine.recall({ ...many, also: ["a", "b", "c", "d", "e"] }),
        isInvalid,
      );
    },
  },
  {
    name: "recalls what several stored as one item",
    async run(world) {
      const { engine } = world;
      const ids = await put(
        engine,
        learning("root", "The cellar is damp"),
        learning("root", "the cellar  is damp.", { tags: ["house"] }),
        learning("ws:main", "The cellar is damp", { agentId: "other" }),
        learning("ws:main", "The cellar is damp and dark"),
      );
      const filter = FROM_MAIN;
      await recalled(world, { query: "cellar damp", filter });
      const { items } = await engine.recall({
        query: "cellar damp",
        filter,
        limit: 20,
      });
      equal(items.length, 2);
      const first = items.find(({ sameAs }) => sameAs.length > 0);
      deepEqual(
        [first?.id, ...first?.sameAs ?? []].sort(),
        ids.slice(0, 3).sort(),
      );
    },
  },
  {
    name: "leaves out what an item replaces, and says by what",
    async run(world) {
      const { engine } = world;
      const [old, other] = await put(
        engine,
        learning("root", "The train leaves at nine"),
        learning("ws:main", "The train leaves from platform two"),
      );
      ok(old && other);
      const correction = learning("ws:main", "The train leaves at ten", {
        replaces: [old],
      });
      const [by] = await put(engine, correction);
      ok(by);
      // Again is no second mark.
      deepEqual(
        (await engine.store([correction])).map(({ isReplay }) => isReplay),
        [true],
      );
      const query = "train leaves";
      const now = [
        "The train leaves at ten",
        "The train leaves from platform two",
      ];
      deepEqual(
        (await recalled(world, { query, filter: FROM_MAIN })).toSorted(),
        now,
      );
      for (const limit of [1, 100]) {
        deepEqual(textsOf(await listAll(engine, FROM_MAIN, limit)), now);
      }
      const all = await engine.list({
        filter: FROM_MAIN,
        limit: 10,
        withReplaced: true,
      });
      deepEqual(
        all.items.flatMap(({ id, replacedBy }) =>
          replacedBy === undefined ? [] : [[id, replacedBy]]
        ),
        [[old, by]],
      );
      const { items } = await engine.get({ ids: [old, by] });
      deepEqual(items.map(({ replacedBy }) => replacedBy), [by, undefined]);
      deepEqual(items[1]?.item.meta.replaces, [old]);
      // What is said again is so again.
      await engine.store([learning("root", "The train leaves at nine")]);
      equal((await listAll(engine, FROM_MAIN)).length, 3);
    },
  },
  {
    name: "brings back what a forgotten item had replaced, and forgets marks",
    async run(world) {
      const { engine } = world;
      const reach = exactly(at("ws:main"));
      const [old] = await put(engine, learning("ws:main", "It is red"));
      ok(old);
      const [by] = await untilStored(
        engine,
        learning("root", "It is blue", { replaces: [old] }),
      );
      ok(by);
      deepEqual(await listAll(engine, { reach }), []);
      const report = await engine.forget({ ids: [by] });
      deepEqual([report.forgotten, report.restored], [[by], [old]]);
      deepEqual(textsOf(await listAll(engine, { reach })), ["It is red"]);
      await untilStored(
        engine,
        learning("root", "It is blue", { replaces: [old] }),
      );
      const { events, restored } = await engine.forget({ filter: { reach } });
      // The item, and the mark on it.
      deepEqual([events, restored], [2, []]);
    },
  },
  {
    name: "replaces what lies below the retired root",
    needsOld: true,
    async run(world) {
      const { engine } = world;
      const [old] = await put(oldOf(world), learning("ws:main", "It is red"));
      ok(old);
      await put(engine, learning("root", "It is blue", { replaces: [old] }));
      const filter: Filter = { reach: exactly(at("ws:main")) };
      deepEqual(await listAll(engine, filter), []);
      deepEqual(await recalled(world, { query: "red", filter }), []);
    },
  },
  {
    name: "refuses to replace what is not there, or the item itself",
    async run({ engine }) {
      const item = learning("root", "Here");
      const [id] = await put(engine, item);
      ok(id);
      const strange = "0".repeat(40) as typeof id;
      for (
        const bad of [
          learning("root", "There", { replaces: [strange] }),
          learning("root", "Here", { replaces: [id] }),
          learning("root", "There", { replaces: ["x" as typeof id] }),
          learning("root", "There", { replaces: Array(21).fill(id) }),
        ]
      ) await rejects(engine.store([bad]), isInvalid);
      deepEqual(textsOf(await listAll(engine, {})), ["Here"]);
    },
  },
];
