/**
 * What the tools of the group `sessions`, and the narrower forms of `self_session`, refuse.
 *
 * @module
 */
import type { Refusal } from "./surface_refusal.ts";

const FENCED = "?allowed_agent_roots=librarian";
const SELF = "?tool_groups=self_session&session_id=$resting";
const LONG = "x".repeat(500_001);
const SEGMENT = {
  id: "S0",
  trigger: { kind: "New", source: "user" },
  goal: { text: "g", kind: "Action" },
  outcome: { kind: "Success", explanation: "e" },
  children: [],
};

/** By tool. */
export const REFUSED_OF_SESSIONS: Readonly<Record<string, readonly Refusal[]>> =
  {
    quick_search_sessions: [
      [{ id: 99_999 }, /not found: 99999/],
      [{ status: "asleep" }, /running.*waiting.*needs_input/],
      [{ priority_class: "fast" }, /spot.*priority|priority.*spot/],
      [{ genesis: "moon" }, /web_ui/],
      [{ query: "x".repeat(1_001) }, /1,?000/],
      [{ per_page: 101 }, /100/],
    ],
    get_session: [
      [{ id: 99_999 }, /99999/],
      [{ id: "$resting", transcript_format: "json" }, /include_transcript/],
      [{ id: "$resting", include_logs: true, logs_per_page: 101 }, /100/],
    ],
    get_session_provenance: [[{ session_id: 99_999 }, /99999/]],
    get_configs: [[{ verbose: true }, /verbose/]],
    get_transcript_archive: [[{}, /no transcript|none yet|nothing/i]],
    start_session: [
      [{}, /agent_root/],
      [{ agent_root: "nobody" }, /nobody/],
      [{ agent_root: "gardener", prompt: LONG }, /500,000/],
      [{ agent_root: "gardener", title: "t".repeat(101) }, /100/],
      [{ agent_root: "gardener", slug: "123" }, /slug/],
      [{ agent_root: "gardener", slug: "Not A Slug" }, /slug/],
      [{ agent_root: "gardener", goal: "nosuchgoal" }, /goal/],
      [{ agent_root: "gardener", mcp_servers: ["nosuch"] }, /nosuch/],
      [{ agent_root: "gardener", skills: ["nosuch"] }, /nosuch/],
      [{ agent_root: "gardener", parent_session_id: 99_999 }, /99999/],
      [
        { agent_root: "gardener", place: "top_of_spot", precedence: 1 },
        /precedence or place/,
      ],
      [
        { agent_root: "gardener", precedence: 2_000_000_000 },
        /1,?000,?000,?000/,
      ],
      [
        { agent_root: "gardener", auto_compact_window: 0 },
        /auto_compact_window/,
      ],
      [{ agent_root: "gardener" }, /librarian/, FENCED],
      [
        { git_root: "https://example.org/r.git" },
        /agent_root|git_root/,
        FENCED,
      ],
    ],
    action_session: [
      [{ action: "explode", session_id: 1 }, /follow_up/],
      [{ action: "pause" }, /session_id/],
      [{ action: "follow_up", session_id: "$resting" }, /prompt/],
      [
        { action: "follow_up", session_id: "$resting", prompt: LONG },
        /500,000/,
      ],
      [
        { action: "follow_up", session_id: "$archived", prompt: "x" },
        /archived/,
      ],
      [{ action: "follow_up", session_id: "$failed", prompt: "x" }, /failed/],
      [{ action: "pause", session_id: "$resting" }, /running/],
      [{ action: "pause_into_spot_queue", session_id: "$failed" }, /failed/],
      [{ action: "start_now", session_id: "$resting" }, /spot queue/],
      [{ action: "restart", session_id: "$archived" }, /unarchive/],
      [
        { action: "archive", session_id: "$asked" },
        /still to be said.*hear me/s,
      ],
      [{ action: "archive", session_id: "$running" }, /under way/],
      [{ action: "unarchive", session_id: "$resting" }, /needs_input/],
      [
        {
          action: "change_mcp_servers",
          session_id: "$resting",
          mcp_servers: ["nosuch"],
        },
        /nosuch/,
      ],
      [
        { action: "change_skills", session_id: "$resting", skills: ["nosuch"] },
        /nosuch/,
      ],
      [{ action: "change_goal", session_id: "$resting" }, /goal/],
      [
        { action: "change_auto_compact_window", session_id: "$resting" },
        /auto_compact_window/,
      ],
      [
        {
          action: "change_precedence",
          session_id: "$resting",
          precedence: 1,
          place: "top_of_spot",
        },
        /precedence or place/,
      ],
      [
        { action: "change_category", session_id: "$resting", category_id: 99 },
        /99/,
      ],
      [
        {
          action: "set_visibility",
          session_id: "$resting",
          visibility: "snoozed",
        },
        /snoozed_until/,
      ],
      [
        {
          action: "set_visibility",
          session_id: "$resting",
          visibility: "snoozed",
          snoozed_until: "2001-01-01T00:00",
        },
        /has to lie ahead/,
      ],
      [
        { action: "set_heartbeat", session_id: "$resting" },
        /enabled.*interval_seconds/,
      ],
      [
        {
          action: "set_heartbeat",
          session_id: "$resting",
          interval_seconds: 29,
        },
        /30/,
      ],
      [
        { action: "update_title", session_id: "$resting", title: " " },
        /blank|title/,
      ],
      [
        {
          action: "remove_uncle",
          session_id: "$resting",
          uncle_session_id: "$failed",
        },
        /senior|edge/,
      ],
      [
        { action: "regenerate_status_summary", session_id: "$resting" },
        /transcript/,
      ],
      [
        { action: "change_plugins", session_id: "$resting", plugins: [] },
        /librarian/,
        FENCED,
      ],
    ],
    manage_enqueued_messages: [
      [{ action: "create", session_id: "$resting" }, /content/],
      [{ action: "get", session_id: "$resting" }, /message_id/],
      [
        { action: "get", session_id: "$resting", message_id: "$message" },
        /not|no/,
      ],
      [
        { action: "reorder", session_id: "$asked", message_id: "$message" },
        /position/,
      ],
      [{ action: "send_now", session_id: "$failed", content: "x" }, /failed/],
      [
        { action: "send_now", session_id: "$archived", content: "x" },
        /archived/,
      ],
      [{ action: "create", session_id: "$archived", content: "x" }, /archived/],
      [{ action: "create", session_id: "$resting", content: LONG }, /500,000/],
    ],
    manage_categories: [
      [{ action: "create" }, /name/],
      [
        { action: "update", category_id: 99 },
        /name.*description.*is_frozen|99/,
      ],
      [{ action: "delete", category_id: 99 }, /99/],
      [{ action: "reorder" }, /ids/],
    ],
    respond_to_elicitation: [
      [{ request_id: "nosuch", action_type: "accept" }, /nosuch/],
      [
        { request_id: "nosuch", action_type: "maybe" },
        /accept.*decline.*cancel/,
      ],
      [{ request_id: "nosuch", action_type: "accept", content: "x" }, /object/],
    ],
    save_outcome_analysis: [
      [{ session_id: "$resting", root: SEGMENT }, /archived/],
      [{ session_id: "$archived", root: {} }, /id|trigger|goal|outcome/],
    ],
  };

/** By tool of the group `self_session`. */
export const REFUSED_OF_SELF: Readonly<Record<string, readonly Refusal[]>> = {
  action_session: [
    [{ action: "restart", session_id: "$resting" }, /update_notes/, SELF],
    [
      { action: "change_goal", session_id: "$resting", goal: "x" },
      /update_notes|goal/,
      SELF,
    ],
    [{ action: "update_notes", session_notes: "x" }, /session_id/, SELF],
    [
      {
        action: "message_parent",
        session_id: "$resting",
        message: "m",
        reason: "other",
      },
      /parent/,
      SELF,
    ],
    [
      {
        action: "message_parent",
        session_id: "$asked",
        message: "m",
        reason: "other",
      },
      /session/,
      SELF,
    ],
    [
      {
        action: "message_parent",
        session_id: "$resting",
        message: "m",
        reason: "bored",
      },
      /wrong_scope/,
      SELF,
    ],
  ],
  get_costs: [
    [{ agent_root: "gardener" }, /group health/, SELF],
    [{ session_id: "$failed" }, /shows the spend of no other/, SELF],
    [{}, /names no session/, "?tool_groups=self_session"],
  ],
};
