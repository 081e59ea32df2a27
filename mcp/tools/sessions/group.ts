/**
 * Group `sessions`. It has no tools yet: a known name that lists nothing.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";

/** The group. */
export const sessionsGroup: ToolGroup = {
  name: "sessions",
  kind: "base",
  isSessionDefault: false,
  summary: "Sessions of agent roots: find, start and steer them",
  tools: [],
};
