/**
 * Arguments of `action_session`.
 *
 * @module
 */
import { REPORT_REASONS } from "../../../fleet/mod.ts";
import { VISIBILITIES } from "../../../store/sessions/mod.ts";
import { inputOf } from "../../schema.ts";

const LIST = { type: "array", items: { type: "string" } } as const;
const ID = {
  type: "integer",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;

/** Arguments that both forms take. */
const SHARED = {
  session_id: {
    type: "string",
    maxLength: 200,
    description: "The session's id or slug",
  },
  session_notes: {
    type: "string",
    description: "update_notes: 50,000 characters at most; empty clears",
  },
  title: { type: "string", description: "update_title: 1 to 100 characters" },
  enabled: { type: "boolean", description: "set_heartbeat" },
  interval_seconds: {
    type: "integer",
    description: "set_heartbeat: seconds of rest, 30 to 86,400",
  },
  prompt: {
    type: "string",
    description:
      "follow_up: what to say; pause_into_spot_queue: what to say on return",
  },
  force: {
    type: "boolean",
    description:
      "archive, bulk_archive: also over messages that wait and another's turn",
  },
  acting_session_id: {
    ...ID,
    description:
      "Your own id. follow_up records you as the session's senior; archive and remove_uncle name you in the log",
  },
} as const;

/** Arguments of the full form, beside the action. */
export const ACTION_INPUT = inputOf({
  ...SHARED,
  goal: {
    type: "string",
    description:
      "follow_up: its new goal, blank leaves it; change_goal: empty clears it",
  },
  force_immediate: {
    type: "boolean",
    description: "follow_up: end the turn under way for it",
  },
  halt: {
    type: "boolean",
    description: "pause_into_spot_queue: end the turn now",
  },
  mcp_servers: {
    ...LIST,
    description: "change_mcp_servers: replaces; [] none",
  },
  skills: { ...LIST, description: "change_skills: replaces; [] none" },
  hooks: { ...LIST, description: "change_hooks: replaces; [] none" },
  plugins: { ...LIST, description: "change_plugins: replaces; [] none" },
  model: { type: "string", description: "change_model" },
  auto_compact_window: {
    type: "integer",
    description: "change_auto_compact_window: tokens, 1 to 1,000,000",
  },
  scheduling_class: {
    type: "string",
    enum: ["spot", "priority", "derived"],
    description: "change_scheduling_class; derived: that of its genesis again",
  },
  precedence: {
    type: "integer",
    description: "change_precedence, change_scheduling_class: higher first",
  },
  place: {
    type: "string",
    enum: ["top_of_spot"],
    description: "In place of precedence: above all live spot sessions",
  },
  category_id: {
    type: "integer",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "change_category; 0 for none",
  },
  visibility: {
    type: "string",
    enum: VISIBILITIES,
    description: "set_visibility: whether its card is on the people's board",
  },
  snoozed_until: {
    type: "string",
    description: "set_visibility snoozed: local time, no offset",
  },
  timezone: {
    type: "string",
    description: "Zone of snoozed_until, e.g. Europe/Berlin; UTC by default",
  },
  message_index: {
    type: "integer",
    description: "fork: the last message that it begins with, from 0",
  },
  uncle_session_id: { ...ID, description: "remove_uncle: the senior" },
  session_ids: {
    ...LIST,
    description: "bulk_archive: ids or slugs, 100 at most",
  },
});

/** Arguments of the narrow form, beside the action. */
export const SELF_ACTION_INPUT = inputOf({
  ...SHARED,
  message: {
    type: "string",
    description: "message_parent: your words; the parent reads them quoted",
  },
  reason: {
    type: "string",
    enum: REPORT_REASONS,
    description: "message_parent: why you report",
  },
  force_immediate: {
    type: "boolean",
    description:
      "message_parent: end the parent's turn for it; rarely worth it",
  },
  unarchive_parent: {
    type: "boolean",
    description: "message_parent: restore an archived parent first",
  },
});
