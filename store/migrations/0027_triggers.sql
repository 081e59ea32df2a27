-- compatible
-- What conditions of triggers know of the world outside, whom triggers started,
-- and the states of the program that system events tell of.

alter table trigger_conditions
  -- What a schedule counts its intervals from.
  add column anchor_at timestamptz not null default now(),
  -- What a poller has seen already; edits of the configuration leave it.
  add column cursor jsonb check (jsonb_typeof(cursor) = 'object'),
  -- Not to be polled before.
  add column poll_after timestamptz,
  add column poll_failures integer not null default 0,
  add column poll_error text check (char_length(poll_error) <= 1000),
  -- A webhook's address is known by the hash of its secret alone.
  add column webhook_hash bytea unique check (octet_length(webhook_hash) = 32),
  -- With what senders sign, where the webhook asks for signatures.
  add column signing_key text check (char_length(signing_key) <= 200);

create index trigger_conditions_polls on trigger_conditions (poll_after nulls first, id)
  where condition_type in ('slack', 'github_label', 'github_issue');

alter table trigger_occurrences
  -- The texts that its prompt was made of.
  add column variables jsonb not null default '{}' check (jsonb_typeof(variables) = 'object');
create index trigger_occurrences_claimed on trigger_occurrences (claimed_at);

create index sessions_trigger on sessions ((metadata->>'trigger_id'), id desc)
  where metadata->>'trigger_id' is not null;

-- A row while something is wrong; its coming and going are system events.
create table system_states (
  name text not null check (char_length(name) between 1 and 100),
  subject text not null check (char_length(subject) between 1 and 300),
  detail text not null default '' check (char_length(detail) <= 1000),
  since timestamptz not null default clock_timestamp(),
  confirmed_at timestamptz not null default clock_timestamp(),
  primary key (name, subject)
);

-- Servers whose clock ticks: without one, nothing fires.
create table clocks (
  id uuid primary key,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
);
