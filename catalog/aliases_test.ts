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
