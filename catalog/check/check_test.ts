import { deepEqual, equal, match, ok } from "node:assert/strict";

import { checkCatalog } from "./check.ts";
import {
  CHECK_USAGE,
  renderCheck,
} from "../../cli/verbs/catalog/catalog_report.ts";
import { openTestFolder } from "../test_catalog.ts";

async function check(
  files: Record<string, unknown>,
  aliases: Record<string, string> = {},
) {
  await using folder = await openTestFolder(files);
  const report = await checkCatalog({ cwd: folder.path, aliases });
  return {
    report,
    said: report.findings.map(({ level, root, message }) =>
      `${level} ${root ?? "*"}: ${message}`
    ).join("\n"),
  };
}

function roots(document: Record<string, unknown>, aliases = {}) {
  return check({ "roots.json": document }, aliases);
}

Deno.test("checkCatalog() is content with the example and says it is one", async () => {
  const { report, said } = await check({});
  equal(report.ok, true);
  equal(report.isExample, true);
  match(said, /built-in example/);
  equal(report.roots.length, 3);
});

Deno.test("checkCatalog() says that two roots share a namespace [case 9]", async () => {
  const { report, said } = await roots({
    a: { data_namespace: "shared" },
    b: { data_namespace: "shared" },
    c: {},
  });
  match(said, /warning \*: Namespace "shared" is shared by 2 roots.*"a", "b"/);
  equal(report.ok, true, "sharing is a decision");
});

Deno.test("checkCatalog() says that a namespace is the name of another root [case 10]", async () => {
  const { said } = await roots({ a: { data_namespace: "b" }, b: {} });
  match(
    said,
    /warning a: Its namespace "b" is the name of another root, which shares/,
  );
});

Deno.test("checkCatalog() says so even when that root pins another namespace", async () => {
  const { said } = await roots({
    a: { data_namespace: "b" },
    b: { data_namespace: "elsewhere" },
  });
  match(said, /another root, which pins another namespace itself/);
  ok(!said.includes("is shared by"));
});

Deno.test("checkCatalog() says nothing of roots that only share a repository [case 11]", async () => {
  const declares = { url: "same", data_collections: ["n"] };
  const { report } = await roots({ a: declares, b: declares });
  deepEqual(report.findings, []);
});

Deno.test("checkCatalog() fails for a malformed namespace [case 7]", async () => {
  for (const data_namespace of ["", "A", 5, "a b", "a\n"]) {
    const { report, said } = await roots({ a: { data_namespace } });
    equal(report.ok, false);
    match(said, /error a: It has no root data: its namespace/);
  }
});

Deno.test("checkCatalog() fails for a root with collections and an impossible name", async () => {
  const { report } = await roots({ "My Root": { data_collections: ["n"] } });
  equal(report.ok, false);
});

Deno.test("checkCatalog() only notes an impossible name without collections", async () => {
  const { report, said } = await roots({ "My Root": {} });
  equal(report.ok, true);
  match(said, /note My Root: It has no root data/);
});

Deno.test("checkCatalog() fails for a schema that cannot be used", async () => {
  const schema = { properties: { a: { pattern: "(?=x)" } } };
  const { report, said } = await roots({
    a: { data_collections: { good: { schema: {} }, bad: { schema } } },
  });
  equal(report.ok, false);
  deepEqual(report.roots[0]?.unusable, ["bad"]);
  match(
    said,
    /error a: The schema of collection "bad".*\/properties\/a\/pattern/,
  );
});

Deno.test("checkCatalog() fails for anything declared that is skipped", async () => {
  const { report } = await roots({
    a: { data_collections: { Bad: {} } },
    b: 1,
  });
  equal(report.ok, false);
  deepEqual(report.ignored.map((item) => item.pointer), [
    "/a/data_collections/Bad",
    "/b",
  ]);
});

Deno.test("checkCatalog() does not fail for a changed value", async () => {
  const { report } = await roots({
    a: { data_collections: { n: { retention_days: 9_999 } } },
  });
  equal(report.ok, true);
  equal(report.ignoredTotal, 1);
});

Deno.test("checkCatalog() names what leads to nothing", async () => {
  const { said } = await check({
    "air.json": { roots: "roots.json", mcp: ["mcp.json"] },
    "roots.json": {
      a: { default_subagent_roots: ["gone"], default_mcp_servers: ["m", "no"] },
    },
    "mcp.json": { m: { default_in_roots: ["a", "lost"] } },
  });
  match(said, /warning a: default_subagent_roots names.*"gone"/);
  match(said, /warning a: default_mcp_servers names.*: "no"/);
  match(said, /mcp entry "m" names roots.*: "lost"/);
});

Deno.test("checkCatalog() does not call unknown what could not be read", async () => {
  const { said } = await check({
    "air.json": { roots: "roots.json", mcp: ["none.json"] },
    "roots.json": { a: { default_mcp_servers: ["m"] } },
  });
  ok(!said.includes("default_mcp_servers"));
});

Deno.test("checkCatalog() says what becomes of an alias", async () => {
  const router = { "zimmer-router": { data_collections: ["n"] } };
  const alone = await roots(router);
  match(alone.said, /note zimmer-router: The name is an alias.*not in this/);
  equal(alone.report.roots[0]?.namespace, "zimmer-orchestrator");
  const both = await roots({ ...router, "zimmer-orchestrator": {} });
  match(both.said, /warning zimmer-router: Its own entry is not used/);
  ok(!both.said.includes("is shared by"));
  const circle = await roots({ a: {} }, { x: "y", y: "x" });
  match(circle.said, /Alias "x" leads back to itself/);
});

Deno.test("checkCatalog() looks at a root once, however many names it has", async () => {
  const { report, said } = await roots({
    old: { data_collections: { own: { schema: { type: "nothing" } } } },
    new: { data_collections: { bad: { schema: { type: "nothing" } } } },
  }, { old: "new" });
  deepEqual(report.roots.map(({ name }) => name), ["new"]);
  equal(said.match(/The schema of collection/g)?.length, 1);
});

Deno.test("checkCatalog() says which entry a later file replaced", async () => {
  const { said } = await check({
    "air.json": { roots: ["one.json", "two.json"] },
    "one.json": { a: {} },
    "two.json": { a: {} },
  });
  match(
    said,
    /roots entry "a" of ".*one.json" is replaced by the one of ".*two/,
  );
});

Deno.test("checkCatalog() says that a name differs from its key", async () => {
  const { said } = await roots({ a: { name: "b" } });
  match(said, /Its field "name" says "b"; the key "a" is what counts/);
});

Deno.test("renderCheck() fails with path and reason when nothing can be read", async () => {
  const report = await checkCatalog({ source: "/nowhere/roots.json" });
  deepEqual(renderCheck(report), {
    code: 1,
    lines: [
      'Cannot read the catalog "/nowhere/roots.json": The file does not exist',
    ],
  });
});

Deno.test("renderCheck() prints a table, what was left out and what to know", async () => {
  const { report } = await roots({
    alpha: { data_collections: { notes: {}, runs: 5 } },
    "zimmer-router": {},
  });
  const { code, lines } = renderCheck(report);
  const text = lines.join("\n");
  equal(code, 1);
  match(text, /^Roots: 2, of which 1 declare 1 collections$/m);
  match(text, /^ROOT {11}NAMESPACE {12}COLLECTIONS$/m);
  match(text, /^alpha {10}alpha {16}notes$/m);
  match(
    text,
    /error: .*roots.json#\/alpha\/data_collections\/runs: Collection/,
  );
  match(text, /^1 error: something declared does not work$/m);
});

Deno.test("renderCheck() lets no name drive the terminal", async () => {
  const { report } = await roots({ "a\u001b[31m\u202e\n": { name: "\u0007" } });
  const { lines } = renderCheck(report);
  ok(!/\p{C}/u.test(lines.join("")));
});

Deno.test("renderCheck() prints the whole report as JSON", async () => {
  const { report } = await roots({ a: 1 });
  const { code, lines } = renderCheck(report, { json: true });
  equal(code, 1);
  deepEqual(JSON.parse(lines.join("\n")), JSON.parse(JSON.stringify(report)));
});

Deno.test("CHECK_USAGE names every flag", () => {
  const text = CHECK_USAGE.join("\n");
  ok(["--json", "--help", "PATH|URL"].every((flag) => text.includes(flag)));
});
