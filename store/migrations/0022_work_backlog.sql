-- compatible
-- The backlog: work that was cleared and waits to be started, in the order in
-- which it is to be started, and what became of it. Rows are never deleted.
create table work_backlog_items (
  id bigint generated always as identity primary key,
  key text not null check (char_length(key) between 1 and 200),
  issue_url text check (char_length(issue_url) between 1 and 2048),
  repo text not null check (repo ~ '^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$' and char_length(repo) <= 300),
  surface text not null check (char_length(surface) between 1 and 200),
  title text not null check (char_length(title) between 1 and 1000),
  kind text not null check (char_length(kind) between 1 and 100),
  scope_direction text not null check (scope_direction in ('convergent', 'divergent')),
  estimated_cost text not null check (estimated_cost in ('small', 'medium', 'large')),
  gate_verdict text check (char_length(gate_verdict) between 1 and 200),
  decided_at date,
  added_at timestamptz not null default clock_timestamp(),
  added_by text not null check (char_length(added_by) between 1 and 100),
  added_via text not null check (added_via in ('import', 'mcp', 'api')),
  precedence integer not null check (precedence between -1000000000 and 1000000000),
  pinned boolean not null default false,
  status text not null default 'queued' check (status in ('queued', 'started', 'removed')),
  writing_session_id bigint references sessions (id) on delete set null,
  started_session_id bigint references sessions (id) on delete set null,
  started_by_session_id bigint references sessions (id) on delete set null,
  started_at timestamptz,
  removed_at timestamptz,
  removed_by text check (char_length(removed_by) between 1 and 100),
  removal_reason text check (char_length(removal_reason) between 1 and 1000),
  -- Ratings, notes, the address of the gate's session, the prompt of an item
  -- that has no issue.
  payload jsonb not null default '{}'
    check (jsonb_typeof(payload) = 'object' and octet_length(payload::text) <= 131072),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (issue_url is not null or payload ? 'prompt'),
  check ((status = 'started') = (started_at is not null)),
  check ((status = 'removed') = (removed_at is not null and removal_reason is not null and removed_by is not null))
);
create unique index work_backlog_items_queued_key on work_backlog_items (key) where status = 'queued';
create index work_backlog_items_rank on work_backlog_items (precedence desc, added_at, id) where status = 'queued';
create index work_backlog_items_key on work_backlog_items (key, id);
create index work_backlog_items_status on work_backlog_items (status, id desc);
create index work_backlog_items_writer on work_backlog_items (writing_session_id) where writing_session_id is not null;
create index work_backlog_items_started on work_backlog_items (started_session_id) where started_session_id is not null;
create index work_backlog_items_starter on work_backlog_items (started_by_session_id)
  where started_by_session_id is not null;
