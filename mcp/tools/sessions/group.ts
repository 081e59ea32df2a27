/**
 * Group `sessions`: finding, starting and steering them.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { actionSession } from "./action_session.ts";
import { manageEnqueuedMessages } from "./manage_enqueued_messages.ts";
import { startSessionTool } from "./start_session.ts";

/** The group. */
export const sessionsGroup: ToolGroup = {
  name: "sessions",
  kind: "base",
  isSessionDefault: false,
  summary: "Sessions of agent roots: find, start and steer them",
  tools: [startSessionTool, actionSession, manageEnqueuedMessages],
};
