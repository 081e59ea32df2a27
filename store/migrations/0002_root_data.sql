-- compatible
-- Root data. Every primary key and unique index starts with namespace, so both
-- tables can be distributed by it.
create table agent_root_records (
  id bigint generated always as identity,
  namespace text not null,
  collection text not null,
  key text,
  data jsonb not null check (jsonb_typeof(data) = 'object'),
  data_bytes integer not null check (data_bytes >= 0),
  writing_session_id bigint references sessions (id) on delete set null,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (namespace, id)
);

create table agent_root_record_counters (
  namespace text not null,
  collection text not null,
  records_count integer not null default 0 check (records_count >= 0),
  data_bytes bigint not null default 0 check (data_bytes >= 0),
  window_started_at timestamptz,
  window_writes integer not null default 0,
  last_write_at timestamptz,
  recounted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (namespace, collection)
);

-- Puts the collection's address in front of the data, so that one GIN index
-- answers "contains" within one collection and never visits another's entries
-- (jsonb_path_ops hashes the whole path). Marked immutable because of these
-- argument types: jsonb_build_object is only stable for types whose output
-- depends on settings.
create function root_data_scoped(p_namespace text, p_collection text, p_data jsonb)
returns jsonb language sql immutable strict parallel safe
as $$ select jsonb_build_object(p_namespace || '/' || p_collection, p_data) $$;

create unique index agent_root_records_key
  on agent_root_records (namespace, collection, key) where key is not null;
-- fastupdate off: a search must not wade through a list of pending entries.
create index agent_root_records_data on agent_root_records
  using gin (root_data_scoped(namespace, collection, data) jsonb_path_ops)
  with (fastupdate = off);
create index agent_root_records_due
  on agent_root_records (expires_at, id) where expires_at is not null;
create index agent_root_records_created
  on agent_root_records (namespace, collection, created_at, id);
create index agent_root_records_updated
  on agent_root_records (namespace, collection, updated_at, id);
create index agent_root_records_writer
  on agent_root_records (writing_session_id) where writing_session_id is not null;
create index agent_root_record_counters_quiet
  on agent_root_record_counters (updated_at, namespace, collection);

-- What a write did, or why it was refused. Refusals are decided before the
-- first change, so a refused call leaves at most a counter row at zero.
create type root_data_outcome as (
  outcome text,
  id bigint,
  key text,
  data_bytes integer,
  created_at timestamptz,
  updated_at timestamptz,
  expires_at timestamptz,
  writing_session_id bigint,
  records_count integer,
  window_writes integer,
  retry_after_seconds integer,
  holding text[]
);

-- Locks the counter row of a collection and returns it, making it first where
-- there is none. A missing row beside stored records (a hand-edited database)
-- is made from a count.
create function root_data_lock_counter(p_namespace text, p_collection text)
returns agent_root_record_counters language plpgsql as $$
declare
  counter agent_root_record_counters;
begin
  select * into counter from agent_root_record_counters
    where namespace = p_namespace and collection = p_collection for update;
  if not found then
    insert into agent_root_record_counters (namespace, collection, records_count, data_bytes)
      select p_namespace, p_collection, count(*), coalesce(sum(data_bytes), 0)
        from agent_root_records where namespace = p_namespace and collection = p_collection
      on conflict do nothing;
    select * into counter from agent_root_record_counters
      where namespace = p_namespace and collection = p_collection for update;
  end if;
  return counter;
end $$;

-- Writes accepted in the window that is open at p_now. A start in the future
-- (a clock that was set back) opens a new window instead of closing this one
-- for as long as the clock was wrong.
create function root_data_window_writes(
  counter agent_root_record_counters, p_now timestamptz, p_window_seconds integer)
returns integer language sql immutable as $$
  select case
    when counter.window_started_at is null
      or p_now < counter.window_started_at
      or p_now >= counter.window_started_at + make_interval(secs => p_window_seconds) then 0
    else counter.window_writes
  end
$$;

-- Whole seconds until the open window ends, at least one.
create function root_data_retry_after(
  counter agent_root_record_counters, p_now timestamptz, p_window_seconds integer)
returns integer language sql immutable as $$
  select greatest(1, ceil(extract(epoch from
    counter.window_started_at + make_interval(secs => p_window_seconds) - p_now)))::integer
$$;

-- Adds to or subtracts from the counter after a write, and counts the write
-- unless it is an import.
create function root_data_settle_counter(
  counter agent_root_record_counters, p_now timestamptz, p_window_writes integer,
  p_records integer, p_bytes bigint, p_is_import boolean default false)
returns integer language plpgsql as $$
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
end $$;

-- Put (p_key given) or append (p_key null): lock the counter, check the rate
-- window, find the target, check the caps, write, settle the counter.
--
-- An import (p_is_import) has no rate window and keeps the times it is given.
-- It leaves alone what is there already: the same record at the key, or at
-- least p_copies records without a key of the same creation time and data.
create function root_data_put(
  p_namespace text, p_collection text, p_key text, p_data jsonb, p_bytes integer,
  p_session_id bigint, p_retention_days integer,
  p_max_records integer, p_max_collections integer,
  p_max_writes integer, p_window_seconds integer,
  p_is_import boolean default false, p_created_at timestamptz default null,
  p_updated_at timestamptz default null, p_expires_at timestamptz default null,
  p_copies integer default 1)
returns root_data_outcome language plpgsql as $$
declare
  counter agent_root_record_counters;
  target agent_root_records;
  written agent_root_records;
  result root_data_outcome;
  at_time timestamptz;
  writes integer;
  copies integer;
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
  if p_is_import then
    created := coalesce(p_created_at, at_time);
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
    elsif target.data = p_data and target.created_at = created
      and target.updated_at = updated and target.expires_at is not distinct from expiry then
      result.outcome := 'unchanged';
      return result;
    end if;
  else
    created := at_time;
    updated := at_time;
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
end $$;

-- Deletes one record by key or by id, within its namespace and collection.
create function root_data_delete(
  p_namespace text, p_collection text, p_key text, p_id bigint,
  p_max_writes integer, p_window_seconds integer)
returns root_data_outcome language plpgsql as $$
declare
  counter agent_root_record_counters;
  gone agent_root_records;
  result root_data_outcome;
  at_time timestamptz;
  writes integer;
begin
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
    delete from agent_root_records
      where namespace = p_namespace and collection = p_collection and key = p_key
      returning * into gone;
  else
    delete from agent_root_records
      where namespace = p_namespace and collection = p_collection and id = p_id
      returning * into gone;
  end if;
  if gone.id is null then
    result.outcome := 'not_found';
    result.records_count := counter.records_count;
    return result;
  end if;
  result.records_count := root_data_settle_counter(
    counter, at_time, writes, -1, -gone.data_bytes);
  result.outcome := 'deleted';
  result.id := gone.id;
  result.key := gone.key;
  result.window_writes := writes + 1;
  return result;
end $$;

-- Deletes those of the given records that are still due once the counter is
-- locked (a put may have renewed one since the scan), and returns how many.
create function root_data_sweep(p_namespace text, p_collection text, p_ids bigint[])
returns integer language plpgsql as $$
declare
  deleted integer;
  freed bigint;
begin
  perform root_data_lock_counter(p_namespace, p_collection);
  with gone as (
    delete from agent_root_records
    where namespace = p_namespace and collection = p_collection
      and id = any (p_ids) and expires_at <= clock_timestamp()
    returning data_bytes
  )
  select count(*), coalesce(sum(data_bytes), 0) into deleted, freed from gone;
  if deleted > 0 then
    update agent_root_record_counters set
      records_count = greatest(0, records_count - deleted),
      data_bytes = greatest(0, data_bytes - freed),
      updated_at = clock_timestamp()
    where namespace = p_namespace and collection = p_collection;
  end if;
  return deleted;
end $$;

-- Sets a counter to what is really stored. updated_at moves even when nothing
-- was wrong, so that the next round visits other counters.
create function root_data_recount(p_namespace text, p_collection text)
returns table (records_before integer, records_after integer, bytes_before bigint, bytes_after bigint)
language plpgsql as $$
declare
  counter agent_root_record_counters;
begin
  counter := root_data_lock_counter(p_namespace, p_collection);
  records_before := counter.records_count;
  bytes_before := counter.data_bytes;
  select count(*), coalesce(sum(r.data_bytes), 0) into records_after, bytes_after
    from agent_root_records r
    where r.namespace = p_namespace and r.collection = p_collection;
  update agent_root_record_counters c set
    records_count = records_after, data_bytes = bytes_after,
    recounted_at = clock_timestamp(), updated_at = clock_timestamp()
  where c.namespace = p_namespace and c.collection = p_collection;
  return next;
end $$;
