/**
 * Group `self_session`: what a session needs of itself.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { getOwnCosts } from "../health/get_costs.ts";

/** The group. */
export const selfSessionGroup: ToolGroup = {
  name: "self_session",
  kind: "composite",
  isSessionDefault: true,
  summary: "What a session needs of itself",
  tools: [getOwnCosts],
};
