/**
 * The backlog: work that waits to be started, in order.
 *
 * @module
 */
export type {
  AddedVia,
  BacklogItem,
  Cost,
  ItemStatus,
  ScopeDirection,
} from "./item.ts";
export { ADDED_VIA, COSTS, ITEM_STATUSES, SCOPE_DIRECTIONS } from "./item.ts";
export type { NewItem, Slot, Surroundings } from "./queue.ts";
export {
  firstItems,
  insertItem,
  itemById,
  lockQueue,
  markRemoved,
  markStarted,
  moveItems,
  placesAround,
  putItem,
  queuedItems,
  unpinnedSlots,
} from "./queue.ts";
export type {
  ItemCounts,
  ItemFilter,
  ItemPage,
  ItemState,
  RankedItem,
} from "./read.ts";
export { countItems, ITEM_STATES, listItems } from "./read.ts";
