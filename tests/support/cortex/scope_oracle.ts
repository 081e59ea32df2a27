/**
 * The plain way to read a path: guess its node and kind, render them, compare.
 *
 * Slow, and with nothing in common with the parsers but `render`, which makes
 * it their judge.
 *
 * @module
 */

import type { Below, Layout } from "../../../cortex/layout/layouts.ts";
import { parseNode } from "../../../cortex/layout/node.ts";
import type { Kind } from "../../../cortex/words.ts";

const NODE_SEGMENT_REGEXP =
  /^(agent|team|user|ws|project|source|service):[A-Za-z0-9_-]{1,128}$/;
const TENANT_REGEXP = /^org:[A-Za-z0-9_-]+$/;

const KIND_OF: Readonly<Record<string, Kind>> = {
  "app:documents": "document",
  "app:conversations": "conversation",
  "app:learnings": "learning",
};

/** `node|kind|below` of a path, or undefined when it is nobody's. */
export function judge(layout: Layout, path: string): string | undefined {
  const segments = path.split("/");
  return judgeBelow(layout, segments, "retired") ??
    judgeBelow(layout, segments, "root");
}

function judgeBelow(
  layout: Layout,
  segments: readonly string[],
  below: Below,
): string | undefined {
  const root = below === "root" ? layout.root : layout.retired;
  if (root === undefined) return undefined;
  const start = findRoot(layout, segments, root);
  if (start === undefined || start === segments.length) return undefined;
  const body = segments.slice(start);
  const leafKind = KIND_OF[body.at(-1) ?? ""];
  const chain = leafKind === undefined ? body : body.slice(0, -1);
  const kind = leafKind ?? "document";
  const named = layout.name === "legacy"
    ? chain
    : chain.filter((one) => one !== "app:flows" && one !== "app:brain");
  if (named.length > 8) return undefined;
  if (!named.every((one) => NODE_SEGMENT_REGEXP.test(one))) return undefined;
  const node = parseNode(named.join("/"));
  const scope = layout.scopes(node, kind).find((one) => one.below === below);
  const spelled = root === "" ? body.join("/") : `${root}/${body.join("/")}`;
  return scope?.path === spelled ? `${node}|${kind}|${below}` : undefined;
}

function findRoot(
  layout: Layout,
  segments: readonly string[],
  root: string,
): number | undefined {
  if (root === "") return TENANT_REGEXP.test(segments[0] ?? "") ? 1 : 0;
  const wanted = root.split("/");
  const last = segments.length - wanted.length;
  for (
    let at = layout.wire === "direct" ? Math.min(0, last) : last;
    at >= 0;
    at--
  ) {
    if (wanted.every((one, index) => segments[at + index] === one)) {
      return at + wanted.length;
    }
  }
  return undefined;
}
