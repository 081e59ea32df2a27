/**
 * Group `work_backlog`: the queue of work that agents start from.
 *
 * @module
 */
import { setByServer, type ToolGroup } from "../group.ts";
import { appendWorkBacklogItem } from "./append_work_backlog_item.ts";
import { getWorkBacklog } from "./get_work_backlog.ts";
import { pullWorkBacklogItems } from "./pull_work_backlog_items.ts";

/** What a person decides, or the server knows. */
const REFUSED = {
  ...setByServer("added_via", "writing_session_id"),
  precedence:
    '"precedence" cannot be passed: the server places an item by its estimated_cost, and people place it by hand on the page or over REST',
  prompt:
    '"prompt" cannot be passed: an agent adds issues only, and an item without one is a person\'s',
};

/** The group. */
export const workBacklogGroup: ToolGroup = {
  name: "work_backlog",
  kind: "opt_in",
  isSessionDefault: false,
  summary:
    "The backlog of work: read the ranked queue, append a cleared issue, pull the top items into spot sessions",
  instructions: {
    read: "The work backlog is a queue: get_work_backlog shows it in order.",
    write:
      "Look at an issue again before you pull it, and pull by keys rather than by count.",
  },
  refused: REFUSED,
  tools: [getWorkBacklog, appendWorkBacklogItem, pullWorkBacklogItems],
};
