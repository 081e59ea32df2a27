/**
 * Group `self_session`: what a session needs of itself, made of tools of other
 * groups.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { getOwnCosts } from "../health/get_costs.ts";
import { sendPushNotification } from "../notifications/send_push_notification.ts";
import { getConfigs } from "../sessions/get_configs.ts";
import { getSession } from "../sessions/get_session.ts";
import { getSessionProvenance } from "../sessions/get_session_provenance.ts";
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
    getSession,
    getSessionProvenance,
    getConfigs,
    sendPushNotification,
    selfActionSession,
    wakeMeUpLater,
    wakeMeUpWhenSessionChangesState,
    getOwnCosts,
  ],
};
