/**
 * The tool surface as it was asked for: names, groups, arguments and actions.
 * What is ours beside it stands in lists of its own.
 *
 * @module
 */

/** A tool as it was asked for. */
export interface Asked extends Arguments {
  readonly group: string;
  readonly access: "read" | "write";
  /** Arguments that are ours. */
  readonly ours?: readonly string[];
}

/** What a form of a tool takes. */
export interface Arguments {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Words of the argument `action`. */
  readonly actions?: readonly string[];
}

function words(text: string): readonly string[] {
  return text.split(" ");
}

/** The tools, in the order in which they are listed. */
export const ASKED: Readonly<Record<string, Asked>> = {
  quick_search_sessions: {
    group: "sessions",
    access: "read",
    required: [],
    optional: words(
      "id query search_contents scan_cursor status agent_runtime priority_class genesis order visibility show_archived page per_page verbose",
    ),
  },
  get_session: {
    group: "sessions",
    access: "read",
    required: words("id"),
    optional: words(
      "include_transcript transcript_format include_logs logs_page logs_per_page include_subagent_transcripts transcripts_page transcripts_per_page verbose",
    ),
    ours: words("transcript_before"),
  },
  get_session_provenance: {
    group: "sessions",
    access: "read",
    required: words("session_id"),
    optional: [],
  },
  get_configs: {
    group: "sessions",
    access: "read",
    required: [],
    optional: [],
  },
  get_transcript_archive: {
    group: "sessions",
    access: "read",
    required: [],
    optional: [],
  },
  start_session: {
    group: "sessions",
    access: "write",
    required: [],
    optional: words(
      "agent_root git_root branch subdirectory agent_runtime config prompt title slug goal mcp_servers skills hooks plugins custom_metadata parent_session_id scheduling_class precedence place auto_compact_window idempotency_key",
    ),
  },
  action_session: {
    group: "sessions",
    access: "write",
    required: words("action"),
    optional: words(
      "session_id prompt goal force_immediate acting_session_id halt force mcp_servers skills hooks plugins model auto_compact_window scheduling_class precedence place category_id visibility snoozed_until timezone enabled interval_seconds message_index session_notes title uncle_session_id session_ids",
    ),
    actions: words(
      "follow_up pause pause_into_spot_queue start_now restart archive unarchive change_mcp_servers change_skills change_hooks change_plugins change_model change_goal change_auto_compact_window change_scheduling_class change_precedence change_category set_visibility toggle_push_notifications toggle_favorite set_heartbeat fork regenerate_status_summary refresh refresh_all update_notes update_title remove_uncle bulk_archive",
    ),
  },
  manage_enqueued_messages: {
    group: "sessions",
    access: "write",
    required: words("action session_id"),
    optional: words(
      "message_id content goal position acting_session_id page per_page",
    ),
    actions: words("list get create update delete reorder interrupt send_now"),
  },
  manage_categories: {
    group: "sessions",
    access: "write",
    required: words("action"),
    optional: words("category_id name description is_frozen ids session_id"),
    actions: words("list create update delete reorder set_session_category"),
  },
  respond_to_elicitation: {
    group: "sessions",
    access: "write",
    required: words("request_id action_type"),
    optional: words("content"),
  },
  save_outcome_analysis: {
    group: "sessions",
    access: "write",
    required: words("session_id root"),
    optional: words("analyzer_session_id schema_version notes"),
  },
  get_notifications: {
    group: "notifications",
    access: "read",
    required: [],
    optional: words("id badge_only status page per_page"),
  },
  send_push_notification: {
    group: "notifications",
    access: "write",
    required: words("session_id message"),
    optional: [],
  },
  action_notification: {
    group: "notifications",
    access: "write",
    required: words("action"),
    optional: words("id"),
    actions: words("mark_read mark_all_read dismiss dismiss_all_read"),
  },
  search_triggers: {
    group: "triggers",
    access: "read",
    required: [],
    optional: words("id trigger_type status include_channels page per_page"),
  },
  action_trigger: {
    group: "triggers",
    access: "write",
    required: words("action"),
    optional: words(
      "id name agent_root_name prompt_template trigger_type configuration conditions status goal reuse_session enqueue_messages resuscitate_archived max_sessions_per_minute scheduling_class precedence mcp_servers catalog_skills catalog_hooks catalog_plugins variables",
    ),
    ours: words("clear"),
    actions: words("create update delete toggle invoke"),
  },
  wake_me_up_later: {
    group: "triggers",
    access: "write",
    required: words("wake_at prompt"),
    optional: words("timezone session_id"),
  },
  wake_me_up_when_session_changes_state: {
    group: "triggers",
    access: "write",
    required: words("watched_session_id prompt"),
    optional: words("event_names event_name session_id"),
  },
  get_system_health: {
    group: "health",
    access: "read",
    required: [],
    optional: words("include_cli_status"),
    ours: words("verbose"),
  },
  action_health: {
    group: "health",
    access: "write",
    required: words("action"),
    optional: words(
      "session_ids days reason ttl_minutes job_class queue_name expected_count",
    ),
    ours: words("delay_minutes"),
    actions: words(
      "cleanup_processes retry_sessions archive_old cli_refresh cli_clear_cache enter_queue_recovery_mode exit_queue_recovery_mode preview_queued_jobs discard_queued_jobs reschedule_queued_jobs backfill_token_usage",
    ),
  },
  get_spot_policy: {
    group: "health",
    access: "read",
    required: [],
    optional: [],
  },
  action_spot_policy: {
    group: "health",
    access: "write",
    required: words("action"),
    optional: words(
      "enabled five_hour_threshold_pct weekly_threshold_pct max_concurrent_sessions genesis",
    ),
    actions: words(
      "set_gating promote_genesis demote_genesis reset_genesis_classes",
    ),
  },
  get_costs: {
    group: "health",
    access: "read",
    required: [],
    optional: words("days from to agent_root session_id"),
  },
  search_gate_decisions: {
    group: "gate_decisions",
    access: "read",
    required: [],
    optional: words(
      "gate surface decision artifact_url artifact_query query with_human_feedback from to limit offset include_payload",
    ),
    ours: words("cursor"),
  },
  get_gate_decision_feedback: {
    group: "gate_decisions",
    access: "read",
    required: [],
    optional: words("gate surface decision_id limit"),
  },
  record_gate_decision: {
    group: "gate_decisions",
    access: "write",
    required: words("gate surface entry"),
    optional: [],
  },
  get_work_backlog: {
    group: "work_backlog",
    access: "read",
    required: [],
    optional: words(
      "status surface repo scope_direction kind estimated_cost pinned key added_by limit offset",
    ),
  },
  append_work_backlog_item: {
    group: "work_backlog",
    access: "write",
    required: words(
      "key issue_url repo surface title kind scope_direction estimated_cost",
    ),
    optional: words("ratings gate_verdict gate_session decided_at notes"),
  },
  pull_work_backlog_items: {
    group: "work_backlog",
    access: "write",
    required: [],
    optional: words("count keys dead"),
  },
};

/** What is narrower in the group `self_session`. */
export const NARROWED: Readonly<Record<string, Arguments>> = {
  action_session: {
    required: words("action"),
    optional: words(
      "session_id session_notes title enabled interval_seconds prompt force acting_session_id message reason force_immediate unarchive_parent",
    ),
    actions: words(
      "update_notes update_title set_heartbeat pause_into_spot_queue message_parent archive",
    ),
  },
  get_costs: {
    required: [],
    optional: words("days from to session_id"),
  },
};

/** Tools of the group `self_session`. */
export const SELF_SESSION: readonly string[] = [
  "get_session",
  "get_session_provenance",
  "get_configs",
  "send_push_notification",
  "wake_me_up_later",
  "wake_me_up_when_session_changes_state",
  "action_session",
  "get_costs",
];
