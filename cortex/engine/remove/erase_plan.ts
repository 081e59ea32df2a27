/**
 * What an erasure takes, and in which order.
 *
 * Specification: docs/spec/cortex_engine.md section 11.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import { isAtOrBelow, isWithin } from "../../layout/node.ts";
import { TENANT_ROOT } from "../../layout/scope.ts";
import { type Kind, KINDS, type Node, ROOT_NODE } from "../../words.ts";
import type { EngineContext, OperationOptions } from "../context.ts";
import { heldScopes } from "../read/find_scopes.ts";
import { type Cover, findCovers, isCovered } from "./covers.ts";
import { eventIds } from "./event_ids.ts";

/** As many of others' scopes are looked into. */
const MAX_FOREIGN = 100;

/** What to erase. */
export interface EraseNodesRequest {
  /** The node. */
  readonly at: Node;
  /** Whether everything below it goes, too. */
  readonly descendants: boolean;
  /** Which kinds; every kind when left out or empty. */
  readonly kinds?: readonly Kind[] | undefined;
  /** Needed to erase everything below the root. */
  readonly wholeTree?: boolean | undefined;
  /** Only says what would be erased. */
  readonly preview?: boolean | undefined;
  /** Why, for CortexDB's audit. */
  readonly reason?: string | undefined;
}

/** A scope that is to be erased, and how. */
export interface Planned {
  readonly scope: Scope;
  readonly how: "scope" | "events" | "tenant";
}

/** What is to be erased. */
export interface Plan {
  readonly planned: readonly Planned[];
  /** What one erasure takes with it, where the other side's does that. */
  readonly covers: readonly Cover[];
  /** Listed below, and not read as a scope of ours. */
  readonly foreign: readonly string[];
}

/** What a request erases. */
export async function planErasure(
  context: EngineContext,
  request: EraseNodesRequest,
  options: OperationOptions,
): Promise<Plan> {
  const { at, descendants, kinds = [] } = request;
  // What takes everything misses nothing, however much of it was listed.
  const mayBeCut = isTenantWide(context, request);
  const held = await heldScopes(context, at, { ...options, mayBeCut });
  const doomed = held.scopes
    .filter(({ node, kind }) =>
      (node === at || (descendants && isWithin(node, at))) &&
      (kinds.length === 0 || kinds.includes(kind))
    )
    .toSorted((a, b) => depth(b) - depth(a));
  if (mayBeCut) {
    const planned = doomed.map((scope): Planned => ({ scope, how: "tenant" }));
    return { planned, covers: [], foreign: [] };
  }
  // Strangers' scopes, too: whatever stays below must not be touched.
  const staying = stayingPaths(context, held.paths, doomed);
  const planned = doomed.map((scope): Planned => {
    const isAbove = staying.some((path) => isAtOrBelow(path, scope.path));
    return { scope, how: isAbove ? "events" : "scope" };
  });
  const isAll = descendants &&
    KINDS.every((one) => kinds.length === 0 || kinds.includes(one));
  const covers = isAll && context.listsBelow
    ? findCovers(planned.filter(isScope).map(({ scope }) => scope), {
      staying: await withoutEmptyRoots(context, [
        ...staying,
        ...planned.filter((one) => !isScope(one)).map((one) => one.scope.path),
      ], options),
      prefixes: context.layout.prefixes(at),
    })
    : [];
  return {
    planned,
    covers,
    foreign: isAll ? foreignPaths(context, held.paths) : [],
  };
}

function isScope({ how }: Planned): boolean {
  return how === "scope";
}

/** A root that is registered to its owner is listed, and holds nothing. */
async function withoutEmptyRoots(
  context: EngineContext,
  paths: readonly string[],
  options: OperationOptions,
): Promise<readonly string[]> {
  const { root, retired } = context.layout;
  const empty = new Set<string>();
  for (const path of [root, retired]) {
    if (path === undefined || !paths.includes(path)) continue;
    const [held] = await eventIds(context, { path }, 1, options);
    if (held === undefined) empty.add(path);
  }
  return paths.filter((path) => !empty.has(path));
}

/** Paths that lie below a root and read as no scope of ours. */
function foreignPaths(
  { layout, client }: EngineContext,
  paths: readonly string[],
): readonly string[] {
  if (client.wire !== "direct") return [];
  return [...new Set(paths)].filter((path) => !layout.parse(path).ok)
    .slice(0, MAX_FOREIGN);
}

function stayingPaths(
  { layout }: EngineContext,
  paths: readonly string[],
  doomed: readonly Scope[],
): readonly string[] {
  const going = new Set<string>(doomed.map(({ path }) => path));
  return paths
    // As this engine would send it: without what a backend puts in front.
    .map((path) => ownSpelling(layout, path))
    .filter((path) => !going.has(path));
}

function ownSpelling(
  layout: EngineContext["layout"],
  path: string,
): string {
  const reading = layout.parse(path);
  if (reading.ok) return reading.path;
  if (layout.wire === "direct") return path;
  // A stranger's path below a tenant: the tenant is its first segment.
  return path.startsWith("org:") ? path.slice(path.indexOf("/") + 1) : path;
}

function depth({ path }: Scope): number {
  return path.split("/").length;
}

/** One request, or as many as a scope's events take. */
export type Step =
  | { readonly how: "cover"; readonly at: Cover }
  | { readonly how: Planned["how"]; readonly at: Scope };

/** What is done, in order: what lies above other scopes comes behind them. */
export function stepsOf({ planned, covers }: Plan): readonly Step[] {
  const single = planned.filter(({ scope }) => !isCovered(scope, covers));
  return [
    ...covers.map((at): Step => ({ how: "cover", at })),
    ...single.map(({ how, scope }): Step => ({ how, at: scope })),
  ];
}

/** Whether everything below the root goes. */
export function isWholeTree(
  { at, descendants, kinds = [] }: EraseNodesRequest,
): boolean {
  const isAll = kinds.length === 0 || KINDS.every((one) => kinds.includes(one));
  return at === ROOT_NODE && descendants && isAll;
}

/** Whether the whole tree is all of a hosted tenant, erased by one request. */
export function isTenantWide(
  { client, layout }: EngineContext,
  request: EraseNodesRequest,
): boolean {
  return client.wire === "hosted" && layout.root === TENANT_ROOT &&
    isWholeTree(request);
}
