/**
 * `append_work_backlog_item`: one cleared issue into the queue.
 *
 * @module
 */
import { appendItem } from "../../../fleet/mod.ts";
import { countItems } from "../../../store/backlog/mod.ts";
import { COUNT, FLAG, inputOf, objectOf, wordOf } from "../../schema.ts";
import { setByServer } from "../group.ts";
import { defineTool } from "../tool.ts";
import { BANDS_TEXT, ITEM_INPUT, ITEM_REQUIRED } from "./inputs.ts";
import { itemRequest } from "./item_request.ts";
import { ITEM, itemShape } from "./shapes.ts";

/** The tool. */
export const appendWorkBacklogItem = defineTool({
  name: "append_work_backlog_item",
  title: "Append work backlog item",
  access: "write",
  description:
    `Adds one issue that the issue gate has cleared to the queue of work. If one of the same key is in line, nothing is added and that one comes back (already_queued), so repeating is safe. Its place is the server's: below the others of its estimated_cost in the band ${BANDS_TEXT}. Pass the cost that you rated. Who adds it is taken from this connection. Refuses an item without an issue, and precedence, pinned, prompt, status and authors by name: people alone place and pin. Keep it thin: the issue is the record.`,
  isDestructive: false,
  isIdempotent: true,
  input: inputOf(ITEM_INPUT, [...ITEM_REQUIRED, "issue_url"]),
  refused: {
    ...setByServer("status", "added_by"),
    pinned: '"pinned" cannot be passed: people pin, on the page or over REST',
  },
  output: objectOf({
    result: wordOf(["appended", "already_queued"]),
    position: COUNT,
    precedence: { type: "integer" },
    band_respaced: FLAG,
    queued_total: COUNT,
    item: ITEM,
  }),
  async run({ services, connection }, args) {
    const { sessionId } = connection;
    const root = sessionId === null
      ? undefined
      : await services.sessionRoots.rootOf(sessionId);
    const { isNew, item, position, isRespaced } = await appendItem(
      services,
      { ...itemRequest(args), issueUrl: args.issue_url },
      {
        via: "mcp",
        by: root?.slice(0, 100) ?? "mcp",
        sessionId: root === undefined ? null : sessionId,
      },
    );
    const { queued } = await countItems(await services.store.db());
    return {
      result: isNew ? "appended" as const : "already_queued" as const,
      position,
      precedence: item.precedence,
      band_respaced: isRespaced,
      queued_total: queued,
      item: itemShape(item),
    };
  },
});
