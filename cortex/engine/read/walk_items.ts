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

import type { Marks } from "../item/mark.ts";
import { pause } from "../../pause.ts";
import type { Scope } from "../../layout/layouts.ts";
import type { EngineContext } from "../context.ts";
import { type Filter, matches, narrowingLabels } from "./filter.ts";
import { rebuildFolded } from "../item/folded.ts";
import type { ItemId } from "../item/item.ts";
import {
  type Hit,
  isOneWholeCopy,
  metaAt,
  type OwnEvent,
  type ReadableHit,
  readOwnEvent,
  rebuild,
} from "../item/rebuild.ts";
import {
  findItemEvents,
  noteMark,
  type Position,
  type ReadOptions,
  walkEvents,
} from "./walk.ts";

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
  /** The item's events so far, newest first, where they are remembered. */
  readonly passed: readonly OwnEvent[];
  /** Whether none of the item's other events comes: it was folded. */
  readonly isAlone: boolean;
  /** The item, where that is all it takes. */
  readonly folded: ReadableHit | undefined;
}

/** Events that are looked up together, unless one item has more. */
const BATCH_EVENTS = 2_000;
/** Events that are remembered until their item comes: it is looked up else. */
const MAX_PASSED = 10_000;

/** Walks through the items of one scope that pass the filter. */
export async function* walkItems(
  context: EngineContext,
  scope: Scope,
  query: {
    readonly filter: Filter;
    /** How many items are looked up together. */
    readonly batch: number;
    readonly from?: Position | undefined;
    /** Whether items that are replaced come, too. */
    readonly isWithReplaced?: boolean | undefined;
  },
  options: ReadOptions,
): AsyncGenerator<ItemStep> {
  // A mark is newer than what it marks, and comes before it.
  const marks: Marks = new Map();
  const how = { ...options, marks };
  let firsts: First[] = [];
  let events = 0;
  for await (const first of walkFirsts(context, scope, query, how)) {
    firsts.push(first);
    events += first.own.envelope.part.count;
    if (firsts.length < query.batch && events < BATCH_EVENTS) continue;
    yield* resolve(context, scope, query, firsts, how);
    [firsts, events] = [[], 0];
  }
  yield* resolve(context, scope, query, firsts, how);
}

async function* walkFirsts(
  context: EngineContext,
  scope: Scope,
  query: { readonly filter: Filter; readonly from?: Position | undefined },
  options: ReadOptions,
): AsyncGenerator<First> {
  const { filter, from } = query;
  const seen = new Set<ItemId>();
  const passed = createMemory();
  const walk = {
    labels: narrowingLabels(filter),
    from,
    foldWith: isFoldable(scope, options) ? [] : undefined,
  };
  for await (const step of walkEvents(context, scope, walk, options)) {
    const own = readOwnEvent(scope, step.event);
    if (own === undefined) {
      noteMark(options.marks, scope, step.event);
      continue;
    }
    const { id, part } = own.envelope;
    const { fold } = step.event;
    const isAlone = fold !== undefined;
    if (part.count > 1 && !seen.has(id) && !isAlone) passed.add(own);
    if (part.index > 0 && !isAlone) continue;
    if (seen.has(id) || !matches(filter, metaAt(scope, own.envelope))) continue;
    seen.add(id);
    yield {
      own,
      position: step.position,
      passed: passed.take(id),
      isAlone,
      folded: fold && rebuildFolded(scope, own, fold, options),
    };
  }
}

/** Whether an item's beginning says as much as all of its events do. */
export function isFoldable(
  { kind }: Pick<Scope, "kind">,
  { textLimit }: ReadOptions,
): boolean {
  return kind === "conversation" && textLimit !== undefined;
}

/** Remembers the events that a walk has passed, by item; not too many. */
function createMemory(): {
  readonly add: (own: OwnEvent) => void;
  readonly take: (id: ItemId) => readonly OwnEvent[];
} {
  const byItem = new Map<ItemId, OwnEvent[]>();
  let held = 0;
  return {
    add(own) {
      if (++held > MAX_PASSED) {
        byItem.clear();
        held = 1;
      }
      const { id } = own.envelope;
      const events = byItem.get(id);
      if (events === undefined) byItem.set(id, [own]);
      else events.push(own);
    },
    take(id) {
      const events = byItem.get(id) ?? [];
      byItem.delete(id);
      held -= events.length;
      return events;
    },
  };
}

async function* resolve(
  context: EngineContext,
  scope: Scope,
  query: {
    readonly filter: Filter;
    readonly from?: Position | undefined;
    readonly isWithReplaced?: boolean | undefined;
  },
  firsts: readonly First[],
  options: ReadOptions & { readonly marks: Marks },
): AsyncGenerator<ItemStep> {
  const { filter, from, isWithReplaced = false } = query;
  const ids = firsts.map(({ own }) => own.envelope.id);
  const held = scope.below === "retired"
    ? await findTwins(context, scope, ids, options)
    : undefined;
  // What was stored twice may have come on an earlier page.
  const isDoubtful = ({ own, passed, isAlone, folded }: First) =>
    isAlone ? folded === undefined : from !== undefined ||
      (own.envelope.part.count > 1 && !isOneWholeCopy(passed));
  const doubtful = firsts.filter(isDoubtful)
    .map(({ own }) => own.envelope.id);
  const parts = await findItemEvents(context, scope, doubtful, options);
  for (const { own, position, passed, isAlone, folded } of firsts) {
    await pause();
    const { id, part } = own.envelope;
    const by = options.marks.get(id)?.[0]?.by;
    if (by !== undefined && !isWithReplaced) continue;
    // The root's walk gives an item whose first part is there.
    if (held?.get(id)?.some(isFirst) === true) continue;
    const all = parts.get(id) ?? (passed.length > 0 ? passed : [own]);
    const newest = all.find((one) =>
      isFirst(one) && matches(filter, metaAt(scope, one.envelope))
    );
    if (isAlone ? newest === undefined : isOther(newest, own)) continue;
    const found = folded ??
      rebuild(scope, part.count > 1 || isAlone ? all : [own], options);
    if (found === undefined) continue;
    // A page keeps what it shows, and not where the rest of a text lies.
    const { parts: _, ...hit } = await prefer(context, scope, found, options);
    yield {
      hit: by === undefined ? hit : { ...hit, replacedBy: by },
      scope,
      position,
    };
  }
}

function isOther(newest: OwnEvent | undefined, own: OwnEvent): boolean {
  return newest !== undefined && newest.eventId !== own.eventId;
}

function isFirst({ envelope }: OwnEvent): boolean {
  return envelope.part.index === 0;
}

/** The other root's copy when this one lacks parts and that one does not. */
export async function prefer(
  context: EngineContext,
  scope: Scope,
  hit: ReadableHit,
  options: ReadOptions,
): Promise<ReadableHit> {
  const twin = twinOf(context, scope);
  if (hit.isWhole || twin === undefined) return hit;
  const events = await findItemEvents(context, twin, [hit.id], options);
  const other = rebuild(twin, events.get(hit.id) ?? [], options);
  return other?.isWhole === true ? other : hit;
}

/** The events of items in the scope's twin below the other root. */
export async function findTwins(
  context: EngineContext,
  scope: Scope,
  ids: readonly ItemId[],
  options: ReadOptions,
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
