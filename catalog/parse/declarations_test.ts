import { deepEqual, equal, match } from "node:assert/strict";

import { parseCollections } from "./declarations.ts";
import { resolveNamespace } from "./namespace.ts";
import { IgnoredList } from "./ignored.ts";

function parse(value: unknown) {
  const ignored = new IgnoredList();
  const place = { source: "roots.json", path: ["r", "data_collections"] };
  const collections = parseCollections(value, place, ignored);
  return { collections, ignored: ignored.toArray("roots.json") };
}

function names(value: unknown): string[] {
  return [...parse(value).collections.keys()];
}

function retention(days: unknown): number | undefined {
  return parse({ runs: { retention_days: days } }).collections.get("runs")
    ?.retentionDays;
}

Deno.test("parseCollections() declares nothing when absent or null [case 14]", () => {
  for (const value of [undefined, null]) {
    const { collections, ignored } = parse(value);
    equal(collections.size, 0);
    deepEqual(ignored, []);
  }
});

Deno.test("parseCollections() declares each member of an object, {} with nothing set [case 15]", () => {
  const { collections, ignored } = parse({
    notes: { description: "Things", retention_days: 90 },
    runs: {},
  });
  deepEqual([...collections.values()], [
    {
      name: "notes",
      description: "Things",
      schemaIgnored: false,
      retentionDays: 90,
    },
    { name: "runs", schemaIgnored: false },
  ]);
  deepEqual(ignored, []);
});

Deno.test("parseCollections() declares the names of a bare list [case 16]", () => {
  deepEqual([...parse(["notes", "runs"]).collections.values()], [
    { name: "notes", schemaIgnored: false },
    { name: "runs", schemaIgnored: false },
  ]);
});

Deno.test("parseCollections() skips bad items of a list and keeps the others [case 17]", () => {
  const { collections, ignored } = parse([
    "notes",
    5,
    null,
    "Bad",
    ["x"],
    "runs",
  ]);
  deepEqual([...collections.keys()], ["notes", "runs"]);
  deepEqual(ignored.map((item) => item.pointer), [
    "/r/data_collections/1",
    "/r/data_collections/2",
    "/r/data_collections/3",
    "/r/data_collections/4",
  ]);
});

Deno.test("parseCollections() takes a duplicate in a list as one declaration [case 18]", () => {
  deepEqual(names(["notes", "notes"]), ["notes"]);
});

Deno.test("parseCollections() skips an entry that is not an object [case 19]", () => {
  for (const entry of [true, null, [], "x", 7]) {
    const { collections, ignored } = parse({ notes: entry, runs: {} });
    deepEqual([...collections.keys()], ["runs"]);
    equal(ignored[0]?.pointer, "/r/data_collections/notes");
    equal(ignored[0]?.level, "error");
  }
});

Deno.test("parseCollections() skips malformed names [case 20]", () => {
  for (
    const name of [
      "Notes",
      "9x",
      "a b",
      "",
      "notes\n",
      "\nnotes",
      "nötes",
      "-a",
      "_a",
      "a.b",
      "__proto__",
    ]
  ) {
    const value = JSON.parse(`{${JSON.stringify(name)}: {}, "ok-1_a": {}}`);
    deepEqual(names(value), ["ok-1_a"], JSON.stringify(name));
    deepEqual(names([name, "ok-1_a"]), ["ok-1_a"], JSON.stringify(name));
  }
});

Deno.test("parseCollections() declares nothing for a field of another type [case 21]", () => {
  for (const value of ["notes", 3, true, false]) {
    const { collections, ignored } = parse(value);
    equal(collections.size, 0);
    equal(ignored.length, 1);
  }
});

Deno.test("parseCollections() uses 1 to 3650 days [case 22]", () => {
  deepEqual([1, 90, 3650].map(retention), [1, 90, 3650]);
});

Deno.test("parseCollections() cuts longer retention to 3650 days [case 30]", () => {
  for (const days of [3651, 1e9, Infinity, "99999", "9".repeat(400)]) {
    equal(retention(days), 3650);
  }
});

Deno.test("parseCollections() treats senseless retention as not set and keeps the collection [case 23]", () => {
  const senseless = [
    "x",
    "",
    " 30",
    "30 ",
    "-1",
    "1e3",
    true,
    [],
    [30],
    {},
    NaN,
    0,
    -5,
    0.5,
    "0",
    -Infinity,
  ];
  for (const days of senseless) {
    const { collections, ignored } = parse({ runs: { retention_days: days } });
    deepEqual(collections.get("runs"), { name: "runs", schemaIgnored: false });
    equal(ignored[0]?.pointer, "/r/data_collections/runs/retention_days");
  }
  equal(parse({ runs: { retention_days: null } }).ignored.length, 0);
});

Deno.test("parseCollections() accepts integral floats and digit strings as days [case 24]", () => {
  deepEqual([JSON.parse("30.0"), "30", "007"].map(retention), [30, 30, 7]);
});

Deno.test("parseCollections() rounds other fractions up, never down", () => {
  equal(retention(30.2), 31);
});

Deno.test("parseCollections() keeps a schema that is an object [case 25]", () => {
  const schema = { type: "object" };
  deepEqual(parse({ a: { schema } }).collections.get("a")?.schema, schema);
});

Deno.test("parseCollections() sets no schema when it is absent or null [case 25]", () => {
  deepEqual(parse({ a: { schema: null } }).collections.get("a"), {
    name: "a",
    schemaIgnored: false,
  });
});

Deno.test("parseCollections() says so when a schema is of another type [case 25]", () => {
  for (const schema of [true, false, "x", 1, []]) {
    const { collections, ignored } = parse({ a: { schema } });
    deepEqual(collections.get("a"), { name: "a", schemaIgnored: true });
    equal(ignored[0]?.pointer, "/r/data_collections/a/schema");
  }
});

Deno.test("parseCollections() leaves out a description that is not text", () => {
  const { collections, ignored } = parse({ a: { description: 5 } });
  deepEqual(collections.get("a"), { name: "a", schemaIgnored: false });
  equal(ignored[0]?.level, "warning");
});

Deno.test("parseCollections() ignores unknown keys silently", () => {
  deepEqual(parse({ a: { colour: "red" } }).ignored, []);
});

Deno.test("resolveNamespace() takes the name when nothing is declared", () => {
  for (const declared of [undefined, null]) {
    deepEqual(resolveNamespace(declared, "my-root"), {
      namespace: "my-root",
      namespaceIsValid: true,
      namespaceIsDeclared: false,
    });
  }
});

Deno.test("resolveNamespace() never falls back from a malformed value", () => {
  const malformed = [
    "",
    " ",
    "A",
    "a b",
    "a/b",
    "a\n",
    "é",
    5,
    true,
    [],
    {},
    "a".repeat(201),
  ];
  for (const declared of malformed) {
    const resolved = resolveNamespace(declared, "fine");
    equal(resolved.namespaceIsValid, false, JSON.stringify(declared));
    equal(resolved.namespaceIsDeclared, true);
  }
});

Deno.test("resolveNamespace() accepts 200 characters of the allowed set", () => {
  const longest = "a.b_c-9".padEnd(200, "0");
  equal(resolveNamespace(longest, "x").namespace, longest);
  equal(resolveNamespace(longest, "x").namespaceIsValid, true);
});

Deno.test("resolveNamespace() refuses a name outside the set", () => {
  equal(resolveNamespace(undefined, "My Root").namespaceIsValid, false);
});

Deno.test("resolveNamespace() shows a huge value short", () => {
  const { namespace } = resolveNamespace("A".repeat(1e6), "x");
  match(namespace, /more characters\)$/);
  equal(namespace.length < 300, true);
});
