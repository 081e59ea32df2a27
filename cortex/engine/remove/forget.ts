/**
 * Forgetting items: by their ids, or by what they are.
 *
 * Both roots are covered, always. What was removed is looked for again before
 * it is said to be gone.
 *
 * Specification: docs/spec/cortex_engine.md section 10.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import type { Reach } from "../../layout/reach.ts";
import { MAX_FORGOTTEN } from "../../client/request_checks.ts";
import type { EventId } from "../../client/wire.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
  type ReadReport,
} from "../context.ts";
import {
  checkFilter,
  type Filter,
  isEmptyFilter,
  matches,
  narrowingLabels,
  toScopeQuery,
} from "../read/filter.ts";
import { allScopes, scopesToRemoveFrom } from "../read/find_scopes.ts";
import { checkIds } from "../read/get.ts";
import type { ItemId } from "../item/item.ts";
import { invalidRequest } from "../item/item_check.ts";
import { metaAt, type OwnEvent, readOwnEvent } from "../item/rebuild.ts";
import { poll } from "../write/visibility.ts";
import type { Marks } from "../item/mark.ts";
import { findAcross } from "../read/find_across.ts";
import {
  batches,
  findItemEvents,
  NO_TEXT,
  noteMark,
  walkEvents,
} from "../read/walk.ts";

/** What to forget. */
export type ForgetItemsRequest =
  & {
    /** Why, for CortexDB's audit. */
    readonly reason?: string | undefined;
    /** Only says what would be forgotten. */
    readonly preview?: boolean | undefined;
  }
  & (
    | {
      /** Items by their ids, 1 to 200; wherever they lie without a reach. */
      readonly ids: readonly string[];
      /** Only where this reach reads. */
      readonly reach?: Reach | undefined;
    }
    | {
      /** Items by what they are; at least one field. */
      readonly filter: Filter;
    }
  );

/** What was forgotten. */
export interface ForgetReport extends ReadReport {
  /** The items found, each once, whichever roots held it. */
  readonly matched: readonly ItemId[];
  /** Those that another look did not find any more. */
  readonly forgotten: readonly ItemId[];
  /** Those that are still seen. */
  readonly left: readonly ItemId[];
  /** How many events were removed. */
  readonly events: number;
  /**
   * Items that those forgotten had replaced, and that nothing else replaces:
   * they come in recall and list again.
   */
  readonly restored: readonly ItemId[];
}

/** An item that a filter may mean, as far as its events were read. */
interface Candidate {
  /** The lowest index of its parts. */
  first: number;
  /** Whether that part passes. */
  isMatch: boolean;
  readonly eventIds: EventId[];
  /** What it replaces. */
  readonly replaces: readonly ItemId[];
}

interface Found {
  readonly scope: Scope;
  readonly byItem: ReadonlyMap<ItemId, readonly EventId[]>;
  /** What the items replace. */
  readonly replaced: readonly ItemId[];
}

const PROOF_MS = 5_000;
const DEFAULT_REASON = "forgotten by request";

/** Forgets items. */
export async function forgetItems(
  context: EngineContext,
  request: ForgetItemsRequest,
  options: OperationOptions,
): Promise<ForgetReport> {
  const { scopes, find } = await plan(context, request, options);
  const found = (await forEachScope(scopes, async (scope): Promise<Found> => {
    return { scope, ...await find(scope) };
  })).filter(({ byItem }) => byItem.size > 0);
  const matched = [
    ...new Set(found.flatMap(({ byItem }) => [...byItem.keys()])),
  ];
  const reading = { scopes: scopes.map(({ path }) => path), isCut: false };
  if (request.preview === true) {
    return {
      matched,
      forgotten: [],
      left: matched,
      events: 0,
      restored: [],
      ...reading,
    };
  }
  const auditNote = request.reason ?? DEFAULT_REASON;
  let events = 0;
  for (const { scope, byItem } of found) {
    const ids = [...byItem.values()].flat();
    await forgetEvents(context, scope, ids, auditNote, options);
    events += ids.length;
  }
  const left = await stillSeen(context, found, options);
  const forgotten = matched.filter((id) => !left.includes(id));
  const replaced = found.flatMap((one) => one.replaced)
    .filter((id) => !forgotten.includes(id));
  const restored = replaced.length === 0
    ? []
    : await restore(context, { replaced, by: forgotten, auditNote }, options);
  return { matched, forgotten, left, events, restored, ...reading };
}

/** Takes the marks off that items had put on what they replaced. */
async function restore(
  context: EngineContext,
  { replaced, by, auditNote }: {
    readonly replaced: readonly ItemId[];
    readonly by: readonly ItemId[];
    readonly auditNote: string;
  },
  options: OperationOptions,
): Promise<readonly ItemId[]> {
  const { scopes } = await allScopes(context, { ...options, mayBeCut: true });
  const restored = await forEachScope(scopes, async (scope) => {
    const marks: Marks = new Map();
    const how = { ...options, ...NO_TEXT, marks };
    await findItemEvents(context, scope, replaced, how);
    const own = [...marks.values()].flat();
    const ours = own.filter((mark) => by.includes(mark.by));
    const ids = ours.map(({ eventId }) => eventId);
    await forgetEvents(context, scope, ids, auditNote, options);
    return ours.map(({ id }) => id)
      .filter((id) =>
        own.every((mark) => mark.id !== id || ours.includes(mark))
      );
  });
  return [...new Set(restored.flat())];
}

/** Removes events of a scope by their ids; nothing for none. */
export async function forgetEvents(
  { client }: EngineContext,
  { path }: Scope,
  ids: readonly EventId[],
  auditNote: string,
  options: OperationOptions,
): Promise<void> {
  for (const eventIds of batches(ids, MAX_FORGOTTEN)) {
    await client.forget({ scope: path, eventIds, auditNote }, options);
  }
}

interface Plan {
  readonly scopes: readonly Scope[];
  readonly find: (scope: Scope) => Promise<Omit<Found, "scope">>;
}

async function plan(
  context: EngineContext,
  request: ForgetItemsRequest,
  options: OperationOptions,
): Promise<Plan> {
  if ("ids" in request) {
    const ids = checkIds(request.ids);
    const { reach } = request;
    // An id is meant wherever it lies, sandboxes included.
    const scopes = reach === undefined
      ? (await allScopes(context, options)).scopes
      : await scopesToRemoveFrom(context, { reach }, options);
    const marks: Marks = new Map();
    const how = { ...options, ...NO_TEXT, marks };
    const found = await findAcross(context, scopes, ids, how);
    return {
      scopes,
      find: (scope) =>
        Promise.resolve(foundIn(scope, found.get(scope) ?? new Map(), marks)),
    };
  }
  const { filter } = request;
  checkFilter(filter);
  if (isEmptyFilter(filter)) {
    throw invalidRequest(
      "Nothing says what to forget: name ids, or a filter with at least one field",
    );
  }
  const query = toScopeQuery(filter);
  const scopes = await scopesToRemoveFrom(context, query, options);
  return {
    scopes,
    find: (scope) => findMatching(context, scope, filter, options),
  };
}

/** The events of items that were asked for by id, and of their marks. */
function foundIn(
  { path }: Scope,
  found: ReadonlyMap<ItemId, readonly OwnEvent[]>,
  marks: Marks,
): Omit<Found, "scope"> {
  const byItem = new Map(
    [...found].map(([id, own]) => [id, own.map(({ eventId }) => eventId)]),
  );
  // The mark of what lies below the retired root lies below the other one.
  for (const mark of [...marks.values()].flat()) {
    if (mark.path !== path) continue;
    byItem.set(mark.id, [...byItem.get(mark.id) ?? [], mark.eventId]);
  }
  return {
    byItem,
    replaced: [...found.values()].flatMap(([first]) =>
      first?.envelope.meta.replaces ?? []
    ),
  };
}

async function findMatching(
  context: EngineContext,
  scope: Scope,
  filter: Filter,
  options: OperationOptions,
): Promise<Omit<Found, "scope">> {
  const marks: Marks = new Map();
  // No texts are kept: a scope may hold more than fits into memory.
  const found = new Map<ItemId, Candidate>();
  // All events of an item carry the same labels.
  const walk = { labels: narrowingLabels(filter) };
  const facts = { ...options, ...NO_TEXT };
  for await (const { event } of walkEvents(context, scope, walk, facts)) {
    const own = readOwnEvent(scope, event);
    if (own === undefined) {
      noteMark(marks, scope, event);
      continue;
    }
    const { id, part, meta: { replaces = [] } } = own.envelope;
    const item: Candidate = found.get(id) ??
      { first: Infinity, isMatch: false, eventIds: [], replaces };
    item.eventIds.push(own.eventId);
    // An item goes as a whole or not at all: as a listing, by its first part.
    if (part.index < item.first) {
      item.first = part.index;
      item.isMatch = matches(filter, metaAt(scope, own.envelope));
    }
    found.set(id, item);
  }
  const matching = [...found].filter(([, { isMatch }]) => isMatch);
  return {
    byItem: new Map(
      matching.map(([id, { eventIds }]) => [
        id,
        [...eventIds, ...(marks.get(id) ?? []).map(({ eventId }) => eventId)],
      ]),
    ),
    replaced: matching.flatMap(([, { replaces }]) => replaces),
  };
}

/** Looks again for a while, since a listing may lag behind. */
async function stillSeen(
  context: EngineContext,
  found: readonly Found[],
  options: OperationOptions,
): Promise<readonly ItemId[]> {
  let left: ItemId[] = [];
  await poll(context, PROOF_MS, options, async () => {
    const seen = await forEachScope(found, async ({ scope, byItem }) => {
      const there = await findItemEvents(
        context,
        scope,
        [...byItem.keys()],
        { ...options, ...NO_TEXT },
      );
      // Events stored meanwhile are others than those removed.
      return [...there].flatMap(([id, own]) =>
        own.some(({ eventId }) => byItem.get(id)?.includes(eventId)) ? [id] : []
      );
    });
    left = [...new Set(seen.flat())];
    return left.length === 0;
  });
  return left;
}
