-- Distributes the tables of root data by namespace over the nodes of a Citus cluster, and
-- keeps every row. Made for Citus 13 with PostgreSQL 15. Sessions and the event log stay
-- whole, on the coordinator. docs/scale.md says what was tried, and what it is good for.
--
-- Before: Citus on the coordinator and on every worker, in a database of one name, the
-- workers added (citus_add_node); `deno task migrate` on the coordinator; all Rootcellar
-- processes stopped; a backup. Then, on the coordinator and as the role of DATABASE_URL:
--   psql -X -v ON_ERROR_STOP=1 -f distribute_by_namespace.sql "$DATABASE_URL"
-- Shards to make, 32 where not said: -v shards=64
-- Run it again after a restore, which makes whole tables.
\if :{?shards}
\else
  \set shards 32
\endif

-- Settings of the role, on every node. A search calls a function that reads a distributed
-- table from within a query on a shard. Citus forbids that, because the function might look
-- at another shard; this one looks at the namespace of the query around it. And a change of
-- several tables takes one connection a node.
alter role current_user set citus.allow_nested_distributed_execution = on;
alter role current_user set citus.multi_shard_modify_mode = 'sequential';
set citus.multi_shard_modify_mode = 'sequential';
set citus.shard_count = :shards;
begin;

-- What becomes of each table: the first two are distributed, all others stay on the
-- coordinator. A table that is not named here is newer than this script.
do $do$
declare
  distributed constant text[] := array['agent_root_records', 'agent_root_record_counters'];
  local constant text[] := array[
      'app_settings', 'categories', 'clocks', 'cortex_analysers', 'cortex_deletions',
      'cortex_embedding_models', 'cortex_erasures', 'cortex_events', 'cortex_keys',
      'cortex_passage_counts', 'cortex_passages', 'cortex_scopes', 'cortex_term_counts',
      'cortex_term_marks', 'cortex_terms_known', 'cortex_unembedded', 'cortex_unindexed',
      'cortex_vector_signs', 'cortex_vectors', 'elicitations', 'enqueued_messages',
      'gate_decision_feedbacks', 'gate_decisions', 'health_cooldowns', 'human_messages',
      'logins', 'notice_targets', 'notifications', 'outcome_analyses',
      'push_subscriptions', 'runner_commands', 'runners', 'schema_migrations',
      'session_logs', 'session_status_summaries', 'session_token_usages',
      'session_uncle_links', 'sessions', 'subagent_transcripts', 'system_states',
      'token_usage_backfills', 'token_usage_days', 'token_usage_totals',
      'trigger_conditions', 'trigger_occurrences', 'triggers', 'turn_commands',
      'turn_events', 'turns', 'vapid_keys', 'work_backlog_items'
  ];
  unknown text;
begin
  select string_agg(relname, ', ' order by relname) into unknown from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and relname <> all (distributed || local);
  if unknown is not null then
    raise exception 'This script does not say what becomes of %', unknown
      using hint = 'Use the script of the release that migrated this database; tables of other programs belong into a schema of their own';
  end if;
end $do$;

-- A foreign key can lead to a copy of a table on every node only, and a copy on every node
-- means that no session can be registered while one node is away. Rootcellar deletes no
-- sessions, so the key guards nothing that happens.
alter table agent_root_records drop constraint if exists agent_root_records_writing_session_id_fkey;
select create_distributed_table('agent_root_records', 'namespace', colocate_with => 'none');
select create_distributed_table('agent_root_record_counters', 'namespace',
  colocate_with => 'agent_root_records');

-- Helpers exist on every node and run wherever they are called. All are named here that the
-- functions below call: nothing but their bodies says so, and Citus does not read those.
select create_distributed_function(f::regprocedure) from unnest(array[
  'root_data_lock_counter(text,text)',
  'root_data_is_version(timestamptz,timestamptz)',
  'root_data_next_version(timestamptz,timestamptz)',
  'root_data_window_writes(agent_root_record_counters,timestamptz,integer)',
  'root_data_retry_after(agent_root_record_counters,timestamptz,integer)',
  'root_data_settle_counter(agent_root_record_counters,timestamptz,integer,integer,bigint,boolean)'
]) f;
-- A call of these goes to the node of its namespace, in one round trip. Not the sweep: the
-- form in which it gets its ids does not survive the way to another node. Nor a deletion: it
-- looks whether its session is there, and sessions are on the coordinator.
select create_distributed_function(p.oid::regprocedure, 'p_namespace',
    colocate_with => 'agent_root_records')
  from pg_proc p
  where p.pronamespace = current_schema()::regnamespace and p.proname in (
    'root_data_put', 'root_data_recount', 'root_data_hits', 'root_data_import');
commit;

-- Each node gives out ids of a range of its own: node group g those from g * 2^48 + 1. In
-- a database that was distributed before and restored from a backup, ids of those ranges are
-- in use already: the nodes go on behind them.
select * from run_command_on_workers($cmd$
  do $do$
  declare
    ids constant text := pg_get_serial_sequence('agent_root_records', 'id');
    own record;
    top bigint;
  begin
    select seqmin, seqmax into own from pg_sequence where seqrelid = ids::regclass;
    select max(id) into top from agent_root_records where id >= own.seqmin and id < own.seqmax;
    if top is not null then perform setval(ids, top); end if;
  end $do$
$cmd$);
-- The rows that were copied to the nodes are still in the coordinator's files.
select truncate_local_data_after_distributing_table(t::regclass)
  from unnest(array['agent_root_records', 'agent_root_record_counters']) t;
analyze agent_root_records, agent_root_record_counters;
select table_name, citus_table_type, shard_count from citus_tables order by 1;
