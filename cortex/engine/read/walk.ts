/**
 * Walking through a scope's events, newest first, each once.
 *
 * Survives what listings do: events come twice, also across pages, the limit
 * counts copies, and a cursor may lead nowhere.
 *
 * @module
 */

import { countCharacters } from "../../characters.ts";
import { CortexProtocolError, CortexRefusalError } from "../../errors.ts";
import { pause } from "../../pause.ts";
import type { CortexClient } from "../../client/client_types.ts";
import { MAX_LISTED_LABELS } from "../../client/request_checks.ts";
import type { Scope } from "../../layout/layouts.ts";
import type { RootPath, ScopePath } from "../../layout/scope.ts";
import type {
  EventId,
  EventPage,
  EventQuery,
  StoredEvent,
} from "../../client/wire.ts";
import type { EngineContext, OperationOptions } from "../context.ts";
import { needsWholeText } from "../item/envelope.ts";
import type { ItemId } from "../item/item.ts";
import { findItemLabel, itemLabel } from "../item/lookup.ts";
import { addMark, type Marks, readMark } from "../item/mark.ts";
import {
  type OwnEvent,
  readOwnEvent,
  type TextLimit,
} from "../item/rebuild.ts";

const PAGE_EVENTS = 200;
/** A page over many scopes looks into each of them, so there should be few. */
const WIDE_PAGE_EVENTS = 1_000;
const MAX_PAGES = 500;
/** How many events name a place. */
const TRAIL = 4;

/** A place in a scope's listing: after some events of a page. */
export interface Position {
  /** The page; undefined for the first. */
  readonly cursor: string | undefined;
  /** The events that came last, the last one first: some may be gone by then. */
  readonly after: readonly EventId[];
  /** When the last of them was stored, for when all of them are gone. */
  readonly storedAt?: string | undefined;
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
  /** Whether the scopes below are walked through, too. */
  readonly below?: boolean | undefined;
  /** Asks for conversations as one event each, and for these turns of theirs. */
  readonly foldWith?: readonly EventId[] | undefined;
  /** Asks for conversations as one event each, with the ids of their turns. */
  readonly isWithTurnIds?: boolean | undefined;
  /** How many scopes that takes, each of which may have so many pages. */
  readonly scopes?: number | undefined;
}

/**
 * Walks from event to event.
 *
 * @throws {CortexProtocolError} when the pages do not end
 * @throws {CortexRefusalError} `refused` when there are too many
 */
export async function* walkEvents(
  { client }: EngineContext,
  { path }: { readonly path: ScopePath | RootPath },
  { labels = [], from, below, foldWith, isWithTurnIds, scopes = 1 }: WalkQuery,
  options: ReadOptions,
): AsyncGenerator<Step> {
  const { textLimit } = options;
  // No label at all would list nothing, and is refused.
  const query = {
    scope: path,
    ...(labels.length === 0 ? {} : { labels }),
    ...(below === true ? { below } : {}),
    ...(foldWith === undefined ? {} : { foldWith }),
    ...(isWithTurnIds === true ? { isWithTurnIds } : {}),
  };
  const read = pageReader(
    below === true ? WIDE_PAGE_EVENTS : PAGE_EVENTS,
    (page) => client.listEvents({ ...query, ...page, textLimit }, options),
  );
  const seen = new Set<EventId>(from?.after);
  let { cursor, page, begin } = await locate(read, from);
  for (let pages = 1;; pages++) {
    for (const [index, listed] of page.events.entries()) {
      await pause();
      if (seen.has(listed.id)) continue;
      seen.add(listed.id);
      if (index < begin) continue;
      const event = await wholeWhereNeeded(client, listed, options);
      const { recordedAt: storedAt } = event;
      yield {
        event,
        position: { cursor, after: trail(page, index), storedAt },
      };
    }
    const next = nextPage(page, cursor);
    if (next === undefined) return;
    if (pages >= MAX_PAGES * scopes) throw givenUp(path, seen.size);
    [cursor, page, begin] = [next, await read(next), 0];
  }
}

/** How an operation reads events. */
export type ReadOptions = OperationOptions & TextLimit & {
  /** Where marks are noted that come along. */
  readonly marks?: Marks | undefined;
};

/** For whoever wants to know which events there are, and not what they say. */
export const NO_TEXT: TextLimit = { textLimit: 1 };

/** An event whose envelope is in its text says nothing by its beginning. */
async function wholeWhereNeeded(
  client: CortexClient,
  event: StoredEvent,
  options: ReadOptions,
): Promise<StoredEvent> {
  const { text = "", characters = 0 } = event;
  const isNeeded = characters > countCharacters(text) &&
    findItemLabel(event.labels) !== undefined && needsWholeText(event);
  if (!isNeeded) return event;
  const whole = await client.readEvent(event.id, options);
  return whole === undefined ? event : { ...whole, fold: event.fold };
}

/** The events of some items in a scope, by item. */
export async function findItemEvents(
  context: EngineContext,
  scope: Scope,
  ids: readonly ItemId[],
  options: ReadOptions,
): Promise<Map<ItemId, OwnEvent[]>> {
  const wanted = new Set(ids);
  const labels = [...wanted].map(itemLabel);
  const found = await findLabelled(context, scope, labels, options);
  // A label is a short digest: only the id itself decides.
  for (const id of found.keys()) if (!wanted.has(id)) found.delete(id);
  return found;
}

/** The events of the items with any of the labels in a scope, by item. */
export async function findLabelled(
  context: EngineContext,
  scope: Scope,
  labels: readonly string[],
  options: ReadOptions,
): Promise<Map<ItemId, OwnEvent[]>> {
  const found = new Map<ItemId, OwnEvent[]>();
  for (const some of batches(labels, MAX_LISTED_LABELS)) {
    const query = { labels: some };
    for await (const { event } of walkEvents(context, scope, query, options)) {
      const own = readOwnEvent(scope, event);
      if (own === undefined) {
        noteMark(options.marks, scope, event);
        continue;
      }
      // Somebody may have put an item's label on another one's event.
      if (!some.includes(itemLabel(own.envelope.id))) continue;
      const events = found.get(own.envelope.id);
      if (events === undefined) found.set(own.envelope.id, [own]);
      else events.push(own);
    }
  }
  return found;
}

/** Notes an event that is a mark, where somebody wants to know of marks. */
export function noteMark(
  marks: Marks | undefined,
  { path }: Pick<Scope, "path">,
  event: StoredEvent,
): void {
  const mark = marks && readMark(path, event);
  if (marks !== undefined && mark !== undefined) addMark(marks, mark);
}

/** Cuts a list into lists of at most so many. */
export function batches<T>(all: readonly T[], most: number): readonly T[][] {
  return Array.from(
    { length: Math.ceil(all.length / most) },
    (_, index) => all.slice(index * most, (index + 1) * most),
  );
}

type ReadPage = (cursor: string | undefined) => Promise<EventPage>;

/** Events may be so large that a page of the usual length is not read. */
function pageReader(
  most: number,
  list: (page: Pick<EventQuery, "cursor" | "limit">) => Promise<EventPage>,
): ReadPage {
  let limit = most;
  return async (cursor) => {
    for (;;) {
      try {
        return await list({ cursor, limit });
      } catch (error) {
        const isTooLarge = error instanceof CortexProtocolError &&
          error.isTooLarge && limit > 1;
        if (!isTooLarge) throw error;
        limit = Math.ceil(limit / 8);
      }
    }
  };
}

interface Place {
  readonly cursor: string | undefined;
  readonly page: EventPage;
  /** Where to begin on the page. */
  readonly begin: number;
}

/**
 * Finds a place again. New events may have moved what was there to a later
 * page. Where all of it was removed, what was stored by then comes next.
 */
async function locate(
  read: ReadPage,
  from: Position | undefined,
): Promise<Place> {
  let cursor = from?.cursor;
  let page = await read(cursor);
  if (from === undefined) return { cursor, page, begin: 0 };
  const storedAt = Date.parse(from.storedAt ?? "");
  let rest: Place | undefined;
  for (let pages = 1;; pages++) {
    const { events } = page;
    const at = events.findLastIndex(({ id }) => from.after.includes(id));
    if (at >= 0) return { cursor, page, begin: at + 1 };
    // A time that is not known is later than none.
    const begin = events.findIndex((event) => !(timeOf(event) > storedAt));
    if (begin >= 0) rest ??= { cursor, page, begin };
    const next = nextPage(page, cursor);
    if (next === undefined || timeOf(events.at(-1)) < storedAt) {
      return rest ?? { cursor, page, begin: events.length };
    }
    if (pages >= MAX_PAGES) throw unending(`has more than ${MAX_PAGES} pages`);
    [cursor, page] = [next, await read(next)];
  }
}

function timeOf(event: StoredEvent | undefined): number {
  return Date.parse(event?.recordedAt ?? "");
}

function nextPage(
  { nextCursor }: EventPage,
  cursor: string | undefined,
): string | undefined {
  if (nextCursor !== cursor || cursor === undefined) return nextCursor;
  throw unending("stays at the same page");
}

/** A scope may be larger than what one walk reads, or a listing have no end. */
function givenUp(path: string, events: number): Error {
  // Each event may have come twice.
  if (events < MAX_PAGES * PAGE_EVENTS / 2) {
    return unending(`has more than ${MAX_PAGES} pages`);
  }
  return new CortexRefusalError(
    `Given up after ${events} events of ${path}, which has more: narrow it down, by a thread, a source or an agent`,
    { reason: "refused" },
  );
}

/** The last few events of a page up to an index, the last one first. */
function trail({ events }: EventPage, index: number): readonly EventId[] {
  const last = new Set<EventId>();
  for (let at = index; at >= 0 && last.size < TRAIL; at--) {
    const event = events[at];
    if (event !== undefined) last.add(event.id);
  }
  return [...last];
}

function unending(problem: string): CortexProtocolError {
  return new CortexProtocolError({
    operation: "list events",
    path: "$.next_cursor",
    problem,
  });
}
