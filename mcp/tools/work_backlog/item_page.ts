/**
 * A page of the backlog.
 *
 * @module
 */
import {
  countItems,
  type ItemFilter,
  listItems,
} from "../../../store/backlog/mod.ts";
import { assertStorable, type Db } from "../../../store/pg/mod.ts";
import {
  COUNT,
  FREE,
  listOf,
  objectOf,
  orNull,
  type ValueOf,
} from "../../schema.ts";
import { DEFAULT_PAGE_BYTES, fitPage } from "../page.ts";
import { DEFAULT_ITEMS, type LIST_INPUT } from "./inputs.ts";
import {
  COUNTS,
  countsShape,
  ITEM,
  itemShape,
  RANKING,
  RANKING_VALUE,
} from "./shapes.ts";

/** A page. */
export const ITEM_PAGE = objectOf({
  filters: FREE,
  counts: COUNTS,
  ranking: RANKING,
  total_matching: COUNT,
  returned: COUNT,
  offset: COUNT,
  next_offset: orNull(COUNT),
  items: listOf(objectOf({
    ...ITEM.properties,
    position: orNull({ ...COUNT, description: "In the whole queue, from 1" }),
  })),
});

/** What narrows and pages the list. */
type ListArguments = {
  readonly [K in keyof typeof LIST_INPUT]?:
    | ValueOf<typeof LIST_INPUT[K]>
    | undefined;
};

/** Reads a page; it has as many items as fit into `maxBytes`. */
export async function itemPage(
  db: Db,
  args: ListArguments,
  maxBytes = DEFAULT_PAGE_BYTES,
): Promise<ValueOf<typeof ITEM_PAGE>> {
  const { limit = DEFAULT_ITEMS, offset = 0, ...filters } = args;
  assertStorable(filters, "a filter");
  const filter: ItemFilter = {
    state: args.status,
    surface: args.surface,
    repo: args.repo,
    scopeDirection: args.scope_direction,
    kind: args.kind,
    estimatedCost: args.estimated_cost,
    pinned: args.pinned,
    key: args.key,
    addedBy: args.added_by,
    limit,
    offset,
  };
  const [{ items, total }, counts] = await Promise.all([
    listItems(db, filter),
    countItems(db),
  ]);
  const shown = items.map(({ item, position }) => ({
    ...itemShape(item),
    position,
  }));
  return fitPage(shown.length, (count) => ({
    filters: { status: "queued", ...filters },
    counts: countsShape(counts),
    ranking: RANKING_VALUE,
    total_matching: total,
    returned: count,
    offset,
    next_offset: offset + count < total && count > 0 ? offset + count : null,
    items: shown.slice(0, count),
  }), maxBytes);
}
