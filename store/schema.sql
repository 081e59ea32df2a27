-- The schema after all migrations, for reading: `deno task schema` writes it,
-- and a test compares it. Nothing loads it.

create type root_data_outcome as (
  outcome text,
  id bigint,
  key text,
  data_bytes integer,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  expires_at timestamp with time zone,
  writing_session_id bigint,
  records_count integer,
  window_writes integer,
  retry_after_seconds integer,
  holding text[]
);

create table agent_root_record_counters (
  namespace text not null,
  collection text not null,
  records_count integer default 0 not null,
  data_bytes bigint default 0 not null,
  window_started_at timestamp with time zone,
  window_writes integer default 0 not null,
  last_write_at timestamp with time zone,
  recounted_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint agent_root_record_counters_pkey PRIMARY KEY (namespace, collection),
  constraint agent_root_record_counters_data_bytes_check CHECK ((data_bytes >= 0)),
  constraint agent_root_record_counters_records_count_check CHECK ((records_count >= 0))
);

CREATE INDEX agent_root_record_counters_quiet ON public.agent_root_record_counters USING btree (updated_at, namespace, collection);

create table agent_root_records (
  id bigint generated always as identity not null,
  namespace text not null,
  collection text not null,
  key text,
  data jsonb not null,
  data_bytes integer not null,
  writing_session_id bigint,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint agent_root_records_pkey PRIMARY KEY (namespace, id),
  constraint agent_root_records_writing_session_id_fkey FOREIGN KEY (writing_session_id) REFERENCES sessions(id) ON DELETE SET NULL,
  constraint agent_root_records_data_bytes_check CHECK ((data_bytes >= 0)),
  constraint agent_root_records_data_check CHECK ((jsonb_typeof(data) = 'object'::text))
);

CREATE INDEX agent_root_records_created ON public.agent_root_records USING btree (namespace, collection, created_at, id);
CREATE INDEX agent_root_records_data ON public.agent_root_records USING gin (root_data_scoped(namespace, collection, data) jsonb_path_ops) WITH (fastupdate=off);
CREATE INDEX agent_root_records_due ON public.agent_root_records USING btree (expires_at, id) WHERE (expires_at IS NOT NULL);
CREATE UNIQUE INDEX agent_root_records_key ON public.agent_root_records USING btree (namespace, collection, key text_pattern_ops) WHERE (key IS NOT NULL);
CREATE INDEX agent_root_records_updated ON public.agent_root_records USING btree (namespace, collection, updated_at, id);
CREATE INDEX agent_root_records_writer ON public.agent_root_records USING btree (writing_session_id) WHERE (writing_session_id IS NOT NULL);

create table app_settings (
  id integer default 1 not null,
  spot_gating_enabled boolean default false not null,
  spot_gate_five_hour_threshold_pct integer default 80 not null,
  spot_gate_weekly_threshold_pct integer default 80 not null,
  spot_max_concurrent_sessions integer default 10 not null,
  genesis_class_overrides jsonb default '{}'::jsonb not null,
  queue_recovery_until timestamp with time zone,
  queue_recovery_reason text,
  uncategorized_position integer default 1 not null,
  defaults jsonb default '{}'::jsonb not null,
  updated_at timestamp with time zone default now() not null,
  constraint app_settings_pkey PRIMARY KEY (id),
  constraint app_settings_defaults_check CHECK ((jsonb_typeof(defaults) = 'object'::text)),
  constraint app_settings_genesis_class_overrides_check CHECK ((jsonb_typeof(genesis_class_overrides) = 'object'::text)),
  constraint app_settings_id_check CHECK ((id = 1)),
  constraint app_settings_queue_recovery_reason_check CHECK ((char_length(queue_recovery_reason) <= 1000)),
  constraint app_settings_spot_gate_five_hour_threshold_pct_check CHECK (((spot_gate_five_hour_threshold_pct >= 0) AND (spot_gate_five_hour_threshold_pct <= 100))),
  constraint app_settings_spot_gate_weekly_threshold_pct_check CHECK (((spot_gate_weekly_threshold_pct >= 0) AND (spot_gate_weekly_threshold_pct <= 100))),
  constraint app_settings_spot_max_concurrent_sessions_check CHECK (((spot_max_concurrent_sessions >= 1) AND (spot_max_concurrent_sessions <= 100))),
  constraint app_settings_uncategorized_position_check CHECK ((uncategorized_position > 0))
);

create table categories (
  id bigint generated always as identity not null,
  name text not null,
  description text,
  "position" integer not null,
  is_frozen boolean default false not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint categories_pkey PRIMARY KEY (id),
  constraint categories_description_check CHECK (((char_length(description) >= 1) AND (char_length(description) <= 1000))),
  constraint categories_name_check CHECK ((((char_length(name) >= 1) AND (char_length(name) <= 100)) AND (name = btrim(name)))),
  constraint categories_position_check CHECK (("position" > 0))
);

CREATE UNIQUE INDEX categories_name ON public.categories USING btree (lower(name));

create table clocks (
  id uuid not null,
  started_at timestamp with time zone default clock_timestamp() not null,
  seen_at timestamp with time zone default clock_timestamp() not null,
  constraint clocks_pkey PRIMARY KEY (id)
);

create table cortex_analysers (
  version integer not null,
  after_root text collate "C" default ''::text not null,
  after_seq bigint default 0 not null,
  is_done boolean default false not null,
  constraint cortex_analysers_pkey PRIMARY KEY (version)
);

create table cortex_deletions (
  root text collate "C" not null,
  id uuid not null,
  scope text collate "C" not null,
  action text not null,
  actor text not null,
  note text,
  events_count bigint default 0 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint cortex_deletions_pkey PRIMARY KEY (root, id),
  constraint cortex_deletions_action_check CHECK ((action = ANY (ARRAY['forget'::text, 'erase'::text])))
);

create table cortex_embedding_models (
  model text not null,
  after_root text collate "C" default ''::text not null,
  after_seq bigint default 0 not null,
  is_done boolean default false not null,
  looked_at timestamp with time zone default now() not null,
  constraint cortex_embedding_models_pkey PRIMARY KEY (model)
);

create table cortex_erasures (
  root text collate "C" not null,
  id uuid not null,
  scope text collate "C" not null,
  actor text not null,
  note text,
  up_to bigint not null,
  status text default 'running'::text not null,
  events_count bigint default 0 not null,
  started_at timestamp with time zone default now() not null,
  finished_at timestamp with time zone,
  constraint cortex_erasures_pkey PRIMARY KEY (root, id),
  constraint cortex_erasures_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text])))
);

CREATE INDEX cortex_erasures_id ON public.cortex_erasures USING btree (id);
CREATE INDEX cortex_erasures_running ON public.cortex_erasures USING btree (started_at) WHERE (status = 'running'::text);

create table cortex_events (
  root text collate "C" not null,
  seq bigint generated always as identity not null,
  id uuid not null,
  scope text collate "C" not null,
  actor text not null,
  modality text not null,
  kind text not null,
  labels jsonb not null,
  content jsonb not null,
  context jsonb not null,
  idempotency_key text collate "C",
  observed_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  terms tsvector not null,
  constraint cortex_events_pkey PRIMARY KEY (root, seq),
  constraint cortex_events_labels_check CHECK ((jsonb_typeof(labels) = 'array'::text))
);

CREATE INDEX cortex_events_folds ON public.cortex_events USING btree (root, scope, ((labels ->> 0)), seq) WHERE (modality = 'conversation'::text);
CREATE INDEX cortex_events_id ON public.cortex_events USING btree (id);
CREATE INDEX cortex_events_scope ON public.cortex_events USING btree (root, scope, seq);
CREATE INDEX cortex_events_terms ON public.cortex_events USING gin (terms) WITH (gin_pending_list_limit='128');

create table cortex_keys (
  root text collate "C" not null,
  key text collate "C" not null,
  body_hash text not null,
  event_id uuid not null,
  written_at timestamp with time zone not null,
  constraint cortex_keys_pkey PRIMARY KEY (root, key)
);

CREATE INDEX cortex_keys_written ON public.cortex_keys USING btree (written_at);

create table cortex_passage_counts (
  root text collate "C" not null,
  slot integer not null,
  passages bigint not null,
  length bigint not null,
  constraint cortex_passage_counts_pkey PRIMARY KEY (root, slot)
) with (fillfactor=50);

create table cortex_passages (
  root text collate "C" not null,
  seq bigint not null,
  part integer not null,
  scope text collate "C" not null,
  from_at integer,
  characters integer not null,
  length integer not null,
  version integer not null,
  terms tsvector storage m not null,
  constraint cortex_passages_pkey PRIMARY KEY (root, seq, part)
) with (toast_tuple_target=8160);

CREATE INDEX cortex_passages_terms ON public.cortex_passages USING gin (terms) WITH (gin_pending_list_limit='128');

create table cortex_scopes (
  root text collate "C" not null,
  path text collate "C" not null,
  members jsonb not null,
  policies jsonb default '{}'::jsonb not null,
  auto_provisioned boolean not null,
  created_at timestamp with time zone default now() not null,
  constraint cortex_scopes_pkey PRIMARY KEY (root, path)
);

create table cortex_term_counts (
  root text collate "C" not null,
  term text collate "C" not null,
  passages bigint not null,
  constraint cortex_term_counts_pkey PRIMARY KEY (root, term)
);

create table cortex_term_marks (
  root text collate "C" not null,
  after_seq bigint default 0 not null,
  after_part integer default 0 not null,
  passages bigint default 0 not null,
  constraint cortex_term_marks_pkey PRIMARY KEY (root)
);

create table cortex_terms_known (
  root text collate "C" not null,
  term text collate "C" not null,
  constraint cortex_terms_known_pkey PRIMARY KEY (root, term)
);

create table cortex_unembedded (
  root text collate "C" not null,
  seq bigint not null,
  taken_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint cortex_unembedded_pkey PRIMARY KEY (root, seq)
);

create table cortex_unindexed (
  root text collate "C" not null,
  seq bigint not null,
  constraint cortex_unindexed_pkey PRIMARY KEY (root, seq)
);

create table cortex_vector_signs (
  root text collate "C" not null,
  seq bigint not null,
  part integer not null,
  scope text collate "C" not null,
  model text not null,
  signs bit varying not null,
  constraint cortex_vector_signs_pkey PRIMARY KEY (root, seq, part)
);

create table cortex_vectors (
  root text collate "C" not null,
  seq bigint not null,
  part integer not null,
  model text not null,
  vector real[] storage e not null,
  constraint cortex_vectors_pkey PRIMARY KEY (root, seq, part)
);

create table elicitations (
  id bigint generated always as identity not null,
  session_id bigint not null,
  turn_id bigint,
  request_id text not null,
  mode text default 'form'::text not null,
  message text not null,
  requested_schema json default '{}'::json not null,
  context text,
  tool_name text,
  meta jsonb default '{}'::jsonb not null,
  status text default 'pending'::text not null,
  response_content jsonb,
  responded_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  updated_at timestamp with time zone default clock_timestamp() not null,
  constraint elicitations_pkey PRIMARY KEY (id),
  constraint elicitations_request_id_key UNIQUE (request_id),
  constraint elicitations_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint elicitations_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turns(id) ON DELETE SET NULL,
  constraint elicitations_check CHECK (((status = 'pending'::text) = (responded_at IS NULL))),
  constraint elicitations_context_check CHECK ((char_length(context) <= 50000)),
  constraint elicitations_message_check CHECK (((char_length(message) >= 1) AND (char_length(message) <= 50000))),
  constraint elicitations_meta_check CHECK ((jsonb_typeof(meta) = 'object'::text)),
  constraint elicitations_mode_check CHECK ((mode = ANY (ARRAY['form'::text, 'url'::text]))),
  constraint elicitations_request_id_check CHECK (((char_length(request_id) >= 1) AND (char_length(request_id) <= 200))),
  constraint elicitations_requested_schema_check CHECK ((json_typeof(requested_schema) = 'object'::text)),
  constraint elicitations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accept'::text, 'decline'::text, 'cancel'::text, 'expired'::text]))),
  constraint elicitations_tool_name_check CHECK ((char_length(tool_name) <= 200))
);

CREATE INDEX elicitations_due ON public.elicitations USING btree (expires_at) WHERE (status = 'pending'::text);
CREATE INDEX elicitations_pending ON public.elicitations USING btree (session_id, expires_at) WHERE (status = 'pending'::text);
CREATE INDEX elicitations_session ON public.elicitations USING btree (session_id, id);

create table enqueued_messages (
  id bigint generated always as identity not null,
  session_id bigint not null,
  content text not null,
  goal text,
  "position" integer,
  status text default 'pending'::text not null,
  origin text default 'caller'::text not null,
  cause jsonb default '{}'::jsonb not null,
  attachments jsonb default '[]'::jsonb not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  updated_at timestamp with time zone default clock_timestamp() not null,
  constraint enqueued_messages_pkey PRIMARY KEY (id),
  constraint enqueued_messages_position UNIQUE (session_id, "position") DEFERRABLE INITIALLY DEFERRED,
  constraint enqueued_messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint enqueued_messages_attachments_check CHECK ((jsonb_typeof(attachments) = 'array'::text)),
  constraint enqueued_messages_cause_check CHECK ((jsonb_typeof(cause) = 'object'::text)),
  constraint enqueued_messages_check CHECK (((status = 'processing'::text) = ("position" IS NULL))),
  constraint enqueued_messages_content_check CHECK (((char_length(content) >= 1) AND (char_length(content) <= 500000))),
  constraint enqueued_messages_goal_check CHECK (((char_length(goal) >= 1) AND (char_length(goal) <= 50000))),
  constraint enqueued_messages_origin_check CHECK ((origin = ANY (ARRAY['caller'::text, 'person'::text, 'trigger'::text, 'wake'::text, 'heartbeat'::text, 'automated_pr_merged'::text, 'automated_merge_conflict'::text]))),
  constraint enqueued_messages_position_check CHECK (("position" > 0)),
  constraint enqueued_messages_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'undelivered'::text])))
);

CREATE INDEX enqueued_messages_pending ON public.enqueued_messages USING btree (session_id, "position") WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX enqueued_messages_processing ON public.enqueued_messages USING btree (session_id) WHERE (status = 'processing'::text);

create table gate_decision_feedbacks (
  id bigint generated always as identity not null,
  gate_decision_id bigint not null,
  verdict text not null,
  note text,
  received_at date default ((now() AT TIME ZONE 'utc'::text))::date not null,
  author text,
  channel text default 'web_ui'::text not null,
  payload jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint gate_decision_feedbacks_pkey PRIMARY KEY (id),
  constraint gate_decision_feedbacks_gate_decision_id_fkey FOREIGN KEY (gate_decision_id) REFERENCES gate_decisions(id),
  constraint gate_decision_feedbacks_author_check CHECK (((char_length(author) >= 1) AND (char_length(author) <= 100))),
  constraint gate_decision_feedbacks_channel_check CHECK ((channel = ANY (ARRAY['web_ui'::text, 'imported'::text]))),
  constraint gate_decision_feedbacks_note_check CHECK ((char_length(note) <= 20000)),
  constraint gate_decision_feedbacks_payload_check CHECK ((jsonb_typeof(payload) = 'object'::text)),
  constraint gate_decision_feedbacks_verdict_check CHECK (((char_length(verdict) >= 1) AND (char_length(verdict) <= 200)))
);

CREATE INDEX gate_decision_feedbacks_decision ON public.gate_decision_feedbacks USING btree (gate_decision_id);
CREATE INDEX gate_decision_feedbacks_newest ON public.gate_decision_feedbacks USING btree (received_at DESC, id DESC);

CREATE TRIGGER gate_decision_feedbacks_kept BEFORE DELETE OR UPDATE ON public.gate_decision_feedbacks FOR EACH ROW EXECUTE FUNCTION gate_ledger_refuse() -- enabled always;
CREATE TRIGGER gate_decision_feedbacks_not_emptied BEFORE TRUNCATE ON public.gate_decision_feedbacks FOR EACH STATEMENT EXECUTE FUNCTION gate_ledger_refuse() -- enabled always;

create table gate_decisions (
  id bigint generated always as identity not null,
  gate text not null,
  surface text not null,
  artifact_url text,
  decided_at date,
  decision text,
  producing_session_url text,
  writing_session_id bigint,
  recorded_via text default 'api'::text not null,
  payload jsonb default '{}'::jsonb not null,
  source_key text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint gate_decisions_pkey PRIMARY KEY (id),
  constraint gate_decisions_source_key_key UNIQUE (source_key),
  constraint gate_decisions_artifact_url_check CHECK ((char_length(artifact_url) <= 2048)),
  constraint gate_decisions_decision_check CHECK (((char_length(decision) >= 1) AND (char_length(decision) <= 200))),
  constraint gate_decisions_gate_check CHECK ((gate = ANY (ARRAY['pr_merge'::text, 'issue_work'::text]))),
  constraint gate_decisions_payload_check CHECK ((jsonb_typeof(payload) = 'object'::text)),
  constraint gate_decisions_producing_session_url_check CHECK ((char_length(producing_session_url) <= 2048)),
  constraint gate_decisions_recorded_via_check CHECK ((recorded_via = ANY (ARRAY['api'::text, 'mcp'::text, 'import'::text]))),
  constraint gate_decisions_surface_check CHECK (((char_length(surface) >= 1) AND (char_length(surface) <= 200)))
);

CREATE INDEX gate_decisions_artifact ON public.gate_decisions USING btree (artifact_url, COALESCE(decided_at, '-infinity'::date) DESC, id DESC) WHERE (artifact_url IS NOT NULL);
CREATE INDEX gate_decisions_artifact_text ON public.gate_decisions USING gin (artifact_url gin_trgm_ops);
CREATE INDEX gate_decisions_decision ON public.gate_decisions USING btree (decision, COALESCE(decided_at, '-infinity'::date) DESC, id DESC);
CREATE INDEX gate_decisions_gate ON public.gate_decisions USING btree (gate, COALESCE(decided_at, '-infinity'::date) DESC, id DESC);
CREATE INDEX gate_decisions_gate_decision ON public.gate_decisions USING btree (gate, decision, COALESCE(decided_at, '-infinity'::date) DESC, id DESC);
CREATE INDEX gate_decisions_gate_surface ON public.gate_decisions USING btree (gate, surface, COALESCE(decided_at, '-infinity'::date) DESC, id DESC);
CREATE INDEX gate_decisions_gate_surface_decision ON public.gate_decisions USING btree (gate, surface, decision, COALESCE(decided_at, '-infinity'::date) DESC, id DESC);
CREATE INDEX gate_decisions_newest ON public.gate_decisions USING btree (COALESCE(decided_at, '-infinity'::date) DESC, id DESC);
CREATE INDEX gate_decisions_surface ON public.gate_decisions USING btree (surface, COALESCE(decided_at, '-infinity'::date) DESC, id DESC);
CREATE INDEX gate_decisions_surface_decision ON public.gate_decisions USING btree (surface, decision, COALESCE(decided_at, '-infinity'::date) DESC, id DESC);
CREATE INDEX gate_decisions_text ON public.gate_decisions USING gin (((payload)::text) gin_trgm_ops);

CREATE TRIGGER gate_decisions_kept BEFORE DELETE OR UPDATE ON public.gate_decisions FOR EACH ROW EXECUTE FUNCTION gate_ledger_refuse() -- enabled always;
CREATE TRIGGER gate_decisions_not_emptied BEFORE TRUNCATE ON public.gate_decisions FOR EACH STATEMENT EXECUTE FUNCTION gate_ledger_refuse() -- enabled always;

create table health_cooldowns (
  action text not null,
  caller bytea not null,
  taken_at timestamp with time zone default clock_timestamp() not null,
  constraint health_cooldowns_pkey PRIMARY KEY (action, caller),
  constraint health_cooldowns_action_check CHECK (((char_length(action) >= 1) AND (char_length(action) <= 100))),
  constraint health_cooldowns_caller_check CHECK ((octet_length(caller) = 32))
);

create table human_messages (
  id bigint generated always as identity not null,
  session_id bigint not null,
  author text not null,
  channel text not null,
  content text not null,
  occurred_at timestamp with time zone default clock_timestamp() not null,
  provenance jsonb default '{}'::jsonb not null,
  constraint human_messages_pkey PRIMARY KEY (id),
  constraint human_messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint human_messages_author_check CHECK (((char_length(author) >= 1) AND (char_length(author) <= 200))),
  constraint human_messages_channel_check CHECK ((channel = ANY (ARRAY['web_ui'::text, 'slack'::text]))),
  constraint human_messages_provenance_check CHECK ((jsonb_typeof(provenance) = 'object'::text))
);

CREATE INDEX human_messages_session ON public.human_messages USING btree (session_id, occurred_at DESC, id DESC);

create table logins (
  id bigint generated always as identity not null,
  runtime text not null,
  account text not null,
  limits jsonb default '{}'::jsonb not null,
  utilization jsonb default '{}'::jsonb not null,
  rejected_until timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint logins_pkey PRIMARY KEY (id),
  constraint logins_runtime_account_key UNIQUE (runtime, account),
  constraint logins_account_check CHECK (((char_length(account) >= 1) AND (char_length(account) <= 200))),
  constraint logins_limits_check CHECK ((jsonb_typeof(limits) = 'object'::text)),
  constraint logins_runtime_check CHECK (((char_length(runtime) >= 1) AND (char_length(runtime) <= 100))),
  constraint logins_utilization_check CHECK ((jsonb_typeof(utilization) = 'object'::text))
);

create table notice_targets (
  target text not null,
  last_sent_at timestamp with time zone,
  failures integer default 0 not null,
  last_error text,
  failed_at timestamp with time zone,
  constraint notice_targets_pkey PRIMARY KEY (target),
  constraint notice_targets_last_error_check CHECK ((char_length(last_error) <= 500)),
  constraint notice_targets_target_check CHECK ((char_length(target) <= 100))
);

create table notifications (
  id bigint generated always as identity not null,
  session_id bigint not null,
  notification_type text not null,
  message text,
  read boolean default false not null,
  stale boolean default false not null,
  dismissed_at timestamp with time zone,
  transition_marker text,
  created_at timestamp with time zone default clock_timestamp() not null,
  updated_at timestamp with time zone default clock_timestamp() not null,
  constraint notifications_pkey PRIMARY KEY (id),
  constraint notifications_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint notifications_message_check CHECK ((char_length(message) <= 10000)),
  constraint notifications_notification_type_check CHECK (((char_length(notification_type) >= 1) AND (char_length(notification_type) <= 100))),
  constraint notifications_transition_marker_check CHECK ((char_length(transition_marker) <= 200))
);

CREATE INDEX notifications_active ON public.notifications USING btree (id DESC) WHERE ((NOT stale) AND (dismissed_at IS NULL));
CREATE UNIQUE INDEX notifications_marker ON public.notifications USING btree (session_id, notification_type, transition_marker) WHERE (transition_marker IS NOT NULL);
CREATE INDEX notifications_session ON public.notifications USING btree (session_id, id);

create table outcome_analyses (
  id bigint generated always as identity not null,
  session_id bigint not null,
  analyzer_session_id bigint,
  root jsonb not null,
  root_outcome text not null,
  segment_count integer not null,
  failure_segment_count integer not null,
  max_depth integer not null,
  notes text,
  schema_version text,
  agent_root text,
  agent_runtime text,
  model text,
  analyzed_at timestamp with time zone default now() not null,
  superseded_at timestamp with time zone,
  constraint outcome_analyses_pkey PRIMARY KEY (id),
  constraint outcome_analyses_analyzer_session_id_fkey FOREIGN KEY (analyzer_session_id) REFERENCES sessions(id) ON DELETE SET NULL,
  constraint outcome_analyses_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint outcome_analyses_notes_check CHECK ((char_length(notes) <= 1000)),
  constraint outcome_analyses_root_check CHECK ((jsonb_typeof(root) = 'object'::text))
);

CREATE INDEX outcome_analyses_analyzer ON public.outcome_analyses USING btree (analyzer_session_id) WHERE (analyzer_session_id IS NOT NULL);
CREATE UNIQUE INDEX outcome_analyses_current ON public.outcome_analyses USING btree (session_id) WHERE (superseded_at IS NULL);

create table push_subscriptions (
  id bigint generated always as identity not null,
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  created_at timestamp with time zone default now() not null,
  owner text,
  constraint push_subscriptions_pkey PRIMARY KEY (id),
  constraint push_subscriptions_endpoint_key UNIQUE (endpoint),
  constraint push_subscriptions_auth_check CHECK ((char_length(auth) <= 100)),
  constraint push_subscriptions_endpoint_check CHECK ((char_length(endpoint) <= 2000)),
  constraint push_subscriptions_owner_check CHECK (((char_length(owner) >= 1) AND (char_length(owner) <= 100))),
  constraint push_subscriptions_p256dh_check CHECK ((char_length(p256dh) <= 200))
);

create table runner_commands (
  id bigint generated always as identity not null,
  runner_id bigint not null,
  kind text not null,
  payload jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  acknowledged_at timestamp with time zone,
  result jsonb,
  constraint runner_commands_pkey PRIMARY KEY (id),
  constraint runner_commands_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES runners(id) ON DELETE CASCADE,
  constraint runner_commands_kind_check CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 100))),
  constraint runner_commands_payload_check CHECK ((jsonb_typeof(payload) = 'object'::text))
);

CREATE INDEX runner_commands_open ON public.runner_commands USING btree (runner_id, id) WHERE (acknowledged_at IS NULL);
CREATE INDEX runner_commands_trees ON public.runner_commands USING btree (payload, id) WHERE (kind = 'remove_tree'::text);

create table runners (
  id bigint generated always as identity not null,
  name text not null,
  token_hash bytea,
  hello jsonb default '{}'::jsonb not null,
  runtimes text[] default '{}'::text[] not null,
  slots integer default 1 not null,
  labels text[] default '{}'::text[] not null,
  boot_id text,
  seen_at timestamp with time zone,
  draining boolean default false not null,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint runners_pkey PRIMARY KEY (id),
  constraint runners_token_hash_key UNIQUE (token_hash),
  constraint runners_boot_id_check CHECK ((char_length(boot_id) <= 200)),
  constraint runners_hello_check CHECK ((jsonb_typeof(hello) = 'object'::text)),
  constraint runners_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint runners_slots_check CHECK (((slots >= 0) AND (slots <= 1000))),
  constraint runners_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

CREATE INDEX runners_seen ON public.runners USING btree (seen_at) WHERE (revoked_at IS NULL);

create table schema_migrations (
  id text not null,
  checksum text not null,
  is_breaking boolean not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (id)
);

create table session_logs (
  id bigint generated always as identity not null,
  session_id bigint not null,
  level text default 'info'::text not null,
  content text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint session_logs_pkey PRIMARY KEY (id),
  constraint session_logs_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint session_logs_level_check CHECK ((level = ANY (ARRAY['info'::text, 'error'::text, 'debug'::text, 'warning'::text, 'verbose'::text])))
);

CREATE INDEX session_logs_session ON public.session_logs USING btree (session_id, id);

create table session_status_summaries (
  session_id bigint not null,
  state text default 'idle'::text not null,
  summary text,
  generated_at timestamp with time zone,
  transcript_event_count bigint default 0 not null,
  requested_at timestamp with time zone,
  turn_id bigint,
  error text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint session_status_summaries_pkey PRIMARY KEY (session_id),
  constraint session_status_summaries_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint session_status_summaries_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turns(id) ON DELETE SET NULL,
  constraint session_status_summaries_error_check CHECK ((char_length(error) <= 500)),
  constraint session_status_summaries_state_check CHECK ((state = ANY (ARRAY['idle'::text, 'pending'::text, 'ready'::text, 'failed'::text])))
);

create table session_token_usages (
  request_id text not null,
  session_id bigint,
  turn_id bigint,
  agent_root text,
  model text not null,
  is_subagent boolean default false not null,
  input_tokens bigint default 0 not null,
  output_tokens bigint default 0 not null,
  cache_read_tokens bigint default 0 not null,
  cache_creation_tokens bigint default 0 not null,
  cache_creation_5m_tokens bigint,
  cache_creation_1h_tokens bigint,
  web_search_requests bigint default 0 not null,
  called_at timestamp with time zone not null,
  reported_usd double precision,
  is_partial boolean default false not null,
  source text,
  constraint session_token_usages_pkey PRIMARY KEY (request_id),
  constraint session_token_usages_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turns(id) ON DELETE SET NULL,
  constraint session_token_usages_request_id_check CHECK (((char_length(request_id) >= 1) AND (char_length(request_id) <= 300))),
  constraint session_token_usages_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 100)))
);

CREATE INDEX session_token_usages_called ON public.session_token_usages USING btree (called_at);
CREATE INDEX session_token_usages_session ON public.session_token_usages USING btree (session_id, called_at);

create table session_uncle_links (
  session_id bigint not null,
  uncle_session_id bigint not null,
  source text not null,
  created_at timestamp with time zone default now() not null,
  constraint session_uncle_links_pkey PRIMARY KEY (session_id, uncle_session_id),
  constraint session_uncle_links_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint session_uncle_links_uncle_session_id_fkey FOREIGN KEY (uncle_session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint session_uncle_links_check CHECK ((session_id <> uncle_session_id)),
  constraint session_uncle_links_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 100)))
);

CREATE INDEX session_uncle_links_uncle ON public.session_uncle_links USING btree (uncle_session_id);

create table sessions (
  id bigint generated always as identity not null,
  agent_root_key text,
  title text not null,
  slug text,
  status text default 'waiting'::text not null,
  parent_session_id bigint,
  tool_groups text[],
  metadata jsonb default '{}'::jsonb not null,
  custom_metadata jsonb default '{}'::jsonb not null,
  token_hash bytea,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  archived_at timestamp with time zone,
  driven_by text default 'client'::text not null,
  prompt text,
  goal text,
  agent_runtime text,
  git_root text,
  repository_name text,
  branch text,
  subdirectory text,
  config jsonb default '{}'::jsonb not null,
  mcp_servers text[] default '{}'::text[] not null,
  catalog_skills text[] default '{}'::text[] not null,
  catalog_hooks text[] default '{}'::text[] not null,
  catalog_plugins text[] default '{}'::text[] not null,
  genesis text default 'api'::text not null,
  scheduling_class text,
  precedence integer default 0 not null,
  category_id bigint,
  favorited boolean default false not null,
  is_autonomous boolean default true not null,
  push_notifications_enabled boolean default false not null,
  heartbeat_enabled boolean default false not null,
  heartbeat_interval_seconds integer default 60 not null,
  heartbeat_last_beat_at timestamp with time zone,
  session_notes text,
  session_notes_updated_at timestamp with time zone,
  auto_compact_window integer default 1000000 not null,
  conversation_id text,
  trash_after timestamp with time zone,
  idempotency_key text,
  visibility text default 'visible'::text not null,
  snoozed_until timestamp with time zone,
  last_timeline_entry_at timestamp with time zone,
  allowed_agent_roots text[],
  state_no bigint default 0 not null,
  state_since timestamp with time zone default now() not null,
  wait_reason text,
  wait_until timestamp with time zone,
  paused_by text,
  pending_sleep text,
  failure_reason text,
  lease_no bigint default 0 not null,
  home_runner_id bigint,
  last_used_at timestamp with time zone,
  class_source text generated always as (COALESCE(scheduling_class, genesis)) stored not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_slug_key UNIQUE (slug),
  constraint sessions_category_id_fkey FOREIGN KEY (category_id) REFERENCES categories(id) ON DELETE SET NULL,
  constraint sessions_home_runner_id_fkey FOREIGN KEY (home_runner_id) REFERENCES runners(id) ON DELETE SET NULL,
  constraint sessions_parent_session_id_fkey FOREIGN KEY (parent_session_id) REFERENCES sessions(id) ON DELETE SET NULL,
  constraint sessions_agent_runtime_check CHECK (((char_length(agent_runtime) >= 1) AND (char_length(agent_runtime) <= 100))),
  constraint sessions_auto_compact_window_check CHECK (((auto_compact_window >= 1) AND (auto_compact_window <= 1000000))),
  constraint sessions_branch_check CHECK ((char_length(branch) <= 300)),
  constraint sessions_config_check CHECK ((jsonb_typeof(config) = 'object'::text)),
  constraint sessions_conversation_id_check CHECK ((char_length(conversation_id) <= 500)),
  constraint sessions_custom_metadata_check CHECK ((jsonb_typeof(custom_metadata) = 'object'::text)),
  constraint sessions_driven_by_check CHECK ((driven_by = ANY (ARRAY['client'::text, 'runner'::text]))),
  constraint sessions_failure_reason_check CHECK (((char_length(failure_reason) >= 1) AND (char_length(failure_reason) <= 1000))),
  constraint sessions_genesis_check CHECK ((genesis = ANY (ARRAY['web_ui'::text, 'slack'::text, 'github_issue'::text, 'github_label'::text, 'schedule'::text, 'ao_event'::text, 'system_event'::text, 'webhook'::text, 'api'::text, 'unknown'::text]))),
  constraint sessions_git_root_check CHECK ((char_length(git_root) <= 2048)),
  constraint sessions_goal_check CHECK (((char_length(goal) >= 1) AND (char_length(goal) <= 50000))),
  constraint sessions_heartbeat_interval_seconds_check CHECK (((heartbeat_interval_seconds >= 30) AND (heartbeat_interval_seconds <= 86400))),
  constraint sessions_idempotency_key_check CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 255))),
  constraint sessions_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint sessions_paused CHECK (((paused_by IS NULL) OR (status = ANY (ARRAY['needs_input'::text, 'running'::text])))),
  constraint sessions_paused_by_check CHECK ((paused_by = ANY (ARRAY['user'::text, 'elicitation'::text]))),
  constraint sessions_pending_sleep CHECK (((pending_sleep IS NULL) OR (status = 'running'::text) OR ((status = 'needs_input'::text) AND (paused_by = 'elicitation'::text)))),
  constraint sessions_pending_sleep_check CHECK ((pending_sleep = ANY (ARRAY['asleep'::text, 'spot_queue'::text]))),
  constraint sessions_precedence_check CHECK (((precedence >= '-1000000000'::integer) AND (precedence <= 1000000000))),
  constraint sessions_prompt_check CHECK (((char_length(prompt) >= 1) AND (char_length(prompt) <= 500000))),
  constraint sessions_repository_name_check CHECK ((char_length(repository_name) <= 300)),
  constraint sessions_scheduling_class_check CHECK ((scheduling_class = ANY (ARRAY['priority'::text, 'spot'::text]))),
  constraint sessions_session_notes_check CHECK (((char_length(session_notes) >= 1) AND (char_length(session_notes) <= 50000))),
  constraint sessions_slug_check CHECK (((slug ~ '^[a-z0-9-]+$'::text) AND (slug !~ '^[0-9]+$'::text))),
  constraint sessions_snoozed CHECK (((visibility = 'snoozed'::text) = (snoozed_until IS NOT NULL))),
  constraint sessions_status_check CHECK ((status = ANY (ARRAY['running'::text, 'waiting'::text, 'needs_input'::text, 'archived'::text, 'failed'::text]))),
  constraint sessions_subdirectory_check CHECK ((char_length(subdirectory) <= 1024)),
  constraint sessions_title_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 100))),
  constraint sessions_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  constraint sessions_visibility_check CHECK ((visibility = ANY (ARRAY['visible'::text, 'hidden'::text, 'snoozed'::text]))),
  constraint sessions_wait_reason_check CHECK ((wait_reason = ANY (ARRAY['never_started'::text, 'queued'::text, 'retrying'::text, 'parked'::text, 'asleep'::text, 'spot_queue'::text, 'spot_hold'::text, 'spot_pause'::text, 'auth_outage'::text]))),
  constraint sessions_waiting CHECK (((status = 'waiting'::text) OR ((wait_reason IS NULL) AND (wait_until IS NULL))))
);

CREATE INDEX sessions_agent_root_key ON public.sessions USING btree (agent_root_key, created_at DESC);
CREATE INDEX sessions_category ON public.sessions USING btree (category_id) WHERE (category_id IS NOT NULL);
CREATE INDEX sessions_changed ON public.sessions USING btree (updated_at DESC);
CREATE INDEX sessions_class_live ON public.sessions USING btree (class_source, created_at DESC, id DESC) WHERE (status <> 'archived'::text);
CREATE UNIQUE INDEX sessions_conversation ON public.sessions USING btree (agent_runtime, conversation_id) WHERE (conversation_id IS NOT NULL);
CREATE INDEX sessions_created_at ON public.sessions USING btree (created_at DESC, id DESC);
CREATE INDEX sessions_genesis ON public.sessions USING btree (genesis, created_at DESC, id DESC);
CREATE INDEX sessions_genesis_live ON public.sessions USING btree (genesis, created_at DESC, id DESC) WHERE (status <> 'archived'::text);
CREATE INDEX sessions_heartbeat ON public.sessions USING btree (id) WHERE (heartbeat_enabled AND (status = 'needs_input'::text));
CREATE UNIQUE INDEX sessions_idempotency_key ON public.sessions USING btree (idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX sessions_live ON public.sessions USING btree (created_at DESC, id DESC) WHERE (status <> 'archived'::text);
CREATE INDEX sessions_off_board ON public.sessions USING btree (created_at DESC, id DESC) WHERE (visibility <> 'visible'::text);
CREATE INDEX sessions_parent ON public.sessions USING btree (parent_session_id) WHERE (parent_session_id IS NOT NULL);
CREATE INDEX sessions_parked ON public.sessions USING btree (precedence DESC, created_at, id) WHERE (wait_reason = 'spot_queue'::text);
CREATE INDEX sessions_rank ON public.sessions USING btree (precedence DESC, created_at, id) WHERE (status <> 'archived'::text);
CREATE INDEX sessions_router ON public.sessions USING btree (((custom_metadata ->> 'router_session_id'::text))) WHERE ((parent_session_id IS NULL) AND (custom_metadata ? 'router_session_id'::text));
CREATE INDEX sessions_running ON public.sessions USING btree (id) WHERE (status = 'running'::text);
CREATE INDEX sessions_runtime ON public.sessions USING btree (agent_runtime, created_at DESC, id DESC);
CREATE INDEX sessions_runtime_live ON public.sessions USING btree (agent_runtime, created_at DESC, id DESC) WHERE (status <> 'archived'::text);
CREATE INDEX sessions_search ON public.sessions USING gin (lower(((((title || '
'::text) || (metadata)::text) || '
'::text) || (custom_metadata)::text)) gin_trgm_ops);
CREATE INDEX sessions_status ON public.sessions USING btree (status, created_at DESC, id DESC);
CREATE INDEX sessions_to_lease ON public.sessions USING btree (((wait_reason = ANY (ARRAY['spot_hold'::text, 'spot_pause'::text]))), COALESCE(agent_runtime, ''::text), COALESCE(scheduling_class, genesis), precedence DESC, state_since, id) WHERE ((status = 'waiting'::text) AND (driven_by = 'runner'::text) AND (wait_reason = ANY (ARRAY['queued'::text, 'retrying'::text, 'parked'::text, 'auth_outage'::text, 'spot_hold'::text, 'spot_pause'::text])));
CREATE INDEX sessions_trash ON public.sessions USING btree (trash_after) WHERE (trash_after IS NOT NULL);
CREATE INDEX sessions_trigger ON public.sessions USING btree (((metadata ->> 'trigger_id'::text)), id DESC) WHERE ((metadata ->> 'trigger_id'::text) IS NOT NULL);
CREATE INDEX sessions_wait_until ON public.sessions USING btree (wait_until) WHERE (wait_until IS NOT NULL);

create table subagent_transcripts (
  id bigint generated always as identity not null,
  session_id bigint not null,
  agent_id text not null,
  status text,
  description text,
  subagent_type text,
  transcript text default ''::text not null,
  message_count integer default 0 not null,
  tool_call_count integer default 0 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint subagent_transcripts_pkey PRIMARY KEY (id),
  constraint subagent_transcripts_session_id_agent_id_key UNIQUE (session_id, agent_id),
  constraint subagent_transcripts_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint subagent_transcripts_agent_id_check CHECK (((char_length(agent_id) >= 1) AND (char_length(agent_id) <= 500))),
  constraint subagent_transcripts_description_check CHECK ((char_length(description) <= 1000)),
  constraint subagent_transcripts_status_check CHECK ((char_length(status) <= 100)),
  constraint subagent_transcripts_subagent_type_check CHECK ((char_length(subagent_type) <= 200))
);

create table system_states (
  name text not null,
  subject text not null,
  detail text default ''::text not null,
  since timestamp with time zone default clock_timestamp() not null,
  confirmed_at timestamp with time zone default clock_timestamp() not null,
  constraint system_states_pkey PRIMARY KEY (name, subject),
  constraint system_states_detail_check CHECK ((char_length(detail) <= 1000)),
  constraint system_states_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint system_states_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 300)))
);

create table token_usage_backfills (
  id bigint generated always as identity not null,
  requested_at timestamp with time zone default clock_timestamp() not null,
  finished_at timestamp with time zone,
  turn_id bigint default 0 not null,
  turns_read bigint default 0 not null,
  requests_added bigint default 0 not null,
  constraint token_usage_backfills_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX token_usage_backfills_one ON public.token_usage_backfills USING btree ((true)) WHERE (finished_at IS NULL);

create table token_usage_days (
  day date not null,
  session_id bigint not null,
  agent_root text not null,
  model text not null,
  is_subagent boolean not null,
  context_step integer not null,
  requests bigint not null,
  partial_requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_creation_5m_tokens bigint not null,
  cache_creation_1h_tokens bigint not null,
  web_search_requests bigint not null,
  reported_usd double precision not null,
  constraint token_usage_days_pkey PRIMARY KEY (day, session_id, agent_root, model, is_subagent, context_step)
);

CREATE INDEX token_usage_days_model ON public.token_usage_days USING btree (model);
CREATE INDEX token_usage_days_root ON public.token_usage_days USING btree (agent_root, day);
CREATE INDEX token_usage_days_session ON public.token_usage_days USING btree (session_id, day) WHERE (session_id > 0);

create table token_usage_totals (
  day date not null,
  agent_root text not null,
  model text not null,
  is_subagent boolean not null,
  is_adhoc boolean not null,
  context_step integer not null,
  requests bigint not null,
  partial_requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_creation_5m_tokens bigint not null,
  cache_creation_1h_tokens bigint not null,
  web_search_requests bigint not null,
  reported_usd double precision not null,
  constraint token_usage_totals_pkey PRIMARY KEY (day, agent_root, model, is_subagent, is_adhoc, context_step)
);

CREATE INDEX token_usage_totals_model ON public.token_usage_totals USING btree (model);
CREATE INDEX token_usage_totals_root ON public.token_usage_totals USING btree (agent_root, day);

create table trigger_conditions (
  id bigint generated always as identity not null,
  trigger_id bigint not null,
  condition_type text not null,
  configuration jsonb default '{}'::jsonb not null,
  due_at timestamp with time zone,
  watched_session_id bigint,
  event_name text,
  last_triggered_at timestamp with time zone,
  last_polled_at timestamp with time zone,
  last_message_ts text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  anchor_at timestamp with time zone default now() not null,
  cursor jsonb,
  poll_after timestamp with time zone,
  poll_failures integer default 0 not null,
  poll_error text,
  webhook_hash bytea,
  signing_key text,
  constraint trigger_conditions_pkey PRIMARY KEY (id),
  constraint trigger_conditions_webhook_hash_key UNIQUE (webhook_hash),
  constraint trigger_conditions_trigger_id_fkey FOREIGN KEY (trigger_id) REFERENCES triggers(id) ON DELETE CASCADE,
  constraint trigger_conditions_watched_session_id_fkey FOREIGN KEY (watched_session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint trigger_conditions_condition_type_check CHECK ((condition_type = ANY (ARRAY['slack'::text, 'schedule'::text, 'ao_event'::text, 'github_label'::text, 'github_issue'::text, 'system_event'::text, 'webhook'::text]))),
  constraint trigger_conditions_configuration_check CHECK ((jsonb_typeof(configuration) = 'object'::text)),
  constraint trigger_conditions_cursor_check CHECK ((jsonb_typeof(cursor) = 'object'::text)),
  constraint trigger_conditions_event_name_check CHECK (((char_length(event_name) >= 1) AND (char_length(event_name) <= 100))),
  constraint trigger_conditions_poll_error_check CHECK ((char_length(poll_error) <= 1000)),
  constraint trigger_conditions_signing_key_check CHECK ((char_length(signing_key) <= 200)),
  constraint trigger_conditions_webhook_hash_check CHECK ((octet_length(webhook_hash) = 32))
);

CREATE INDEX trigger_conditions_due ON public.trigger_conditions USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX trigger_conditions_polls ON public.trigger_conditions USING btree (poll_after NULLS FIRST, id) WHERE (condition_type = ANY (ARRAY['slack'::text, 'github_label'::text, 'github_issue'::text]));
CREATE INDEX trigger_conditions_trigger ON public.trigger_conditions USING btree (trigger_id, id);
CREATE INDEX trigger_conditions_type ON public.trigger_conditions USING btree (condition_type, id);
CREATE INDEX trigger_conditions_watched ON public.trigger_conditions USING btree (watched_session_id, event_name) WHERE (watched_session_id IS NOT NULL);

create table trigger_occurrences (
  condition_id bigint not null,
  occurrence text not null,
  claimed_at timestamp with time zone default clock_timestamp() not null,
  outcome text,
  session_id bigint,
  variables jsonb default '{}'::jsonb not null,
  constraint trigger_occurrences_pkey PRIMARY KEY (condition_id, occurrence),
  constraint trigger_occurrences_condition_id_fkey FOREIGN KEY (condition_id) REFERENCES trigger_conditions(id) ON DELETE CASCADE,
  constraint trigger_occurrences_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE SET NULL,
  constraint trigger_occurrences_occurrence_check CHECK (((char_length(occurrence) >= 1) AND (char_length(occurrence) <= 300))),
  constraint trigger_occurrences_outcome_check CHECK ((char_length(outcome) <= 500)),
  constraint trigger_occurrences_variables_check CHECK ((jsonb_typeof(variables) = 'object'::text))
);

CREATE INDEX trigger_occurrences_claimed ON public.trigger_occurrences USING btree (claimed_at);

create table triggers (
  id bigint generated always as identity not null,
  name text not null,
  status text default 'enabled'::text not null,
  agent_root_name text,
  prompt_template text not null,
  goal text,
  mcp_servers text[] default '{}'::text[] not null,
  catalog_skills text[] default '{}'::text[] not null,
  catalog_hooks text[] default '{}'::text[] not null,
  catalog_plugins text[] default '{}'::text[] not null,
  reuse_session boolean default false not null,
  enqueue_messages boolean default false not null,
  resuscitate_archived boolean default false not null,
  skip_while_pending boolean default false not null,
  coalesce_seconds integer,
  max_sessions_per_minute integer,
  burst_window_started_at timestamp with time zone,
  burst_window_count integer default 0 not null,
  burst_window_session_ids bigint[] default '{}'::bigint[] not null,
  burst_active_until timestamp with time zone,
  scheduling_class text,
  precedence integer,
  is_wake boolean default false not null,
  wake_session_id bigint,
  last_session_id bigint,
  last_triggered_at timestamp with time zone,
  sessions_created_count integer default 0 not null,
  failed_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint triggers_pkey PRIMARY KEY (id),
  constraint triggers_last_session_id_fkey FOREIGN KEY (last_session_id) REFERENCES sessions(id) ON DELETE SET NULL,
  constraint triggers_wake_session_id_fkey FOREIGN KEY (wake_session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint triggers_check CHECK ((is_wake = (wake_session_id IS NOT NULL))),
  constraint triggers_coalesce_seconds_check CHECK (((coalesce_seconds >= 1) AND (coalesce_seconds <= 86400))),
  constraint triggers_goal_check CHECK (((char_length(goal) >= 1) AND (char_length(goal) <= 50000))),
  constraint triggers_last_error_check CHECK ((char_length(last_error) <= 1000)),
  constraint triggers_max_sessions_per_minute_check CHECK ((max_sessions_per_minute >= 1)),
  constraint triggers_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint triggers_precedence_check CHECK (((precedence >= '-1000000000'::integer) AND (precedence <= 1000000000))),
  constraint triggers_scheduling_class_check CHECK ((scheduling_class = ANY (ARRAY['priority'::text, 'spot'::text]))),
  constraint triggers_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text, 'failed'::text])))
);

CREATE INDEX triggers_session ON public.triggers USING btree (last_session_id) WHERE (last_session_id IS NOT NULL);
CREATE INDEX triggers_status ON public.triggers USING btree (status, id);
CREATE INDEX triggers_wakes ON public.triggers USING btree (wake_session_id) WHERE is_wake;

create table turn_commands (
  id bigint generated always as identity not null,
  turn_id bigint not null,
  kind text not null,
  reason text,
  created_at timestamp with time zone default clock_timestamp() not null,
  answered_at timestamp with time zone,
  result text,
  constraint turn_commands_pkey PRIMARY KEY (id),
  constraint turn_commands_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turns(id) ON DELETE CASCADE,
  constraint turn_commands_kind_check CHECK ((kind = ANY (ARRAY['interrupt'::text, 'stop'::text]))),
  constraint turn_commands_reason_check CHECK ((char_length(reason) <= 200)),
  constraint turn_commands_result_check CHECK ((char_length(result) <= 500))
);

CREATE INDEX turn_commands_open ON public.turn_commands USING btree (turn_id, id) WHERE (answered_at IS NULL);

create table turn_events (
  turn_id bigint not null,
  seq bigint not null,
  session_id bigint not null,
  at timestamp with time zone default clock_timestamp() not null,
  kind text not null,
  payload jsonb not null,
  text text,
  constraint turn_events_pkey PRIMARY KEY (turn_id, seq),
  constraint turn_events_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint turn_events_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turns(id) ON DELETE CASCADE,
  constraint turn_events_kind_check CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 100))),
  constraint turn_events_seq_check CHECK ((seq > 0))
);

CREATE INDEX turn_events_session ON public.turn_events USING btree (session_id, turn_id, seq);

create table turns (
  id bigint generated always as identity not null,
  session_id bigint not null,
  ordinal integer not null,
  kind text not null,
  phase text default 'queued'::text not null,
  message_id bigint,
  prompt text,
  goal text,
  conversation_id text,
  runner_id bigint,
  lease_no bigint,
  leased_until timestamp with time zone,
  request_id text,
  token_hash bytea,
  not_before timestamp with time zone,
  process jsonb,
  next_seq bigint default 1 not null,
  attempt integer default 1 not null,
  outcome text,
  class text,
  detail text,
  receipt jsonb,
  git_before jsonb,
  git_after jsonb,
  queued_at timestamp with time zone default clock_timestamp() not null,
  leased_at timestamp with time zone,
  spawned_at timestamp with time zone,
  delivered_at timestamp with time zone,
  ended_at timestamp with time zone,
  mcp_called_at timestamp with time zone,
  constraint turns_pkey PRIMARY KEY (id),
  constraint turns_session_id_ordinal_key UNIQUE (session_id, ordinal),
  constraint turns_token_hash_key UNIQUE (token_hash),
  constraint turns_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES runners(id) ON DELETE SET NULL,
  constraint turns_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint turns_attempt_check CHECK ((attempt > 0)),
  constraint turns_check CHECK (((phase = 'ended'::text) = (ended_at IS NOT NULL))),
  constraint turns_check1 CHECK (((phase = ANY (ARRAY['queued'::text, 'ended'::text])) OR ((runner_id IS NOT NULL) AND (lease_no IS NOT NULL) AND (leased_until IS NOT NULL)))),
  constraint turns_class_check CHECK ((char_length(class) <= 100)),
  constraint turns_detail_check CHECK ((char_length(detail) <= 2000)),
  constraint turns_kind_check CHECK ((kind = ANY (ARRAY['start'::text, 'message'::text, 'wake'::text, 'recovery'::text, 'summary'::text]))),
  constraint turns_next_seq_check CHECK ((next_seq > 0)),
  constraint turns_ordinal_check CHECK ((ordinal > 0)),
  constraint turns_outcome_check CHECK ((char_length(outcome) <= 100)),
  constraint turns_phase_check CHECK ((phase = ANY (ARRAY['queued'::text, 'leased'::text, 'spawned'::text, 'delivered'::text, 'ended'::text]))),
  constraint turns_request_id_check CHECK ((char_length(request_id) <= 200)),
  constraint turns_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

CREATE INDEX turns_leased ON public.turns USING btree (leased_until) WHERE (phase = ANY (ARRAY['leased'::text, 'spawned'::text, 'delivered'::text]));
CREATE UNIQUE INDEX turns_open ON public.turns USING btree (session_id) WHERE ((phase <> 'ended'::text) AND (kind <> 'summary'::text));
CREATE INDEX turns_queued ON public.turns USING btree (queued_at, id) WHERE (phase = 'queued'::text);
CREATE UNIQUE INDEX turns_request ON public.turns USING btree (runner_id, request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX turns_runner ON public.turns USING btree (runner_id) WHERE (phase = ANY (ARRAY['leased'::text, 'spawned'::text, 'delivered'::text]));

create table vapid_keys (
  id integer default 1 not null,
  public_key text not null,
  private_key text not null,
  created_at timestamp with time zone default now() not null,
  constraint vapid_keys_pkey PRIMARY KEY (id),
  constraint vapid_keys_id_check CHECK ((id = 1))
);

create table work_backlog_items (
  id bigint generated always as identity not null,
  key text not null,
  issue_url text,
  repo text not null,
  surface text not null,
  title text not null,
  kind text not null,
  scope_direction text not null,
  estimated_cost text not null,
  gate_verdict text,
  decided_at date,
  added_at timestamp with time zone default clock_timestamp() not null,
  added_by text not null,
  added_via text not null,
  precedence integer not null,
  pinned boolean default false not null,
  status text default 'queued'::text not null,
  writing_session_id bigint,
  started_session_id bigint,
  started_by_session_id bigint,
  started_at timestamp with time zone,
  removed_at timestamp with time zone,
  removed_by text,
  removal_reason text,
  payload jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint work_backlog_items_pkey PRIMARY KEY (id),
  constraint work_backlog_items_started_by_session_id_fkey FOREIGN KEY (started_by_session_id) REFERENCES sessions(id) ON DELETE SET NULL,
  constraint work_backlog_items_started_session_id_fkey FOREIGN KEY (started_session_id) REFERENCES sessions(id) ON DELETE SET NULL,
  constraint work_backlog_items_writing_session_id_fkey FOREIGN KEY (writing_session_id) REFERENCES sessions(id) ON DELETE SET NULL,
  constraint work_backlog_items_added_by_check CHECK (((char_length(added_by) >= 1) AND (char_length(added_by) <= 100))),
  constraint work_backlog_items_added_via_check CHECK ((added_via = ANY (ARRAY['import'::text, 'mcp'::text, 'api'::text]))),
  constraint work_backlog_items_check CHECK (((issue_url IS NOT NULL) OR (payload ? 'prompt'::text))),
  constraint work_backlog_items_check1 CHECK (((status = 'started'::text) = (started_at IS NOT NULL))),
  constraint work_backlog_items_check2 CHECK (((status = 'removed'::text) = ((removed_at IS NOT NULL) AND (removal_reason IS NOT NULL) AND (removed_by IS NOT NULL)))),
  constraint work_backlog_items_estimated_cost_check CHECK ((estimated_cost = ANY (ARRAY['small'::text, 'medium'::text, 'large'::text]))),
  constraint work_backlog_items_gate_verdict_check CHECK (((char_length(gate_verdict) >= 1) AND (char_length(gate_verdict) <= 200))),
  constraint work_backlog_items_issue_url_check CHECK (((char_length(issue_url) >= 1) AND (char_length(issue_url) <= 2048))),
  constraint work_backlog_items_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 200))),
  constraint work_backlog_items_kind_check CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 100))),
  constraint work_backlog_items_payload_check CHECK (((jsonb_typeof(payload) = 'object'::text) AND (octet_length((payload)::text) <= 131072))),
  constraint work_backlog_items_precedence_check CHECK (((precedence >= '-1000000000'::integer) AND (precedence <= 1000000000))),
  constraint work_backlog_items_removal_reason_check CHECK (((char_length(removal_reason) >= 1) AND (char_length(removal_reason) <= 1000))),
  constraint work_backlog_items_removed_by_check CHECK (((char_length(removed_by) >= 1) AND (char_length(removed_by) <= 100))),
  constraint work_backlog_items_repo_check CHECK (((repo ~ '^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$'::text) AND (char_length(repo) <= 300))),
  constraint work_backlog_items_scope_direction_check CHECK ((scope_direction = ANY (ARRAY['convergent'::text, 'divergent'::text]))),
  constraint work_backlog_items_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'started'::text, 'removed'::text]))),
  constraint work_backlog_items_surface_check CHECK (((char_length(surface) >= 1) AND (char_length(surface) <= 200))),
  constraint work_backlog_items_title_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 1000)))
);

CREATE INDEX work_backlog_items_key ON public.work_backlog_items USING btree (key, id);
CREATE UNIQUE INDEX work_backlog_items_queued_key ON public.work_backlog_items USING btree (key) WHERE (status = 'queued'::text);
CREATE INDEX work_backlog_items_rank ON public.work_backlog_items USING btree (precedence DESC, added_at, id) WHERE (status = 'queued'::text);
CREATE INDEX work_backlog_items_started ON public.work_backlog_items USING btree (started_session_id) WHERE (started_session_id IS NOT NULL);
CREATE INDEX work_backlog_items_starter ON public.work_backlog_items USING btree (started_by_session_id) WHERE (started_by_session_id IS NOT NULL);
CREATE INDEX work_backlog_items_status ON public.work_backlog_items USING btree (status, id DESC);
CREATE INDEX work_backlog_items_writer ON public.work_backlog_items USING btree (writing_session_id) WHERE (writing_session_id IS NOT NULL);

CREATE OR REPLACE FUNCTION public.add_token_usage_days(p_changes token_usage_days[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into token_usage_days as d
    select day, session_id, agent_root, model, is_subagent, context_step,
      sum(requests), sum(partial_requests), sum(input_tokens), sum(output_tokens),
      sum(cache_read_tokens), sum(cache_creation_5m_tokens), sum(cache_creation_1h_tokens),
      sum(web_search_requests), sum(reported_usd)
    from unnest(p_changes) group by 1, 2, 3, 4, 5, 6
    order by 1, 2, 3, 4, 5, 6
    on conflict (day, session_id, agent_root, model, is_subagent, context_step) do update set
      requests = d.requests + excluded.requests,
      partial_requests = d.partial_requests + excluded.partial_requests,
      input_tokens = d.input_tokens + excluded.input_tokens,
      output_tokens = d.output_tokens + excluded.output_tokens,
      cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
      cache_creation_5m_tokens = d.cache_creation_5m_tokens + excluded.cache_creation_5m_tokens,
      cache_creation_1h_tokens = d.cache_creation_1h_tokens + excluded.cache_creation_1h_tokens,
      web_search_requests = d.web_search_requests + excluded.web_search_requests,
      reported_usd = d.reported_usd + excluded.reported_usd;
  insert into token_usage_totals as d
    select day, agent_root, model, is_subagent, session_id = 0, context_step,
      sum(requests), sum(partial_requests), sum(input_tokens), sum(output_tokens),
      sum(cache_read_tokens), sum(cache_creation_5m_tokens), sum(cache_creation_1h_tokens),
      sum(web_search_requests), sum(reported_usd)
    from unnest(p_changes) group by 1, 2, 3, 4, 5, 6
    order by 1, 2, 3, 4, 5, 6
    on conflict (day, agent_root, model, is_subagent, is_adhoc, context_step) do update set
      requests = d.requests + excluded.requests,
      partial_requests = d.partial_requests + excluded.partial_requests,
      input_tokens = d.input_tokens + excluded.input_tokens,
      output_tokens = d.output_tokens + excluded.output_tokens,
      cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
      cache_creation_5m_tokens = d.cache_creation_5m_tokens + excluded.cache_creation_5m_tokens,
      cache_creation_1h_tokens = d.cache_creation_1h_tokens + excluded.cache_creation_1h_tokens,
      web_search_requests = d.web_search_requests + excluded.web_search_requests,
      reported_usd = d.reported_usd + excluded.reported_usd;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_append(p_items jsonb, p_key_hours integer)
 RETURNS TABLE(item integer, outcome text, event_id uuid, seq bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  at_time constant timestamptz := clock_timestamp();
  places constant regclass := pg_get_serial_sequence('cortex_events', 'seq');
  fault integer;
  counted jsonb;
begin
  begin
    insert into cortex_keys as k (root, key, body_hash, event_id, written_at)
      select distinct on (i.root, i.key) i.root, i.key, i.body_hash, i.id, at_time
      from jsonb_to_recordset(p_items) as i(
        item integer, root text collate "C", key text collate "C", body_hash text, id uuid)
      where i.key is not null
      order by i.root, i.key, i.item
    on conflict (root, key) do update set
      body_hash = excluded.body_hash, event_id = excluded.event_id, written_at = excluded.written_at
      where k.written_at < at_time - make_interval(hours => p_key_hours);
    select min(i.item) into fault
      from jsonb_to_recordset(p_items) as i(item integer, root text, key text, body_hash text)
      join cortex_keys k on k.root = i.root and k.key = i.key
      where k.body_hash <> i.body_hash;
    if fault is not null then
      raise exception 'idempotency conflict' using errcode = 'RC409';
    end if;
    -- The first writer of a scope owns it.
    insert into cortex_scopes (root, path, members, auto_provisioned)
      select distinct on (i.root, i.scope) i.root, i.scope,
        jsonb_build_array(jsonb_build_object('actor', i.actor, 'role', 'owner')), true
      from jsonb_to_recordset(p_items) as i(
        item integer, root text collate "C", scope text collate "C", actor text)
      order by i.root, i.scope, i.item
    on conflict do nothing;
    with items as materialized (
      select nextval(places) as seq, o.* from (
        select i.* from jsonb_to_recordset(p_items) as i(item integer, root text, id uuid, scope text,
          actor text, modality text, kind text, labels jsonb, content jsonb, context jsonb, key text,
          observed_at timestamptz, search_text text, terms text, version integer, known jsonb, passages jsonb)
        left join cortex_keys k on k.root = i.root and k.key = i.key
        where i.key is null or k.event_id = i.id
        order by i.item) o
    ), events as (
      insert into cortex_events (root, seq, id, scope, actor, modality, kind, labels, content,
          context, idempotency_key, observed_at, recorded_at, terms)
        overriding system value
        select i.root, i.seq, i.id, i.scope, i.actor, i.modality, i.kind, i.labels, i.content,
          i.context, i.key, coalesce(i.observed_at, at_time), at_time,
          case when i.terms is null then cortex_terms(i.scope, coalesce(i.search_text, ''), i.labels)
            else i.terms::tsvector end
        from items i
    ), later as (
      insert into cortex_unindexed (root, seq)
        select i.root, i.seq from items i
        where i.passages is null or i.version < (select max(version) from cortex_analysers)
    ), unembedded as (
      insert into cortex_unembedded (root, seq)
        select i.root, i.seq from items i
        where i.passages is not null and exists (select 1 from cortex_embedding_models)
    ), known as (
      -- In one order everywhere, so that writers cannot deadlock.
      insert into cortex_terms_known (root, term)
        select distinct i.root collate "C", t.term collate "C"
        from items i cross join lateral jsonb_array_elements_text(i.known) as t(term)
        order by 1, 2
      on conflict do nothing
    ), passages as (
      insert into cortex_passages (root, seq, part, scope, from_at, characters, length, version, terms)
        select i.root, i.seq, p.part, i.scope, p.from_at, p.characters, p.length, i.version, p.terms::tsvector
        from items i cross join lateral jsonb_to_recordset(i.passages) as p(
          part integer, from_at integer, characters integer, length integer, terms text)
      returning root, length
    )
    select jsonb_agg(to_jsonb(c) order by c.root) into counted from (
      select p.root, count(*) as passages, sum(p.length) as length from passages p group by p.root) c;
    -- Counts come last everywhere, for the same reason.
    perform cortex_count_passages(c.root, c.passages, c.length)
      from jsonb_to_recordset(counted) as c(root text, passages bigint, length bigint);
  exception when sqlstate 'RC409' then
    return query select fault, 'conflict'::text, null::uuid, null::bigint;
    return;
  end;
  return query
    select i.item, case when i.key is null or k.event_id = i.id then 'stored' else 'replayed' end,
      coalesce(k.event_id, i.id), e.seq
    from jsonb_to_recordset(p_items) as i(item integer, root text, key text, id uuid)
    left join cortex_keys k on k.root = i.root and k.key = i.key
    left join cortex_events e on e.id = coalesce(k.event_id, i.id)
    order by i.item;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_candidates(p_root text, p_scopes text[], p_sought text, p_newest integer, p_queries text[], p_weights double precision[], p_lexemes text[], p_mean double precision, p_is_filtered boolean, p_labels text[], p_actors text[], p_modality text, p_since timestamp with time zone, p_until timestamp with time zone, p_recorded_by timestamp with time zone, p_limit integer)
 RETURNS TABLE(event_id uuid, observed_at timestamp with time zone, part integer, from_at integer, characters integer, length integer, places jsonb, head jsonb)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  rough text;
begin
  -- One expression for all words. It is worked out where the row is met: a row
  -- that is carried along with its terms costs ten times as much.
  select string_agg(format('case when p.terms @@ %L::tsquery then %s else 0 end', q.query, q.weight), ' + ')
    into rough from unnest(p_queries, p_weights) as q(query, weight);
  rough := format('p.root, p.scope, p.seq, p.part, (%s)::double precision / (1.36 + 0.24 * p.length / $3) as rough',
    coalesce(rough, '0'));
  return query execute format($sql$
    with found as materialized (
      %s
    ), placed as (
      select f.seq, f.part, f.rough,
        row_number() over (partition by f.seq order by f.rough desc, f.part) as place
      from found f
      where f.root = $1 and f.scope = any ($2)
    ), best as materialized (
      -- The offset keeps the filter behind the order, so that it ends with the limit.
      select b.seq, b.part, b.rough from (
        select * from placed where place <= 2 order by rough desc, seq desc offset 0) b
      where not $4 or (
        select (cardinality($5) = 0 or e.labels ?| $5)
          and (cardinality($6) = 0 or e.actor = any ($6))
          and ($7 is null or e.modality = $7)
          and e.observed_at >= $8 and e.observed_at < $9 and e.recorded_at <= $10
        from cortex_events e where e.root = $1 and e.seq = b.seq)
      limit $11
    )
    select e.id, e.observed_at, b.part, p.from_at, p.characters, p.length, cortex_places(p.terms, $12),
      case when b.part > 0 then (
        select cortex_places(h.terms, $12) from cortex_passages h
        where h.root = $1 and h.seq = b.seq and h.part = 0) end
    from best b
    join cortex_events e on e.root = $1 and e.seq = b.seq
    join cortex_passages p on p.root = $1 and p.seq = b.seq and p.part = b.part
    order by b.rough desc, b.seq desc
  $sql$, concat_ws(' union ',
      case when p_sought is not null then
        format('select %s from cortex_passages p where p.terms @@ $13::tsquery', rough) end,
      -- One long text has hundreds of passages: of more events the first ones.
      case when p_newest > 0 then format(
        'select %s from (
           (select n.seq, n.part from cortex_passages n where n.root = $1
             order by n.root desc, n.seq desc, n.part desc limit $14)
           union
           (select n.seq, n.part from cortex_passages n where n.root = $1 and n.part = 0
             order by n.root desc, n.seq desc, n.part desc limit $14)) k
         join cortex_passages p on p.root = $1 and p.seq = k.seq and p.part = k.part
         where p.terms @@ $15::tsquery', rough) end))
  using p_root, p_scopes, p_mean, p_is_filtered, p_labels, p_actors, p_modality,
    p_since, p_until, p_recorded_by, p_limit, p_lexemes, p_sought, p_newest, array_to_string(p_queries, '|');
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_count_any_terms(p_limit integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  next_root text;
begin
  for next_root in
    select c.root from cortex_passage_counts c left join cortex_term_marks m on m.root = c.root
    group by c.root, m.passages having sum(c.passages) - coalesce(m.passages, 0) >= p_limit
    order by c.root
  loop
    if cortex_count_terms(next_root, p_limit) then return true; end if;
  end loop;
  return false;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_count_passages(p_root text, p_passages bigint, p_length bigint)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 INSERT INTO cortex_passage_counts AS c (root, slot, passages, length)
   VALUES (cortex_count_passages.p_root, (floor((random() * (8)::double precision)))::integer, cortex_count_passages.p_passages, cortex_count_passages.p_length) ON CONFLICT(root, slot) DO UPDATE SET passages = (c.passages + excluded.passages), length = (c.length + excluded.length);
END;

CREATE OR REPLACE FUNCTION public.cortex_count_terms(p_root text, p_limit integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  job cortex_term_marks;
  last record;
begin
  insert into cortex_term_marks (root) values (p_root) on conflict do nothing;
  select * into job from cortex_term_marks where root = p_root for update skip locked;
  if not found then return false; end if;
  select p.seq, p.part into last from cortex_passages p
    where p.root = p_root and (p.root, p.seq, p.part) > (p_root, job.after_seq, job.after_part)
    order by p.root, p.seq, p.part offset p_limit - 1 limit 1;
  if not found then return false; end if;
  insert into cortex_term_counts as c (root, term, passages)
    select p_root, substr(l.lexeme, 5) collate "C", count(*)
    from cortex_passages p cross join lateral unnest(tsvector_to_array(p.terms)) l(lexeme)
    where p.root = p_root and (p.root, p.seq, p.part) > (p_root, job.after_seq, job.after_part)
      and (p.root, p.seq, p.part) <= (p_root, last.seq, last.part)
    group by 2 having count(*) >= 3 order by 2
  on conflict (root, term) do update set passages = c.passages + excluded.passages;
  update cortex_term_marks set after_seq = last.seq, after_part = last.part, passages = passages + p_limit
    where root = p_root;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_delete(p_root text, p_seqs bigint[])
 RETURNS bigint
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  keys text[];
  ids uuid[];
begin
  with gone as (
    delete from cortex_events where root = p_root and seq = any (p_seqs)
    returning id, idempotency_key
  )
  select array_agg(id), array_agg(idempotency_key) filter (where idempotency_key is not null)
    into ids, keys from gone;
  -- Locked in the order in which writes claim them.
  perform 1 from cortex_keys where root = p_root and key = any (keys) order by key for update;
  delete from cortex_keys where root = p_root and key = any (keys) and event_id = any (ids);
  perform cortex_count_passages(p_root, -d.passages, -d.length)
    from cortex_drop_passages(p_root, p_seqs) d where d.passages > 0;
  return coalesce(cardinality(ids), 0);
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_digest(p_text text, p_digits integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select left(encode(sha256(convert_to(p_text, 'UTF8')), 'hex'), p_digits) $function$;

CREATE OR REPLACE FUNCTION public.cortex_drop_passages(p_root text, p_seqs bigint[], OUT passages bigint, OUT length bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  every text[];
  lexemes text[];
begin
  delete from cortex_unindexed where root = p_root and seq = any (p_seqs);
  delete from cortex_unembedded where root = p_root and seq = any (p_seqs);
  delete from cortex_vectors where root = p_root and seq = any (p_seqs);
  delete from cortex_vector_signs where root = p_root and seq = any (p_seqs);
  with gone as (
    delete from cortex_passages where root = p_root and seq = any (p_seqs)
    returning length, tsvector_to_array(terms) as lexemes
  )
  select count(*), coalesce(sum(g.length), 0),
      (select array_agg(l.lexeme) from gone h cross join lateral unnest(h.lexemes) l(lexeme))
    into passages, length, every from gone g;
  if every is null then return; end if;
  lexemes := array(select distinct l from unnest(every) l);
  -- What stands in the newest passages need not be looked for in the index.
  lexemes := array(
    select l.lexeme from unnest(lexemes) l(lexeme)
    join cortex_terms_known k on k.root = p_root and k.term = substr(l.lexeme, 5) collate "C"
    except
    select unnest(tsvector_to_array(n.terms)) from (
      select p.terms from cortex_passages p where p.root = p_root
      order by p.root desc, p.seq desc, p.part desc limit 200) n
    order by 1);
  lexemes := array(
    select l.lexeme from unnest(lexemes) l(lexeme)
    where not exists (
      select 1 from cortex_passages p
      where p.terms @@ cortex_quote(l.lexeme)::tsquery and p.root = p_root));
  perform 1 from cortex_terms_known k
    where k.root = p_root and k.term = any (select substr(l, 5) collate "C" from unnest(lexemes) l)
    order by k.term for update;
  delete from cortex_terms_known k
    where k.root = p_root and k.term = any (select substr(l, 5) collate "C" from unnest(lexemes) l);
  perform cortex_uncount_terms(p_root, every);
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_erase(p_root text, p_id uuid, p_limit integer)
 RETURNS SETOF cortex_erasures
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  job cortex_erasures;
  seqs bigint[];
  is_last boolean;
begin
  select * into job from cortex_erasures where root = p_root and id = p_id for update;
  if not found then return; end if;
  if job.status = 'running' then
    select array_agg(f.seq) into seqs from (
      (select e.seq from cortex_events e
        where e.root = p_root and e.scope = job.scope and e.seq <= job.up_to limit p_limit)
      union all
      (select e.seq from cortex_events e
        where e.root = p_root and e.scope > job.scope || '/' and e.scope < job.scope || '0'
          and e.seq <= job.up_to limit p_limit)
      limit p_limit) f;
    is_last := coalesce(cardinality(seqs), 0) < p_limit;
    update cortex_erasures set
      events_count = events_count + cortex_delete(p_root, coalesce(seqs, '{}')),
      status = case when is_last then 'completed' else 'running' end,
      finished_at = case when is_last then clock_timestamp() end
    where root = p_root and id = p_id returning * into job;
    if job.status = 'completed' then
      insert into cortex_deletions (root, id, scope, action, actor, note, events_count, created_at)
        values (job.root, job.id, job.scope, 'erase', job.actor, job.note, job.events_count, job.started_at)
      on conflict do nothing;
    end if;
  end if;
  return next job;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_find_outdated(p_version integer, p_limit integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  job cortex_analysers;
  last record;
begin
  insert into cortex_analysers (version) values (p_version) on conflict do nothing;
  select * into job from cortex_analysers where version = p_version for update skip locked;
  if not found or job.is_done then return false; end if;
  for last in
    select p.root, p.seq, p.version from cortex_passages p
    where (p.root, p.seq, p.part) > (job.after_root, job.after_seq, 2147483647) and p.part = 0
    order by p.root, p.seq, p.part limit p_limit
  loop
    if last.version < p_version then
      insert into cortex_unindexed (root, seq) values (last.root, last.seq) on conflict do nothing;
    end if;
    job.after_root := last.root;
    job.after_seq := last.seq;
    p_limit := p_limit - 1;
  end loop;
  update cortex_analysers set after_root = job.after_root, after_seq = job.after_seq, is_done = p_limit > 0
    where version = p_version;
  return p_limit = 0;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_find_unembedded(p_model text, p_limit integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  job cortex_embedding_models;
  last record;
begin
  select * into job from cortex_embedding_models where model = p_model for update skip locked;
  if not found then return false; end if;
  if job.is_done then
    if job.looked_at > now() - interval '1 hour' then return false; end if;
    job.after_root := '';
    job.after_seq := 0;
  end if;
  for last in
    select p.root, p.seq, not exists (
        select 1 from cortex_vectors v
        where v.root = p.root and v.seq = p.seq and v.part = p.part and v.model = p_model) as is_bare
    from cortex_passages p
    where (p.root, p.seq, p.part) > (job.after_root, job.after_seq, 2147483647) and p.part = 0
    order by p.root, p.seq, p.part limit p_limit
  loop
    if last.is_bare then
      insert into cortex_unembedded (root, seq) values (last.root, last.seq) on conflict do nothing;
    end if;
    job.after_root := last.root;
    job.after_seq := last.seq;
    p_limit := p_limit - 1;
  end loop;
  update cortex_embedding_models set after_root = job.after_root, after_seq = job.after_seq,
      is_done = p_limit > 0, looked_at = now()
    where model = p_model;
  return p_limit = 0;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_first_turn(p_root text, p_scope text, p_label text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select e.seq from cortex_events e
  where e.root = p_root and e.scope = p_scope and e.modality = 'conversation'
    and (e.labels ->> 0) = p_label
  order by e.seq limit 1
$function$;

CREATE OR REPLACE FUNCTION public.cortex_folded(p_root text, p_scope text, p_labels text[], p_actors text[], p_modality text, p_since timestamp with time zone, p_until timestamp with time zone, p_recorded_by timestamp with time zone, p_before bigint, p_limit integer)
 RETURNS TABLE(seq bigint)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  is_narrowed constant boolean := cardinality(p_labels) > 0;
  sought constant tsquery := cortex_label_query(p_scope, p_labels);
  stretch constant integer := case when is_narrowed then 20 * p_limit end;
  before bigint := p_before;
  missing integer := p_limit;
  firsts bigint[] := '{}';
  hits integer;
begin
  if is_narrowed then
    firsts := array(
      select cortex_first_turn(p_root, p_scope, l.label) from unnest(p_labels) l(label));
    firsts := array_remove(firsts, null);
  end if;
  if cardinality(firsts) > 0 then
    return query
      with found as materialized (
        select e.root, e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
        from cortex_events e where e.terms @@ sought and e.modality <> 'conversation'
        union all
        select e.root, e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
        from cortex_events e where e.root = p_root and e.seq = any (firsts)
      )
      select e.seq from found e
      where e.root = p_root and e.scope = p_scope and e.seq < p_before and e.labels ?| p_labels
        and (cardinality(p_actors) = 0 or e.actor = any (p_actors))
        and (p_modality is null or e.modality = p_modality)
        and e.observed_at >= p_since and e.observed_at < p_until and e.recorded_at <= p_recorded_by
      order by e.seq desc limit p_limit;
    return;
  end if;
  select count(*) into hits from (
    select e.terms, e.modality, e.labels, e.seq from cortex_events e
    where is_narrowed and e.root = p_root and e.scope = p_scope and e.seq < p_before
    order by e.scope desc, e.seq desc limit 100) s
  where s.terms @@ sought and (s.modality <> 'conversation'
    or s.seq = coalesce(cortex_first_turn(p_root, p_scope, s.labels ->> 0), s.seq));
  if hits >= 5 or not is_narrowed then
    return query
      select n.seq from (
        select e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
        from cortex_events e
        where e.root = p_root and e.scope = p_scope and e.seq < p_before
        order by e.scope desc, e.seq desc limit stretch) n
      where (not is_narrowed or n.labels ?| p_labels)
        and (cardinality(p_actors) = 0 or n.actor = any (p_actors))
        and (p_modality is null or n.modality = p_modality)
        and n.observed_at >= p_since and n.observed_at < p_until and n.recorded_at <= p_recorded_by
        and (n.modality <> 'conversation' or (n.labels ->> 0) is null
          or n.seq = (
            select o.seq from cortex_events o
            where o.root = p_root and o.scope = p_scope and o.modality = 'conversation'
              and (o.labels ->> 0) = (n.labels ->> 0)
            order by o.seq limit 1))
      order by n.scope desc, n.seq desc limit p_limit;
    get diagnostics hits = row_count;
    missing := p_limit - hits;
    if missing <= 0 or not is_narrowed then return; end if;
    select n.seq into before from (
      select e.scope, e.seq from cortex_events e
      where e.root = p_root and e.scope = p_scope and e.seq < p_before
      order by e.scope desc, e.seq desc limit stretch) n
    order by n.scope, n.seq limit 1;
  end if;
  return query
    with found as materialized (
      select e.root, e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
      from cortex_events e where e.terms @@ sought
    )
    select e.seq from found e
    where e.root = p_root and e.scope = p_scope and e.seq < before and e.labels ?| p_labels
      and (cardinality(p_actors) = 0 or e.actor = any (p_actors))
      and (p_modality is null or e.modality = p_modality)
      and e.observed_at >= p_since and e.observed_at < p_until and e.recorded_at <= p_recorded_by
      and (e.modality <> 'conversation' or (e.labels ->> 0) is null
        or e.seq = (
          select o.seq from cortex_events o
          where o.root = p_root and o.scope = p_scope and o.modality = 'conversation'
            and (o.labels ->> 0) = (e.labels ->> 0)
          order by o.seq limit 1))
    order by e.seq desc limit missing;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_forget(p_root text, p_id uuid, p_scope text, p_ids uuid[], p_from timestamp with time zone, p_to timestamp with time zone, p_up_to bigint, p_limit integer, p_actor text, p_note text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  seqs bigint[];
  deleted bigint;
begin
  if p_ids is not null then
    select array_agg(e.seq) into seqs from cortex_events e
      where e.id = any (p_ids) and e.root = p_root and e.scope = p_scope
        and e.recorded_at >= p_from and e.recorded_at < p_to;
  else
    select array_agg(f.seq) into seqs from (
      select e.seq from cortex_events e
      where e.root = p_root and e.scope = p_scope and e.seq <= p_up_to
        and e.recorded_at >= p_from and e.recorded_at < p_to
      limit p_limit) f;
  end if;
  deleted := cortex_delete(p_root, coalesce(seqs, '{}'));
  insert into cortex_deletions as d (root, id, scope, action, actor, note, events_count)
    values (p_root, p_id, p_scope, 'forget', p_actor, p_note, deleted)
  on conflict (root, id) do update set
    events_count = d.events_count + excluded.events_count, updated_at = clock_timestamp();
  return deleted;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_frequencies(p_root text, p_scopes text[], p_queries text[])
 RETURNS TABLE(passages bigint, mean_length double precision, frequencies double precision[])
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  sampled bigint;
  hits bigint[];
  here bigint;
  at integer;
begin
  select coalesce(sum(c.passages), 0), coalesce(sum(c.length)::double precision / nullif(sum(c.passages), 0), 1)
    into passages, mean_length from cortex_passage_counts c where c.root = p_root;
  with sample as materialized (
    select p.terms from cortex_passages p where p.root = p_root
    order by p.root desc, p.seq desc, p.part desc limit 200
  )
  select (select count(*) from sample), array(
      select (select count(*) from sample s where s.terms @@ q.query::tsquery)
      from unnest(p_queries) with ordinality q(query, place) order by q.place)
    into sampled, hits;
  frequencies := '{}';
  for at in 1 .. coalesce(cardinality(p_queries), 0) loop
    if sampled = 200 and hits[at] >= 4 then
      frequencies := frequencies || passages * hits[at] / 200.0::double precision;
    else
      select count(*) into here from (
        with found as materialized (
          select p.root, p.scope from cortex_passages p where p.terms @@ p_queries[at]::tsquery
        )
        select 1 from found f where f.root = p_root and f.scope = any (p_scopes) limit 5000) c;
      frequencies := frequencies || here::double precision;
    end if;
  end loop;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_freshness(p_observed_at timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select 1 + 0.5 * exp(-greatest(0, extract(epoch from now() - p_observed_at))::double precision / 2592000)
$function$;

CREATE OR REPLACE FUNCTION public.cortex_index(p_items jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  item jsonb;
  old record;
  gone jsonb := '[]';
  there jsonb := '[]';
begin
  for item in
    select i.value from jsonb_array_elements(p_items) i
    order by i.value ->> 'root' collate "C", (i.value ->> 'seq')::bigint
  loop
    perform 1 from cortex_events e
      where e.root = item ->> 'root' and e.seq = (item ->> 'seq')::bigint for key share;
    if not found then continue; end if;
    delete from cortex_unindexed u
      where u.root = item ->> 'root' and u.seq = (item ->> 'seq')::bigint;
    -- Somebody else has been here.
    if not found then continue; end if;
    select d.passages, d.length into old
      from cortex_drop_passages(item ->> 'root', array[(item ->> 'seq')::bigint]) d;
    gone := gone || jsonb_build_array(jsonb_build_object(
      'root', item ->> 'root', 'passages', old.passages, 'length', old.length));
    there := there || jsonb_build_array(item);
  end loop;
  perform cortex_put_passages(there, gone);
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_index_part(p_item jsonb, p_is_last boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  at_root constant text := p_item ->> 'root';
  at_seq constant bigint := (p_item ->> 'seq')::bigint;
  old record;
  gone jsonb := '[]';
  missing jsonb;
begin
  perform 1 from cortex_events e where e.root = at_root and e.seq = at_seq for key share;
  if not found then return false; end if;
  perform 1 from cortex_unindexed u where u.root = at_root and u.seq = at_seq for update;
  -- Somebody else has been here.
  if not found then return false; end if;
  if exists (
    select 1 from cortex_passages p
    where p.root = at_root and p.seq = at_seq and p.version <> (p_item ->> 'version')::integer
  ) then
    select d.passages, d.length into old from cortex_drop_passages(at_root, array[at_seq]) d;
    gone := jsonb_build_array(jsonb_build_object(
      'root', at_root, 'passages', old.passages, 'length', old.length));
    insert into cortex_unindexed (root, seq) values (at_root, at_seq);
  end if;
  if p_is_last then
    delete from cortex_unindexed u where u.root = at_root and u.seq = at_seq;
  end if;
  select coalesce(jsonb_agg(g.value), '[]') into missing
    from jsonb_array_elements(p_item -> 'passages') g
    where not exists (
      select 1 from cortex_passages p
      where p.root = at_root and p.seq = at_seq and p.part = (g.value ->> 'part')::integer);
  perform cortex_put_passages(
    jsonb_build_array(jsonb_set(p_item, '{passages}', missing)), gone);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_label_query(p_scope text, p_labels text[])
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select string_agg(cortex_quote(cortex_digest(p_scope, 8) || 'l' || cortex_digest(l, 16)), '|')::tsquery
  from unnest(p_labels) l
$function$;

CREATE OR REPLACE FUNCTION public.cortex_labelled(p_root text, p_scope text, p_labels text[], p_actors text[], p_modality text, p_since timestamp with time zone, p_until timestamp with time zone, p_recorded_by timestamp with time zone, p_before bigint, p_limit integer)
 RETURNS TABLE(seq bigint)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  sought constant tsquery := cortex_label_query(p_scope, p_labels);
  -- With 5 in 100, an event is met in 20.
  stretch constant integer := 20 * p_limit;
  before bigint := p_before;
  missing integer := p_limit;
  hits integer;
begin
  select count(*) into hits from (
    select e.terms from cortex_events e
    where e.root = p_root and e.scope = p_scope and e.seq < p_before
    order by e.scope desc, e.seq desc limit 100) s
  where s.terms @@ sought;
  if hits >= 5 then
    return query
      select n.seq from (
        select e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
        from cortex_events e
        where e.root = p_root and e.scope = p_scope and e.seq < p_before
        order by e.scope desc, e.seq desc limit stretch) n
      where n.labels ?| p_labels
        and (cardinality(p_actors) = 0 or n.actor = any (p_actors))
        and (p_modality is null or n.modality = p_modality)
        and n.observed_at >= p_since and n.observed_at < p_until and n.recorded_at <= p_recorded_by
      order by n.scope desc, n.seq desc limit p_limit;
    get diagnostics hits = row_count;
    missing := p_limit - hits;
    if missing <= 0 then return; end if;
    select n.seq into before from (
      select e.scope, e.seq from cortex_events e
      where e.root = p_root and e.scope = p_scope and e.seq < p_before
      order by e.scope desc, e.seq desc limit stretch) n
    order by n.scope, n.seq limit 1;
  end if;
  return query
    with found as materialized (
      select e.root, e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
      from cortex_events e where e.terms @@ sought
    )
    select e.seq from found e
    where e.root = p_root and e.scope = p_scope and e.seq < before and e.labels ?| p_labels
      and (cardinality(p_actors) = 0 or e.actor = any (p_actors))
      and (p_modality is null or e.modality = p_modality)
      and e.observed_at >= p_since and e.observed_at < p_until and e.recorded_at <= p_recorded_by
    order by e.seq desc limit missing;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_near(p_root text, p_scopes text[], p_model text, p_signs bit varying, p_vector real[], p_pool integer, p_is_filtered boolean, p_labels text[], p_actors text[], p_modality text, p_since timestamp with time zone, p_until timestamp with time zone, p_recorded_by timestamp with time zone)
 RETURNS TABLE(seq bigint, part integer, similarity double precision, vector text, mean double precision, counted bigint)
 LANGUAGE plpgsql
 STABLE
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query execute format($sql$
    with held as materialized (
      select s.seq, s.part, bit_count(s.signs # $4)::integer as distance
      from cortex_vector_signs s
      where s.root = $1 and s.scope = any ($2) and s.model = $3
        and (not $7 or exists (
          select 1 from cortex_events e where e.root = $1 and e.seq = s.seq
            and (cardinality($8) = 0 or e.labels ?| $8)
            and (cardinality($9) = 0 or e.actor = any ($9))
            and ($10 is null or e.modality = $10)
            and e.observed_at >= $11 and e.observed_at < $12 and e.recorded_at <= $13))
    ), pool as (
      select h.seq, h.part from held h order by h.distance, h.seq desc, h.part limit $6
    ), figures as (
      select avg(h.distance)::double precision as mean, count(*) as counted from held h
    )
    select p.seq, p.part, %s, f.mean, f.counted
    from pool p cross join figures f
    join cortex_vectors v on v.root = $1 and v.seq = p.seq and v.part = p.part and v.model = $3
  $sql$, case when to_regtype('vector') is null
    then 'null::double precision, encode(array_send(v.vector), ''hex'')'
    else '1 - (v.vector::vector <=> $5::vector), null::text' end)
  using p_root, p_scopes, p_model, p_signs, p_vector, p_pool, p_is_filtered, p_labels, p_actors,
    p_modality, p_since, p_until, p_recorded_by;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_open_model(p_model text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if to_regtype('vector') is null
    and exists (select 1 from pg_available_extensions where name = 'vector') then
    begin
      create extension if not exists vector;
    exception when others then
      raise notice 'pgvector is there and may not be used: %', sqlerrm;
    end;
  end if;
  delete from cortex_embedding_models where model <> p_model;
  insert into cortex_embedding_models (model) values (p_model) on conflict do nothing;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_places(p_terms tsvector, p_lexemes text[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT COALESCE(jsonb_object_agg(u.lexeme, jsonb_build_array(to_jsonb(u.positions), array_to_string(u.weights, ''::text))), '{}'::jsonb) AS "coalesce"
    FROM unnest(cortex_places.p_terms) u(lexeme, positions, weights)
   WHERE (u.lexeme = ANY (cortex_places.p_lexemes));
END;

CREATE OR REPLACE FUNCTION public.cortex_put_passages(p_items jsonb, p_gone jsonb DEFAULT '[]'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
begin
  insert into cortex_passages (root, seq, part, scope, from_at, characters, length, version, terms)
    select i.root, i.seq, p.part, i.scope, p.from_at, p.characters, p.length, i.version, p.terms::tsvector
    from jsonb_to_recordset(p_items) as i(
      root text, seq bigint, scope text, version integer, passages jsonb)
    cross join lateral jsonb_to_recordset(i.passages) as p(
      part integer, from_at integer, characters integer, length integer, terms text);
  -- In one order everywhere, so that writers cannot deadlock.
  insert into cortex_terms_known (root, term)
    select distinct i.root collate "C", t.term collate "C"
    from jsonb_to_recordset(p_items) as i(root text, known jsonb)
    cross join lateral jsonb_array_elements_text(i.known) as t(term)
    order by 1, 2
  on conflict do nothing;
  if exists (select 1 from cortex_embedding_models) then
    insert into cortex_unembedded (root, seq)
      select i.root collate "C", i.seq from jsonb_to_recordset(p_items) as i(root text, seq bigint)
      order by 1, 2
    on conflict do nothing;
  end if;
  -- Counts come last everywhere, for the same reason.
  perform cortex_count_passages(c.root, c.passages::bigint, c.length::bigint) from (
    select b.root, sum(b.passages) as passages, sum(b.length) as length from (
      select i.root, 1 as passages, p.length
      from jsonb_to_recordset(p_items) as i(root text, passages jsonb)
      cross join lateral jsonb_to_recordset(i.passages) as p(length integer)
      union all
      select g.root, -g.passages, -g.length
      from jsonb_to_recordset(p_gone) as g(root text, passages integer, length integer)) b
    group by b.root order by b.root) c;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_put_vectors(p_model text, p_items jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  item jsonb;
begin
  for item in
    select i.value from jsonb_array_elements(p_items) i
    order by i.value ->> 'root' collate "C", (i.value ->> 'seq')::bigint
  loop
    perform 1 from cortex_events e
      where e.root = item ->> 'root' and e.seq = (item ->> 'seq')::bigint for key share;
    if not found then continue; end if;
    delete from cortex_unembedded u
      where u.root = item ->> 'root' and u.seq = (item ->> 'seq')::bigint;
    -- Somebody else has been here.
    if not found then continue; end if;
    delete from cortex_vectors v where v.root = item ->> 'root' and v.seq = (item ->> 'seq')::bigint;
    delete from cortex_vector_signs v where v.root = item ->> 'root' and v.seq = (item ->> 'seq')::bigint;
    with given as (
      select p.root, p.seq, p.part, p.scope, g.signs::bit varying as signs, g.vector::real[] as vector
      from jsonb_to_recordset(item -> 'vectors') as g(part integer, signs text, vector text)
      join cortex_passages p on p.root = item ->> 'root' and p.seq = (item ->> 'seq')::bigint and p.part = g.part
    ), kept as (
      insert into cortex_vectors (root, seq, part, model, vector)
        select root, seq, part, p_model, vector from given
    )
    insert into cortex_vector_signs (root, seq, part, scope, model, signs)
      select root, seq, part, scope, p_model, signs from given;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_quote(p_lexeme text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select '''' || replace(replace(p_lexeme, '\', '\\'), '''', '''''') || '''' $function$;

CREATE OR REPLACE FUNCTION public.cortex_search(p_root text, p_scope text, p_query text, p_labels text[], p_actors text[], p_modality text, p_since timestamp with time zone, p_until timestamp with time zone, p_recorded_by timestamp with time zone, p_limit integer)
 RETURNS TABLE(seq bigint, score double precision)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  words text[];
  rare text[];
  sampled integer;
  found_count integer := 0;
  every tsquery;
  picked tsquery;
  sought tsquery;
begin
  select array_agg(q.lexeme) into words from (
    select w.lexeme from unnest(cortex_words(left(p_query, 4000))) w
    where octet_length(w.lexeme) < 2000 order by w.positions[1] limit 24) q;
  every := cortex_word_query(p_scope, words);
  with sample as materialized (
    select e.terms from cortex_events e
    where e.root = p_root and e.scope = p_scope order by e.seq desc limit 200
  ), asked as materialized (
    select u.word, u.place, cortex_word_query(p_scope, array[u.word]) as query
    from unnest(words) with ordinality u(word, place)
  ), held as materialized (
    select a.word, a.place, (select count(*) from sample s where s.terms @@ a.query) as hits
    from asked a
  ), summed as (
    select word, sum(hits) over (order by hits, place) as running from held
  )
  select array_agg(word) filter (where running <= 3), (select count(*) from sample)
    into rare, sampled from summed;
  -- A scope that the sample holds whole is ranked whole.
  picked := case when sampled = 200 then cortex_word_query(p_scope, rare) end;
  if picked is not null then
    sought := case when cardinality(p_labels) = 0 then picked
      else picked && cortex_label_query(p_scope, p_labels) end;
    return query
      with hits as materialized (
        select e.root, e.scope, e.seq, e.terms, e.labels, e.actor, e.modality,
          e.observed_at, e.recorded_at
        from cortex_events e where e.terms @@ sought
      ), ranked as (
        select h.seq, h.terms, cortex_freshness(h.observed_at) as freshness,
          ts_rank(h.terms, every, 32) + ts_rank(h.terms, picked, 32) as words_rank
        from hits h
        where h.root = p_root and h.scope = p_scope
          and (cardinality(p_labels) = 0 or h.labels ?| p_labels)
          and (cardinality(p_actors) = 0 or h.actor = any (p_actors))
          and (p_modality is null or h.modality = p_modality)
          and h.observed_at >= p_since and h.observed_at < p_until and h.recorded_at <= p_recorded_by
      ), best as (
        select * from ranked order by words_rank * freshness desc, seq desc limit greatest(200, p_limit)
      )
      select b.seq, (b.words_rank + ts_rank_cd(b.terms, every, 33) + ts_rank_cd(b.terms, picked, 33))
        * b.freshness
      from best b order by 2 desc, 1 desc limit p_limit;
    get diagnostics found_count = row_count;
  end if;
  if found_count < p_limit then
    return query
      with ranked as (
        select n.seq, n.terms, cortex_freshness(n.observed_at) as freshness,
          case when every is null then 0 else ts_rank(n.terms, every, 32) end as words_rank
        from (
          select e.seq, e.terms, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
          from cortex_events e where e.root = p_root and e.scope = p_scope
          order by e.seq desc limit 3000) n
        where (every is null or n.terms @@ every)
          and (picked is null or not n.terms @@ picked)
          and (cardinality(p_labels) = 0 or n.labels ?| p_labels)
          and (cardinality(p_actors) = 0 or n.actor = any (p_actors))
          and (p_modality is null or n.modality = p_modality)
          and n.observed_at >= p_since and n.observed_at < p_until and n.recorded_at <= p_recorded_by
      ), best as (
        select * from ranked order by words_rank * freshness desc, seq desc limit greatest(200, p_limit)
      )
      select b.seq, case when every is null then 0
        else (b.words_rank + ts_rank_cd(b.terms, every, 33)) * b.freshness end
      from best b order by 2 desc, 1 desc limit p_limit - found_count;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_similar_terms(p_root text, p_word text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT k.term
    FROM cortex_terms_known k
   WHERE ((k.root = cortex_similar_terms.p_root) AND ((char_length(k.term) >= (char_length(cortex_similar_terms.p_word) - 5)) AND (char_length(k.term) <= (char_length(cortex_similar_terms.p_word) + 2))) AND (("left"(k.term, 2) = "left"(cortex_similar_terms.p_word, 2)) OR ("right"(k.term, 3) = "right"(cortex_similar_terms.p_word, 3)) OR (substr(k.term, 2, 3) = substr(cortex_similar_terms.p_word, 2, 3)) OR (("left"(k.term, 1) = "left"(cortex_similar_terms.p_word, 1)) AND (substr(k.term, 3, 2) = substr(cortex_similar_terms.p_word, 3, 2)))))
  LIMIT 2000;
END;

CREATE OR REPLACE FUNCTION public.cortex_take_unembedded(p_model text, p_limit integer)
 RETURNS TABLE(root text, seq bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  return query
    update cortex_unembedded u set taken_until = clock_timestamp() + interval '2 minutes'
    from (
      select w.root, w.seq from cortex_unembedded w
      where w.taken_until < clock_timestamp()
        and exists (select 1 from cortex_embedding_models where model = p_model)
      order by w.root, w.seq limit p_limit for update skip locked) t
    where u.root = t.root and u.seq = t.seq
    returning u.root, u.seq;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_term_frequencies(p_root text, p_scopes text[], p_queries text[], p_terms text[], p_owners integer[])
 RETURNS TABLE(passages bigint, mean_length double precision, frequencies double precision[])
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  counted bigint;
  sampled bigint := 0;
  known bigint[] := '{}';
  hits bigint[];
  here bigint;
  at integer;
begin
  select coalesce(sum(c.passages), 0), coalesce(sum(c.length)::double precision / nullif(sum(c.passages), 0), 1)
    into passages, mean_length from cortex_passage_counts c where c.root = p_root;
  frequencies := '{}';
  if coalesce(cardinality(p_queries), 0) = 0 then
    return next;
    return;
  end if;
  select m.passages into counted from cortex_term_marks m where m.root = p_root;
  if counted > 0 then
    known := array(
      select coalesce(sum(c.passages), 0)::bigint
      from generate_series(1, cardinality(p_queries)) n
      left join unnest(p_terms, p_owners) t(term, owner) on t.owner = n
      left join cortex_term_counts c on c.root = p_root and c.term = t.term
      group by n order by n);
  else
    with sample as materialized (
      select p.terms from cortex_passages p where p.root = p_root
      order by p.root desc, p.seq desc, p.part desc limit 200
    )
    select (select count(*) from sample), array(
        select (select count(*) from sample s where s.terms @@ q.query::tsquery)
        from unnest(p_queries) with ordinality q(query, place) order by q.place)
      into sampled, hits;
  end if;
  for at in 1 .. cardinality(p_queries) loop
    if counted > 0 and known[at] >= 200 then
      frequencies := frequencies
        || least(passages, known[at] * greatest(1, passages / counted::double precision));
    elsif sampled = 200 and hits[at] >= 4 then
      frequencies := frequencies || passages * hits[at] / 200.0::double precision;
    else
      select count(*) into here from (
        with found as materialized (
          select p.root, p.scope from cortex_passages p where p.terms @@ p_queries[at]::tsquery
        )
        select 1 from found f where f.root = p_root and f.scope = any (p_scopes) limit 5000) c;
      frequencies := frequencies || here::double precision;
    end if;
  end loop;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_terms(p_scope text, p_text text, p_labels jsonb)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  mark constant text := cortex_digest(p_scope, 8);
  words text;
begin
  select string_agg(cortex_quote(mark || 'w' || w.lexeme) || ':'
      || array_to_string(w.positions, ','), ' ')
    into words from unnest(cortex_words(p_text)) w where octet_length(w.lexeme) < 2000;
  return coalesce(words::tsvector, ''::tsvector) || coalesce((
    select array_to_tsvector(array_agg(distinct mark || 'l' || cortex_digest(l, 16)))
    from jsonb_array_elements_text(p_labels) l), ''::tsvector);
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_uncount_terms(p_root text, p_lexemes text[])
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
AS $function$
#variable_conflict use_column
begin
  if not exists (select 1 from cortex_term_marks where root = p_root) then return; end if;
  perform 1 from cortex_term_counts c
    where c.root = p_root and c.term = any (select distinct substr(l, 5) collate "C" from unnest(p_lexemes) l)
    order by c.term for update;
  update cortex_term_counts c set passages = c.passages - g.gone
    from (
      select substr(l, 5) collate "C" as term, count(*) as gone from unnest(p_lexemes) l group by 1) g
    where c.root = p_root and c.term = g.term;
  delete from cortex_term_counts c
    where c.root = p_root and c.passages <= 0
      and c.term = any (select distinct substr(l, 5) collate "C" from unnest(p_lexemes) l);
end $function$;

CREATE OR REPLACE FUNCTION public.cortex_word_query(p_scope text, p_words text[])
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select string_agg(cortex_quote(cortex_digest(p_scope, 8) || 'w' || w)
    || case when length(w) >= 4 then ':*' else '' end, '|')::tsquery
  from unnest(p_words) w
$function$;

CREATE OR REPLACE FUNCTION public.cortex_words(p_text text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select to_tsvector('pg_catalog.simple'::regconfig, case
    when octet_length(p_text) = length(p_text) then left(p_text, 64000)
    -- Cut again: one character may decompose into eighteen.
    else regexp_replace(left(normalize(left(p_text, 64000), NFKD), 64000), '[\u0300-\u036F]', '', 'g')
  end)
$function$;

CREATE OR REPLACE FUNCTION public.gate_ledger_refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only: record a new row instead', tg_table_name
    using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.record_token_usage(p_reports jsonb, p_superseded text[] DEFAULT '{}'::text[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  report session_token_usages;
  known session_token_usages;
  counted session_token_usages;
  changes token_usage_days[] := '{}';
  added integer := 0;
begin
  for known in
    delete from session_token_usages where request_id = any (p_superseded) returning *
  loop
    changes := changes || token_usage_day(known, -1);
  end loop;
  for report in
    select r.* from jsonb_populate_recordset(null::session_token_usages, p_reports) r
    order by r.request_id collate "C"
  loop
    loop
      select * into known from session_token_usages where request_id = report.request_id for update;
      if found then
        exit;
      end if;
      insert into session_token_usages select report.* on conflict do nothing returning * into counted;
      if found then
        known := null;
        exit;
      end if;
    end loop;
    if known.request_id is null then
      added := added + 1;
    else
      counted := known;
      if report.session_id < known.session_id or known.session_id is null then
        counted.session_id := report.session_id;
        counted.turn_id := report.turn_id;
        counted.agent_root := report.agent_root;
        counted.source := coalesce(report.source, known.source);
      end if;
      counted.model := case
        when known.model = 'unknown' then report.model
        when report.model = 'unknown' then known.model
        else least(known.model collate "C", report.model collate "C") end;
      counted.is_subagent := known.is_subagent or report.is_subagent;
      counted.input_tokens := greatest(known.input_tokens, report.input_tokens);
      counted.output_tokens := greatest(known.output_tokens, report.output_tokens);
      counted.cache_read_tokens := greatest(known.cache_read_tokens, report.cache_read_tokens);
      counted.cache_creation_tokens := greatest(known.cache_creation_tokens, report.cache_creation_tokens);
      counted.cache_creation_5m_tokens := greatest(known.cache_creation_5m_tokens, report.cache_creation_5m_tokens);
      counted.cache_creation_1h_tokens := greatest(known.cache_creation_1h_tokens, report.cache_creation_1h_tokens);
      counted.web_search_requests := greatest(known.web_search_requests, report.web_search_requests);
      counted.reported_usd := greatest(known.reported_usd, report.reported_usd);
      counted.is_partial := known.is_partial and report.is_partial;
      counted.called_at := least(known.called_at, report.called_at);
      if counted is not distinct from known then
        continue;
      end if;
      update session_token_usages set
        session_id = counted.session_id, turn_id = counted.turn_id, agent_root = counted.agent_root,
        source = counted.source, model = counted.model, is_subagent = counted.is_subagent,
        input_tokens = counted.input_tokens, output_tokens = counted.output_tokens,
        cache_read_tokens = counted.cache_read_tokens,
        cache_creation_tokens = counted.cache_creation_tokens,
        cache_creation_5m_tokens = counted.cache_creation_5m_tokens,
        cache_creation_1h_tokens = counted.cache_creation_1h_tokens,
        web_search_requests = counted.web_search_requests, reported_usd = counted.reported_usd,
        is_partial = counted.is_partial, called_at = counted.called_at
        where request_id = counted.request_id;
      changes := changes || token_usage_day(known, -1);
    end if;
    changes := changes || token_usage_day(counted, 1);
  end loop;
  perform add_token_usage_days(changes);
  return added;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_delete(p_namespace text, p_collection text, p_key text, p_id bigint, p_max_writes integer, p_window_seconds integer, p_session_id bigint DEFAULT NULL::bigint, p_if_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS root_data_outcome
 LANGUAGE plpgsql
AS $function$
declare
  counter agent_root_record_counters;
  gone agent_root_records;
  result root_data_outcome;
  at_time timestamptz;
  writes integer;
begin
  if p_session_id is not null and not exists (select 1 from sessions where id = p_session_id) then
    result.outcome := 'session_gone';
    return result;
  end if;
  -- A collection that never held anything gets no counter row from a typo.
  if not exists (select 1 from agent_root_record_counters
      where namespace = p_namespace and collection = p_collection)
    and not exists (select 1 from agent_root_records
      where namespace = p_namespace and collection = p_collection) then
    result.outcome := 'not_found';
    result.records_count := 0;
    return result;
  end if;
  counter := root_data_lock_counter(p_namespace, p_collection);
  at_time := clock_timestamp();
  writes := root_data_window_writes(counter, at_time, p_window_seconds);
  if writes >= p_max_writes then
    result.outcome := 'rate_limited';
    result.retry_after_seconds := root_data_retry_after(counter, at_time, p_window_seconds);
    return result;
  end if;
  if p_key is not null then
    select * into gone from agent_root_records
      where namespace = p_namespace and collection = p_collection and key = p_key;
  else
    select * into gone from agent_root_records
      where namespace = p_namespace and collection = p_collection and id = p_id;
  end if;
  if gone.id is null then
    result.outcome := 'not_found';
    result.records_count := counter.records_count;
    return result;
  end if;
  if p_if_updated_at is not null and not root_data_is_version(gone.updated_at, p_if_updated_at) then
    result.outcome := 'conflict';
    result.id := gone.id;
    result.updated_at := gone.updated_at;
    return result;
  end if;
  delete from agent_root_records where namespace = p_namespace and id = gone.id;
  result.records_count := root_data_settle_counter(
    counter, at_time, writes, -1, -gone.data_bytes);
  result.outcome := 'deleted';
  result.id := gone.id;
  result.key := gone.key;
  result.window_writes := writes + 1;
  return result;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_drop_counter(p_namespace text, p_collection text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform root_data_lock_counter(p_namespace, p_collection);
  if exists (select 1 from agent_root_records
      where namespace = p_namespace and collection = p_collection) then
    return false;
  end if;
  delete from agent_root_record_counters
    where namespace = p_namespace and collection = p_collection;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_empty(p_namespace text, p_collection text, p_last_id bigint, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  deleted integer;
  freed bigint;
  at_time timestamptz;
begin
  perform root_data_lock_counter(p_namespace, p_collection);
  at_time := clock_timestamp();
  with gone as (
    delete from agent_root_records
    where namespace = p_namespace and id = any (array(
      select id from agent_root_records
      where namespace = p_namespace and collection = p_collection and id <= p_last_id
      order by created_at, id limit p_limit))
    returning data_bytes
  )
  select count(*), coalesce(sum(data_bytes), 0) into deleted, freed from gone;
  update agent_root_record_counters set
    records_count = greatest(0, records_count - deleted),
    data_bytes = greatest(0, data_bytes - freed),
    updated_at = at_time
  where namespace = p_namespace and collection = p_collection;
  return deleted;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_hits(p_namespace text, p_collection text, p_filter jsonb)
 RETURNS TABLE(id bigint, created_at timestamp with time zone, updated_at timestamp with time zone, data_bytes integer)
 LANGUAGE plpgsql
 STABLE ROWS 10
AS $function$
begin
  if p_filter @? '$.** ? (@.type() != "object" && @.type() != "array")' then
    return query
      select r.id, r.created_at, r.updated_at, r.data_bytes
      from agent_root_records r
      where r.namespace = p_namespace and r.collection = p_collection
        and root_data_scoped(r.namespace, r.collection, r.data)
          @> root_data_scoped(p_namespace, p_collection, p_filter);
  else
    -- The index knows values only: a filter of empty objects and arrays would
    -- read all of it.
    return query
      select r.id, r.created_at, r.updated_at, r.data_bytes
      from agent_root_records r
      where r.namespace = p_namespace and r.collection = p_collection
        and r.data @> p_filter;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_import(p_namespace text, p_collection text, p_items jsonb, p_max_records integer, p_max_collections integer, p_overwrite boolean)
 RETURNS TABLE(outcome text, records_count integer, holding text[])
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
begin
  return query
    select o.outcome, o.records_count, o.holding
    from jsonb_array_elements(p_items) with ordinality i (item, n),
      lateral root_data_put(p_namespace, p_collection, item->>'key', item->'data',
        (item->>'bytes')::int, null, null, p_max_records, p_max_collections, 0, 1, true,
        (item->>'created_at')::timestamptz, (item->>'updated_at')::timestamptz,
        (item->>'expires_at')::timestamptz, (item->>'copies')::int, p_overwrite) o
    order by i.n;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_is_version(p_updated_at timestamp with time zone, p_shown timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(date_trunc('milliseconds', p_updated_at) = date_trunc('milliseconds', p_shown), false)
$function$;

CREATE OR REPLACE FUNCTION public.root_data_lock_counter(p_namespace text, p_collection text)
 RETURNS agent_root_record_counters
 LANGUAGE plpgsql
AS $function$
declare
  counter agent_root_record_counters;
begin
  loop
    select * into counter from agent_root_record_counters
      where namespace = p_namespace and collection = p_collection for update;
    if found then
      return counter;
    end if;
    insert into agent_root_record_counters (namespace, collection, records_count, data_bytes)
      select p_namespace, p_collection, count(*), coalesce(sum(data_bytes), 0)
        from agent_root_records where namespace = p_namespace and collection = p_collection
      on conflict do nothing;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_move(p_from text, p_to text, p_collection text, p_after_id bigint, p_last_id bigint, p_limit integer, p_max_records integer, p_max_collections integer)
 RETURNS TABLE(next_id bigint, seen integer, moved integer, key_taken integer, refused text)
 LANGUAGE plpgsql
AS $function$
declare
  source agent_root_record_counters;
  target agent_root_record_counters;
  looked_at bigint[];
  free_ids bigint[];
  holding integer;
  bytes bigint;
  at_time timestamptz;
begin
  if p_from collate "C" < p_to collate "C" then
    source := root_data_lock_counter(p_from, p_collection);
    target := root_data_lock_counter(p_to, p_collection);
  else
    target := root_data_lock_counter(p_to, p_collection);
    source := root_data_lock_counter(p_from, p_collection);
  end if;
  looked_at := array(
    select r.id from agent_root_records r
    where r.namespace = p_from and r.collection = p_collection
      and r.id > p_after_id and r.id <= p_last_id
    order by r.id limit p_limit);
  seen := cardinality(looked_at);
  next_id := coalesce(looked_at[seen], p_last_id);
  free_ids := array(
    select r.id from agent_root_records r
    where r.namespace = p_from and r.id = any (looked_at)
      and (r.key is null or not exists (
        select 1 from agent_root_records t
        where t.namespace = p_to and t.collection = p_collection and t.key = r.key))
    order by r.id);
  key_taken := seen - cardinality(free_ids);
  moved := 0;
  if target.records_count + cardinality(free_ids) > p_max_records then
    refused := 'row_cap';
    free_ids := free_ids[1:greatest(0, p_max_records - target.records_count)];
  end if;
  if target.records_count = 0 and cardinality(free_ids) > 0 then
    perform pg_advisory_xact_lock(hashtextextended('root_data:' || p_to, 0));
    select count(*) into holding from agent_root_record_counters c
      where c.namespace = p_to and c.collection <> p_collection and c.records_count > 0;
    if holding >= p_max_collections then
      refused := 'collection_cap';
      free_ids := '{}';
    end if;
  end if;
  if cardinality(free_ids) = 0 then
    return next;
    return;
  end if;
  at_time := clock_timestamp();
  with gone as (
    delete from agent_root_records r
    where r.namespace = p_from and r.id = any (free_ids) returning r.*
  ), come as (
    insert into agent_root_records (id, namespace, collection, key, data, data_bytes,
      writing_session_id, expires_at, created_at, updated_at)
    overriding system value
    select g.id, p_to, g.collection, g.key, g.data, g.data_bytes,
      g.writing_session_id, g.expires_at, g.created_at, g.updated_at from gone g
    returning data_bytes
  )
  select count(*), coalesce(sum(c.data_bytes), 0) into moved, bytes from come c;
  update agent_root_record_counters c set
    records_count = greatest(0, c.records_count - moved),
    data_bytes = greatest(0, c.data_bytes - bytes),
    updated_at = at_time
  where c.namespace = p_from and c.collection = p_collection;
  update agent_root_record_counters c set
    records_count = c.records_count + moved,
    data_bytes = c.data_bytes + bytes,
    last_write_at = greatest(c.last_write_at, source.last_write_at),
    updated_at = at_time
  where c.namespace = p_to and c.collection = p_collection;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_next_version(p_updated_at timestamp with time zone, p_now timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when date_trunc('milliseconds', p_updated_at) >= date_trunc('milliseconds', p_now)
      and p_updated_at < p_now + interval '1 second'
    then date_trunc('milliseconds', p_updated_at) + interval '1 millisecond'
    else p_now
  end
$function$;

CREATE OR REPLACE FUNCTION public.root_data_put(p_namespace text, p_collection text, p_key text, p_data jsonb, p_bytes integer, p_session_id bigint, p_retention_days integer, p_max_records integer, p_max_collections integer, p_max_writes integer, p_window_seconds integer, p_is_import boolean DEFAULT false, p_created_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_copies integer DEFAULT 1, p_overwrite boolean DEFAULT true, p_if_updated_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_if_absent boolean DEFAULT false)
 RETURNS root_data_outcome
 LANGUAGE plpgsql
AS $function$
declare
  counter agent_root_record_counters;
  target agent_root_records;
  written agent_root_records;
  result root_data_outcome;
  at_time timestamptz;
  writes integer;
  copies integer;
  has_times boolean;
  created timestamptz;
  updated timestamptz;
  expiry timestamptz;
begin
  counter := root_data_lock_counter(p_namespace, p_collection);
  at_time := clock_timestamp();
  writes := root_data_window_writes(counter, at_time, p_window_seconds);
  if writes >= p_max_writes and not p_is_import then
    result.outcome := 'rate_limited';
    result.retry_after_seconds := root_data_retry_after(counter, at_time, p_window_seconds);
    return result;
  end if;
  if p_key is not null then
    select * into target from agent_root_records
      where namespace = p_namespace and collection = p_collection and key = p_key;
  end if;
  if (p_if_absent and target.id is not null)
    or (p_if_updated_at is not null and not root_data_is_version(target.updated_at, p_if_updated_at)) then
    result.outcome := 'conflict';
    result.id := target.id;
    result.updated_at := target.updated_at;
    return result;
  end if;
  if p_is_import then
    has_times := p_created_at is not null or p_updated_at is not null;
    created := coalesce(p_created_at, p_updated_at, at_time);
    updated := coalesce(p_updated_at, created);
    expiry := p_expires_at;
    result.records_count := counter.records_count;
    if p_key is null then
      -- Ordered, so that the index by creation time is used even where the
      -- planner has no statistics yet.
      select count(*) into copies from (
        select from agent_root_records r
          where r.namespace = p_namespace and r.collection = p_collection
            and r.created_at = created and r.key is null and r.data = p_data
          order by r.id limit p_copies) same;
      if copies >= p_copies then
        result.outcome := 'unchanged';
        return result;
      end if;
    elsif target.data = p_data and target.expires_at is not distinct from expiry
      and (not has_times or (target.created_at = created and target.updated_at = updated)) then
      result.outcome := 'unchanged';
      return result;
    elsif target.id is not null and not p_overwrite
      and (not has_times or target.updated_at > updated) then
      result.outcome := 'kept_newer';
      return result;
    end if;
  else
    created := at_time;
    updated := root_data_next_version(target.updated_at, at_time);
    if p_retention_days is not null then
      expiry := at_time + make_interval(days => p_retention_days);
    end if;
  end if;
  if target.id is not null then
    update agent_root_records set data = p_data, data_bytes = p_bytes,
      writing_session_id = p_session_id, expires_at = expiry, updated_at = updated,
      created_at = case when p_is_import then created else created_at end
      where namespace = p_namespace and id = target.id returning * into written;
    result.records_count := root_data_settle_counter(
      counter, at_time, writes, 0, p_bytes - target.data_bytes, p_is_import);
    result.outcome := 'replaced';
  else
    result.records_count := counter.records_count;
    if counter.records_count >= p_max_records then
      result.outcome := 'row_cap';
      return result;
    end if;
    if counter.records_count = 0 then
      -- Two collections that become non-empty at once hold different counter
      -- rows, so the cap on collections needs a lock of its own. Taken last.
      perform pg_advisory_xact_lock(hashtextextended('root_data:' || p_namespace, 0));
      select array_agg(collection order by collection) into result.holding
        from agent_root_record_counters
        where namespace = p_namespace and collection <> p_collection and records_count > 0;
      if coalesce(cardinality(result.holding), 0) >= p_max_collections then
        result.outcome := 'collection_cap';
        return result;
      end if;
    end if;
    insert into agent_root_records (namespace, collection, key, data, data_bytes,
        writing_session_id, expires_at, created_at, updated_at)
      values (p_namespace, p_collection, p_key, p_data, p_bytes,
        p_session_id, expiry, created, updated)
      returning * into written;
    result.records_count := root_data_settle_counter(
      counter, at_time, writes, 1, p_bytes, p_is_import);
    result.outcome := case when p_key is null then 'appended' else 'created' end;
  end if;
  result.id := written.id;
  result.key := written.key;
  result.data_bytes := written.data_bytes;
  result.created_at := written.created_at;
  result.updated_at := written.updated_at;
  result.expires_at := written.expires_at;
  result.writing_session_id := written.writing_session_id;
  result.window_writes := writes + 1;
  result.holding := null;
  return result;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_recount(p_namespace text, p_collection text)
 RETURNS TABLE(records_before integer, records_after integer, bytes_before bigint, bytes_after bigint)
 LANGUAGE plpgsql
AS $function$
declare
  counter agent_root_record_counters;
  at_time timestamptz;
begin
  counter := root_data_lock_counter(p_namespace, p_collection);
  records_before := counter.records_count;
  bytes_before := counter.data_bytes;
  select count(*), coalesce(sum(r.data_bytes), 0) into records_after, bytes_after
    from agent_root_records r
    where r.namespace = p_namespace and r.collection = p_collection;
  at_time := clock_timestamp();
  update agent_root_record_counters c set
    records_count = records_after, data_bytes = bytes_after,
    recounted_at = at_time, updated_at = at_time
  where c.namespace = p_namespace and c.collection = p_collection;
  return next;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_retry_after(counter agent_root_record_counters, p_now timestamp with time zone, p_window_seconds integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select greatest(1, ceil(extract(epoch from
    counter.window_started_at + make_interval(secs => p_window_seconds) - p_now)))::integer
$function$;

CREATE OR REPLACE FUNCTION public.root_data_scoped(p_namespace text, p_collection text, p_data jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select jsonb_build_object(p_namespace || '/' || p_collection, p_data) $function$;

CREATE OR REPLACE FUNCTION public.root_data_settle_counter(counter agent_root_record_counters, p_now timestamp with time zone, p_window_writes integer, p_records integer, p_bytes bigint, p_is_import boolean DEFAULT false)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  total integer;
begin
  update agent_root_record_counters c set
    records_count = greatest(0, c.records_count + p_records),
    data_bytes = greatest(0, c.data_bytes + p_bytes),
    window_started_at = case
      when p_window_writes = 0 and not p_is_import then p_now
      else c.window_started_at end,
    window_writes = case when p_is_import then c.window_writes else p_window_writes + 1 end,
    last_write_at = p_now,
    updated_at = p_now
  where c.namespace = counter.namespace and c.collection = counter.collection
  returning c.records_count into total;
  return total;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_sweep(p_namespace text, p_collection text, p_ids bigint[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  deleted integer;
  freed bigint;
  at_time timestamptz;
begin
  perform root_data_lock_counter(p_namespace, p_collection);
  at_time := clock_timestamp();
  with gone as (
    delete from agent_root_records
    where namespace = p_namespace and collection = p_collection
      and id = any (p_ids) and expires_at <= at_time
    returning data_bytes
  )
  select count(*), coalesce(sum(data_bytes), 0) into deleted, freed from gone;
  if deleted > 0 then
    update agent_root_record_counters set
      records_count = greatest(0, records_count - deleted),
      data_bytes = greatest(0, data_bytes - freed),
      updated_at = at_time
    where namespace = p_namespace and collection = p_collection;
  end if;
  return deleted;
end $function$;

CREATE OR REPLACE FUNCTION public.root_data_window_writes(counter agent_root_record_counters, p_now timestamp with time zone, p_window_seconds integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case
    when counter.window_started_at is null
      or p_now < counter.window_started_at
      or p_now >= counter.window_started_at + make_interval(secs => p_window_seconds) then 0
    else counter.window_writes
  end
$function$;

CREATE OR REPLACE FUNCTION public.send_job(p_lane text, p_data jsonb, p_start_after timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
AS $function$
  insert into rootcellar_jobs.job (name, data, start_after, keep_until, policy, retry_limit, retry_delay,
    retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter, heartbeat_seconds)
  select q.name, p_data, p_start_after, p_start_after + q.retention_seconds * interval '1 second', q.policy,
    q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max, q.expire_seconds, q.deletion_seconds,
    q.dead_letter, q.heartbeat_seconds
  from rootcellar_jobs.queue q where q.name = p_lane
  returning id
$function$;

CREATE OR REPLACE FUNCTION public.token_usage_day(p_usage session_token_usages, p_sign integer)
 RETURNS token_usage_days
 LANGUAGE sql
 STABLE
AS $function$
  select row(
    (p_usage.called_at at time zone 'utc')::date,
    coalesce(p_usage.session_id, 0),
    coalesce(p_usage.agent_root, ''),
    p_usage.model,
    p_usage.is_subagent,
    token_usage_step(p_usage.input_tokens + p_usage.cache_read_tokens + p_usage.cache_creation_tokens),
    p_sign,
    p_sign * p_usage.is_partial::integer,
    p_sign * p_usage.input_tokens,
    p_sign * p_usage.output_tokens,
    p_sign * p_usage.cache_read_tokens,
    p_sign * least(coalesce(p_usage.cache_creation_5m_tokens, 0), p_usage.cache_creation_tokens),
    p_sign * greatest(p_usage.cache_creation_tokens - coalesce(p_usage.cache_creation_5m_tokens, 0), 0),
    p_sign * p_usage.web_search_requests,
    p_sign * coalesce(p_usage.reported_usd, 0))::token_usage_days
$function$;

CREATE OR REPLACE FUNCTION public.token_usage_step(p_context bigint)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select width_bucket(p_context - 1,
    array[32000, 64000, 100000, 128000, 200000, 256000, 272000, 512000, 1000000]::bigint[])
$function$;
