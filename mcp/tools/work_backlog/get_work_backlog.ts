/**
 * `get_work_backlog`: the queue in its order.
 *
 * @module
 */
import { inputOf } from "../../schema.ts";
import { defineTool } from "../tool.ts";
import { BANDS_TEXT, LIST_INPUT } from "./inputs.ts";
import { ITEM_PAGE, itemPage } from "./item_page.ts";

/** The tool. */
export const getWorkBacklog = defineTool({
  name: "get_work_backlog",
  title: "Get work backlog",
  access: "read",
  description:
    `Shows the queue of work that was cleared and is not started yet, in the order in which it is to be started: highest precedence first, then the oldest. position is the place in the whole queue, whatever the filter. An item stands in a band by its estimated_cost: ${BANDS_TEXT}; a pinned one stands where a person put it. counts.in_flight is how many sessions of this backlog an agent goes on with; parked ones wait for a person. The issue is the record: look again whether it is open, unclaimed and trusted before you start anything. A page stops at its limit or at 40 KB; go on with next_offset.`,
  isDestructive: false,
  isIdempotent: true,
  input: inputOf(LIST_INPUT),
  output: ITEM_PAGE,
  async run({ services }, args) {
    return await itemPage(await services.store.db(), args);
  },
});
