/**
 * Routes of the backlog: read it, add to it, and what a person does with it:
 * pin, place, remove, start.
 *
 * @module
 */
import {
  appendItem,
  pinItem,
  PRECEDENCES,
  removeItem,
  startItem,
  unpinItem,
} from "../../fleet/mod.ts";
import { COUNT, FLAG, inputOf, objectOf, wordOf } from "../schema.ts";
import { SESSION, sessionShape } from "../session_shape.ts";
import {
  ITEM_INPUT,
  ITEM_REQUIRED,
  LIST_INPUT,
} from "../tools/work_backlog/inputs.ts";
import { ITEM_PAGE, itemPage } from "../tools/work_backlog/item_page.ts";
import { itemRequest } from "../tools/work_backlog/item_request.ts";
import { ITEM, itemShape } from "../tools/work_backlog/shapes.ts";
import { defineRoute, type RestRoute } from "./route.ts";

const ID = {
  type: "integer",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The item's number",
} as const;
const BY_ID = inputOf({ id: ID }, ["id"]);
const CHANGED = objectOf({ item: ITEM });
/** Bytes of a page. */
const MAX_PAGE_BYTES = 200_000;

/** The routes. */
export const BACKLOG_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/work_backlog",
    operationId: "get_work_backlog",
    summary: "The backlog, in the order of its queue",
    input: inputOf(LIST_INPUT),
    output: ITEM_PAGE,
    run: async ({ services }, args) =>
      await itemPage(await services.store.db(), args, MAX_PAGE_BYTES),
  }),
  defineRoute({
    method: "POST",
    path: "/work_backlog",
    operationId: "append_work_backlog_item",
    summary:
      "Adds an item; without an issue it needs a prompt, which stands behind the issue's address where there is one",
    input: inputOf({
      ...ITEM_INPUT,
      prompt: { type: "string", description: "What its session is told" },
    }, [...ITEM_REQUIRED]),
    status: 201,
    output: objectOf({
      result: wordOf(["appended", "already_queued"]),
      position: COUNT,
      band_respaced: FLAG,
      item: ITEM,
    }),
    async run({ services }, args) {
      const { isNew, item, position, isRespaced } = await appendItem(
        services,
        { ...itemRequest(args), prompt: args.prompt },
        { via: "api", by: "human", sessionId: null },
      );
      return {
        result: isNew ? "appended" as const : "already_queued" as const,
        position,
        band_respaced: isRespaced,
        item: itemShape(item),
      };
    },
  }),
  defineRoute({
    method: "POST",
    path: "/work_backlog/{id}/pin",
    operationId: "pin_work_backlog_item",
    summary: "Pins an item where it stands: nothing moves it any more",
    input: BY_ID,
    output: CHANGED,
    run: async ({ services }, { id }) => ({
      item: itemShape(await pinItem(services, id, { kind: "here" })),
    }),
  }),
  defineRoute({
    method: "POST",
    path: "/work_backlog/{id}/unpin",
    operationId: "unpin_work_backlog_item",
    summary: "Lets go of an item: it goes to the end of the band of its cost",
    input: BY_ID,
    output: CHANGED,
    run: async ({ services }, { id }) => ({
      item: itemShape(await unpinItem(services, id)),
    }),
  }),
  defineRoute({
    method: "POST",
    path: "/work_backlog/{id}/place",
    operationId: "place_work_backlog_item",
    summary:
      "Puts an item at a place and pins it; without precedence, at the top",
    input: inputOf({
      id: ID,
      precedence: {
        type: "integer",
        minimum: PRECEDENCES.least,
        maximum: PRECEDENCES.most,
        description: "Its place: higher is started sooner",
      },
    }, ["id"]),
    output: CHANGED,
    run: async ({ services }, { id, precedence }) => ({
      item: itemShape(
        await pinItem(
          services,
          id,
          precedence === undefined
            ? { kind: "top" }
            : { kind: "precedence", precedence },
        ),
      ),
    }),
  }),
  defineRoute({
    method: "POST",
    path: "/work_backlog/{id}/remove",
    operationId: "remove_work_backlog_item",
    summary: "Takes an item off, for a reason; its row stays",
    input: inputOf({
      id: ID,
      reason: { type: "string", description: "1 to 1,000 characters" },
    }, ["id", "reason"]),
    output: CHANGED,
    run: async ({ services }, { id, reason }) => ({
      item: itemShape(await removeItem(services, id, { reason, by: "human" })),
    }),
  }),
  defineRoute({
    method: "POST",
    path: "/work_backlog/{id}/start",
    operationId: "start_work_backlog_item",
    summary: "Starts an item now, as a session of the router root",
    input: inputOf({
      id: ID,
      scheduling_class: {
        type: "string",
        enum: ["priority", "spot"],
        description: "priority (the default), or in the queue of spot sessions",
      },
    }, ["id"]),
    status: 201,
    output: objectOf({ item: ITEM, session: SESSION }),
    async run({ services }, { id, scheduling_class: schedulingClass }) {
      const { item, session } = await startItem(services, id, {
        schedulingClass: schedulingClass ?? "priority",
        genesis: "api",
      });
      return { item: itemShape(item), session: sessionShape(session) };
    },
  }),
];
