-- Turns the two tables of root data into tables partitioned by hash of namespace,
-- 8 partitions each, and keeps every row. docs/scale.md says when and why.
--
-- Stop all Rootcellar processes first, back up, then:
--   psql --single-transaction -v ON_ERROR_STOP=1 -f deploy/sql/partition_by_namespace.sql "$DATABASE_URL"

-- Functions name the tables' row types, and would go on with the old ones.
create temporary table partition_functions on commit drop as
  select p.oid::regprocedure::text as signature, pg_get_functiondef(p.oid) as definition
  from pg_proc p
  where p.pronamespace = current_schema()::regnamespace
    and p.proname like 'root\_data\_%' and p.proname <> 'root_data_scoped';
do $$
declare
  one record;
begin
  for one in select signature from partition_functions loop
    execute 'drop function ' || one.signature;
  end loop;
end $$;

alter table agent_root_records rename to agent_root_records_whole;
alter table agent_root_record_counters rename to agent_root_record_counters_whole;

-- An identity column cannot be partitioned before PostgreSQL 17; a sequence can.
create sequence agent_root_records_partitioned_id_seq;
create table agent_root_records (
  like agent_root_records_whole including defaults including constraints
) partition by hash (namespace);
alter table agent_root_records
  alter column id set default nextval('agent_root_records_partitioned_id_seq');
alter sequence agent_root_records_partitioned_id_seq owned by agent_root_records.id;
create table agent_root_record_counters (
  like agent_root_record_counters_whole including defaults including constraints
) partition by hash (namespace);
do $$
begin
  for n in 0..7 loop
    execute format('create table agent_root_records_%s partition of agent_root_records
      for values with (modulus 8, remainder %s)', n, n);
    execute format('create table agent_root_record_counters_%s partition of agent_root_record_counters
      for values with (modulus 8, remainder %s)', n, n);
  end loop;
end $$;

insert into agent_root_records select * from agent_root_records_whole;
insert into agent_root_record_counters select * from agent_root_record_counters_whole;
-- Ids are never given out twice, those of deleted records included.
select setval('agent_root_records_partitioned_id_seq', last_value, is_called)
  from agent_root_records_id_seq;

-- Keys and indexes as they were, under their old names.
create temporary table partition_indexes on commit drop as
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition,
    indisprimary as is_primary, indrelid::regclass::text as whole
  from pg_index
  where indrelid in ('agent_root_records_whole'::regclass, 'agent_root_record_counters_whole'::regclass);
create temporary table partition_foreign_keys on commit drop as
  select conrelid::regclass::text as whole, conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint
  where contype = 'f' and conrelid = 'agent_root_records_whole'::regclass;
drop table agent_root_records_whole, agent_root_record_counters_whole;
do $$
declare
  one record;
begin
  for one in select * from partition_indexes loop
    if one.is_primary then
      execute format('alter table %s add constraint %s primary key %s',
        replace(one.whole, '_whole', ''), one.name, substring(one.definition from '\(.*\)$'));
    else
      execute replace(one.definition, '_whole', '');
    end if;
  end loop;
  for one in select * from partition_foreign_keys loop
    execute format('alter table %s add constraint %s %s',
      replace(one.whole, '_whole', ''), one.name, one.definition);
  end loop;
  for one in select definition from partition_functions loop
    execute one.definition;
  end loop;
end $$;
analyze agent_root_records, agent_root_record_counters;
