-- compatible
-- What tables distributed by namespace need (docs/scale.md).

-- A volatile clock may not stand in an UPDATE or DELETE of a distributed table:
-- it is read into a variable, once the counter is locked.
create or replace function root_data_sweep(p_namespace text, p_collection text, p_ids bigint[])
returns integer language plpgsql as $$
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
end $$;

create or replace function root_data_recount(p_namespace text, p_collection text)
returns table (records_before integer, records_after integer, bytes_before bigint, bytes_after bigint)
language plpgsql as $$
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
end $$;

create or replace function root_data_empty(
  p_namespace text, p_collection text, p_last_id bigint, p_limit integer)
returns integer language plpgsql as $$
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
end $$;

create or replace function root_data_move(
  p_from text, p_to text, p_collection text, p_after_id bigint, p_last_id bigint,
  p_limit integer, p_max_records integer, p_max_collections integer)
returns table (next_id bigint, seen integer, moved integer, key_taken integer, refused text)
language plpgsql as $$
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
end $$;

-- A batch of an import, as one call that names the namespace first. Put one by
-- one from a query, records would be written by the coordinator, and the lock
-- behind the cap on collections would be taken there, while that of a put is
-- taken on the node of the data.
create function root_data_import(
  p_namespace text, p_collection text, p_items jsonb, p_max_records integer,
  p_max_collections integer, p_overwrite boolean)
returns table (outcome text, records_count integer, holding text[])
language plpgsql as $$
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
end $$;
