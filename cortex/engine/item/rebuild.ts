/**
 * From events back to items.
 *
 * Events of one root make one item; those of the two roots are never mixed.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import type { ScopePath } from "../../layout/scope.ts";
import type { EventId, StoredEvent } from "../../client/wire.ts";
import { type Envelope, open } from "./envelope.ts";
import {
  type Item,
  ITEM_KINDS,
  type ItemId,
  type ItemMeta,
  itemText,
} from "./item.ts";

/** One event of ours. */
export interface OwnEvent {
  /** The event. */
  readonly eventId: EventId;
  /** What it says of its item. */
  readonly envelope: Envelope;
  /** Its text. */
  readonly text: string;
  /** When it was stored, as written. */
  readonly recordedAt: string | undefined;
}

/** An item as it was read. */
export interface Hit {
  /** The item's id. */
  readonly id: ItemId;
  /** The item. */
  readonly item: Item;
  /** How a reader sees it. */
  readonly text: string;
  /** Where it lies. */
  readonly scope: ScopePath;
  /** Which root that is below. */
  readonly below: Scope["below"];
  /** How well it matches, 1 the best; 0 where nothing was ranked. */
  readonly score: number;
  /** Whether every part was there. */
  readonly isWhole: boolean;
  /** When its first part was stored, as written. */
  readonly recordedAt: string | undefined;
}

/** Reads an event; undefined when it is not ours or of another scope. */
export function readOwnEvent(
  { kind, path }: Scope,
  event: StoredEvent,
): OwnEvent | undefined {
  // A backend may show the tenant in front.
  const { scope: at = path } = event;
  if (at !== path && !at.endsWith(`/${path}`)) return undefined;
  const opened = open(event);
  if (opened === undefined || opened.envelope.kind !== kind) return undefined;
  return {
    eventId: event.id,
    ...opened,
    recordedAt: event.recordedAt,
  };
}

/**
 * Rebuilds the item of some events of one scope, newest first, the parts in any
 * order. Parts that do not agree on their number are of different copies: the
 * copy that is whole, or else the newest.
 */
export function rebuild(
  scope: Scope,
  events: readonly OwnEvent[],
): Hit | undefined {
  const copies = [...Map.groupBy(events, countOf).values()].map(inOrder);
  const [first, ...more] = copies.find(isComplete) ?? copies[0] ?? [];
  if (first === undefined) return undefined;
  const { envelope } = first;
  const item = ITEM_KINDS[envelope.kind]
    .rebuild([first, ...more], metaAt(scope, envelope));
  return {
    id: envelope.id,
    item,
    text: itemText(item),
    scope: scope.path,
    below: scope.below,
    score: 0,
    isWhole: isComplete([first, ...more]),
    recordedAt: first.recordedAt,
  };
}

/** The meta of an item that lies at the scope's node. */
export function metaAt({ node }: Scope, { meta }: Envelope): ItemMeta {
  // The path decides: memory that was moved is at the node it was moved to.
  return { ...meta, node };
}

function countOf({ envelope }: OwnEvent): number {
  return envelope.part.count;
}

/** Whether every part is there, given one event for each index. */
function isComplete(parts: readonly OwnEvent[]): boolean {
  return parts.every((part) => countOf(part) === parts.length);
}

/** One event for each index, by index. */
function inOrder(events: readonly OwnEvent[]): readonly OwnEvent[] {
  const byIndex = new Map<number, OwnEvent>();
  for (const event of events) {
    const { index } = event.envelope.part;
    if (!byIndex.has(index)) byIndex.set(index, event);
  }
  return [...byIndex.values()]
    .sort((a, b) => a.envelope.part.index - b.envelope.part.index);
}
