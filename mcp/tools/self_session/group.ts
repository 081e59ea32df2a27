/**
 * Group `self_session`: what a session needs of itself.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { getOwnCosts } from "../health/get_costs.ts";
import { wakeMeUpLater } from "../triggers/wake_me_up_later.ts";
import { wakeMeUpWhenSessionChangesState } from "../triggers/wake_me_up_when_session_changes_state.ts";
import { selfActionSession } from "./action_session.ts";

/** The group. */
export const selfSessionGroup: ToolGroup = {
  name: "self_session",
  kind: "composite",
  isSessionDefault: true,
  summary: "What a session needs of itself",
  tools: [
    selfActionSession,
    wakeMeUpLater,
    wakeMeUpWhenSessionChangesState,
    getOwnCosts,
  ],
};
