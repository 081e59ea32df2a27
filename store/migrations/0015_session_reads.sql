-- compatible
-- Lists of sessions by what few of them have, newest first. Those of live
-- sessions are apart: most sessions are archived, and most questions are not
-- about them.
create index sessions_runtime on sessions (agent_runtime, created_at desc, id desc);
create index sessions_runtime_live on sessions (agent_runtime, created_at desc, id desc)
  where status <> 'archived';
create index sessions_genesis_live on sessions (genesis, created_at desc, id desc)
  where status <> 'archived';
-- What a session's class is decided by: its own, or what caused it.
alter table sessions add column class_source text not null
  generated always as (coalesce(scheduling_class, genesis)) stored;
create index sessions_class_live on sessions (class_source, created_at desc, id desc)
  where status <> 'archived';
create index sessions_off_board on sessions (created_at desc, id desc) where visibility <> 'visible';
-- A router's children: a session without a parent may name who routed it.
create index sessions_router on sessions ((custom_metadata ->> 'router_session_id'))
  where parent_session_id is null and custom_metadata ? 'router_session_id';
