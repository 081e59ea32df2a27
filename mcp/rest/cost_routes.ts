/**
 * The route of costs.
 *
 * @module
 */
import { readCosts } from "../../fleet/mod.ts";
import { pricesOf } from "../prices.ts";
import { inputOf } from "../schema.ts";
import { COSTS, costsShape } from "../tools/health/costs_shape.ts";
import { COSTS_INPUT } from "../tools/health/get_costs.ts";
import { defineRoute, type RestRoute } from "./route.ts";

/** The route. */
export const COST_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/costs",
    operationId: "get_costs",
    summary:
      "What inference cost in a window of days, by list prices: all of the fleet, a root or a session",
    input: inputOf(COSTS_INPUT),
    output: COSTS,
    async run({ services }, args) {
      const { table, problem } = await pricesOf(services);
      const costs = await readCosts(services, {
        days: args.days,
        from: args.from,
        to: args.to,
        agentRoot: args.agent_root,
        sessionId: args.session_id,
      }, table);
      return costsShape(costs, [
        ...costs.notes,
        ...(problem === undefined ? [] : [problem]),
      ]);
    },
  }),
];
