/**
 * What the tools of the other groups refuse.
 *
 * @module
 */
import type { Refusal } from "./surface_refusal.ts";

const ITEM = {
  key: "o/r#1",
  issue_url: "https://github.com/o/r/issues/1",
  repo: "o/r",
  surface: "web",
  title: "T",
  kind: "bug",
  scope_direction: "convergent",
  estimated_cost: "small",
};

/** By tool. */
export const REFUSED_OF_OTHERS: Readonly<Record<string, readonly Refusal[]>> = {
  get_notifications: [
    [{ id: 99 }, /99/],
    [{ status: "old" }, /unread/],
  ],
  send_push_notification: [
    [{ session_id: 99_999, message: "x" }, /99999/],
    [{ session_id: "$resting" }, /message/],
  ],
  action_notification: [
    [{ action: "mark_read" }, /id/],
    [{ action: "mark_read", id: 99 }, /99/],
    [{ action: "dismiss", id: "$notice" }, /unread|not.*read/],
  ],
  search_triggers: [
    [{ id: 99 }, /99/],
    [{ trigger_type: "moon" }, /schedule/],
    [{ status: "asleep" }, /enabled.*disabled.*failed/],
  ],
  action_trigger: [
    [{ action: "create" }, /name/],
    [{ action: "delete", id: 99 }, /99/],
    [
      {
        action: "create",
        name: "n",
        agent_root_name: "gardener",
        prompt_template: "p",
        conditions: [],
      },
      /condition/,
    ],
    [
      {
        action: "create",
        name: "n",
        agent_root_name: "gardener",
        prompt_template: "p",
        trigger_type: "system_event",
        configuration: { event_names: ["runner_lost"] },
        conditions: [{
          trigger_type: "system_event",
          configuration: { event_names: ["runner_lost"] },
        }],
      },
      /not both/,
    ],
    [
      {
        action: "create",
        name: "n",
        agent_root_name: "gardener",
        prompt_template: "p",
        trigger_type: "moon",
        configuration: {},
      },
      /schedule/,
    ],
    [
      {
        action: "create",
        name: "n",
        agent_root_name: "gardener",
        prompt_template: "p",
        trigger_type: "schedule",
        configuration: {
          interval: 1,
          unit: "days",
          time: "09:00",
          timezone: "UTC",
        },
        enqueue_messages: true,
      },
      /reuse_session/,
    ],
    [
      {
        action: "create",
        name: "n",
        agent_root_name: "gardener",
        prompt_template: "p",
        trigger_type: "schedule",
        configuration: {
          interval: 1,
          unit: "days",
          time: "09:00",
          timezone: "Mars/Base",
        },
      },
      /Mars/,
    ],
  ],
  wake_me_up_later: [
    [
      { prompt: "x", wake_at: "2001-01-01T00:00", session_id: "$resting" },
      /future|past|ahead|ago/,
    ],
    [
      { prompt: "x", wake_at: "2099-01-01", session_id: "$resting" },
      /time|clock|2099-01-01/,
    ],
    [
      {
        prompt: "x",
        wake_at: "2099-01-01T00:00+02:00",
        session_id: "$resting",
      },
      /offset|timezone|zone/,
    ],
    [
      {
        prompt: "x",
        wake_at: "2099-01-01T00:00",
        timezone: "Mars/Base",
        session_id: "$resting",
      },
      /Mars/,
    ],
    [
      { prompt: " ", wake_at: "2099-01-01T00:00", session_id: "$resting" },
      /prompt/,
    ],
    [
      { prompt: "x", wake_at: "2099-01-01T00:00", session_id: "$archived" },
      /archived/,
    ],
    [{ prompt: "x", wake_at: "2099-01-01T00:00" }, /session_id/],
  ],
  wake_me_up_when_session_changes_state: [
    [
      {
        watched_session_id: "$resting",
        prompt: "x",
        event_name: "session_failed",
        session_id: "$resting",
      },
      /itself|own|self/,
    ],
    [
      {
        watched_session_id: 99_999,
        prompt: "x",
        event_name: "session_failed",
        session_id: "$resting",
      },
      /99999/,
    ],
    [
      { watched_session_id: "$running", prompt: "x", session_id: "$resting" },
      /event_name/,
    ],
    [
      {
        watched_session_id: "$running",
        prompt: "x",
        event_name: "session_failed",
        event_names: ["session_failed"],
        session_id: "$resting",
      },
      /event_name/,
    ],
    [
      {
        watched_session_id: "$running",
        prompt: "x",
        event_names: [],
        session_id: "$resting",
      },
      /event_names/,
    ],
    [
      {
        watched_session_id: "$failed",
        prompt: "x",
        event_name: "session_failed",
        session_id: "$resting",
      },
      /failed/,
    ],
  ],
  get_system_health: [[{ include_cli_status: "yes" }, /include_cli_status/]],
  action_health: [
    [{ action: "archive_old", days: 366 }, /365/],
    [{ action: "enter_queue_recovery_mode" }, /reason/],
    [
      { action: "enter_queue_recovery_mode", reason: "x", ttl_minutes: 4 },
      /5/,
    ],
    [{ action: "preview_queued_jobs" }, /job_class.*queue_name/],
    [
      { action: "discard_queued_jobs", queue_name: "triggers" },
      /expected_count/,
    ],
    [{
      action: "discard_queued_jobs",
      queue_name: "agents",
      expected_count: 0,
    }, /agents/],
    [{
      action: "reschedule_queued_jobs",
      queue_name: "triggers",
      expected_count: 9,
    }, /expected_count is 9/],
  ],
  get_spot_policy: [[{ verbose: true }, /verbose/]],
  action_spot_policy: [
    [{ action: "set_gating" }, /enabled/],
    [{ action: "set_gating", five_hour_threshold_pct: 101 }, /100/],
    [
      { action: "set_gating", max_concurrent_sessions: 0 },
      /max_concurrent_sessions/,
    ],
    [{ action: "promote_genesis" }, /genesis/],
    [{ action: "promote_genesis", genesis: "schedule" }, /trigger/],
    [{ action: "demote_genesis", genesis: "moon" }, /moon/],
  ],
  get_costs: [
    [{ days: 366 }, /365/],
    [{ from: "yesterday" }, /yesterday/],
    [{ session_id: 99_999 }, /99999/],
  ],
  search_gate_decisions: [[{ from: "2026-02-30" }, /2026-02-30/]],
  get_gate_decision_feedback: [[{ gate: "moon" }, /pr_merge/]],
  record_gate_decision: [
    [{ gate: "moon", surface: "web", entry: {} }, /pr_merge/],
    [{ gate: "pr_merge", surface: "web", entry: "x" }, /entry/],
    [
      { gate: "pr_merge", surface: "web", entry: {}, human_feedback: "good" },
      /human_feedback/,
    ],
  ],
  get_work_backlog: [
    [{ limit: 0 }, /limit/],
    [{ limit: 1.5 }, /limit/],
    [{ pinned: "yes" }, /pinned/],
    [{ status: "lost" }, /queued/],
  ],
  append_work_backlog_item: [
    ...[
      "prompt",
      "precedence",
      "pinned",
      "added_by",
      "added_via",
      "writing_session_id",
      "status",
    ].map((name): Refusal => [{ ...ITEM, [name]: 1 }, new RegExp(name)]),
    [{ ...ITEM, estimated_cost: "huge" }, /small.*medium.*large/],
  ],
  pull_work_backlog_items: [
    [{ count: 1 }, /Nothing was pulled/],
    [
      { count: 1, keys: ["a"] },
      /count.*keys|keys.*count/,
      "?tool_groups=work_backlog&session_id=$resting",
    ],
    [
      { keys: ["nosuch"] },
      /Nothing was pulled.*nosuch/s,
      "?tool_groups=work_backlog&session_id=$resting",
    ],
    [
      { count: 0, dead: [{ key: "nosuch", reason: "i_dislike_it" }] },
      /issue_closed/,
      "?tool_groups=work_backlog&session_id=$resting",
    ],
  ],
};
