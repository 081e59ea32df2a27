/**
 * How items are removed.
 *
 * @module
 */

import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { CortexRefusalError } from "../../../cortex/words.ts";
import { itemId } from "../../../cortex/engine/item/item.ts";
import { exactly, subtree } from "../../../cortex/layout/reach.ts";
import {
  type Case,
  DIALOGUE,
  EVERYTHING,
  isInvalid,
  listAll,
  oldOf,
  PAGE,
  put,
  textsOf,
} from "./engine_case.ts";
import { at, document, learning } from "./engine_worlds.ts";

/** How items are removed. */
export const REMOVAL_CASES: readonly Case[] = [
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
        // What goes event by event is gone, and the report says so.
        const { scopes, failure, isProven } = await engine.erase(exact);
        const left = scopes.map(({ events }) => events).toSorted();
        deepEqual([isProven, left], [false, [0, 1]]);
        ok(failure?.error instanceof CortexRefusalError);
        equal(failure.error.reason, "unsupported");
        return;
      }
      const report = await engine.erase(exact);
      deepEqual([report.isProven, report.failure], [true, undefined]);
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
];
