import { deepEqual, equal, match, ok } from "node:assert/strict";

import { compileSchema } from "./collections.ts";
import { measureSchema } from "./schema_facts.ts";
import type { DataCheck, Problem } from "../types.ts";

type Schema = Readonly<Record<string, unknown>>;

function check(schema: Schema, data: unknown): DataCheck {
  const compiled = compileSchema(schema);
  ok(compiled.ok, JSON.stringify(compiled));
  const checked = compiled.check(data);
  ok(!("kind" in checked), JSON.stringify(checked));
  return checked;
}

function problems(schema: Schema, data: unknown): readonly Problem[] {
  const checked = check(schema, data);
  return checked.ok ? [] : checked.problems;
}

function faults(schema: Schema): readonly Problem[] {
  const compiled = compileSchema(schema);
  return compiled.ok ? [] : compiled.problems;
}

/** What hangs takes minutes; a busy machine does not take this long. */
const FAR_TOO_LONG_MS = 30_000;

/** Whatever happens, it happens soon. */
function soon(schema: Schema, data: unknown): boolean | "unusable" {
  const startedAt = performance.now();
  const compiled = compileSchema(schema);
  const checked = compiled.ok ? compiled.check(data) : compiled;
  const took = performance.now() - startedAt;
  ok(took < FAR_TOO_LONG_MS, `it took ${took} ms`);
  return "kind" in checked ? "unusable" : checked.ok;
}

Deno.test("check() accepts data that matches the schema", () => {
  const schema = { type: "object", required: ["title"] };
  deepEqual(check(schema, { title: 1 }), { ok: true });
});

Deno.test("check() lists every problem with its pointer [case 36]", () => {
  const schema = {
    required: ["a"],
    properties: { "x/y": { type: "string" }, n: { minimum: 3 } },
    additionalProperties: false,
  };
  deepEqual(problems(schema, { "x/y": 1, n: 1, z: 0 }), [
    { pointer: "", reason: "Must have required property 'a'" },
    { pointer: "", reason: 'Must NOT have additional properties: "z"' },
    { pointer: "/x~1y", reason: "Must be string" },
    { pointer: "/n", reason: "Must be >= 3" },
  ]);
});

Deno.test("check() lists ten problems and counts all of them [case 36]", () => {
  const schema = { properties: { a: { items: { type: "string" } } } };
  const checked = check(schema, { a: Array.from({ length: 57 }, () => 1) });
  ok(!checked.ok);
  equal(checked.problems.length, 10);
  equal(checked.total, 57);
  equal(checked.totalIsFloor, false);
});

Deno.test("check() says when it stopped counting", () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `k${index}`);
  const schema = { properties: { a: { items: { required: names } } } };
  const checked = check(schema, {
    a: Array.from({ length: 9_000 }, () => ({})),
  });
  ok(!checked.ok);
  equal(checked.problems.length, 10);
  equal(checked.totalIsFloor, true);
});

Deno.test("check() keeps the parts of a problem short", () => {
  const name = "n".repeat(30_000);
  const schema = { additionalProperties: { additionalProperties: false } };
  const [problem] = problems(schema, { [name]: { [name]: 1 } });
  ok(problem !== undefined && problem.pointer.length < 200);
  ok(problem.reason.length < 300);
});

Deno.test("compileSchema() reads 2020-12 without $schema", () => {
  const schema = { properties: { a: { prefixItems: [{ type: "string" }] } } };
  deepEqual(problems(schema, { a: [1] }).map((item) => item.pointer), ["/a/0"]);
});

Deno.test("compileSchema() reads 2020-12 and draft-07 by $schema", () => {
  const newer = [
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft/2020-12/schema#",
  ];
  for (const $schema of newer) {
    const properties = { a: { prefixItems: [{ type: "string" }] } };
    equal(check({ $schema, properties }, { a: [1] }).ok, false);
  }
  const older = [
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft-07/schema#",
  ];
  for (const $schema of older) {
    const properties = { a: { items: [{ type: "string" }] } };
    equal(check({ $schema, properties }, { a: [1] }).ok, false);
  }
});

Deno.test("compileSchema() refuses other dialects by name", () => {
  const unknown = ["https://json-schema.org/draft/2019-09/schema", "", 7, {}];
  for (const $schema of unknown) {
    const [fault] = faults({ $schema });
    equal(fault?.pointer, "/$schema");
    match(fault?.reason ?? "", /not supported; use JSON Schema 2020-12/);
  }
});

Deno.test("compileSchema() follows local references in both dialects", () => {
  const newer = {
    $defs: { word: { type: "string" } },
    properties: { a: { $ref: "#/$defs/word" } },
  };
  const older = {
    $schema: "http://json-schema.org/draft-07/schema#",
    definitions: { word: { type: "string" } },
    properties: { a: { $ref: "#/definitions/word" } },
  };
  for (const schema of [newer, older]) {
    equal(check(schema, { a: "x" }).ok, true);
    equal(check(schema, { a: 1 }).ok, false);
  }
});

Deno.test("compileSchema() follows references to itself", () => {
  const schema = { properties: { child: { $ref: "#" } }, required: ["n"] };
  equal(check(schema, { n: 1, child: { n: 2 } }).ok, true);
  equal(check(schema, { n: 1, child: {} }).ok, false);
});

Deno.test("compileSchema() refuses remote references and says so [case 37]", () => {
  const original = globalThis.fetch;
  let fetched = 0;
  globalThis.fetch = () => {
    fetched++;
    return Promise.reject(new TypeError("Not here"));
  };
  try {
    for (const $ref of ["https://example.com/a.json", "http://x/y#/z"]) {
      const [fault] = faults({ properties: { a: { $ref } } });
      equal(fault?.pointer, "/properties/a/$ref");
      match(fault?.reason ?? "", /never fetched; copy what it names under/);
    }
  } finally {
    globalThis.fetch = original;
  }
  equal(fetched, 0);
});

Deno.test("compileSchema() names a reference that leads to nothing", () => {
  const [fault] = faults({ properties: { a: { $ref: "#/$defs/no" } } });
  equal(fault?.pointer, "/properties/a/$ref");
  match(fault?.reason ?? "", /"#\/\$defs\/no" leads to nothing/);
});

Deno.test("compileSchema() keeps declarations with the same $id apart", () => {
  const $id = "https://example.com/same";
  const inner = (type: string) => ({
    $id,
    $defs: { x: { $id: "https://example.com/inner", type } },
    properties: { a: { $ref: "https://example.com/inner" } },
  });
  equal(check(inner("string"), { a: "x" }).ok, true);
  equal(check(inner("number"), { a: 1 }).ok, true);
  equal(check(inner("number"), { a: "x" }).ok, false);
});

Deno.test("compileSchema() lets no declaration refer to another one", () => {
  equal(compileSchema({ $id: "https://example.com/first" }).ok, true);
  const properties = { a: { $ref: "https://example.com/first" } };
  equal(compileSchema({ properties }).ok, false);
});

Deno.test("compileSchema() knows formats", () => {
  const schema = { properties: { day: { format: "date" } } };
  equal(check(schema, { day: "2026-01-31" }).ok, true);
  equal(check(schema, { day: "2026-02-31" }).ok, false);
});

Deno.test("compileSchema() names what it does not know, with its place", () => {
  const rows: [Schema, string, RegExp][] = [
    [
      { properties: { a: { requierd: [] } } },
      "/properties/a/requierd",
      /"requierd"/,
    ],
    [
      { properties: { a: { format: "colour" } } },
      "/properties/a/format",
      /"colour"/,
    ],
    [
      { properties: { a: { type: "strin" } } },
      "/properties/a/type",
      /allowed values/,
    ],
    [
      { properties: { a: { pattern: "(" } } },
      "/properties/a/pattern",
      /not a valid/,
    ],
    [
      { properties: { a: { pattern: "(?=b)" } } },
      "/properties/a/pattern",
      /lookahead/,
    ],
    [
      { patternProperties: { "(a)\\1": {} } },
      "/patternProperties/(a)\\1",
      /backref/,
    ],
    [{ required: "title" }, "/required", /array/],
    [{ $async: true }, "/$async", /not supported/],
    [
      JSON.parse('{"properties":{"__proto__":{}}}'),
      "/properties/__proto__",
      /not supp/,
    ],
  ];
  for (const [schema, pointer, reason] of rows) {
    const [fault] = faults(schema);
    equal(fault?.pointer, pointer);
    match(fault?.reason ?? "", reason);
  }
});

Deno.test('compileSchema() lets remarks through that start with "x-"', () => {
  const schema = {
    "x-a": 1,
    properties: { a: { "x-order": 2, type: "string" } },
  };
  equal(check(schema, { a: "x" }).ok, true);
});

Deno.test("compileSchema() refuses a schema above 64 KB", () => {
  const schema = (length: number) => ({ description: "x".repeat(length) });
  equal(compileSchema(schema(65_536 - 18)).ok, true);
  match(faults(schema(65_536))[0]?.reason ?? "", /larger than 65536 bytes/);
});

Deno.test("measureSchema() counts bytes and survives any nesting", () => {
  equal(measureSchema({ a: "é" }), 10);
  const text = '{"not":'.repeat(100_000) + "{}" + "}".repeat(100_000);
  equal(measureSchema(JSON.parse(text)), text.length);
});

Deno.test("compileSchema() refuses a schema that nests without end", () => {
  const text = '{"not":'.repeat(100_000) + "{}" + "}".repeat(100_000);
  match(faults(JSON.parse(text))[0]?.reason ?? "", /100 levels/);
});

Deno.test("compileSchema() refuses references that lead back to themselves", () => {
  match(faults({ allOf: [{ $ref: "#" }] })[0]?.reason ?? "", /without end/);
});

Deno.test("check() does not take inherited members for the record's own", () => {
  const schema = { required: ["constructor", "toString"] };
  equal(problems(schema, {}).length, 2);
});

Deno.test("check() does not change the data", () => {
  const schema = { properties: { a: { default: 1 }, b: { type: "integer" } } };
  const data = { b: 2 };
  check(schema, data);
  deepEqual(data, { b: 2 });
});

Deno.test("check() tells patterns of one schema apart", () => {
  const schema = {
    properties: { a: { pattern: "^a$" }, b: { pattern: "^b$" } },
  };
  deepEqual(check(schema, { a: "a", b: "b" }), { ok: true });
});

Deno.test("check() finds duplicates as JSON Schema means them", () => {
  const schema = { properties: { a: { uniqueItems: true } } };
  equal(check(schema, { a: [{ x: 1, y: 2 }, { y: 2, x: 1 }] }).ok, false);
  equal(check(schema, { a: [1, "1", [1], true, null, {}] }).ok, true);
  const allowed = { properties: { a: { uniqueItems: false } } };
  equal(check(allowed, { a: [1, 1] }).ok, true);
});

Deno.test("check() answers soon for catastrophic patterns and 32 KB", () => {
  const text = "a".repeat(32_700) + "!";
  const schema = {
    properties: { a: { pattern: "^(a+)+$" } },
    patternProperties: { "^(a|aa)+$": { type: "string" } },
  };
  equal(soon(schema, { a: text }), false);
  equal(soon(schema, { [text]: 1 }), true);
});

Deno.test("check() answers soon for many large patterns on one text", () => {
  const allOf = Array.from({ length: 30 }, (_, index) => ({
    properties: { a: { pattern: `[ab]*a[ab]{${900 + index}}[cd]` } },
  }));
  let bits = 12_345;
  const text = Array.from({ length: 32_700 }, () => {
    bits = (bits * 1_103_515_245 + 12_345) & 0x7fffffff;
    return bits & 0x10000 ? "a" : "b";
  }).join("");
  equal(soon({ allOf }, { a: text }), false);
  const not = allOf.map((one) => ({ not: { ...one, required: ["a"] } }));
  equal(soon({ allOf: not }, { a: text }), "unusable");
});

Deno.test("compileSchema() answers soon when references multiply", () => {
  const $defs: Record<string, unknown> = { a0: { type: "object" } };
  for (let index = 1; index < 60; index++) {
    const next = { $ref: `#/$defs/a${index - 1}` };
    $defs[`a${index}`] = { allOf: [next, next] };
  }
  equal(soon({ $defs, $ref: "#/$defs/a59" }, {}), "unusable");
});

Deno.test("compileSchema() does not write a large definition out again and again", () => {
  const members = (count: number, of: unknown) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`p${index}`, of]),
    );
  const word = { type: "string", minLength: 1 };
  const $defs = { big: { properties: members(300, word) } };
  const properties = members(400, { $ref: "#/$defs/big" });
  // Written out 400 times it would take more than the limit.
  equal(soon({ $defs, properties }, { p1: { p2: 1 } }), false);
});

Deno.test("check() answers soon when references multiply with the data", () => {
  const branch = { oneOf: [{ $ref: "#" }, { allOf: [{ $ref: "#" }, false] }] };
  const schema = {
    properties: { a: branch },
    required: ["a"],
    maxProperties: 1,
  };
  const depth = 2_000;
  const data = JSON.parse('{"a":'.repeat(depth) + "1" + "}".repeat(depth));
  soon(schema, data);
});

Deno.test("check() answers soon for unique items in quantity", () => {
  const allOf = Array.from({ length: 500 }, () => ({ uniqueItems: true }));
  const a = Array.from({ length: 6_000 }, (_, index) => ({ [index]: 1 }));
  soon({ properties: { a: { allOf } } }, { a });
});

Deno.test("check() answers soon for a schema of very many patterns", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 1_400 }, (_, index) => [
      `p${index}`,
      { pattern: `^[a-z]{${index % 900}}$` },
    ]),
  );
  soon({ properties }, { p1: "a" });
});

Deno.test("check() refuses data that nests deeper than a recursive schema can follow", () => {
  const schema = { additionalProperties: { $ref: "#" } };
  const depth = 200_000;
  const data = JSON.parse('{"a":'.repeat(depth) + "{}" + "}".repeat(depth));
  match(problems(schema, data)[0]?.reason ?? "", /nests too deeply/);
});
