-- compatible
-- The ledger of gate decisions and what people said of them. Both only grow: a
-- correction is a new row. Numbers of sessions are plain numbers, so that no
-- deletion elsewhere has to change a row here.
create table gate_decisions (
  id bigint generated always as identity primary key,
  gate text not null check (gate in ('pr_merge', 'issue_work')),
  surface text not null check (char_length(surface) between 1 and 200),
  artifact_url text check (char_length(artifact_url) <= 2048),
  decided_at date,
  decision text check (char_length(decision) between 1 and 200),
  producing_session_url text check (char_length(producing_session_url) <= 2048),
  writing_session_id bigint,
  recorded_via text not null default 'api' check (recorded_via in ('api', 'mcp', 'import')),
  payload jsonb not null default '{}' check (jsonb_typeof(payload) = 'object'),
  source_key text unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- One for each way to narrow, in the order in which decisions are shown; those
-- without a date come last.
create index gate_decisions_newest on gate_decisions
  (coalesce(decided_at, '-infinity') desc, id desc);
create index gate_decisions_gate on gate_decisions
  (gate, coalesce(decided_at, '-infinity') desc, id desc);
create index gate_decisions_surface on gate_decisions
  (surface, coalesce(decided_at, '-infinity') desc, id desc);
create index gate_decisions_decision on gate_decisions
  (decision, coalesce(decided_at, '-infinity') desc, id desc);
create index gate_decisions_gate_surface on gate_decisions
  (gate, surface, coalesce(decided_at, '-infinity') desc, id desc);
create index gate_decisions_gate_decision on gate_decisions
  (gate, decision, coalesce(decided_at, '-infinity') desc, id desc);
create index gate_decisions_surface_decision on gate_decisions
  (surface, decision, coalesce(decided_at, '-infinity') desc, id desc);
create index gate_decisions_gate_surface_decision on gate_decisions
  (gate, surface, decision, coalesce(decided_at, '-infinity') desc, id desc);
create index gate_decisions_artifact on gate_decisions
  (artifact_url, coalesce(decided_at, '-infinity') desc, id desc) where artifact_url is not null;

create table gate_decision_feedbacks (
  id bigint generated always as identity primary key,
  gate_decision_id bigint not null references gate_decisions (id),
  verdict text not null check (char_length(verdict) between 1 and 200),
  note text check (char_length(note) <= 20000),
  received_at date not null default (now() at time zone 'utc')::date,
  author text check (char_length(author) between 1 and 100),
  channel text not null default 'web_ui' check (channel in ('web_ui', 'imported')),
  payload jsonb not null default '{}' check (jsonb_typeof(payload) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index gate_decision_feedbacks_decision on gate_decision_feedbacks (gate_decision_id);
create index gate_decision_feedbacks_newest on gate_decision_feedbacks (received_at desc, id desc);

create function gate_ledger_refuse() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: record a new row instead', tg_table_name
    using errcode = 'restrict_violation';
end $$;

-- Always: also where a session calls itself a replica to skip triggers.
create trigger gate_decisions_kept before update or delete on gate_decisions
  for each row execute function gate_ledger_refuse();
create trigger gate_decisions_not_emptied before truncate on gate_decisions
  for each statement execute function gate_ledger_refuse();
create trigger gate_decision_feedbacks_kept before update or delete on gate_decision_feedbacks
  for each row execute function gate_ledger_refuse();
create trigger gate_decision_feedbacks_not_emptied before truncate on gate_decision_feedbacks
  for each statement execute function gate_ledger_refuse();
alter table gate_decisions enable always trigger gate_decisions_kept;
alter table gate_decisions enable always trigger gate_decisions_not_emptied;
alter table gate_decision_feedbacks enable always trigger gate_decision_feedbacks_kept;
alter table gate_decision_feedbacks enable always trigger gate_decision_feedbacks_not_emptied;

-- Parts of texts are found through an index where the server has pg_trgm and
-- lets us use it; without it, they are looked for a stretch at a time.
do $$
declare
  home text;
begin
  begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'pg_trgm is not to be had: %', sqlerrm;
  end;
  select n.nspname into home from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_trgm';
  if found then
    execute format(
      'create index gate_decisions_text on gate_decisions using gin ((payload::text) %I.gin_trgm_ops)', home);
    execute format(
      'create index gate_decisions_artifact_text on gate_decisions using gin (artifact_url %I.gin_trgm_ops)', home);
  end if;
end $$;
