import { deepEqual, equal } from "node:assert/strict";
import { knownScopes, listedScopes, listPrefixes } from "./discovery.ts";
import { parseNode } from "./node.ts";
import { exactly, subtree, upFrom } from "./reach.ts";
import { readEngineSettings } from "../settings.ts";

const { layout } = readEngineSettings({
  scopeRoot: "org:42",
  retiredScopeRoot: "user:42",
});
const WORKSPACE = parseNode("ws:main");

Deno.test("knownScopes() orders by kind, node, root before retired", () => {
  const paths = knownScopes(layout, {
    reach: upFrom(WORKSPACE),
    kinds: ["learning", "document", "learning"],
  }).map((one) => one.path);
  deepEqual(paths, [
    "org:42/app:documents",
    "user:42/app:documents",
    "org:42/ws:main/app:documents",
    "user:42/ws:main/app:documents",
    "org:42/app:learnings",
    "user:42/app:learnings",
    "org:42/ws:main/app:learnings",
    "user:42/ws:main/app:learnings",
  ]);
});

Deno.test("knownScopes() of no reach are the root node's", () => {
  const paths = knownScopes(layout, {}).map((one) => one.path);
  equal(paths.length, 6);
  equal(paths[0], "org:42/app:documents");
  deepEqual(knownScopes(layout, { kinds: [] }), []);
});

Deno.test("knownScopes() names a path that two nodes share once", () => {
  const tenant = readEngineSettings({
    wire: "hosted",
    tenantRoot: true,
    retiredScopeRoot: "user:42",
  });
  // The root node below the retired root, and node user:42 below the tenant's.
  const reach = upFrom(parseNode("user:42"));
  const kinds = ["learning"] as const;
  const scopes = knownScopes(tenant.layout, { reach, kinds })
    .map(({ node, below, path }) => [node, below, path]);
  deepEqual(scopes, [
    ["root", "root", "app:learnings"],
    ["root", "retired", "user:42/app:learnings"],
    ["user:42", "retired", "user:42/user:42/app:learnings"],
  ]);
});

Deno.test("listPrefixes() lists only what is not known", () => {
  deepEqual(listPrefixes(layout, { reach: exactly(WORKSPACE) }), []);
  deepEqual(listPrefixes(layout, { reach: upFrom(WORKSPACE) }), []);
  deepEqual(listPrefixes(layout, { kinds: [] }), []);
  deepEqual(listPrefixes(layout, {}), ["org:42", "user:42"]);
  deepEqual(listPrefixes(layout, { reach: subtree(WORKSPACE) }), [
    "org:42/ws:main",
    "user:42/ws:main",
  ]);
});

Deno.test("listedScopes() gives both roots' paths, rendered anew", () => {
  const hosted = readEngineSettings({ wire: "hosted", tenantRoot: true });
  const listed = "org:t1/ws:main/app:learnings";
  const scopes = listedScopes(hosted.layout, {}, listed);
  deepEqual(scopes.map((one) => one.path), ["ws:main/app:learnings"]);
  deepEqual(
    listedScopes(layout, {}, "user:42/ws:main/app:learnings")
      .map((one) => one.path),
    ["org:42/ws:main/app:learnings", "user:42/ws:main/app:learnings"],
  );
});

Deno.test("listedScopes() drops what is not asked for", () => {
  const reach = subtree(WORKSPACE);
  const table: [path: string, count: number][] = [
    ["org:42/ws:main/agent:a/app:learnings", 2],
    ["org:42/ws:main/app:documents", 0],
    ["org:42/ws:other/app:learnings", 0],
    ["org:42/ws:main/app:flows/service:nl/app:learnings", 0],
    ["org:7/ws:main/app:learnings", 0],
  ];
  for (const [path, count] of table) {
    const query = { reach, kinds: ["learning"] as const };
    equal(listedScopes(layout, query, path).length, count, path);
  }
});
