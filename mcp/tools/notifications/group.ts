/**
 * Group `notifications`. It has no tools yet: a known name that lists nothing.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";

/** The group. */
export const notificationsGroup: ToolGroup = {
  name: "notifications",
  kind: "base",
  isSessionDefault: false,
  summary: "Notifications for people",
  tools: [],
};
