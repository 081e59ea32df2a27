import { equal, ok } from "node:assert/strict";

import fc from "fast-check";

import { IgnoredList } from "./ignored.ts";
import { parseArtifacts, parseDocument, parseRoots } from "./parser.ts";

const MUTATED_CATALOGS = 50_000;
const ROOTS = 4;

/** A whole root, as an author would write it. */
function wholeRoot(index: number): Record<string, unknown> {
  return {
    name: `root-${index}`,
    description: "A root",
    url: "https://example.com/repo.git",
    default_branch: "main",
    default_skills: ["one", "two"],
    command: ["sh", "-c", "cat"],
    permission: "ask",
    max_turn_minutes: 30,
    data_namespace: `space-${index}`,
    data_collections: {
      notes: { schema: { type: "object" }, retention_days: 30 },
      runs: {},
    },
  };
}

/** Small, fast and repeatable random numbers. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const JUNK: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  NaN,
  "",
  "\u0000",
  "x".repeat(500),
  "\ud800",
  [],
  [[]],
  {},
  { "": {} },
  { toString: 1, constructor: null },
  JSON.parse('{"__proto__": {"x": 1}}'),
  [null, {}, "a", 5],
];

/** Puts junk somewhere inside a value, or instead of it. */
function damage(value: unknown, random: (below: number) => number): unknown {
  const isLeaf = typeof value !== "object" || value === null;
  if (isLeaf || random(4) === 0) return JUNK[random(JUNK.length)];
  const copy = structuredClone(value) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const key = keys.length === 0 || random(5) === 0
    ? ["data_collections", "", "__proto__", "9", "data_namespace"][random(5)]
    : keys[random(keys.length)];
  if (key === undefined) return copy;
  Object.defineProperty(copy, key, {
    value: damage(copy[key], random),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}

function describe(root: unknown): string {
  return JSON.stringify(
    root,
    (_key, value) => value instanceof Map ? [...value] : value,
  );
}

Deno.test(`parseRoots() keeps every whole entry of ${MUTATED_CATALOGS} damaged catalogs`, () => {
  const whole = Array.from({ length: ROOTS }, (_, index) => wholeRoot(index));
  const expected = whole.map((entry, index) => {
    const document = { [`root-${index}`]: entry };
    return describe(
      parseRoots(document, "s", new IgnoredList()).get(`root-${index}`),
    );
  });
  let reported = 0;
  for (let seed = 1; seed <= MUTATED_CATALOGS; seed++) {
    const random = randomFrom(seed * 2_654_435_761);
    const damaged = random(ROOTS);
    const document: Record<string, unknown> = { $schema: "s" };
    whole.forEach((entry, index) => {
      document[`root-${index}`] = index === damaged
        ? damage(entry, random)
        : entry;
    });
    if (random(2) === 0) document[`junk-${seed}`] = damage([], random);
    const ignored = new IgnoredList();
    const roots = parseRoots(document, "s", ignored);
    for (let index = 0; index < ROOTS; index++) {
      if (index === damaged) continue;
      equal(describe(roots.get(`root-${index}`)), expected[index]);
    }
    reported += ignored.total;
    ok(ignored.toArray("s").every((item) => item.pointer.startsWith("/")));
  }
  ok(reported > MUTATED_CATALOGS / 4, `only ${reported} things were reported`);
});

Deno.test("parseDocument() and the parsers accept any JSON value", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const parsed = parseDocument(text);
      if (!parsed.ok) return;
      const ignored = new IgnoredList();
      parseRoots(parsed.document, "s", ignored);
      parseArtifacts(parsed.document, { kind: "goals", source: "s", ignored });
      parseRoots({ r: { data_collections: parsed.document } }, "s", ignored);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("parseDocument() accepts any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      parseDocument(text);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("parseRoots() survives nesting no recursion could follow", () => {
  const deep = '{"schema":'.repeat(100_000) + "{}" + "}".repeat(100_000);
  const text = `{"r": {"data_collections": {"a": ${deep}}, "url": [${deep}]}}`;
  const parsed = parseDocument(text);
  ok(parsed.ok);
  const roots = parseRoots(parsed.document, "s", new IgnoredList());
  equal(roots.get("r")?.collections.size, 1);
});
