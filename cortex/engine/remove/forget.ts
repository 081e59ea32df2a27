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
  toScopeQuery,
} from "../read/filter.ts";
import { allScopes, scopesToRemoveFrom } from "../read/find_scopes.ts";
import { checkIds } from "../read/get.ts";
import type { ItemId } from "../item/item.ts";
import { invalidRequest } from "../item/item_check.ts";
import { poll } from "../write/visibility.ts";
import type { Marks } from "../item/mark.ts";
import { findAcross, type FoundAcross } from "../read/across/find_across.ts";
import {
  batches,
  findItemEvents,
  NO_TEXT,
  type ReadOptions,
} from "../read/walk.ts";
import type { RemovalFailure } from "./failure.ts";
import { findById, findMatching, type ItemsAcross } from "./find_items.ts";

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
  /** Where it ended before it was done, and why; the look is at what is left. */
  readonly failure: RemovalFailure | undefined;
}

/** What is to go of one scope. */
interface Found {
  readonly scope: Scope;
  readonly byItem: ReadonlyMap<ItemId, ReadonlySet<EventId>>;
}

/** Where was looked, and what is to go. */
interface Plan {
  readonly scopes: readonly Scope[];
  readonly found: readonly Found[];
  /** What the items replace. */
  readonly replaced: readonly ItemId[];
}

/** What was removed before anything failed. */
interface Removal {
  readonly events: number;
  readonly failure: RemovalFailure | undefined;
}

const PROOF_MS = 5_000;
/**
 * More items are looked for each where it was: a listing of many scopes looks
 * into all of them for every fifty.
 */
const MAX_TOGETHER = 1_000;
const DEFAULT_REASON = "forgotten by request";

/** Forgets items. */
export async function forgetItems(
  context: EngineContext,
  request: ForgetItemsRequest,
  options: OperationOptions,
): Promise<ForgetReport> {
  const { scopes, found, replaced } = await plan(context, request, options);
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
      failure: undefined,
      ...reading,
    };
  }
  const auditNote = request.reason ?? DEFAULT_REASON;
  const removal = await removeFound(context, found, auditNote, options);
  let { failure } = removal;
  let left: readonly ItemId[] = matched;
  let restored: readonly ItemId[] = [];
  const withinMs = failure === undefined ? PROOF_MS : 0;
  try {
    left = await stillSeen(context, found, { ...options, withinMs });
    restored = await restore(context, {
      replaced,
      forgotten: matched.filter((id) => !left.includes(id)),
      auditNote,
    }, options);
  } catch (error) {
    failure ??= toFailure(removal, context.layout.root, error, options);
  }
  const forgotten = matched.filter((id) => !left.includes(id));
  const { events } = removal;
  return { matched, forgotten, left, events, restored, failure, ...reading };
}

/** Removes the events, up to where that fails. */
async function removeFound(
  context: EngineContext,
  found: readonly Found[],
  auditNote: string,
  options: OperationOptions,
): Promise<Removal> {
  let events = 0;
  for (const { scope, byItem } of found) {
    const ids = [...byItem.values()].flatMap((some) => [...some]);
    for (const some of batches(ids, MAX_FORGOTTEN)) {
      try {
        await forgetEvents(context, scope, some, auditNote, options);
      } catch (error) {
        const failure = toFailure({ events }, scope.path, error, options);
        return { events, failure };
      }
      events += some.length;
    }
  }
  return { events, failure: undefined };
}

/** What is gone is gone, and to be told; where nothing is, throws the error. */
function toFailure(
  { events }: Pick<Removal, "events">,
  path: RemovalFailure["path"],
  error: unknown,
  { signal }: OperationOptions,
): RemovalFailure {
  if (events === 0 || signal?.aborted === true) throw error;
  return { path, error };
}

/** Takes the marks off that forgotten items had put on what they replaced. */
async function restore(
  context: EngineContext,
  { replaced, forgotten, auditNote }: {
    readonly replaced: readonly ItemId[];
    readonly forgotten: readonly ItemId[];
    readonly auditNote: string;
  },
  options: OperationOptions,
): Promise<readonly ItemId[]> {
  const marked = replaced.filter((id) => !forgotten.includes(id));
  if (marked.length === 0) return [];
  const { scopes } = await allScopes(context, { ...options, mayBeCut: true });
  const marks: Marks = new Map();
  const how = { ...options, ...NO_TEXT, marks };
  await findAcross(context, scopes, marked, how);
  const all = [...marks.values()].flat();
  const ours = all.filter((mark) => forgotten.includes(mark.by));
  for (const scope of scopes) {
    const ids = ours.filter(({ path }) => path === scope.path)
      .map(({ eventId }) => eventId);
    await forgetEvents(context, scope, ids, auditNote, options);
  }
  const stay = new Set(
    all.filter((mark) => !ours.includes(mark)).map(({ id }) => id),
  );
  return [...new Set(ours.map(({ id }) => id))].filter((id) => !stay.has(id));
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
    return await planOf(
      scopes,
      (marks) => findById(context, scopes, ids, { ...options, marks }),
    );
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
  return await planOf(
    scopes,
    (marks) => findMatching(context, scopes, filter, { ...options, marks }),
  );
}

/** The items that were found, and the marks on them. */
async function planOf(
  scopes: readonly Scope[],
  find: (marks: Marks) => Promise<ItemsAcross>,
): Promise<Plan> {
  const marks: Marks = new Map();
  const items = await find(marks);
  const going = new Set(
    [...items.values()].flatMap((byItem) => [...byItem.keys()]),
  );
  // The mark of what lies below the retired root lies below the other one.
  const onThose = [...marks.values()].flat().filter(({ id }) => going.has(id));
  const found = scopes.map((scope): Found => {
    const byItem = new Map(
      [...items.get(scope) ?? []].map(([id, { eventIds }]) => [id, eventIds]),
    );
    for (const { path, id, eventId } of onThose) {
      if (path !== scope.path) continue;
      byItem.set(id, new Set([...byItem.get(id) ?? [], eventId]));
    }
    return { scope, byItem };
  });
  return {
    scopes,
    found: found.filter(({ byItem }) => byItem.size > 0),
    replaced: [...items.values()].flatMap((byItem) =>
      [...byItem.values()].flatMap(({ replaces }) => replaces)
    ),
  };
}

/** Looks again for a while, since a listing may lag behind. */
async function stillSeen(
  context: EngineContext,
  found: readonly Found[],
  { withinMs, ...options }: OperationOptions & { readonly withinMs: number },
): Promise<readonly ItemId[]> {
  let left: ItemId[] = [];
  await poll(context, withinMs, options, async () => {
    const seen = await lookAgain(context, found, { ...options, ...NO_TEXT });
    left = [];
    for (const { scope, byItem } of found) {
      for (const [id, own] of seen.get(scope) ?? []) {
        // Events stored meanwhile are others than those removed.
        const removed = byItem.get(id);
        if (own.some(({ eventId }) => removed?.has(eventId))) left.push(id);
      }
    }
    left = [...new Set(left)];
    return left.length === 0;
  });
  return left;
}

/** The events of the items that are there now. */
async function lookAgain(
  context: EngineContext,
  found: readonly Found[],
  options: ReadOptions,
): Promise<FoundAcross> {
  const ids = found.flatMap(({ byItem }) => [...byItem.keys()]);
  if (context.listsBelow && ids.length <= MAX_TOGETHER) {
    const scopes = found.map(({ scope }) => scope);
    return await findAcross(context, scopes, ids, options);
  }
  const seen = await forEachScope(found, async ({ scope, byItem }) => {
    const own = [...byItem.keys()];
    return [scope, await findItemEvents(context, scope, own, options)] as const;
  });
  return new Map(seen);
}
