/**
 * Group `self_session`. It has no tools yet: a known name that lists nothing.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";

/** The group. */
export const selfSessionGroup: ToolGroup = {
  name: "self_session",
  kind: "composite",
  isSessionDefault: true,
  summary: "What a session needs of itself",
  tools: [],
};
