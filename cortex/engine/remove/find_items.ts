/**
 * The events of items that are to go: of those that are named, and of those
 * that pass a filter. No text is kept, for there may be more than fits into
 * memory, and of a conversation its first turn is read and its turns are named,
 * where the other side does that.
 *
 * @module
 */

import { MAX_LISTED_LABELS } from "../../client/request_checks.ts";
import type { EventId, StoredEvent } from "../../client/wire.ts";
import type { Scope } from "../../layout/layouts.ts";
import type { EngineContext, OperationOptions } from "../context.ts";
import type { ItemId } from "../item/item.ts";
import type { Marks } from "../item/mark.ts";
import { metaAt, type OwnEvent, readOwnEvent } from "../item/rebuild.ts";
import { type Filter, matches, narrowingLabels } from "../read/filter.ts";
import { findAcross } from "../read/across/find_across.ts";
import { batches, NO_TEXT, noteMark } from "../read/walk.ts";
import { walkAcross } from "../read/across/walk_across.ts";

/** What is to go of an item in one scope. */
export interface ItemEvents {
  /** Its events there. */
  readonly eventIds: ReadonlySet<EventId>;
  /** What it replaces. */
  readonly replaces: readonly ItemId[];
}

/** The items by scope; scopes without any are left out. */
export type ItemsAcross = ReadonlyMap<Scope, ReadonlyMap<ItemId, ItemEvents>>;

/** An item that a filter may mean, as far as its events were read. */
interface Candidate extends ItemEvents {
  readonly eventIds: Set<EventId>;
  /** The lowest index of its parts. */
  first: number;
  /** Whether that part passes. */
  isMatch: boolean;
}

type Candidates = Map<Scope, Map<ItemId, Candidate>>;

/** How events are looked for, and where marks are noted that come along. */
type FindOptions = OperationOptions & { readonly marks: Marks };

/** The events of items that are named. */
export async function findById(
  context: EngineContext,
  scopes: readonly Scope[],
  ids: readonly ItemId[],
  options: FindOptions,
): Promise<ItemsAcross> {
  const facts = { ...options, ...NO_TEXT };
  const found: Candidates = new Map();
  for (const [scope, items] of await findAcross(context, scopes, ids, facts)) {
    for (const own of [...items.values()].flat()) note(found, scope, own);
  }
  return found;
}

/** The events of items that pass a filter. */
export async function findMatching(
  context: EngineContext,
  scopes: readonly Scope[],
  filter: Filter,
  options: FindOptions,
): Promise<ItemsAcross> {
  const facts = { ...options, ...NO_TEXT };
  const found: Candidates = new Map();
  const unsure = { scopes: new Set<Scope>(), labels: new Set<string>() };
  const visit = (scope: Scope, event: StoredEvent) => {
    const own = readOwnEvent(scope, event);
    const [label] = event.labels;
    const { turnIds = [event.id] } = event;
    if (label !== undefined && event.turnIds && !isWhole(own, turnIds)) {
      unsure.scopes.add(scope);
      unsure.labels.add(label);
    } else if (own === undefined) noteMark(options.marks, scope, event);
    else note(found, scope, own, { filter, eventIds: turnIds });
  };
  // All events of an item carry the same labels.
  const query = { labels: narrowingLabels(filter), isWithTurnIds: true, visit };
  await walkAcross(context, scopes, query, facts);
  for (const labels of batches([...unsure.labels], MAX_LISTED_LABELS)) {
    const look = (scope: Scope, event: StoredEvent) => {
      const own = readOwnEvent(scope, event);
      if (own !== undefined) note(found, scope, own, { filter });
    };
    const turns = { labels, visit: look };
    await walkAcross(context, [...unsure.scopes], turns, facts);
  }
  for (const items of found.values()) {
    for (const [id, { isMatch }] of items) if (!isMatch) items.delete(id);
  }
  return found;
}

/**
 * Whether the ids are those of the whole conversation. Where turns are missing,
 * or there twice, or are somebody else's, only reading them tells.
 */
function isWhole(
  first: OwnEvent | undefined,
  turnIds: readonly EventId[],
): boolean {
  const part = first?.envelope.part;
  return part === undefined
    ? turnIds.length === 1
    : part.index === 0 && part.count === turnIds.length;
}

/** Adds an event to what is known of its item. */
function note(
  found: Candidates,
  scope: Scope,
  own: OwnEvent,
  { filter = {}, eventIds = [own.eventId] }: {
    readonly filter?: Filter;
    /** The events that come with it. */
    readonly eventIds?: readonly EventId[];
  } = {},
): void {
  const { id, part, meta: { replaces = [] } } = own.envelope;
  const items = found.get(scope) ?? new Map<ItemId, Candidate>();
  const item: Candidate = items.get(id) ??
    { first: Infinity, isMatch: false, eventIds: new Set(), replaces };
  for (const eventId of eventIds) item.eventIds.add(eventId);
  // An item goes as a whole or not at all: as a listing, by its first part.
  if (part.index < item.first) {
    item.first = part.index;
    item.isMatch = matches(filter, metaAt(scope, own.envelope));
  }
  items.set(id, item);
  found.set(scope, items);
}
