/**
 * Group `health`: how this server and its fleet are.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { actionHealth } from "./action_health.ts";
import { actionSpotPolicy } from "./action_spot_policy.ts";
import { getCosts } from "./get_costs.ts";
import { getSpotPolicy } from "./get_spot_policy.ts";
import { getSystemHealth } from "./get_system_health.ts";

/** The group. */
export const healthGroup: ToolGroup = {
  name: "health",
  kind: "base",
  isSessionDefault: false,
  summary: "How this server and its fleet are, and what an operator does then",
  tools: [
    getSystemHealth,
    actionHealth,
    getSpotPolicy,
    actionSpotPolicy,
    getCosts,
  ],
};
