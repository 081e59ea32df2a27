import { deepEqual, equal } from "node:assert/strict";

import {
  effectiveRoots,
  findRoot,
  resolveAlias,
  toAliases,
} from "./aliases.ts";
import { IgnoredList } from "./parse/ignored.ts";
import { parseRoots } from "./parse/parser.ts";

function find(
  document: Record<string, unknown>,
  key: string,
  configured: Record<string, string> = {},
) {
  const roots = parseRoots(document, "s", new IgnoredList());
  return findRoot(roots, toAliases(configured), key);
}

Deno.test("findRoot() gives the router the orchestrator's entry and name [case 8]", () => {
  const root = find(
    { "zimmer-router": { url: "r" }, "zimmer-orchestrator": { url: "o" } },
    "zimmer-router",
  );
  equal(root?.name, "zimmer-orchestrator");
  equal(root?.namespace, "zimmer-orchestrator");
  equal(root?.url, "o");
});

Deno.test("findRoot() keeps the target's pinned namespace [case 8]", () => {
  const document = { "zimmer-orchestrator": { data_namespace: "pinned" } };
  equal(find(document, "zimmer-router")?.namespace, "pinned");
});

Deno.test("findRoot() uses the alias's own entry with the target's name when the target is absent", () => {
  const root = find({ "zimmer-router": { url: "r" } }, "zimmer-router");
  equal(root?.name, "zimmer-router");
  equal(root?.url, "r");
  equal(root?.namespace, "zimmer-orchestrator");
});

Deno.test("findRoot() finds nothing when neither is in the catalog", () => {
  equal(find({ other: {} }, "zimmer-router"), undefined);
});

Deno.test("findRoot() applies configured aliases", () => {
  equal(find({ b: {} }, "a", { a: "b" })?.name, "b");
});

Deno.test("findRoot() follows aliases of aliases", () => {
  equal(find({ c: {} }, "a", { a: "b", b: "c" })?.name, "c");
});

Deno.test("resolveAlias() takes a circle for no alias", () => {
  equal(resolveAlias(toAliases({ a: "b", b: "a" }), "a"), "a");
});

Deno.test("findRoot() never matches by repository [case 11]", () => {
  const document = { a: { url: "same" }, b: { url: "same" } };
  equal(find(document, "b")?.name, "b");
  equal(find(document, "same"), undefined);
});

Deno.test("findRoot() finds no built-in member of objects", () => {
  for (const key of ["__proto__", "constructor", "toString", ""]) {
    equal(find({ a: {} }, key), undefined);
  }
});

Deno.test("effectiveRoots() lists each root once, in order, aliases applied", () => {
  const document = {
    old: { url: "o" },
    b: { url: "b" },
    "zimmer-router": { url: "r" },
    pinned: { data_namespace: "p" },
    a: {},
  };
  const entries = parseRoots(document, "s", new IgnoredList());
  const aliases = toAliases({ old: "b", pinned: "gone", x: "y", y: "x" });
  const roots = effectiveRoots(entries, aliases);
  deepEqual(
    [...roots].map(([key, { name, namespace }]) => [key, name, namespace]),
    [
      ["b", "b", "b"],
      ["zimmer-router", "zimmer-router", "zimmer-orchestrator"],
      ["pinned", "pinned", "p"],
      ["a", "a", "a"],
    ],
  );
  for (const [key, root] of roots) {
    deepEqual(findRoot(entries, aliases, key), root);
  }
});

Deno.test("findRoot() never overrides a namespace that the alias's own entry declares", () => {
  const own = { "zimmer-router": { data_namespace: "pinned", url: "r" } };
  equal(find(own, "zimmer-router")?.namespace, "pinned");
  const wrong = { "zimmer-router": { data_namespace: "Not Valid" } };
  const root = find(wrong, "zimmer-router");
  equal(root?.namespace, "Not Valid");
  equal(root?.namespaceIsValid, false);
  const empty = { "zimmer-router": { data_namespace: null } };
  equal(find(empty, "zimmer-router")?.namespace, "zimmer-orchestrator");
});

Deno.test("resolveAlias() follows aliases to their end, and takes circles for none", () => {
  const rows: [Record<string, string>, string, string][] = [
    [{}, "a", "a"],
    [{}, "zimmer-router", "zimmer-orchestrator"],
    [{ a: "b" }, "a", "b"],
    [{ a: "b" }, "b", "b"],
    [{ a: "b", b: "c", c: "d" }, "a", "d"],
    [{ a: "a" }, "a", "a"],
    [{ a: "b", b: "a" }, "b", "b"],
    // A circle reached from outside: the key stands for itself.
    [{ x: "a", a: "b", b: "a" }, "x", "x"],
    [{ x: "y", y: "a", a: "b", b: "c", c: "a" }, "x", "x"],
    [{ x: "a", a: "a" }, "x", "x"],
    // What is configured wins over what is built in.
    [{ "zimmer-router": "mine" }, "zimmer-router", "mine"],
    [{ "zimmer-router": "zimmer-router" }, "zimmer-router", "zimmer-router"],
    [{ old: "zimmer-router" }, "old", "zimmer-orchestrator"],
    [{ a: "constructor" }, "a", "constructor"],
  ];
  for (const [configured, key, expected] of rows) {
    equal(resolveAlias(toAliases(configured), key), expected);
  }
});
