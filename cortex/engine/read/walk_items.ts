/**
 * Walking through items, scope by scope, each item once.
 *
 * An item comes at its first part. Of an item that both roots hold, the copy
 * below the root comes, unless only the other one is whole.
 *
 * Specification: docs/spec/cortex_engine.md section 9.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import type { EngineContext, OperationOptions } from "../context.ts";
import { type Filter, matches, narrowingLabels } from "./filter.ts";
import type { ItemId } from "../item/item.ts";
import {
  type Hit,
  metaAt,
  type OwnEvent,
  readOwnEvent,
  rebuild,
} from "../item/rebuild.ts";
import { findItemEvents, type Position, walkEvents } from "./walk.ts";

/** An item, and the place behind it. */
export interface ItemStep {
  /** The item. */
  readonly hit: Hit;
  /** The scope it was found in. */
  readonly scope: Scope;
  /** Where to go on from, in that scope. */
  readonly position: Position;
}

interface First {
  readonly own: OwnEvent;
  readonly position: Position;
}

/** Walks through the items of one scope that pass the filter. */
export async function* walkItems(
  context: EngineContext,
  scope: Scope,
  query: {
    readonly filter: Filter;
    /** How many items are looked up together. */
    readonly batch: number;
    readonly from?: Position | undefined;
  },
  options: OperationOptions,
): AsyncGenerator<ItemStep> {
  let firsts: First[] = [];
  for await (const first of walkFirsts(context, scope, query, options)) {
    firsts.push(first);
    if (firsts.length < query.batch) continue;
    yield* resolve(context, scope, query, firsts, options);
    firsts = [];
  }
  yield* resolve(context, scope, query, firsts, options);
}

async function* walkFirsts(
  context: EngineContext,
  scope: Scope,
  query: { readonly filter: Filter; readonly from?: Position | undefined },
  options: OperationOptions,
): AsyncGenerator<First> {
  const { filter, from } = query;
  const seen = new Set<ItemId>();
  const walk = { labels: narrowingLabels(filter), from };
  for await (const step of walkEvents(context, scope, walk, options)) {
    const own = readOwnEvent(scope, step.event);
    if (own === undefined || own.envelope.part.index > 0) continue;
    const { id } = own.envelope;
    if (seen.has(id) || !matches(filter, metaAt(scope, own.envelope))) continue;
    seen.add(id);
    yield { own, position: step.position };
  }
}

async function* resolve(
  context: EngineContext,
  scope: Scope,
  query: { readonly filter: Filter; readonly from?: Position | undefined },
  firsts: readonly First[],
  options: OperationOptions,
): AsyncGenerator<ItemStep> {
  const { filter, from } = query;
  const ids = firsts.map(({ own }) => own.envelope.id);
  const held = scope.below === "retired"
    ? await findTwins(context, scope, ids, options)
    : undefined;
  // What was stored twice may have come on an earlier page.
  const isDoubtful = (own: OwnEvent) =>
    from !== undefined || own.envelope.part.count > 1;
  const doubtful = firsts.filter(({ own }) => isDoubtful(own))
    .map(({ own }) => own.envelope.id);
  const parts = await findItemEvents(context, scope, doubtful, options);
  for (const { own, position } of firsts) {
    const { id, part } = own.envelope;
    // The root's walk gives an item whose first part is there.
    if (held?.get(id)?.some(isFirst) === true) continue;
    const all = parts.get(id) ?? [own];
    const newest = all.find((one) =>
      isFirst(one) && matches(filter, metaAt(scope, one.envelope))
    );
    if (newest !== undefined && newest.eventId !== own.eventId) continue;
    const hit = rebuild(scope, part.count > 1 ? all : [own]);
    if (hit === undefined) continue;
    yield { hit: await prefer(context, scope, hit, options), scope, position };
  }
}

function isFirst({ envelope }: OwnEvent): boolean {
  return envelope.part.index === 0;
}

/** The other root's copy when this one lacks parts and that one does not. */
export async function prefer(
  context: EngineContext,
  scope: Scope,
  hit: Hit,
  options: OperationOptions,
): Promise<Hit> {
  const twin = twinOf(context, scope);
  if (hit.isWhole || twin === undefined) return hit;
  const events = await findItemEvents(context, twin, [hit.id], options);
  const other = rebuild(twin, events.get(hit.id) ?? []);
  return other?.isWhole === true ? other : hit;
}

/** The events of items in the scope's twin below the other root. */
export async function findTwins(
  context: EngineContext,
  scope: Scope,
  ids: readonly ItemId[],
  options: OperationOptions,
): Promise<Map<ItemId, OwnEvent[]>> {
  const twin = twinOf(context, scope);
  if (twin === undefined) return new Map();
  return await findItemEvents(context, twin, ids, options);
}

/** The same node and kind below the other root; undefined without one. */
export function twinOf(
  { layout }: EngineContext,
  { node, kind, below }: Scope,
): Scope | undefined {
  return layout.scopes(node, kind).find((one) => one.below !== below);
}
