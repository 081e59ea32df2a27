/**
 * Group `health`: how this server is.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { actionSpotPolicy } from "./action_spot_policy.ts";
import { getCosts } from "./get_costs.ts";
import { getSpotPolicy } from "./get_spot_policy.ts";
import { getSystemHealth } from "./get_system_health.ts";

/** The group. */
export const healthGroup: ToolGroup = {
  name: "health",
  kind: "base",
  isSessionDefault: false,
  summary: "How this server is: catalog, root data and memory",
  tools: [getSystemHealth, getSpotPolicy, actionSpotPolicy, getCosts],
};
