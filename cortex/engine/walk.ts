/**
 * Walking through a scope's events, newest first, each once.
 *
 * Survives what listings do: events come twice, also across pages, the limit
 * counts copies, and a cursor may lead nowhere.
 *
 * @module
 */

import { CortexProtocolError } from "../errors.ts";
import type { Scope } from "../layouts.ts";
import type { EventId, StoredEvent } from "../wire.ts";
import type { EngineContext, OperationOptions } from "./context.ts";
import type { ItemId } from "./item.ts";
import { itemLabel } from "./lookup.ts";
import { type OwnEvent, readOwnEvent } from "./rebuild.ts";

const PAGE_EVENTS = 200;
const MAX_PAGES = 500;
const MAX_LABELS = 50;

/** A place in a scope's listing: after an event of a page. */
export interface Position {
  /** The page; undefined for the first. */
  readonly cursor: string | undefined;
  /** The event on it that came last. */
  readonly after: EventId | undefined;
}

/** An event, and the place behind it. */
export interface Step {
  /** The event. */
  readonly event: StoredEvent;
  /** Where to go on from. */
  readonly position: Position;
}

/** What narrows a walk, and where it begins. */
export interface WalkQuery {
  /** Keeps events with any of these labels; at most 50. */
  readonly labels?: readonly string[] | undefined;
  /** Where to begin; the newest event when left out. */
  readonly from?: Position | undefined;
}

/**
 * Walks from event to event.
 *
 * @throws {CortexProtocolError} when the pages do not end
 */
export async function* walkEvents(
  { client }: EngineContext,
  { path }: Scope,
  { labels = [], from }: WalkQuery,
  options: OperationOptions,
): AsyncGenerator<Step> {
  const seen = new Set<EventId>();
  let cursor = from?.cursor;
  let after = from?.after;
  for (let pages = 1; pages <= MAX_PAGES; pages++) {
    const page = await client.listEvents(
      { scope: path, labels, limit: PAGE_EVENTS, cursor },
      options,
    );
    for (const event of eventsAfter(page.events, after)) {
      if (seen.has(event.id) || event.id === after) continue;
      seen.add(event.id);
      yield { event, position: { cursor, after: event.id } };
    }
    if (page.nextCursor === undefined) return;
    if (page.nextCursor === cursor) {
      throw unending(`stays at the same page`);
    }
    cursor = page.nextCursor;
    after = page.events.at(-1)?.id ?? after;
  }
  throw unending(`has more than ${MAX_PAGES} pages`);
}

/** The events of some items in a scope, by item. */
export async function findItemEvents(
  context: EngineContext,
  scope: Scope,
  ids: readonly ItemId[],
  options: OperationOptions,
): Promise<Map<ItemId, OwnEvent[]>> {
  const labels = [...new Set(ids)].map(itemLabel);
  const found = await findLabelled(context, scope, labels, options);
  // A label is a short digest: only the id itself decides.
  for (const id of found.keys()) if (!ids.includes(id)) found.delete(id);
  return found;
}

/** The events in a scope that carry any of the labels, by item. */
export async function findLabelled(
  context: EngineContext,
  scope: Scope,
  labels: readonly string[],
  options: OperationOptions,
): Promise<Map<ItemId, OwnEvent[]>> {
  const found = new Map<ItemId, OwnEvent[]>();
  for (const some of batches(labels, MAX_LABELS)) {
    const query = { labels: some };
    for await (const { event } of walkEvents(context, scope, query, options)) {
      const own = readOwnEvent(scope, event);
      if (own === undefined) continue;
      const events = found.get(own.envelope.id);
      if (events === undefined) found.set(own.envelope.id, [own]);
      else events.push(own);
    }
  }
  return found;
}

/** Cuts a list into lists of at most so many. */
export function batches<T>(all: readonly T[], most: number): readonly T[][] {
  return Array.from(
    { length: Math.ceil(all.length / most) },
    (_, index) => all.slice(index * most, (index + 1) * most),
  );
}

/** New events may have moved the page's own along: the last one is looked for. */
function eventsAfter(
  events: readonly StoredEvent[],
  after: EventId | undefined,
): readonly StoredEvent[] {
  const at = events.findLastIndex(({ id }) => id === after);
  return at < 0 ? events : events.slice(at + 1);
}

function unending(problem: string): CortexProtocolError {
  return new CortexProtocolError({
    operation: "list events",
    path: "$.next_cursor",
    problem,
  });
}
