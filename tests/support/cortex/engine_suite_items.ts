/**
 * How items are kept.
 *
 * @module
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import type { Item } from "../../../cortex/mod.ts";
import { itemId } from "../../../cortex/engine/item/item.ts";
import { exactly, subtree } from "../../../cortex/layout/reach.ts";
import {
  type Case,
  DIALOGUE,
  EVERYTHING,
  FULL,
  listAll,
  oldOf,
  PAGE,
  plain,
  put,
  textsOf,
} from "./engine_case.ts";
import { at, chat, document, learning } from "./engine_worlds.ts";

/** How items are kept. */
export const ITEM_CASES: readonly Case[] = [
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
    name: "leaves one event where ten store the same at once",
    async run({ engine }) {
      const one = learning("agent:a", "at once");
      await Promise.all(Array.from({ length: 10 }, (_, second) => {
        const observedAt = `2026-01-01T00:00:0${second}Z`;
        return engine.store([{ ...one, meta: { ...one.meta, observedAt } }]);
      }));
      const { events } = await engine.forget({ ids: [itemId(one)] });
      equal(events, 1);
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
      const { nodes } = await engine.nodes(at("root"));
      deepEqual(nodes.map((one) => [one.node, one.isRetired]), [
        ["agent:x", true],
        ["ws:main", true],
        ["source:site/project:shop", true],
      ]);
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
];
