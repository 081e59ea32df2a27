import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";

import { checkCatalog } from "../check/check.ts";
import { openCatalog } from "../loader.ts";
import { openTestFolder } from "../test_catalog.ts";
import { findDuplicates, MAX_DUPLICATES } from "./duplicates.ts";
import { toPointer } from "./ignored.ts";

function pointers(text: string): string[] {
  JSON.parse(text);
  return findDuplicates(text).items.map(({ path }) => toPointer(path));
}

Deno.test("findDuplicates() names each place where a name stands again", () => {
  const cases: [string, string[]][] = [
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":2}', ["/a"]],
    ['{"a":1,"a":2,"a":3}', ["/a", "/a"]],
    ['{"a":{"x":1},"b":{"x":1}}', []],
    ['[{"a":1},{"a":1,"a":2}]', ["/1/a"]],
    ['{"l":[0,{},{"k":[],"k":{}}]}', ["/l/2/k"]],
    ['{"a":"a","b":"a"}', []],
    ['{"a":["a","a"],"b":"a"}', []],
    ['{"a":{"a":{"a":1,"a":2}}}', ["/a/a/a"]],
    ['{"x":{"a":1},"a":2}', []],
    ['{"a/b":1,"a/b":2}', ["/a~1b"]],
    [String.raw`{"a":1,"\u0061":2}`, ["/a"]],
    [String.raw`{"\"":1,"\\":2,"\\\"":3}`, []],
    [String.raw`{"k\\":1,"k\\":"\\\",\"k\\\\"}`, ["/k\\"]],
    ['{"s":"{\\"a\\":1,","t":"[],"}', []],
    ['{"":1,"":2}', ["/"]],
    ['{"__proto__":1,"__proto__":2,"constructor":1}', ["/__proto__"]],
    ['{"a":{},"a":[],"b":[],"b":"","c":{}}', ["/a", "/b"]],
    ["{}", []],
    ["[]", []],
    ['"a"', []],
  ];
  for (const [text, expected] of cases) deepEqual(pointers(text), expected);
});

Deno.test("findDuplicates() says both places and which one counts", () => {
  const said = (text: string) => findDuplicates(text).items[0]?.reason ?? "";
  match(said('{\n"a": 1,\n\n  "a": 2}'), /"a" stands in line 2 and in line 4/);
  match(
    said('{"a":1,"a":2}'),
    /in line 1, character 2 and in line 1, character 8 of one object; the last/,
  );
  match(said('{"a":1,\r\n"a":2,\r\n"a":3}'), /line 1 and in line 2/);
});

Deno.test("findDuplicates() agrees with the parser on any document", () => {
  fc.assert(fc.property(fc.json(), (text) => {
    equal(findDuplicates(text).total, 0);
  }));
  // Two characters at least: the engine confuses escaped names of one.
  const name = fc.constantFrom("a", "b", '"a', "\\b", "{", ",", "\n\n");
  const object = fc.array(fc.tuple(name, fc.json({ maxDepth: 2 })));
  fc.assert(fc.property(object, (members) => {
    const text = `{${
      members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()
    }}`;
    JSON.parse(text);
    const kept = new Set(members.map(([key]) => key)).size;
    equal(findDuplicates(text).total, members.length - kept);
  }));
});

Deno.test("findDuplicates() survives any nesting and any number", () => {
  const depth = 200_000;
  const deep = '{"a":'.repeat(depth) + '{"b":1,"b":2}' + "}".repeat(depth);
  equal(findDuplicates(deep).total, 1);
  ok((findDuplicates(deep).items[0]?.path.length ?? 0) <= 100);
  const many = `{${Array.from({ length: 5_000 }, () => '"a":1').join()}}`;
  const { items, total } = findDuplicates(many);
  deepEqual([items.length, total], [MAX_DUPLICATES, 4_999]);
});

Deno.test("a duplicate name is listed wherever it stands, and the last one counts", async () => {
  await using folder = await openTestFolder({
    "air.json":
      '{"name":"c","roots":["./r.json"],"mcp":["./m.json"],"name":"d"}',
    "r.json": `{"alpha": {"data_collections": ["notes"]},
      "alpha": {"data_collections": {"runs": {"retention_days": 90},
        "runs": {"retention_days": 1}}}}`,
    "m.json": '{"s":{"command":"a","command":"b"}}',
  });
  await using catalog = openCatalog({ cwd: folder.path });
  const snapshot = await catalog.current();
  const root = snapshot.findRoot("alpha");
  deepEqual([...root?.collections.keys() ?? []], ["runs"]);
  equal(root?.collections.get("runs")?.retentionDays, 1);
  deepEqual(
    snapshot.ignored.map(({ source, pointer, level }) =>
      `${level} ${source.split("/").at(-1)}#${pointer}`
    ),
    [
      "error air.json#/name",
      "error r.json#/alpha",
      "error r.json#/alpha/data_collections/runs",
      "error m.json#/s/command",
    ],
  );
  const report = await checkCatalog({ cwd: folder.path });
  equal(report.ok, false);
  equal(report.ignoredTotal, 4);
});

Deno.test("a catalog of very many duplicates says how many", async () => {
  const text = `{"a":{${Array.from({ length: 500 }, () => '"x":1').join()}}}`;
  await using folder = await openTestFolder({ "roots.json": text });
  const { ignored } = await checkCatalog({ cwd: folder.path });
  equal(ignored.length, MAX_DUPLICATES + 1);
  match(ignored.at(-1)?.reason ?? "", /And 399 more duplicate names/);
});
