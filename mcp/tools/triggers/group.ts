/**
 * Group `triggers`. It has no tools yet: a known name that lists nothing.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";

/** The group. */
export const triggersGroup: ToolGroup = {
  name: "triggers",
  kind: "base",
  isSessionDefault: false,
  summary: "Triggers and wakes that start or continue sessions",
  tools: [],
};
