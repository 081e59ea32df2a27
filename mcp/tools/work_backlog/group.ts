/**
 * Group `work_backlog`. It has no tools yet: a known name that lists nothing.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";

/** The group. */
export const workBacklogGroup: ToolGroup = {
  name: "work_backlog",
  kind: "opt_in",
  isSessionDefault: false,
  summary: "The backlog of work to start",
  tools: [],
};
