/** Items, their ids, pieces and envelopes: for any content. */
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  DIRECT,
  openDoubleWorld,
} from "../../../tests/support/cortex/engine_worlds.ts";
import { plain } from "../../../tests/support/cortex/engine_case.ts";
import { Layout, type Scope } from "../../layout/layouts.ts";
import { parseNode } from "../../layout/node.ts";
import { parseRootPath } from "../../layout/scope.ts";
import type { EventId, StoredEvent } from "../../client/wire.ts";
import { open, pack } from "./envelope.ts";
import { type Item, itemId, type ItemMeta } from "./item.ts";
import { LEARNING_KINDS, SOURCE_KINDS } from "../../words.ts";
import { checkItems } from "./item_check.ts";
import { isTime } from "./faults.ts";
import { layOut } from "./layout_events.ts";
import { lookupLabels } from "./lookup.ts";
import { cutPieces } from "./pieces.ts";
import { readOwnEvent, rebuild } from "./rebuild.ts";

const RUNS = { numRuns: 150 };

/** Any text that may be stored: not blank, whole characters, no NUL. */
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: "binary", minLength: 1, maxLength })
    .filter((one) => one.trim() !== "" && !one.includes("\0"));
const field = fc.oneof(
  text(20),
  fc.constant("漢".repeat(1_024)),
  fc.constantFrom("a,b", '"\\', "\u0001\n", "{", "\u{1f600}"),
);
const optional = <T>(of: fc.Arbitrary<T>) =>
  fc.option(of, { nil: undefined, freq: 2 });
const time = fc.constantFrom(
  "2026-08-01T10:00:00Z",
  "2026-08-01T10:00:00.123456+02:00",
);
const toolCall = fc.record({ name: field, id: optional(field) });

const meta: fc.Arbitrary<ItemMeta> = fc.record({
  node: fc.constantFrom("root", "agent:a", "ws:m/source:x").map(parseNode),
  workspace: optional(field),
  folder: optional(field),
  filePath: optional(field),
  language: optional(field),
  repo: optional(field),
  commit: optional(field),
  url: optional(field),
  threadId: optional(field),
  turns: optional(
    fc.tuple(fc.nat(), fc.nat()).map(([first, more]) => ({
      first,
      last: first + more,
    })),
  ),
  agentId: optional(field),
  toolCall: optional(toolCall),
  source: optional(
    fc.record({ kind: fc.constantFrom(...SOURCE_KINDS), id: optional(field) }),
  ),
  tags: optional(fc.array(field, { maxLength: 32 })),
  observedAt: optional(time),
  derive: optional(fc.constant(false)),
});

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({
    kind: fc.constant("learning" as const),
    text: text(200),
    learningKind: fc.constantFrom(...LEARNING_KINDS),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    evidence: optional(text(50)),
    meta,
  }),
  fc.record({
    kind: fc.constant("document" as const),
    title: optional(field),
    body: text(300),
    mime: optional(field),
    meta,
  }),
  fc.record({
    kind: fc.constant("conversation" as const),
    turns: fc.array(
      fc.record({
        role: fc.constantFrom("user", "assistant", "system", "tool"),
        text: text(50),
        at: optional(time),
        toolCalls: optional(fc.array(toolCall, { minLength: 1, maxLength: 2 })),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    meta,
  }),
);

const LAYOUT = new Layout({ wire: "direct", root: parseRootPath("org:42") });

function scopeOf({ meta: { node }, kind }: Item): Scope {
  const path = LAYOUT.render(node, kind);
  return { node, kind, below: "root", path };
}

async function eventsOf(one: Item): Promise<readonly StoredEvent[]> {
  const { drafts } = await layOut(one, scopeOf(one).path);
  return drafts.map((draft, index): StoredEvent => ({
    id: `evt_${index}` as EventId,
    scope: draft.scope,
    role: draft.role,
    text: draft.text,
    labels: draft.labels,
    observedAt: draft.observedAt,
    recordedAt: undefined,
  }));
}

Deno.test("layOut() and rebuild() give any item back, under the same id", async () => {
  await fc.assert(
    fc.asyncProperty(item, async (one) => {
      checkItems([one]);
      const events = await eventsOf(one);
      for (const { labels, text } of events) {
        ok(labels.length <= 64);
        for (const label of labels) {
          ok(/^[\x20-\x7e]{1,240}$/.test(label), label);
        }
        notEqual(text, "");
      }
      const scope = scopeOf(one);
      const own = events.flatMap((event) => readOwnEvent(scope, event) ?? []);
      equal(own.length, events.length);
      const hit = rebuild(scope, own.toReversed());
      ok(hit?.isWhole);
      equal(hit.id, itemId(one));
      equal(itemId(hit.item), hit.id);
      deepEqual(plain(hit.item), plain(one));
    }),
    RUNS,
  );
});

Deno.test("open() reads what pack() wrote, also when labels do not hold it", () => {
  fc.assert(
    fc.property(item, text(100), fc.nat(60), (one, words, more) => {
      const lookup = [
        ...lookupLabels(itemId(one), one),
        ...Array.from({ length: more }, (_, index) => `other:${index}`),
      ].slice(0, 64);
      const envelope = {
        id: itemId(one),
        kind: one.kind,
        meta: one.meta,
        part: one.kind === "learning"
          ? { index: 0, count: 1 }
          : { index: 2, count: 7 },
        title: words,
      };
      const packed = pack(envelope, words, lookup);
      ok(packed.labels.length <= 64);
      const opened = open(packed);
      ok(opened);
      equal(opened.text, words);
      deepEqual(
        JSON.parse(JSON.stringify(opened.envelope)),
        JSON.parse(JSON.stringify(envelope)),
      );
      // A label more or fewer is no envelope any more.
      const labels = packed.labels.filter((label) =>
        !label.startsWith("tm:e:00")
      );
      if (labels.length < packed.labels.length) {
        equal(open({ text: words, labels }), undefined);
      }
    }),
    RUNS,
  );
});

Deno.test("itemId() depends on all of an item but when it was observed", () => {
  fc.assert(
    fc.property(item, item, time, (one, other, observedAt) => {
      const id = itemId(one);
      equal(itemId({ ...one, meta: { ...one.meta, observedAt } }), id);
      const entries = Object.entries(one.meta).toReversed();
      const turned = Object.fromEntries(entries) as unknown as ItemMeta;
      equal(itemId({ ...one, meta: turned }), id);
      for (const name of Object.keys(one.meta) as (keyof ItemMeta)[]) {
        if (name === "observedAt") continue;
        const changed = { ...one.meta, [name]: other.meta[name] };
        const isSame = JSON.stringify(normal(changed)) ===
          JSON.stringify(normal(one.meta));
        equal(itemId({ ...one, meta: changed }) === id, isSame, name);
      }
    }),
    RUNS,
  );
});

/** Meta with what is meant where nothing is said. */
function normal(meta: ItemMeta): unknown {
  const { source, tags = [], derive = true, ...rest } = meta;
  const { kind = "agent", id } = source ?? {};
  const { toolCall, turns } = rest;
  return [
    { ...rest, toolCall: undefined, turns: undefined, observedAt: undefined },
    [toolCall?.name, toolCall?.id, turns?.first, turns?.last],
    [kind, id, tags, derive],
  ];
}

Deno.test("itemId() tells contents apart that only look alike", () => {
  const meta = { node: parseNode("root") };
  const turn = (text: string) => ({ role: "user", text }) as const;
  const learning = { kind: "learning", learningKind: "fact", confidence: 1 };
  const items = [
    { kind: "document", body: "a", meta },
    { kind: "document", title: "a", body: "a", meta },
    { kind: "document", body: "a", mime: "a", meta },
    { kind: "document", body: "a ", meta },
    { kind: "conversation", turns: [turn("a")], meta },
    { kind: "conversation", turns: [turn("a"), turn("b")], meta },
    { kind: "conversation", turns: [turn("a\nuser: b")], meta },
    { kind: "conversation", turns: [{ ...turn("a"), role: "tool" }], meta },
    { ...learning, text: "a", meta },
    { ...learning, text: "a", confidence: 0.5, meta },
    { ...learning, text: "a", learningKind: "other", meta },
    { ...learning, text: "a", evidence: "a", meta },
    { ...learning, text: "a", meta: { node: parseNode("agent:a") } },
  ] as readonly Item[];
  equal(new Set(items.map(itemId)).size, items.length);
});

Deno.test("cutPieces() cuts any text into pieces that join to it", () => {
  const any = fc.string({ unit: "binary", maxLength: 300 });
  fc.assert(
    fc.property(any, fc.integer({ min: 1, max: 60 }), (whole, most) => {
      const pieces = cutPieces(whole, most);
      equal(pieces.join(""), whole);
      for (const piece of pieces) {
        ok(piece.isWellFormed());
        const { length } = new TextEncoder().encode(JSON.stringify(piece));
        // A single character may be larger than the limit.
        ok(length - 2 <= most || [...piece].length === 1);
        if (whole !== "") notEqual(piece, "");
      }
    }),
  );
  deepEqual(cutPieces("aaaa\nbbbb\ncccc", 10), ["aaaa\nbbbb", "\ncccc"]);
  deepEqual(cutPieces("aaaaaaa\nbbb", 10), ["aaaaaaa\n", "bbb"]);
  const half = "\ud800".repeat(40);
  equal(cutPieces(half, 10).join(""), half);
});

Deno.test("isTime() takes times of days that there are", () => {
  for (
    const good of [
      "2026-09-01T09:00:00Z",
      "2026-09-01t09:00:00.123456789z",
      "2024-02-29T23:59:59+14:00",
      "0001-01-02T00:00:00Z",
    ]
  ) equal(isTime(good), true, good);
  for (
    const bad of [
      "",
      "2026-09-01",
      "2026-09-01 09:00:00Z",
      "2026-02-29T00:00:00Z",
      "2026-02-30T00:00:00Z",
      "2026-04-31T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-09-01T24:00:00Z",
      "2026-09-01T09:00:60Z",
      "0000-01-01T00:00:00Z",
      "0001-01-01T00:00:00+14:00",
      "2026-09-01T09:00:00",
      "2026-09-01T09:00:00+25:00",
      "2026-09-01T09:00:00Z ",
      "２026-09-01T09:00:00Z",
    ]
  ) equal(isTime(bad), false, bad);
});

Deno.test("store() refuses items that cannot be kept, and sends nothing", async () => {
  await using world = openDoubleWorld(DIRECT);
  const { engine, double } = world;
  const node = parseNode("root");
  const good: Item = { kind: "document", body: "fine", meta: { node } };
  const withMeta = (meta: Partial<ItemMeta>) => ({
    ...good,
    meta: { node, ...meta },
  });
  const turns = (count: number) => ({
    kind: "conversation",
    turns: Array.from({ length: count }, () => ({ role: "user", text: "t" })),
    meta: { node },
  });
  const fact = {
    kind: "learning",
    text: "t",
    learningKind: "fact",
    confidence: 1,
    meta: { node },
  };
  const bad = [
    { ...good, body: " \n\t" },
    { ...good, body: "a\0b" },
    { ...good, body: "half \ud83d" },
    { ...good, title: "" },
    { ...good, title: "t".repeat(1_025) },
    turns(0),
    turns(1_001),
    { ...turns(1), turns: [{ role: "user", text: " " }] },
    { ...turns(1), turns: [{ role: "owner", text: "t" }] },
    { ...turns(1), turns: [{ role: "user", text: "t", at: "yesterday" }] },
    {
      ...turns(1),
      turns: [{ role: "user", text: "t", toolCalls: [{ name: "" }] }],
    },
    { ...fact, confidence: NaN },
    { ...fact, confidence: 1.01 },
    { ...fact, confidence: -0.1 },
    { ...fact, learningKind: "guess" },
    { ...fact, evidence: "" },
    withMeta({ agentId: "" }),
    withMeta({ url: "u".repeat(1_025) }),
    withMeta({ tags: Array(33).fill("t") }),
    withMeta({ tags: ["\0"] }),
    withMeta({ turns: { first: 2, last: 1 } }),
    withMeta({ turns: { first: 0.5, last: 1 } }),
    withMeta({ observedAt: "2026-02-30T00:00:00Z" }),
    withMeta({ source: { kind: "web" as "link" } }),
  ] as readonly Item[];
  const refuse = async (items: readonly Item[]) => {
    const outcome = await engine.store(items).then(() => "stored", String);
    ok(outcome.startsWith("CortexRefusalError"), outcome);
  };
  for (const one of bad) await refuse([good, one]);
  await refuse([]);
  await refuse(Array(101).fill(good));
  equal(double.seen.length, 0);
});
