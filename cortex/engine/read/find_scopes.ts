/**
 * Which scopes an operation reads, and which are held at all.
 *
 * Specification: docs/spec/cortex_engine.md section 5.
 *
 * @module
 */

import {
  knownScopes,
  listedScopes,
  listPrefixes,
  type ScopeQuery,
} from "../../layout/discovery.ts";
import { CortexRefusalError } from "../../errors.ts";
import type { Layout, Scope } from "../../layout/layouts.ts";
import { compareNodes, isWithin } from "../../layout/node.ts";
import { admits, subtree } from "../../layout/reach.ts";
import { KINDS, type Node, ROOT_NODE } from "../../words.ts";
import type { ScopePath, ScopePrefix } from "../../layout/scope.ts";
import type { EngineContext, OperationOptions } from "../context.ts";

/** Scopes, and whether the listing they come from may lack some. */
export interface FoundScopes {
  /** By kind, then node, the root before the retired root. */
  readonly scopes: readonly Scope[];
  /** Whether there may be more. */
  readonly isCut: boolean;
}

/** The same, and what lies below and is not read. */
export interface ScopesToRead extends FoundScopes {
  /** Sandboxes that the reach does not enter, in the order of nodes. */
  readonly sandboxes: readonly Node[];
}

/** The scopes a reach reads. A cut listing is reported and read as it is. */
export async function scopesToRead(
  context: EngineContext,
  query: ScopeQuery,
  options: OperationOptions,
): Promise<ScopesToRead> {
  const { layout, report } = context;
  const prefixes = query.kinds?.length === 0 ? [] : listPrefixes(layout, query);
  const { paths, isCut } = await listPaths(context, prefixes, options);
  if (isCut) report({ kind: "listing_cut", listed: paths.length });
  const found = [
    ...knownScopes(layout, query),
    ...paths.flatMap((path) => listedScopes(layout, query, path)),
  ];
  return {
    scopes: inOrder(found),
    isCut,
    sandboxes: sandboxesAmong(layout, query, paths),
  };
}

/** Nodes below that hold something and are not admitted: only sandboxes. */
function sandboxesAmong(
  layout: Layout,
  { reach }: ScopeQuery,
  paths: readonly string[],
): readonly Node[] {
  const at = reach?.at ?? ROOT_NODE;
  const nodes = paths.flatMap((path) => {
    const reading = layout.parse(path);
    const isBelow = reading.ok && isWithin(reading.node, at);
    const isRead = isBelow && admits(reach ?? subtree(at), reading.node);
    return isBelow && !isRead ? [reading.node] : [];
  });
  return [...new Set(nodes)].sort(compareNodes);
}

/** The same, for a removal: a cut listing is refused, for it would miss some. */
export async function scopesToRemoveFrom(
  context: EngineContext,
  query: ScopeQuery,
  options: OperationOptions,
): Promise<readonly Scope[]> {
  const { scopes, isCut } = await scopesToRead(context, query, options);
  if (isCut) throw cutRefusal();
  return scopes;
}

/**
 * Every scope that is listed below the node, sandboxes included, and every
 * path listed there, whoever's it is.
 *
 * @throws {CortexRefusalError} `refused` when the listing is cut and may not be
 */
export async function heldScopes(
  context: EngineContext,
  at: Node,
  options: OperationOptions & { readonly mayBeCut?: boolean },
): Promise<FoundScopes & { readonly paths: readonly string[] }> {
  const prefixes = context.layout.prefixes(at);
  const { paths, isCut } = await listPaths(context, prefixes, options);
  if (isCut && options.mayBeCut !== true) throw cutRefusal();
  if (isCut) context.report({ kind: "listing_cut", listed: paths.length });
  const scopes = paths.flatMap((path): Scope[] => {
    const reading = context.layout.parse(path);
    return reading.ok ? [reading] : [];
  });
  return { scopes: inOrder(scopes), paths, isCut };
}

/**
 * Every scope of the engine, for what is looked for by id: sandboxes, too.
 *
 * @throws {CortexRefusalError} `refused` when the listing is cut and may not be
 */
export async function allScopes(
  context: EngineContext,
  options: OperationOptions & { readonly mayBeCut?: boolean },
): Promise<FoundScopes> {
  const { layout } = context;
  const { scopes, isCut } = await heldScopes(context, ROOT_NODE, options);
  const known = KINDS.flatMap((kind) => layout.scopes(ROOT_NODE, kind));
  return { scopes: inOrder([...known, ...both(layout, scopes)]), isCut };
}

/** Each scope below the root and below the retired root. */
function both(layout: Layout, scopes: readonly Scope[]): readonly Scope[] {
  return scopes.flatMap(({ node, kind }) => layout.scopes(node, kind));
}

/** Compares scopes: by kind, then node, the root before the retired root. */
export function compareScopes(a: Scope, b: Scope): number {
  return KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
    compareNodes(a.node, b.node) ||
    Number(a.below === "retired") - Number(b.below === "retired");
}

async function listPaths(
  { client }: EngineContext,
  prefixes: readonly ScopePrefix[],
  options: OperationOptions,
): Promise<{ paths: readonly string[]; isCut: boolean }> {
  const listings = await Promise.all(
    prefixes.map((prefix) => client.listScopes({ prefix }, options)),
  );
  return {
    paths: [...new Set(listings.flatMap(({ paths }) => paths))],
    isCut: listings.some(({ isCut }) => isCut),
  };
}

function inOrder(scopes: readonly Scope[]): readonly Scope[] {
  const byPath = new Map<ScopePath, Scope>();
  for (const { node, kind, below, path } of scopes) {
    if (!byPath.has(path)) byPath.set(path, { node, kind, below, path });
  }
  return [...byPath.values()].sort(compareScopes);
}

function cutRefusal(): CortexRefusalError {
  return new CortexRefusalError(
    "Nothing was done: CortexDB lists at most 1000 scopes and there are as many, so that some may be missing. Name a node further down",
    { reason: "refused" },
  );
}
