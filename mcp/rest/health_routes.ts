/**
 * Routes of the fleet's health: what an operator does about it, and the spot
 * policy.
 *
 * @module
 */
import { readSpotPolicy, UNRESTRICTED } from "../../fleet/mod.ts";
import { digestOf } from "../caller/caller_digest.ts";
import {
  actOnHealth,
  HEALTH_ACTION_ANSWER,
  HEALTH_ACTION_INPUT,
} from "../health_actions.ts";
import { NO_INPUT } from "../schema.ts";
import {
  changeSpotPolicy,
  SPOT_ACTION_INPUT,
} from "../tools/health/action_spot_policy.ts";
import { SPOT_POLICY, spotShape } from "../tools/health/spot_shape.ts";
import { defineRoute, type RestRoute } from "./route.ts";

/** The routes. */
export const HEALTH_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "POST",
    path: "/health/{action}",
    operationId: "act_on_health",
    summary:
      "Clean up, retry, archive, halt and open the lanes of jobs, jobs that wait, the ledger anew",
    input: HEALTH_ACTION_INPUT,
    output: HEALTH_ACTION_ANSWER,
    run: ({ services, key }, args) =>
      actOnHealth(
        services,
        { caller: UNRESTRICTED, digest: digestOf(key) },
        args,
      ),
  }),
  defineRoute({
    method: "GET",
    path: "/spot_policy",
    operationId: "get_spot_policy",
    summary: "Whether spot sessions go on now, and why",
    input: NO_INPUT,
    output: SPOT_POLICY,
    run: async ({ services }) => spotShape(await readSpotPolicy(services)),
  }),
  defineRoute({
    method: "POST",
    path: "/spot_policy",
    operationId: "change_spot_policy",
    summary: "Changes what holds spot sessions; the decision that follows",
    input: SPOT_ACTION_INPUT,
    output: SPOT_POLICY,
    async run({ services }, args) {
      await changeSpotPolicy(services, args);
      return spotShape(await readSpotPolicy(services));
    },
  }),
];
