/**
 * `pull_work_backlog_items`: starts work off the queue, all or nothing.
 *
 * @module
 */
import { DEAD_REASONS, MAX_PULLED, pullItems } from "../../../fleet/mod.ts";
import { countItems } from "../../../store/backlog/mod.ts";
import {
  COUNT,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  wordOf,
} from "../../schema.ts";
import { SESSION, sessionShape } from "../../session_shape.ts";
import { defineTool } from "../tool.ts";
import { COUNTS, countsShape, ITEM, itemShape } from "./shapes.ts";

/** The tool. */
export const pullWorkBacklogItems = defineTool({
  name: "pull_work_backlog_items",
  title: "Pull work backlog items",
  access: "write",
  description:
    `Starts items of the queue: each becomes a spot session on the router root, a child of yours, told its issue's address and to implement it. keys starts exactly these, in this order, and is safe to repeat; count starts the first so many, and a repetition starts the next. At most ${MAX_PULLED} a call. Look at each issue before: an item whose issue is dead goes into dead, with what you saw (${
      DEAD_REASONS.join(", ")
    }), and is taken off; any other removal is a person's. All or nothing: an error begins with "Nothing was pulled". The first one started runs first. Needs a connection that names its session.`,
  isDestructive: true,
  isIdempotent: false,
  input: inputOf({
    count: {
      type: "integer",
      description: `The first so many, 0 to ${MAX_PULLED}; not with keys`,
    },
    keys: {
      type: "array",
      items: { type: "string" },
      description: `Exactly these, in this order, ${MAX_PULLED} at most`,
    },
    dead: {
      type: "array",
      items: {
        type: "object",
        properties: { key: { type: "string" }, reason: { type: "string" } },
        required: ["key", "reason"],
        additionalProperties: false,
      },
      description: `Items to take off, each with its reason: ${
        DEAD_REASONS.join(", ")
      }`,
    },
  }),
  output: objectOf({
    started: listOf(objectOf({
      item: ITEM,
      session: SESSION,
      scheduling_class: wordOf(["spot"]),
      precedence: { type: "integer" },
    })),
    removed: listOf(objectOf({ key: TEXT, reason: TEXT, item: ITEM })),
    counts: COUNTS,
    pulled_by_session_id: orNull(COUNT),
  }),
  async run({ services, connection }, { count, keys, dead }) {
    const { started, removed } = await pullItems(services, {
      count,
      keys,
      dead,
    }, connection);
    const counts = await countItems(await services.store.db());
    return {
      started: started.map(({ item, session }) => ({
        item: itemShape(item),
        session: sessionShape(session),
        scheduling_class: "spot" as const,
        precedence: session.precedence,
      })),
      removed: removed.map((item) => ({
        key: item.key,
        reason: item.removalReason ?? "",
        item: itemShape(item),
      })),
      counts: countsShape(counts),
      pulled_by_session_id: connection.sessionId,
    };
  },
});
