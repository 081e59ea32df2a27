/**
 * Routes of triggers: what the tools of the group do.
 *
 * @module
 */
import {
  clockWarnings,
  createTrigger,
  invokeTrigger,
  listTriggers,
  removeTrigger,
  showTrigger,
  toggleTrigger,
  UNRESTRICTED,
  updateTrigger,
} from "../../fleet/mod.ts";
import { fleetOf } from "../fleet.ts";
import { COUNT, FLAG, inputOf, objectOf } from "../schema.ts";
import { TRIGGER_LIST_INPUT } from "../tools/triggers/search_triggers.ts";
import {
  textsOf,
  TRIGGER_ID,
  TRIGGER_INPUT,
  triggerRequest,
  VARIABLES_INPUT,
} from "../tools/triggers/trigger_input.ts";
import {
  savedShape,
  TRIGGER_FIRED,
  TRIGGER_PAGE,
  TRIGGER_SAVED,
  TRIGGER_VIEW,
  triggerShape,
  viewShape,
} from "../tools/triggers/trigger_shape.ts";
import { defineRoute, type RestRoute } from "./route.ts";

const DEFAULT_PER_PAGE = 25;
const BY_ID = inputOf({ id: TRIGGER_ID }, ["id"]);
const { clear: _clear, ...NEW_TRIGGER } = TRIGGER_INPUT;

/** The routes. */
export const TRIGGER_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/triggers",
    operationId: "list_triggers",
    summary: "Triggers and wakes: failed ones first, then newest first",
    input: inputOf(TRIGGER_LIST_INPUT),
    output: TRIGGER_PAGE,
    async run({ services }, args) {
      const { page = 1, per_page: perPage = DEFAULT_PER_PAGE } = args;
      const { total, triggers } = await listTriggers(services, UNRESTRICTED, {
        type: args.trigger_type,
        status: args.status,
        limit: perPage,
        offset: (page - 1) * perPage,
      });
      return {
        total,
        page,
        warnings: await clockWarnings(await services.store.db()),
        triggers: triggers.map((one) => triggerShape(one)),
      };
    },
  }),
  defineRoute({
    method: "POST",
    path: "/triggers",
    operationId: "create_trigger",
    summary:
      "Makes a trigger; the address of a webhook is in this answer and nowhere else",
    input: inputOf(
      NEW_TRIGGER,
      ["name", "agent_root_name", "prompt_template"],
    ),
    status: 201,
    output: TRIGGER_SAVED,
    run: async ({ services }, args) =>
      savedShape(
        await createTrigger(services, UNRESTRICTED, triggerRequest(args)),
      ),
  }),
  defineRoute({
    method: "GET",
    path: "/triggers/{id}",
    operationId: "get_trigger",
    summary: "A trigger, whole, with its latest sessions and firings",
    input: BY_ID,
    output: TRIGGER_VIEW,
    run: async ({ services }, { id }) =>
      viewShape(await showTrigger(services, UNRESTRICTED, id)),
  }),
  defineRoute({
    method: "POST",
    path: "/triggers/{id}/update",
    operationId: "update_trigger",
    summary:
      "Changes what is given; of conditions, an id edits, none adds, remove takes away",
    input: inputOf({ id: TRIGGER_ID, ...TRIGGER_INPUT }, ["id"]),
    output: TRIGGER_SAVED,
    run: async ({ services }, { id, ...args }) =>
      savedShape(
        await updateTrigger(services, UNRESTRICTED, id, triggerRequest(args)),
      ),
  }),
  defineRoute({
    method: "POST",
    path: "/triggers/{id}/toggle",
    operationId: "toggle_trigger",
    summary: "Switches a trigger on or off; one that failed is armed again",
    input: inputOf({ id: TRIGGER_ID, status: TRIGGER_INPUT.status }, ["id"]),
    output: TRIGGER_SAVED,
    run: async ({ services }, { id, status }) =>
      savedShape(await toggleTrigger(services, UNRESTRICTED, id, status)),
  }),
  defineRoute({
    method: "POST",
    path: "/triggers/{id}/invoke",
    operationId: "invoke_trigger",
    summary: "Fires a trigger now, also one that is off",
    input: inputOf({ id: TRIGGER_ID, variables: VARIABLES_INPUT }, ["id"]),
    output: TRIGGER_FIRED,
    async run({ services }, { id, variables }) {
      const fired = await invokeTrigger(
        fleetOf(services),
        UNRESTRICTED,
        id,
        textsOf(variables ?? {}),
      );
      return {
        outcome: fired.kind,
        session_id: fired.sessionId ?? null,
        text: fired.text,
      };
    },
  }),
  defineRoute({
    method: "POST",
    path: "/triggers/{id}/delete",
    operationId: "delete_trigger",
    summary: "Deletes a trigger; the sessions that it started stay",
    input: BY_ID,
    output: objectOf({ id: COUNT, deleted: FLAG }),
    async run({ services }, { id }) {
      await removeTrigger(services, UNRESTRICTED, id);
      return { id, deleted: true };
    },
  }),
];
