-- compatible
-- Sessions that run: what a session is asked, how it stands in line and whose
-- child it is, its queue, its turns, and what people and agents say about it.
-- Sessions of before are a client's and keep all they had.

create table categories (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 100 and name = btrim(name)),
  description text check (char_length(description) between 1 and 1000),
  position integer not null check (position > 0),
  is_frozen boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index categories_name on categories (lower(name));

create table runners (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 100),
  token_hash bytea unique check (octet_length(token_hash) = 32),
  -- What it said of itself when it last called: profiles with versions and
  -- models, state of logins, names of variables that resolve.
  hello jsonb not null default '{}' check (jsonb_typeof(hello) = 'object'),
  runtimes text[] not null default '{}',
  slots integer not null default 1 check (slots between 0 and 1000),
  labels text[] not null default '{}',
  boot_id text check (char_length(boot_id) <= 200),
  seen_at timestamptz,
  draining boolean not null default false,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index runners_seen on runners (seen_at) where revoked_at is null;

create table runner_commands (
  id bigint generated always as identity primary key,
  runner_id bigint not null references runners (id) on delete cascade,
  kind text not null check (char_length(kind) between 1 and 100),
  payload jsonb not null default '{}' check (jsonb_typeof(payload) = 'object'),
  created_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  result jsonb
);
create index runner_commands_open on runner_commands (runner_id, id) where acknowledged_at is null;

-- Accounts that agents are logged in with, and the limits they reported.
create table logins (
  id bigint generated always as identity primary key,
  runtime text not null check (char_length(runtime) between 1 and 100),
  account text not null check (char_length(account) between 1 and 200),
  limits jsonb not null default '{}' check (jsonb_typeof(limits) = 'object'),
  utilization jsonb not null default '{}' check (jsonb_typeof(utilization) = 'object'),
  rejected_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (runtime, account)
);

alter table sessions
  add column prompt text check (char_length(prompt) between 1 and 500000),
  add column goal text check (char_length(goal) between 1 and 50000),
  add column agent_runtime text check (char_length(agent_runtime) between 1 and 100),
  add column git_root text check (char_length(git_root) <= 2048),
  add column repository_name text check (char_length(repository_name) <= 300),
  add column branch text check (char_length(branch) <= 300),
  add column subdirectory text check (char_length(subdirectory) <= 1024),
  add column config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  add column mcp_servers text[] not null default '{}',
  add column catalog_skills text[] not null default '{}',
  add column catalog_hooks text[] not null default '{}',
  add column catalog_plugins text[] not null default '{}',
  add column genesis text not null default 'api' check (genesis in ('web_ui', 'slack', 'github_issue',
    'github_label', 'schedule', 'ao_event', 'system_event', 'webhook', 'api', 'unknown')),
  add column scheduling_class text check (scheduling_class in ('priority', 'spot')),
  add column precedence integer not null default 0 check (precedence between -1000000000 and 1000000000),
  add column category_id bigint references categories (id) on delete set null,
  add column favorited boolean not null default false,
  add column is_autonomous boolean not null default true,
  add column push_notifications_enabled boolean not null default false,
  add column heartbeat_enabled boolean not null default false,
  add column heartbeat_interval_seconds integer not null default 60
    check (heartbeat_interval_seconds between 30 and 86400),
  add column heartbeat_last_beat_at timestamptz,
  add column session_notes text check (char_length(session_notes) between 1 and 50000),
  add column session_notes_updated_at timestamptz,
  add column auto_compact_window integer not null default 1000000
    check (auto_compact_window between 1 and 1000000),
  -- The agent's own name for its conversation.
  add column conversation_id text check (char_length(conversation_id) <= 500),
  add column trash_after timestamptz,
  add column idempotency_key text check (char_length(idempotency_key) between 1 and 255),
  add column visibility text not null default 'visible' check (visibility in ('visible', 'hidden', 'snoozed')),
  add column snoozed_until timestamptz,
  add column last_timeline_entry_at timestamptz,
  -- Who may be spawned through its tokens; null is anybody.
  add column allowed_agent_roots text[],
  -- Grows with each change of the state: a mark that a later job compares.
  add column state_no bigint not null default 0,
  add column state_since timestamptz,
  -- Why it waits, and until when; null in every other state.
  add column wait_reason text check (wait_reason in ('never_started', 'queued', 'retrying', 'parked',
    'asleep', 'spot_queue', 'spot_hold', 'spot_pause', 'auth_outage')),
  add column wait_until timestamptz,
  -- Why it rests, where a person or a question holds it.
  add column paused_by text check (paused_by in ('user', 'elicitation')),
  -- What to do instead of resting when the turn under way ends.
  add column pending_sleep text check (pending_sleep in ('asleep', 'spot_queue')),
  add column failure_reason text check (char_length(failure_reason) between 1 and 1000),
  add column lease_no bigint not null default 0,
  add column home_runner_id bigint references runners (id) on delete set null,
  add column last_used_at timestamptz,
  add constraint sessions_waiting check (status = 'waiting' or (wait_reason is null and wait_until is null)),
  add constraint sessions_paused check (paused_by is null or status in ('needs_input', 'running')),
  add constraint sessions_pending_sleep check (pending_sleep is null or status = 'running'),
  add constraint sessions_snoozed check ((visibility = 'snoozed') = (snoozed_until is not null));

update sessions set state_since = coalesce(archived_at, updated_at),
  wait_reason = case when status = 'waiting' then 'never_started' end;
alter table sessions
  alter column state_since set default now(),
  alter column state_since set not null;

create unique index sessions_idempotency_key on sessions (idempotency_key) where idempotency_key is not null;
create unique index sessions_conversation on sessions (agent_runtime, conversation_id) where conversation_id is not null;
create index sessions_status on sessions (status, created_at desc, id desc);
create index sessions_live on sessions (created_at desc, id desc) where status <> 'archived';
create index sessions_rank on sessions (precedence desc, created_at, id) where status <> 'archived';
create index sessions_genesis on sessions (genesis, created_at desc, id desc);
create index sessions_category on sessions (category_id) where category_id is not null;
create index sessions_wait_until on sessions (wait_until) where wait_until is not null;
create index sessions_trash on sessions (trash_after) where trash_after is not null;
create index sessions_heartbeat on sessions (id) where heartbeat_enabled and status = 'needs_input';

create table session_logs (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  level text not null default 'info' check (level in ('info', 'error', 'debug', 'warning', 'verbose')),
  content text not null,
  created_at timestamptz not null default clock_timestamp()
);
create index session_logs_session on session_logs (session_id, id);

-- What waits to be said to a session. A message keeps its number until the turn
-- that carries it ends, and gives up its place when that turn is leased.
create table enqueued_messages (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  content text not null check (char_length(content) between 1 and 500000),
  goal text check (char_length(goal) between 1 and 50000),
  position integer check (position > 0),
  status text not null default 'pending' check (status in ('pending', 'processing', 'undelivered')),
  origin text not null default 'caller' check (origin in ('caller', 'person', 'trigger', 'wake', 'heartbeat',
    'automated_pr_merged', 'automated_merge_conflict')),
  -- What it was caused by, for programs: trigger, author, sending session.
  cause jsonb not null default '{}' check (jsonb_typeof(cause) = 'object'),
  attachments jsonb not null default '[]' check (jsonb_typeof(attachments) = 'array'),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint enqueued_messages_position unique (session_id, position) deferrable initially deferred,
  check ((status = 'processing') = (position is null))
);
create index enqueued_messages_pending on enqueued_messages (session_id, position) where status = 'pending';
create unique index enqueued_messages_processing on enqueued_messages (session_id) where status = 'processing';

-- One run of an agent. While it is queued it names a message only where that
-- one and no other is meant; else whoever leases it takes the first pending.
create table turns (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  ordinal integer not null check (ordinal > 0),
  kind text not null check (kind in ('start', 'message', 'wake', 'recovery', 'summary')),
  phase text not null default 'queued' check (phase in ('queued', 'leased', 'spawned', 'delivered', 'ended')),
  message_id bigint,
  -- Frozen when it is leased; a start and a recovery have them from the first.
  prompt text,
  goal text,
  conversation_id text,
  runner_id bigint references runners (id) on delete set null,
  lease_no bigint,
  leased_until timestamptz,
  -- The request that leased it: the same request gets the same answer.
  request_id text check (char_length(request_id) <= 200),
  token_hash bytea unique check (octet_length(token_hash) = 32),
  -- Not to be leased before: a retry, a parked login.
  not_before timestamptz,
  process jsonb,
  next_seq bigint not null default 1 check (next_seq > 0),
  attempt integer not null default 1 check (attempt > 0),
  outcome text check (char_length(outcome) <= 100),
  class text check (char_length(class) <= 100),
  detail text check (char_length(detail) <= 2000),
  receipt jsonb,
  git_before jsonb,
  git_after jsonb,
  queued_at timestamptz not null default clock_timestamp(),
  leased_at timestamptz,
  spawned_at timestamptz,
  delivered_at timestamptz,
  ended_at timestamptz,
  unique (session_id, ordinal),
  check ((phase = 'ended') = (ended_at is not null)),
  check (phase in ('queued', 'ended') or (runner_id is not null and lease_no is not null and leased_until is not null))
);
-- Never two live turns of a session. Summaries run beside, on a conversation of their own.
create unique index turns_open on turns (session_id) where phase <> 'ended' and kind <> 'summary';
create index turns_queued on turns (queued_at, id) where phase = 'queued';
create index turns_leased on turns (leased_until) where phase in ('leased', 'spawned', 'delivered');
create index turns_runner on turns (runner_id) where phase in ('leased', 'spawned', 'delivered');
create unique index turns_request on turns (runner_id, request_id) where request_id is not null;

create table turn_events (
  turn_id bigint not null references turns (id) on delete cascade,
  seq bigint not null check (seq > 0),
  session_id bigint not null references sessions (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  kind text not null check (char_length(kind) between 1 and 100),
  payload jsonb not null,
  -- What of it can be read and searched; null where there is nothing to read.
  text text,
  primary key (turn_id, seq)
);
create index turn_events_session on turn_events (session_id, turn_id, seq);

create table turn_commands (
  id bigint generated always as identity primary key,
  turn_id bigint not null references turns (id) on delete cascade,
  kind text not null check (kind in ('interrupt', 'stop')),
  reason text check (char_length(reason) <= 200),
  created_at timestamptz not null default clock_timestamp(),
  answered_at timestamptz,
  result text check (char_length(result) <= 500)
);
create index turn_commands_open on turn_commands (turn_id, id) where answered_at is null;

create table subagent_transcripts (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  agent_id text not null check (char_length(agent_id) between 1 and 500),
  status text check (char_length(status) <= 100),
  description text check (char_length(description) <= 1000),
  subagent_type text check (char_length(subagent_type) <= 200),
  transcript text not null default '',
  message_count integer not null default 0,
  tool_call_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (session_id, agent_id)
);

create table notifications (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  notification_type text not null check (char_length(notification_type) between 1 and 100),
  message text check (char_length(message) <= 10000),
  read boolean not null default false,
  stale boolean not null default false,
  dismissed_at timestamptz,
  -- The change of state that it tells of: one change makes one notice.
  transition_marker text check (char_length(transition_marker) <= 200),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create unique index notifications_marker on notifications (session_id, notification_type, transition_marker)
  where transition_marker is not null;
create index notifications_session on notifications (session_id, id);
create index notifications_active on notifications (id desc) where not stale and dismissed_at is null;

create table elicitations (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  turn_id bigint references turns (id) on delete set null,
  request_id text not null unique check (char_length(request_id) between 1 and 200),
  mode text not null default 'form' check (mode in ('form', 'url')),
  message text not null check (char_length(message) between 1 and 50000),
  requested_schema jsonb not null default '{}' check (jsonb_typeof(requested_schema) = 'object'),
  context text check (char_length(context) <= 50000),
  tool_name text check (char_length(tool_name) <= 200),
  meta jsonb not null default '{}' check (jsonb_typeof(meta) = 'object'),
  status text not null default 'pending' check (status in ('pending', 'accept', 'decline', 'cancel', 'expired')),
  response_content jsonb,
  responded_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  check ((status = 'pending') = (responded_at is null))
);
create index elicitations_pending on elicitations (session_id, expires_at) where status = 'pending';
create index elicitations_due on elicitations (expires_at) where status = 'pending';
create index elicitations_session on elicitations (session_id, id);

create table human_messages (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  author text not null check (char_length(author) between 1 and 200),
  channel text not null check (channel in ('web_ui', 'slack')),
  content text not null,
  occurred_at timestamptz not null default clock_timestamp(),
  provenance jsonb not null default '{}' check (jsonb_typeof(provenance) = 'object')
);
create index human_messages_session on human_messages (session_id, occurred_at desc, id desc);

create table session_uncle_links (
  session_id bigint not null references sessions (id) on delete cascade,
  uncle_session_id bigint not null references sessions (id) on delete cascade,
  source text not null check (char_length(source) between 1 and 100),
  created_at timestamptz not null default now(),
  primary key (session_id, uncle_session_id),
  check (session_id <> uncle_session_id)
);
create index session_uncle_links_uncle on session_uncle_links (uncle_session_id);

create table session_status_summaries (
  session_id bigint primary key references sessions (id) on delete cascade,
  state text not null default 'idle' check (state in ('idle', 'pending', 'ready', 'failed')),
  summary text,
  generated_at timestamptz,
  transcript_event_count bigint not null default 0,
  requested_at timestamptz,
  turn_id bigint references turns (id) on delete set null,
  error text check (char_length(error) <= 500),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table outcome_analyses (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions (id) on delete cascade,
  analyzer_session_id bigint references sessions (id) on delete set null,
  root jsonb not null check (jsonb_typeof(root) = 'object'),
  root_outcome text not null,
  segment_count integer not null,
  failure_segment_count integer not null,
  max_depth integer not null,
  notes text check (char_length(notes) <= 1000),
  schema_version text,
  agent_root text,
  agent_runtime text,
  model text,
  analyzed_at timestamptz not null default now(),
  superseded_at timestamptz
);
create unique index outcome_analyses_current on outcome_analyses (session_id) where superseded_at is null;
create index outcome_analyses_analyzer on outcome_analyses (analyzer_session_id)
  where analyzer_session_id is not null;

create table triggers (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 200),
  status text not null default 'enabled' check (status in ('enabled', 'disabled', 'failed')),
  agent_root_name text,
  prompt_template text not null,
  goal text check (char_length(goal) between 1 and 50000),
  mcp_servers text[] not null default '{}',
  catalog_skills text[] not null default '{}',
  catalog_hooks text[] not null default '{}',
  catalog_plugins text[] not null default '{}',
  reuse_session boolean not null default false,
  enqueue_messages boolean not null default false,
  resuscitate_archived boolean not null default false,
  skip_while_pending boolean not null default false,
  coalesce_seconds integer check (coalesce_seconds between 1 and 86400),
  max_sessions_per_minute integer check (max_sessions_per_minute >= 1),
  burst_window_started_at timestamptz,
  burst_window_count integer not null default 0,
  burst_window_session_ids bigint[] not null default '{}',
  burst_active_until timestamptz,
  scheduling_class text check (scheduling_class in ('priority', 'spot')),
  precedence integer check (precedence between -1000000000 and 1000000000),
  -- A wake: fires once, on its own session, and never makes one.
  is_wake boolean not null default false,
  wake_session_id bigint references sessions (id) on delete cascade,
  last_session_id bigint references sessions (id) on delete set null,
  last_triggered_at timestamptz,
  sessions_created_count integer not null default 0,
  failed_at timestamptz,
  last_error text check (char_length(last_error) <= 1000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (is_wake = (wake_session_id is not null))
);
create index triggers_wakes on triggers (wake_session_id) where is_wake;
create index triggers_session on triggers (last_session_id) where last_session_id is not null;
create index triggers_status on triggers (status, id);

create table trigger_conditions (
  id bigint generated always as identity primary key,
  trigger_id bigint not null references triggers (id) on delete cascade,
  condition_type text not null check (condition_type in ('slack', 'schedule', 'ao_event', 'github_label',
    'github_issue', 'system_event', 'webhook')),
  configuration jsonb not null default '{}' check (jsonb_typeof(configuration) = 'object'),
  -- The next instant at which a schedule is due, in the database's time.
  due_at timestamptz,
  -- What an event is about, where it is about one session.
  watched_session_id bigint references sessions (id) on delete cascade,
  event_name text check (char_length(event_name) between 1 and 100),
  last_triggered_at timestamptz,
  last_polled_at timestamptz,
  last_message_ts text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index trigger_conditions_trigger on trigger_conditions (trigger_id, id);
create index trigger_conditions_due on trigger_conditions (due_at) where due_at is not null;
create index trigger_conditions_watched on trigger_conditions (watched_session_id, event_name)
  where watched_session_id is not null;
create index trigger_conditions_type on trigger_conditions (condition_type, id);

-- An occurrence of a condition is claimed once.
create table trigger_occurrences (
  condition_id bigint not null references trigger_conditions (id) on delete cascade,
  occurrence text not null check (char_length(occurrence) between 1 and 300),
  claimed_at timestamptz not null default clock_timestamp(),
  outcome text check (char_length(outcome) <= 500),
  session_id bigint references sessions (id) on delete set null,
  primary key (condition_id, occurrence)
);

-- One row an API request; the last report of it wins.
create table session_token_usages (
  request_id text primary key check (char_length(request_id) between 1 and 300),
  session_id bigint references sessions (id) on delete set null,
  turn_id bigint references turns (id) on delete set null,
  agent_root text,
  model text not null,
  is_subagent boolean not null default false,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cache_read_tokens bigint not null default 0,
  cache_creation_tokens bigint not null default 0,
  cache_creation_5m_tokens bigint,
  cache_creation_1h_tokens bigint,
  web_search_requests bigint not null default 0,
  called_at timestamptz not null
);
create index session_token_usages_session on session_token_usages (session_id, called_at);
create index session_token_usages_called on session_token_usages (called_at);

-- What an operator sets while the program runs: one row, or none while nothing
-- was set.
create table app_settings (
  id integer primary key default 1 check (id = 1),
  spot_gating_enabled boolean not null default false,
  spot_gate_five_hour_threshold_pct integer not null default 80
    check (spot_gate_five_hour_threshold_pct between 0 and 100),
  spot_gate_weekly_threshold_pct integer not null default 80
    check (spot_gate_weekly_threshold_pct between 0 and 100),
  spot_max_concurrent_sessions integer not null default 10 check (spot_max_concurrent_sessions between 1 and 100),
  genesis_class_overrides jsonb not null default '{}' check (jsonb_typeof(genesis_class_overrides) = 'object'),
  queue_recovery_until timestamptz,
  queue_recovery_reason text check (char_length(queue_recovery_reason) <= 1000),
  uncategorized_position integer not null default 1 check (uncategorized_position > 0),
  defaults jsonb not null default '{}' check (jsonb_typeof(defaults) = 'object'),
  updated_at timestamptz not null default now()
);
