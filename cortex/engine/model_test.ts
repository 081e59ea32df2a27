/**
 * Random sequences of operations against an engine and against a plain model:
 * both say the same at every step, over both roots.
 */
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { listAll, oldOf } from "../../tests/support/cortex/engine_case.ts";
import {
  at,
  chat,
  DIRECT,
  document,
  learning,
  openDoubleWorld,
  PLACINGS,
  type World,
} from "../../tests/support/cortex/engine_worlds.ts";
import { openLocalWorld } from "../../tests/support/cortex/engine_local.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { isWithin } from "../layout/node.ts";
import {
  admits,
  exactly,
  type Reach,
  subtree,
  upFrom,
} from "../layout/reach.ts";
import { type Kind, KINDS } from "../words.ts";
import type { Below } from "../layout/layouts.ts";
import { type Item, itemId } from "./item/item.ts";

const NODES = [
  "root",
  "ws:main",
  "ws:main/agent:a",
  "ws:main/service:s",
  "source:git",
  "source:git/project:p",
].map(at);

const ITEMS: readonly Item[] = NODES.flatMap((node, index) => [
  learning(node, `learned ${index}`, { tags: index % 2 ? ["odd"] : [] }),
  document(node, `written ${index}`, { agentId: index % 2 ? "a" : "b" }),
  chat(node, ["asked", `answered ${index}`], { agentId: "a" }),
]);

/** What lies below each root: indexes into `ITEMS`. */
class Model {
  readonly below: Record<Below, Set<number>> = {
    root: new Set(),
    retired: new Set(),
  };

  /** Items below either root that pass. */
  held(passes: (item: Item) => boolean): readonly Item[] {
    return ITEMS.filter((item, index) =>
      (this.below.root.has(index) || this.below.retired.has(index)) &&
      passes(item)
    );
  }

  remove(passes: (item: Item) => boolean): void {
    for (const held of Object.values(this.below)) {
      for (const index of held) {
        const item = ITEMS[index];
        if (item !== undefined && passes(item)) held.delete(index);
      }
    }
  }

  /** Events below both roots. */
  get events(): number {
    return [...this.below.root, ...this.below.retired]
      .reduce((sum, index) => {
        return sum + (ITEMS[index]?.kind === "conversation" ? 2 : 1);
      }, 0);
  }
}

type Step = (world: World, model: Model) => Promise<void>;

function idsOf(items: readonly Item[]): readonly string[] {
  return items.map(itemId).sort();
}

const someItems = fc.uniqueArray(fc.nat(ITEMS.length - 1), {
  minLength: 1,
  maxLength: 6,
});
const someReach: fc.Arbitrary<Reach> = fc.tuple(
  fc.constantFrom(...NODES),
  fc.constantFrom(exactly, upFrom, subtree),
).map(([node, make]) => make(node));
const someKinds: fc.Arbitrary<readonly Kind[]> = fc.subarray([...KINDS]);

function isOf(kinds: readonly Kind[], item: Item): boolean {
  return kinds.length === 0 || kinds.includes(item.kind);
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(someItems, fc.boolean()).map(toStore) },
  { weight: 2, arbitrary: someItems.map(toForget) },
  {
    weight: 2,
    arbitrary: fc.tuple(someReach, someKinds, fc.boolean()).map(
      toForgetMatching,
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...NODES), fc.boolean(), someKinds)
      .map(toErase),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(someReach, someKinds, fc.integer({ min: 1, max: 9 }))
      .map(toList),
  },
  { weight: 1, arbitrary: someItems.map(toGet) },
);

function toStore([indexes, isOld]: [number[], boolean]): Step {
  return async (world, model) => {
    const engine = isOld ? oldOf(world) : world.engine;
    const held = model.below[isOld ? "retired" : "root"];
    const items = indexes.flatMap((index) => ITEMS[index] ?? []);
    const receipts = await engine.store(items);
    deepEqual(
      receipts.map(({ isReplay }) => isReplay),
      indexes.map((index) => held.has(index)),
    );
    for (const index of indexes) held.add(index);
  };
}

function toForget(indexes: number[]): Step {
  return async ({ engine }, model) => {
    const meant = indexes.flatMap((index) => ITEMS[index] ?? []);
    const gone = model.held((item) => meant.includes(item));
    const report = await engine.forget({ ids: meant.map(itemId) });
    deepEqual(report.forgotten.toSorted(), idsOf(gone));
    model.remove((item) => meant.includes(item));
  };
}

function toForgetMatching(
  [reach, kinds, isTagged]: [Reach, readonly Kind[], boolean],
): Step {
  return async ({ engine }, model) => {
    const passes = (item: Item) =>
      isOf(kinds, item) && admits(reach, item.meta.node) &&
      (!isTagged || item.meta.tags?.includes("odd") === true);
    const gone = model.held(passes);
    const tagsAny = isTagged ? ["odd"] : [];
    const filter = { reach, kinds, tagsAny };
    const { forgotten } = await engine.forget({ filter });
    deepEqual(forgotten.toSorted(), idsOf(gone));
    model.remove(passes);
  };
}

function toErase(
  [node, descendants, kinds]: [typeof NODES[number], boolean, readonly Kind[]],
): Step {
  return async ({ engine }, model) => {
    const request = { at: node, descendants, kinds, wholeTree: true };
    const report = await engine.erase(request);
    equal(report.isProven, true);
    model.remove((item) =>
      isOf(kinds, item) &&
      (item.meta.node === node || descendants && isWithin(item.meta.node, node))
    );
  };
}

function toList([reach, kinds, limit]: [Reach, readonly Kind[], number]): Step {
  return async ({ engine }, model) => {
    const expected = model.held((item) =>
      isOf(kinds, item) && admits(reach, item.meta.node)
    );
    const hits = await listAll(engine, { reach, kinds }, limit);
    deepEqual(hits.map(({ id }) => id).sort(), idsOf(expected));
  };
}

function toGet(indexes: number[]): Step {
  return async ({ engine }, model) => {
    const items = indexes.flatMap((index) => ITEMS[index] ?? []);
    const reach = subtree(at("root"));
    const held = new Set(model.held(({ meta }) => admits(reach, meta.node)));
    const got = await engine.get({ ids: items.map(itemId) });
    deepEqual(
      got.items.map(({ id }) => id),
      items.filter((item) => held.has(item)).map(itemId),
    );
  };
}

/** Every item that is held, sandboxes and all, and nothing else. */
async function agree(world: World, model: Model): Promise<void> {
  const { engine, double } = world;
  const sandbox = at("ws:main/service:s");
  const hits = [
    ...await listAll(engine, {}),
    ...await listAll(engine, { reach: exactly(sandbox) }),
  ];
  deepEqual(hits.map(({ id }) => id).sort(), idsOf(model.held(() => true)));
  for (const { isWhole, below, id } of hits) {
    const index = ITEMS.findIndex((item) => itemId(item) === id);
    equal(isWhole, true);
    equal(below, model.below.root.has(index) ? "root" : "retired");
  }
  if (double !== undefined) equal(double.store.events.length, model.events);
}

async function play(world: World, steps: readonly Step[]): Promise<void> {
  const model = new Model();
  for (const one of steps) {
    await one(world, model);
    await agree(world, model);
  }
  await world[Symbol.asyncDispose]();
}

const steps = fc.array(step, { minLength: 4, maxLength: 14 });

Deno.test("any sequence of operations is as the model says", async () => {
  const quirks = fc.record(
    {
      doubleListing: fc.boolean(),
      plainPrefix: fc.boolean(),
      listingLag: fc.constantFrom(0, 0, 1),
      eraseBelow: fc.constantFrom("redact", "keep"),
      forgetReleasesKeys: fc.boolean(),
      erasureSteps: fc.nat(2),
    } as const,
  );
  const placing = fc.constantFrom(
    ...["direct", "hosted, named root", "hosted, tenant root"],
  );
  await fc.assert(
    fc.asyncProperty(steps, quirks, placing, async (list, odd, name) => {
      const settings = PLACINGS[name] ?? DIRECT;
      await play(openDoubleWorld(settings, { quirks: odd }), list);
    }),
    { numRuns: 40 },
  );
});

Deno.test("local: any sequence of operations is as the model says", async () => {
  await using test = await openTestDb();
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      await play(openLocalWorld(test), list);
    }),
    { numRuns: 4 },
  );
});
