/**
 * Reading and spelling typical paths. One iteration is a thousand paths, so an
 * iteration under a millisecond is more than a million paths a second. The
 * baselines say what the bare string work costs.
 *
 * @module
 */

import { parseNode } from "./node.ts";
import { KINDS } from "./scope.ts";
import { type EngineSettings, readEngineSettings } from "./settings.ts";

const PATHS = 1000;

const NODES = [
  "root",
  "ws:main",
  "agent:researcher",
  "team:acme/agent:writer",
  "source:github/project:api",
  "ws:main/service:newsletter",
  "ws:main/source:files",
].map(parseNode);

const ENGINES: readonly [name: string, EngineSettings][] = [
  ["legacy", {}],
  ["v3", { scopeRoot: "org:42" }],
  ["v3 with a retired root", {
    scopeRoot: "org:42",
    retiredScopeRoot: "user:42",
  }],
  ["v3 hosted", { wire: "hosted", scopeRoot: "user:42" }],
  ["v3 tenant with a retired root", {
    wire: "hosted",
    tenantRoot: true,
    retiredScopeRoot: "user:42",
  }],
];

/** `PATHS` pairs that go through every node and kind. */
const PAIRS = Array.from({ length: PATHS }, (_, index) => ({
  node: NODES[index % NODES.length] ?? NODES[0] ?? parseNode("root"),
  kind: KINDS[index % KINDS.length] ?? "learning",
}));

/** The text made anew in one piece, as it comes out of an HTTP answer. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** Keeps the work from being optimised away, and makes ropes one piece. */
function lastCode(text: string): number {
  return text.charCodeAt(text.length - 1);
}

/** Sees nothing but strangers, as in a listing of somebody else's scopes. */
const FOREIGN = readEngineSettings({
  scopeRoot: "org:7",
  retiredScopeRoot: "user:7",
}).layout;

let sink = 0;

for (const [name, settings] of ENGINES) {
  const { layout } = readEngineSettings(settings);
  const tenant = layout.wire === "hosted" ? "org:t1/" : "";
  const paths = PAIRS.map(({ node, kind }) =>
    flat(tenant + layout.render(node, kind))
  );
  Deno.bench(`parse 1,000 paths: ${name}`, { group: "parse" }, () => {
    for (const path of paths) {
      const reading = layout.parse(path);
      if (!reading.ok) throw new Error(`Nobody's: ${path}`);
      sink += reading.node.length;
    }
  });
  Deno.bench(`render 1,000 paths: ${name}`, { group: "render" }, () => {
    for (const { node, kind } of PAIRS) {
      sink += lastCode(layout.render(node, kind));
    }
  });
}

const PATH_TEXTS = PAIRS.map(({ node }) =>
  flat(`org:42/${node}/app:learnings`)
);

Deno.bench({
  name: "split and join 1,000 paths",
  group: "parse",
  baseline: true,
  fn() {
    for (const path of PATH_TEXTS) sink += path.split("/").join("/").length;
  },
});

Deno.bench({
  name: "concatenate 1,000 paths",
  group: "render",
  baseline: true,
  fn() {
    for (const { node, kind } of PAIRS) {
      sink += lastCode(`org:42/${node}/${kind}`);
    }
  },
});

Deno.bench("foreign 1,000 paths: v3 with a retired root", {
  group: "parse",
}, () => {
  for (const path of PATH_TEXTS) sink += FOREIGN.parse(path).ok ? 1 : 0;
});
