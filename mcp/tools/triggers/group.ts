/**
 * Group `triggers`: what wakes sessions.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { actionTrigger } from "./action_trigger.ts";
import { searchTriggers } from "./search_triggers.ts";
import { wakeMeUpLater } from "./wake_me_up_later.ts";
import { wakeMeUpWhenSessionChangesState } from "./wake_me_up_when_session_changes_state.ts";

/** The group. */
export const triggersGroup: ToolGroup = {
  name: "triggers",
  kind: "base",
  isSessionDefault: false,
  summary: "Triggers and wakes that start or continue sessions",
  tools: [
    searchTriggers,
    actionTrigger,
    wakeMeUpLater,
    wakeMeUpWhenSessionChangesState,
  ],
};
