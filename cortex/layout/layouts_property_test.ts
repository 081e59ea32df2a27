import { equal, ok } from "node:assert/strict";
import {
  allNodes,
  Chance,
  contexts,
} from "../../tests/support/cortex/scope_cases.ts";
import { judge } from "../../tests/support/cortex/scope_oracle.ts";
import type { Layout } from "./layouts.ts";
import { isWithin, parseNode } from "./node.ts";
import { storedForms } from "./roots.ts";
import { KINDS } from "../words.ts";

const PATHS = 1_000_000;
const SEED = Number(Deno.env.get("SCOPE_TEST_SEED") ?? 20_26_11);

const ODD_SEGMENTS = [
  "app:flows",
  "app:brain",
  "app:documents",
  "app:conversations",
  "app:learnings",
  "app:tinymemory",
  "app:notes",
  "app:flows2",
  "App:learnings",
  "org:42",
  "org:t1",
  "org:",
  "dept:eng",
  "robot:x",
  "root",
  "",
  "service",
  "service:",
  "source:a.b",
  "source:é",
  "ws:m:n",
  " ws:m",
  `agent:${"x".repeat(128)}`,
  `agent:${"x".repeat(129)}`,
];

const SEGMENTS = [
  "agent:a",
  "team:a",
  "user:42",
  "user:421",
  "ws:m",
  "project:p",
  "source:x",
  "source:y",
  "service:s",
  "service:t",
];

/** What `parse` says, in the judge's words. */
function parsed(layout: Layout, path: string): string | undefined {
  const reading = layout.parse(path);
  if (!reading.ok) return undefined;
  const { node, kind, below } = reading;
  return `${node}|${kind}|${below}`;
}

function randomPath(chance: Chance, layout: Layout): string {
  const root = chance.below(3) === 0 && layout.retired !== undefined
    ? layout.retired
    : layout.root;
  const segments = root === "" ? [] : root.split("/");
  if (chance.below(3) === 0) segments.unshift("org:t1");
  for (let left = chance.below(11); left > 0; left--) {
    segments.push(chance.pick(chance.below(3) ? SEGMENTS : ODD_SEGMENTS));
  }
  return segments.join("/");
}

function mutatedPath(chance: Chance, layout: Layout): string {
  const length = chance.below(9);
  const node = Array.from({ length }, () => chance.pick(SEGMENTS)).join("/");
  const scopes = layout.scopes(parseNode(node), chance.pick(KINDS));
  const segments = chance.pick(scopes).path.split("/");
  for (let left = chance.below(3); left > 0; left--) mutate(chance, segments);
  return segments.join("/");
}

/** One small change, in place: what a slip of the pen or another host makes. */
function mutate(chance: Chance, segments: string[]): void {
  const at = chance.below(segments.length + 1);
  const one = segments[at] ?? "";
  const other = chance.pick(chance.below(2) ? SEGMENTS : ODD_SEGMENTS);
  switch (chance.below(6)) {
    case 0:
      segments.splice(at, 1);
      break;
    case 1:
      segments.splice(at, 0, other);
      break;
    case 2:
      segments.splice(at, 1, other);
      break;
    case 3:
      segments.splice(at, 0, one);
      break;
    case 4:
      segments.splice(at, 2, segments[at + 1] ?? "", one);
      break;
    default: {
      const cut = chance.below(one.length + 1);
      const sign = chance.pick(["/", ":", "x", "\0", "é", "", " "]);
      segments.splice(at, 1, one.slice(0, cut) + sign + one.slice(cut + 1));
    }
  }
}

Deno.test("parse() agrees with render-and-compare on a million paths", () => {
  const chance = new Chance(SEED);
  const all = contexts();
  let own = 0;
  for (let run = 0; run < PATHS; run++) {
    const { label, layout } = chance.pick(all);
    const path = chance.below(2)
      ? randomPath(chance, layout)
      : mutatedPath(chance, layout);
    const wanted = judge(layout, path);
    if (wanted !== undefined) own++;
    const found = parsed(layout, path);
    if (found === wanted) continue;
    const where = `seed ${SEED}, path ${run}, ${label}`;
    equal(found, wanted, `${where}: ${JSON.stringify(path)}`);
  }
  // Both answers must be common, or the test compares nothing.
  ok(own > PATHS / 10 && own < PATHS * 0.9, `${own} paths were the engine's`);
});

Deno.test("parse() agrees with render-and-compare on every short path", () => {
  const alphabet = [
    "app:flows",
    "app:brain",
    "app:documents",
    "app:learnings",
    "app:tinymemory",
    "service:s",
    "source:x",
    "ws:m",
    "user:42",
    "org:42",
    "",
  ];
  let paths = [""];
  for (let length = 0; length <= 4; length++) {
    for (const { label, layout } of contexts()) {
      for (const path of paths) {
        for (const whole of [path, `${layout.root}/${path}`]) {
          const wanted = judge(layout, whole);
          if (parsed(layout, whole) === wanted) continue;
          equal(parsed(layout, whole), wanted, `${label}: "${whole}"`);
        }
      }
    }
    if (length === 4) break;
    paths = alphabet.flatMap((one) =>
      paths.map((rest) => length === 0 ? one : `${one}/${rest}`)
    );
  }
});

Deno.test("parse() reads back what scopes() gives, or checkNode() refuses it", () => {
  const nodes = allNodes(3);
  let refused = 0;
  for (const { label, layout } of contexts()) {
    for (const node of nodes) {
      for (const kind of KINDS) {
        const path = layout.render(node, kind);
        const readsBack = storedForms(path, layout.wire, layout.retired)
          .every((one) => parsed(layout, one) === `${node}|${kind}|root`);
        const check = layout.checkNode(node, kind);
        if (!check.ok) refused++;
        const repeats = !check.ok && check.code === "repeats_root";
        ok(check.ok ? readsBack : repeats || !readsBack, `${label}: ${path}`);
      }
    }
  }
  ok(refused > 0);
});

Deno.test("checkNode() admits only what reads back behind any tenant", () => {
  for (const { label, layout } of contexts()) {
    if (layout.wire === "direct") continue;
    for (const node of allNodes(3)) {
      for (const kind of KINDS) {
        if (!layout.checkNode(node, kind).ok) continue;
        for (const tenant of ["org:t1", "org:42"]) {
          const path = `${tenant}/${layout.render(node, kind)}`;
          const wanted = `${node}|${kind}|root`;
          if (parsed(layout, path) === wanted) continue;
          equal(parsed(layout, path), wanted, `${label}: ${path}`);
        }
      }
    }
  }
});

Deno.test("render() gives every (node, kind) a path of its own", () => {
  const nodes = allNodes(4);
  for (const { label, layout } of contexts()) {
    const paths = new Set<string>();
    for (const node of nodes) {
      for (const kind of KINDS) paths.add(layout.render(node, kind));
    }
    equal(paths.size, nodes.length * KINDS.length, label);
  }
});

Deno.test("prefixes() cover every scope at and below a node", () => {
  const tops = allNodes(2);
  const nodes = allNodes(4);
  for (const { label, layout } of contexts()) {
    for (const top of tops) {
      const prefixes = layout.prefixes(top);
      const text = top === "root" ? "" : `${top}/`;
      for (const node of nodes) {
        if (node !== top && !node.startsWith(text)) continue;
        ok(isWithin(node, top));
        for (
          const scope of KINDS.flatMap((kind) => layout.scopes(node, kind))
        ) {
          const covered = prefixes.some((prefix) =>
            prefix === "" || `${scope.path}/`.startsWith(`${prefix}/`)
          );
          if (!covered) ok(covered, `${label}: ${scope.path} below ${top}`);
        }
      }
    }
  }
});
