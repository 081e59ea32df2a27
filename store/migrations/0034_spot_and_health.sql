-- compatible
-- What a lease looks at, so that the head of the line is found among 100,000
-- waiting sessions as among ten; and what the health tools write down.

-- Sessions with a queued turn, each range in the order in which it is taken up:
-- held by the spot gate or not, by runtime, by its own class or its genesis.
create index sessions_to_lease on sessions (
  (wait_reason in ('spot_hold', 'spot_pause')),
  (coalesce(agent_runtime, '')),
  (coalesce(scheduling_class, genesis)),
  precedence desc, state_since, id
) where status = 'waiting' and driven_by = 'runner'
  and wait_reason in ('queued', 'retrying', 'parked', 'auth_outage', 'spot_hold', 'spot_pause');
create index sessions_parked on sessions (precedence desc, created_at, id) where wait_reason = 'spot_queue';
create index sessions_running on sessions (id) where status = 'running';

-- When each caller last did what may not be done twice in a row, whatever the
-- surface. Callers are digests of their keys.
create table health_cooldowns (
  action text not null check (char_length(action) between 1 and 100),
  caller bytea not null check (octet_length(caller) = 32),
  taken_at timestamptz not null default clock_timestamp(),
  primary key (action, caller)
);

-- Readings of what turns reported into the ledger, from the first turn on: one
-- at a time.
create table token_usage_backfills (
  id bigint generated always as identity primary key,
  requested_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  -- The last turn that was read.
  turn_id bigint not null default 0,
  turns_read bigint not null default 0,
  requests_added bigint not null default 0
);
create unique index token_usage_backfills_one on token_usage_backfills ((true)) where finished_at is null;
