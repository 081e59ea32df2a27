/**
 * From events back to items.
 *
 * Events of one root make one item; those of the two roots are never mixed.
 *
 * @module
 */

import { countCharacters, sliceCharacters } from "../../characters.ts";
import type { Scope } from "../../layout/layouts.ts";
import type { ScopePath } from "../../layout/scope.ts";
import type { EventId, StoredEvent } from "../../client/wire.ts";
import { type Envelope, open } from "./envelope.ts";
import { type Item, ITEM_KINDS, type ItemId, type ItemMeta } from "./item.ts";

/** One event of ours. */
export interface OwnEvent {
  /** The event. */
  readonly eventId: EventId;
  /** What it says of its item. */
  readonly envelope: Envelope;
  /** Its text, or the beginning of it. */
  readonly text: string;
  /** Characters of the whole text. */
  readonly characters: number;
  /** When it was stored, as written. */
  readonly recordedAt: string | undefined;
}

/** One event's share of an item's text. */
export interface TextPart {
  /** The event. */
  readonly eventId: EventId;
  /** What a reader sees in front of it. */
  readonly lead: string;
  /** The event's text, or the beginning of it. */
  readonly text: string;
  /** Characters of the event's whole text. */
  readonly characters: number;
  /** Where it begins in the item's text, lead first, in characters. */
  readonly start: number;
}

/** An item as it was read. */
export interface Hit {
  /** The item's id. */
  readonly id: ItemId;
  /** The item, as far as its text was read. */
  readonly item: Item;
  /** How a reader sees it, or the beginning of that. */
  readonly text: string;
  /** Characters of the whole text. */
  readonly characters: number;
  /** How many events hold it: pieces or turns, those that are there. */
  readonly events: number;
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
  /** What replaces it; undefined when nothing is known to. */
  readonly replacedBy?: ItemId | undefined;
}

/** An item whose text can be read on. */
export interface ReadableHit extends Hit {
  /** Where its text lies, in order; of a folded conversation some of it. */
  readonly parts: readonly TextPart[];
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
    // Where the text is JSON with the envelope in it, it was read whole.
    characters: opened.isInText || event.characters === undefined
      ? countCharacters(opened.text)
      : event.characters,
    recordedAt: event.recordedAt,
  };
}

/**
 * Rebuilds the item of some events of one scope, newest first, the parts in any
 * order. Parts that do not agree on their number are of different copies: the
 * copy that is whole, or else the newest. Its text, and that of its item, ends
 * at the limit.
 */
export function rebuild(
  scope: Scope,
  events: readonly OwnEvent[],
  { textLimit = Infinity }: TextLimit = {},
): ReadableHit | undefined {
  const copies = [...Map.groupBy(events, countOf).values()].map(inOrder);
  const [first, ...more] = copies.find(isComplete) ?? copies[0] ?? [];
  if (first === undefined) return undefined;
  const { envelope } = first;
  const kind = ITEM_KINDS[envelope.kind];
  const own = [first, ...more] as const;
  let characters = 0;
  const parts = own.map((part, place): TextPart => {
    const start = characters;
    const lead = kind.leadOf(part, place);
    const { eventId, text } = part;
    characters += countCharacters(lead) + part.characters;
    return { eventId, lead, text, characters: part.characters, start };
  });
  const isCut = characters > textLimit;
  return {
    id: envelope.id,
    item: kind.rebuild(
      isCut ? beginningOf(own, parts, textLimit) : own,
      metaAt(scope, envelope),
    ),
    text: beginningText(parts, textLimit),
    characters,
    events: parts.length,
    parts,
    scope: scope.path,
    below: scope.below,
    score: 0,
    isWhole: isComplete(own),
    recordedAt: first.recordedAt,
  };
}

/** The meta of an item that lies at the scope's node. */
export function metaAt({ node }: Scope, { meta }: Envelope): ItemMeta {
  // The path decides: memory that was moved is at the node it was moved to.
  return { ...meta, node };
}

/** How much of an item's text is read. */
export interface TextLimit {
  /** Only so many characters of it; all of it when left out. */
  readonly textLimit?: number | undefined;
}

/** Characters of a part, with what stands in front of it. */
export function lengthOf({ lead, characters }: TextPart): number {
  return countCharacters(lead) + characters;
}

function beginningText(parts: readonly TextPart[], limit: number): string {
  const texts: string[] = [];
  let left = limit;
  for (const part of parts) {
    if (left <= 0) break;
    texts.push(part.lead, part.text);
    left -= lengthOf(part);
  }
  return sliceCharacters(texts.join(""), 0, limit);
}

/** The parts that a text of the limit takes, the last one cut. */
function beginningOf(
  own: readonly [OwnEvent, ...OwnEvent[]],
  parts: readonly TextPart[],
  limit: number,
): readonly [OwnEvent, ...OwnEvent[]] {
  const [first, ...more] = own;
  const kept: [OwnEvent, ...OwnEvent[]] = [
    { ...first, text: sliceCharacters(first.text, 0, limit) },
  ];
  let left = limit;
  for (const [place, part] of parts.slice(0, -1).entries()) {
    left -= lengthOf(part);
    const next = more[place];
    if (left <= 0 || next === undefined) break;
    kept.push({ ...next, text: sliceCharacters(next.text, 0, left) });
  }
  return kept;
}

function countOf({ envelope }: OwnEvent): number {
  return envelope.part.count;
}

/** Whether events, in any order, are one copy of an item and all of it. */
export function isOneWholeCopy(events: readonly OwnEvent[]): boolean {
  const [first] = events;
  if (first === undefined) return false;
  const count = countOf(first);
  const indexes = new Set(events.map(({ envelope }) => envelope.part.index));
  return indexes.size === count &&
    events.every((one) => countOf(one) === count);
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
