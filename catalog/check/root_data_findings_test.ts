import { equal, match, ok } from "node:assert/strict";

import { renderCheck } from "../../cli/verbs/catalog/catalog_report.ts";
import { openTestFolder } from "../test_catalog.ts";
import { checkCatalog } from "./check.ts";

async function check(files: Record<string, unknown>) {
  await using folder = await openTestFolder(files);
  const report = await checkCatalog({ cwd: folder.path });
  const said = report.findings.map(({ level, root, message }) =>
    `${level} ${root ?? "*"}: ${message}`
  ).join("\n");
  return { report, said };
}

function shared(...declarations: unknown[]) {
  const roots = declarations.map((data_collections, index) => [
    `r${index}`,
    { data_namespace: "one", data_collections },
  ]);
  return check({ "roots.json": Object.fromEntries(roots) });
}

Deno.test("checkCatalog() names roots of one namespace that declare a collection differently", async () => {
  const notes = { schema: { required: ["title"] }, retention_days: 90 };
  const { report, said } = await shared({ notes }, { notes: {}, own: {} });
  match(
    said,
    /warning r1: Collection "notes" of namespace "one" is declared in another way than by root "r0": no schema, not a schema; records are kept for ever, not 90 days/,
  );
  ok(!said.includes('"own"'));
  equal(report.ok, true);
  const schema = { required: ["other"] };
  match(
    (await shared({ notes }, { notes: { ...notes, schema } })).said,
    /declared in another way than by root "r0": another schema\./,
  );
  match(
    (await shared(["a"], { a: { retention_days: 3 } })).said,
    /kept 3 days, not for ever/,
  );
});

Deno.test("checkCatalog() takes declarations that mean the same for the same", async () => {
  const one = {
    schema: { type: "object", properties: { a: { minLength: 1 } } },
  };
  const two = {
    schema: { properties: { a: { minLength: 1 } }, type: "object" },
  };
  const { said } = await shared(
    { c: { ...one, retention_days: 30, description: "x" } },
    { c: { ...two, retention_days: "30" } },
    { other: {} },
  );
  ok(!said.includes("another way"), said);
  const apart = await check({
    "roots.json": {
      a: { data_collections: { c: one } },
      b: { data_collections: ["c"] },
    },
  });
  equal(apart.said, "");
});

function air(mcp: unknown, roots: unknown) {
  return check({
    "air.json": { name: "c", roots: ["./roots.json"], mcp: ["./mcp.json"] },
    "mcp.json": mcp,
    "roots.json": roots,
  });
}

const UNREACHED =
  /note \*: Agents cannot reach what these roots declare.*: "a"\. Add/;

Deno.test("checkCatalog() notes roots whose agents are given no server of root data", async () => {
  const declares = { data_collections: ["c"] };
  const roots = { a: declares, b: {} };
  const other = { linear: { command: "npx", args: ["mcp-linear"] } };
  match((await air(other, roots)).said, UNREACHED);
  equal((await air(other, roots)).report.ok, true);
  const url = "http://127.0.0.1:7668/mcp?tool_groups=root_data";
  match((await air({ store: { url } }, roots)).said, UNREACHED, "not given");
  const listed = { a: { ...declares, default_mcp_servers: ["linear"] } };
  match((await check({ "roots.json": listed })).said, UNREACHED);
});

Deno.test("checkCatalog() notes nothing where agents have such a server, or servers are not its matter", async () => {
  const url = "http://127.0.0.1:7668/mcp?tool_groups=root_data_readonly";
  const a = { data_collections: ["c"], default_mcp_servers: ["store"] };
  const ways: [unknown, unknown][] = [
    [{ store: { url } }, { a }],
    [{ store: { command: "deno", args: ["task", url] } }, { a }],
    [{ store: { command: "rootcellar" } }, { a }],
    [{ store: { url, default_in_roots: ["a"] } }, {
      a: { data_collections: ["c"] },
    }],
    [{ "zimmer-root-data": {} }, {
      a: { ...a, default_mcp_servers: ["zimmer-root-data"] },
    }],
    [{ linear: {} }, { a: {} }],
  ];
  for (const [mcp, roots] of ways) {
    const { said } = await air(mcp, roots);
    ok(!said.includes("Agents cannot reach"), said);
  }
  const silent = await check({
    "roots.json": { a: { data_collections: ["c"] } },
  });
  equal(silent.said, "");
});

Deno.test("checkCatalog() says what is wrong with a namespace and whether to set or correct it", async () => {
  const cases: [string, unknown, RegExp][] = [
    [
      "a",
      5,
      /is 5, which is not valid: data_namespace is a number, not text; correct data_namespace/,
    ],
    ["a", true, /data_namespace is a boolean, not text/],
    ["a", [], /is a list, which is not valid: data_namespace is a list/],
    ["a", {}, /data_namespace is an object, not text/],
    ["a", "", /is "", which is not valid: it is empty; correct/],
    ["a", "bad name", /it holds " "; correct data_namespace: 1 to 200/],
    [
      "a",
      "x".repeat(221),
      /"x{200}… \(21 more characters\)", which is not valid: it is too long/,
    ],
    [
      "UpperName",
      undefined,
      /is "UpperName", which is not valid: it holds "U" and comes from the root's name; set data_namespace/,
    ],
    ["UpperName", null, /set data_namespace/],
  ];
  for (const [name, data_namespace, reason] of cases) {
    const root = { data_namespace, data_collections: ["c"] };
    match((await check({ "roots.json": { [name]: root } })).said, reason);
  }
});

Deno.test("renderCheck() keeps every finding on its line", async () => {
  const name = "a\nerror: forged\r\u2028";
  const { report } = await check({
    "roots.json": {
      [name]: { data_namespace: 1, name: "x\ny", default_skills: ["\n"] },
      b: 1,
    },
  });
  const { lines } = renderCheck(report);
  ok(!lines.some((line) => /[\n\r\u2028]/.test(line)));
  ok(!lines.some((line) => line.trimStart().startsWith("error: forged")));
});
