/**
 * Routes of the gate ledger: find, read and record decisions. What people say
 * of them is given on the page, and on no route.
 *
 * @module
 */
import { recordDecision, searchDecisions } from "../../fleet/mod.ts";
import {
  feedbackOn,
  findDecision,
  readPayloads,
} from "../../store/gate/mod.ts";
import { ToolError } from "../errors.ts";
import { COUNT, FREE, inputOf, listOf, objectOf } from "../schema.ts";
import {
  decisionQueryOf,
  ENTRY_INPUT,
  GATE_INPUT,
  SEARCH_INPUT,
  SURFACE_INPUT,
} from "../tools/gate_decisions/inputs.ts";
import {
  DECISION_PAGE,
  pageShape,
} from "../tools/gate_decisions/search_page.ts";
import {
  DECISION,
  decisionShape,
  FEEDBACK,
  feedbackShape,
} from "../tools/gate_decisions/shapes.ts";
import { defineRoute, type RestRoute } from "./route.ts";

/** A decision with its entry and what was said of it. */
export const WHOLE_DECISION = objectOf({
  ...DECISION.properties,
  payload: FREE,
  feedback: listOf(FEEDBACK),
});

/** The routes. */
export const GATE_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/gate_decisions",
    operationId: "search_gate_decisions",
    summary: "Decisions of the gates, newest first, without their entries",
    input: inputOf(SEARCH_INPUT),
    output: DECISION_PAGE,
    async run({ services, signal }, args) {
      const page = await searchDecisions(
        services,
        decisionQueryOf(args, signal),
      );
      const db = await services.store.db();
      const said = await feedbackOn(db, page.decisions.map(({ id }) => id));
      const found = page.decisions.map((decision) => ({
        decision,
        feedback: said.filter(({ decisionId }) => decisionId === decision.id),
        payload: undefined,
        isPayloadCut: false,
      }));
      const offset = args.cursor === undefined ? args.offset ?? 0 : undefined;
      return pageShape(page, found, offset);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/gate_decisions",
    operationId: "record_gate_decision",
    summary:
      "Records a decision; human_feedback is taken out of its entry at any depth",
    input: inputOf({
      gate: GATE_INPUT,
      surface: SURFACE_INPUT,
      entry: ENTRY_INPUT,
    }, ["gate", "surface", "entry"]),
    status: 201,
    output: objectOf({ decision: DECISION, human_feedback_removed: COUNT }),
    async run({ services }, { gate, surface, entry }) {
      const { decision, removedFeedback } = await recordDecision(services, {
        gate,
        surface,
        entry,
        recordedVia: "api",
        writingSessionId: null,
      });
      return {
        decision: decisionShape(decision),
        human_feedback_removed: removedFeedback,
      };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/gate_decisions/{id}",
    operationId: "get_gate_decision",
    summary: "One decision with its whole entry and what people said of it",
    input: inputOf({
      id: {
        type: "integer",
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "Its number in the ledger",
      },
    }, ["id"]),
    output: objectOf({ decision: WHOLE_DECISION }),
    async run({ services }, { id }) {
      const db = await services.store.db();
      const [decision, payloads, feedback] = await Promise.all([
        findDecision(db, id),
        readPayloads(db, [id]),
        feedbackOn(db, [id]),
      ]);
      if (decision === undefined) {
        throw new ToolError(`There is no decision ${id} in the ledger`, {
          reason: "not_found",
        });
      }
      return {
        decision: {
          ...decisionShape(decision),
          payload: payloads.get(id) ?? {},
          feedback: feedback.map(feedbackShape),
        },
      };
    },
  }),
];
