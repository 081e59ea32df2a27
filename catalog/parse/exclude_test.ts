import { deepEqual, equal, match, ok } from "node:assert/strict";

import { openCatalog } from "../loader.ts";
import { openTestFolder } from "../test_catalog.ts";
import { parseExclude } from "./exclude.ts";
import { IgnoredList } from "./ignored.ts";

function excludes(pattern: string, name: string): boolean {
  const place = { source: "air.json", path: ["exclude"] };
  const found = parseExclude({ roots: [pattern] }, place, new IgnoredList());
  equal(found.length, 1);
  return found[0]?.matches(name) ?? false;
}

Deno.test("parseExclude() names entries by scope and name, with stars", () => {
  const rows: [string, string, boolean][] = [
    ["@local/a", "a", true],
    ["@local/a", "ab", false],
    ["@acme/a", "a", false],
    ["@acme/repo/a", "a", false],
    ["@local/*", "anything", true],
    ["@*/a", "a", true],
    ["@*/*/*", "a", false],
    ["@local/a*", "ab", true],
    ["@local/a*", "a", false],
    ["@local/*b", "ab", true],
    ["@local/*b", "b", false],
    ["@local/a*b", "axxb", true],
    ["@local/a*b", "ab", false],
    ["@local/a*a", "aa", false],
    ["@local/a*b*c", "a1b2c", true],
    ["@local/a*b*c", "abc", false],
    ["@local/a*b*c", "a1b2c3", false],
    ["@local/*x*", "axb", true],
    ["@local/a.c", "abc", false],
    ["@local/*", "a/b", false],
    ["@local/*/*", "a/b", true],
    [`@local/${"*a".repeat(200)}b`, "a".repeat(4_000), false],
  ];
  for (const [pattern, name, expected] of rows) {
    equal(excludes(pattern, name), expected, `${pattern} ${name}`);
  }
});

async function load(exclude: unknown) {
  await using folder = await openTestFolder({
    "air.json": {
      name: "c",
      roots: ["./one.json", "./two.json"],
      mcp: ["./mcp.json"],
      exclude,
    },
    "one.json": { a: { url: "1" }, b: {} },
    "two.json": { a: { url: "2" }, "zimmer-router": {} },
    "mcp.json": { a: {}, s: {} },
  });
  await using catalog = openCatalog({ cwd: folder.path });
  const snapshot = await catalog.current();
  return {
    roots: [...snapshot.roots.keys()],
    servers: [...snapshot.artifacts("mcp").entries.keys()],
    ignored: snapshot.ignored.map(({ pointer, reason, level }) =>
      `${level} ${pointer}: ${reason}`
    ),
    snapshot,
  };
}

Deno.test("an excluded root is not there, whichever file has it", async () => {
  const { roots, servers, ignored, snapshot } = await load({
    roots: ["@local/a", "@local/zimmer-*"],
  });
  deepEqual(roots, ["b"]);
  equal(snapshot.findRoot("a"), undefined);
  equal(snapshot.findRoot("zimmer-router"), undefined);
  deepEqual(servers, ["a", "s"], "another kind");
  deepEqual(ignored, []);
});

Deno.test("a list without kinds excludes from all of them", async () => {
  const { roots, servers } = await load(["@local/a"]);
  deepEqual(roots, ["b", "zimmer-router"]);
  deepEqual(servers, ["s"]);
});

Deno.test("what excludes nothing is said, and how much it matters", async () => {
  const rows: [unknown, RegExp][] = [
    [{ roots: ["@local/none"] }, /^warning \/exclude\/roots\/0: Excludes noth/],
    [{ skills: ["@local/a"] }, /^warning \/exclude\/skills\/0/],
    [{ roots: ["a"] }, /^error \/exclude\/roots\/0: .*expected "@local\/name"/],
    [{ roots: [5] }, /^error \/exclude\/roots\/0: .*got 5/],
    [{ roots: "@local/a" }, /^error \/exclude\/roots: .*expected a list/],
    [{ rooots: ["@local/a"] }, /^error \/exclude\/rooots: .*expected one of/],
    ["@local/a", /^error \/exclude: .*expected lists by kind/],
  ];
  for (const [exclude, said] of rows) {
    const { ignored, roots } = await load(exclude);
    equal(ignored.length, 1);
    match(ignored[0] ?? "", said);
    ok(roots.includes("a"));
  }
  for (const none of [null, [], {}, { roots: [] }]) {
    deepEqual((await load(none)).ignored, []);
  }
});
