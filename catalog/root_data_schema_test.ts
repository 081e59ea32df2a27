import { equal, ok } from "node:assert/strict";

import { Ajv } from "ajv";

import example from "./example/roots.json" with { type: "json" };
import schema from "./root_data.schema.json" with { type: "json" };
import { IgnoredList } from "./parse/ignored.ts";
import { parseRoots } from "./parse/parser.ts";

const validate = new Ajv({ allowUnionTypes: true }).compile(schema);

const GOOD: readonly unknown[] = [
  {},
  { $schema: "https://example.com/roots.schema.json", a: { url: "x" } },
  { a: { data_namespace: "a.b_c-9", data_collections: ["notes", "runs"] } },
  { a: { data_collections: { n: { retention_days: 30, schema: {} }, r: {} } } },
  { a: { data_namespace: null, data_collections: null, memory_node: "x:y" } },
];

const BAD: readonly unknown[] = [
  [],
  { a: { data_namespace: "A" } },
  { a: { data_namespace: "" } },
  { a: { data_namespace: "a".repeat(201) } },
  { a: { data_collections: "notes" } },
  { a: { data_collections: ["Notes"] } },
  { a: { data_collections: [1] } },
  { a: { data_collections: { notes: true } } },
  { a: { data_collections: { "a b": {} } } },
  { a: { data_collections: { n: { retention_days: 0 } } } },
  { a: { data_collections: { n: { retention_days: 3651 } } } },
  { a: { data_collections: { n: { retention_day: 3 } } } },
  { a: { data_collections: { n: { schema: true } } } },
  { a: { memory_node: "" } },
];

Deno.test("root_data.schema.json accepts what the parser takes over whole", () => {
  for (const document of GOOD) {
    equal(validate(document), true, JSON.stringify(document));
    const ignored = new IgnoredList();
    parseRoots(document as Record<string, unknown>, "s", ignored);
    equal(ignored.total, 0, JSON.stringify(document));
  }
});

Deno.test("root_data.schema.json marks what would be left out or changed", () => {
  for (const document of BAD) {
    equal(validate(document), false, JSON.stringify(document));
  }
});

Deno.test("the example matches root_data.schema.json", () => {
  ok(validate(example), JSON.stringify(validate.errors));
});
