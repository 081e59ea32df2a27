/**
 * Listing items.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import type {
  EngineContext,
  OperationOptions,
  ReadReport,
} from "../context.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { checkFilter, type Filter, toScopeQuery } from "./filter.ts";
import { compareScopes, scopesToRead } from "./find_scopes.ts";
import { invalidRequest } from "../item/item_check.ts";
import type { Hit } from "../item/rebuild.ts";
import { walkItems } from "./walk_items.ts";

/** Which items to list. */
export interface ListRequest {
  /** Which items. */
  readonly filter: Filter;
  /** The most items, 1 to 1000. */
  readonly limit: number;
  /** Where the last page ended. */
  readonly cursor?: string | undefined;
  /** Only so many characters of each text; whole texts when left out. */
  readonly textLimit?: number | undefined;
  /** Whether items that others replace come, too. */
  readonly withReplaced?: boolean | undefined;
}

/** A page of items. */
export interface ItemPage extends ReadReport {
  /** By kind and node, each newest first; no item twice, on any page. */
  readonly items: readonly Hit[];
  /** For each item, where to go on behind it. */
  readonly cursors: readonly string[];
  /** Where to go on, perhaps to an empty page; undefined at the end. */
  readonly nextCursor: string | undefined;
}

const MAX_LIMIT = 1_000;

/** One page of the items that pass the filter. */
export async function listItems(
  context: EngineContext,
  { filter, limit, cursor, textLimit, withReplaced }: ListRequest,
  options: OperationOptions,
): Promise<ItemPage> {
  checkFilter(filter);
  checkLimit(limit);
  const resume = cursor === undefined
    ? undefined
    : readCursor(context.layout, cursor, filter);
  const query = toScopeQuery(filter);
  const { scopes, isCut, sandboxes } = await scopesToRead(
    context,
    query,
    options,
  );
  const items: Hit[] = [];
  const cursors: string[] = [];
  const read: Scope["path"][] = [];
  const how = { ...options, textLimit };
  for (const scope of scopes) {
    const order = resume === undefined ? 1 : compareScopes(scope, resume.scope);
    if (order < 0) continue;
    const from = order === 0 ? resume?.position : undefined;
    read.push(scope.path);
    const walk = { filter, batch: limit, from, isWithReplaced: withReplaced };
    for await (const step of walkItems(context, scope, walk, how)) {
      items.push(step.hit);
      cursors.push(writeCursor(step, filter));
      if (items.length < limit) continue;
      const nextCursor = cursors.at(-1);
      return { items, cursors, nextCursor, scopes: read, isCut, sandboxes };
    }
  }
  return {
    items,
    cursors,
    nextCursor: undefined,
    scopes: read,
    isCut,
    sandboxes,
  };
}

/**
 * Refuses a limit that is none.
 *
 * @throws {CortexRefusalError} `invalid_request`
 */
export function checkLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return;
  throw invalidRequest(`limit must be from 1 to ${MAX_LIMIT}, not ${limit}`);
}
