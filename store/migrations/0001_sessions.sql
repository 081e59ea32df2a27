-- compatible
-- One row an agent session. Shaped for the session tools: status has the five
-- states of the session state machine; agent_root_key is a column of its own
-- because root data resolves a namespace through it.
create table sessions (
  id bigint generated always as identity primary key,
  agent_root_key text,
  title text not null check (char_length(title) between 1 and 100),
  slug text unique check (slug ~ '^[a-z0-9-]+$' and slug !~ '^[0-9]+$'),
  status text not null default 'waiting'
    check (status in ('running', 'waiting', 'needs_input', 'archived', 'failed')),
  parent_session_id bigint references sessions (id) on delete set null,
  tool_groups text[],
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  custom_metadata jsonb not null default '{}' check (jsonb_typeof(custom_metadata) = 'object'),
  token_hash bytea check (octet_length(token_hash) = 32),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz
);

create index sessions_agent_root_key on sessions (agent_root_key, created_at desc);
create index sessions_parent on sessions (parent_session_id) where parent_session_id is not null;
create index sessions_created_at on sessions (created_at desc, id desc);
