/**
 * Getting items by their ids.
 *
 * @module
 */

import { quote } from "../../errors.ts";
import { MAX_IDS } from "../../words.ts";
import type { Reach } from "../../layout/reach.ts";
import type { ScopePath } from "../../layout/scope.ts";
import type {
  EngineContext,
  OperationOptions,
  ReadReport,
} from "../context.ts";
import { allScopes, scopesToRead } from "./find_scopes.ts";
import { isItemId, type ItemId } from "../item/item.ts";
import { invalidRequest } from "../item/item_check.ts";
import { type ReadableHit, rebuild } from "../item/rebuild.ts";
import type { Marks } from "../item/mark.ts";
import { findAcross } from "./across/find_across.ts";
import { batches } from "./walk.ts";

/** Which items to get. */
export interface GetRequest {
  /** Their ids, 1 to 200. */
  readonly ids: readonly string[];
  /**
   * Where they may lie; everywhere outside sandboxes when left out, and in
   * them, too, for `everywhere`.
   */
  readonly reach?: Reach | "everywhere" | undefined;
  /** Only so many characters of each text; whole texts when left out. */
  readonly textLimit?: number | undefined;
}

/** The items found. */
export interface Got extends ReadReport {
  /** In the order asked; what was not found is left out. */
  readonly items: readonly ReadableHit[];
}

/** How many scopes are read before looking whether all are found. */
const SCOPES_AT_ONCE = 8;

/** The items, wherever in the reach they lie. */
export async function getItems(
  context: EngineContext,
  { ids, reach, textLimit }: GetRequest,
  options: OperationOptions,
): Promise<Got> {
  const wanted = checkIds(ids);
  const marks: Marks = new Map();
  const how = { ...options, textLimit, marks };
  const { scopes, isCut } = reach === "everywhere"
    ? await allScopes(context, { ...options, mayBeCut: true })
    : await scopesToRead(context, { reach }, options);
  const found = new Map<ItemId, ReadableHit>();
  const read: ScopePath[] = [];
  // Where one listing finds them all there is nothing to stop early for.
  const atOnce = context.listsBelow ? scopes.length : SCOPES_AT_ONCE;
  for (const some of batches(scopes, Math.max(1, atOnce))) {
    // An item that is not whole may be so below the other root.
    const missing = wanted.filter((id) => found.get(id)?.isWhole !== true);
    if (missing.length === 0) break;
    const across = await findAcross(context, some, missing, how);
    read.push(...some.map(({ path }) => path));
    for (const scope of some) {
      for (const own of across.get(scope)?.values() ?? []) {
        const hit = rebuild(scope, own, how);
        if (hit !== undefined) keepBetter(found, hit);
      }
    }
  }
  const items = wanted.flatMap((id) => {
    const hit = found.get(id);
    const by = marks.get(id)?.[0]?.by;
    return hit === undefined
      ? []
      : by === undefined
      ? [hit]
      : [{ ...hit, replacedBy: by }];
  });
  return { items, scopes: read, isCut };
}

/**
 * Refuses a list of ids that is none; drops repeats.
 *
 * @throws {CortexRefusalError} `invalid_request`
 */
export function checkIds(ids: readonly string[]): readonly ItemId[] {
  if (ids.length === 0 || ids.length > MAX_IDS) {
    throw invalidRequest(
      `A request names 1 to ${MAX_IDS} ids, this one ${ids.length}`,
    );
  }
  return [...new Set(ids)].map((id) => {
    if (isItemId(id)) return id;
    throw invalidRequest(
      `${quote(id)} is no item id: ids have 40 hex digits, lower case`,
    );
  });
}

/** The root's copy comes first and stays, unless only the other is whole. */
function keepBetter(
  found: Map<ItemId, ReadableHit>,
  hit: ReadableHit,
): void {
  const there = found.get(hit.id);
  if (there === undefined || (!there.isWhole && hit.isWhole)) {
    found.set(hit.id, hit);
  }
}
