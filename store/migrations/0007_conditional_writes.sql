-- compatible
-- Compare and set, imports that keep what is newer, keys by their beginning, and
-- what an operator does to a namespace: empty, drop, move. What older releases
-- call keeps its meaning: every new argument has a default.

-- The same keys, each once, in the order of their bytes: so that the keys with
-- one beginning are neighbours, whatever the database's collation is.
drop index agent_root_records_key;
create unique index agent_root_records_key
  on agent_root_records (namespace, collection, key text_pattern_ops) where key is not null;

-- A counter that is dropped with its namespace may go between the insert and
-- the lock: then it is made again.
create or replace function root_data_lock_counter(p_namespace text, p_collection text)
returns agent_root_record_counters language plpgsql as $$
declare
  counter agent_root_record_counters;
begin
  loop
    select * into counter from agent_root_record_counters
      where namespace = p_namespace and collection = p_collection for update;
    if found then
      return counter;
    end if;
    insert into agent_root_record_counters (namespace, collection, records_count, data_bytes)
      select p_namespace, p_collection, count(*), coalesce(sum(data_bytes), 0)
        from agent_root_records where namespace = p_namespace and collection = p_collection
      on conflict do nothing;
  end loop;
end $$;

-- Times are shown in milliseconds, so that is what a caller can compare with. A
-- record that is not there has no version.
create function root_data_is_version(p_updated_at timestamptz, p_shown timestamptz)
returns boolean language sql stable as $$
  select coalesce(date_trunc('milliseconds', p_updated_at) = date_trunc('milliseconds', p_shown), false)
$$;

-- When a replacement is written: now, and in no millisecond that the record had
-- before, or two versions would look the same. A time far ahead (an import, a
-- clock that was wrong) is not followed.
create function root_data_next_version(p_updated_at timestamptz, p_now timestamptz)
returns timestamptz language sql stable as $$
  select case
    when date_trunc('milliseconds', p_updated_at) >= date_trunc('milliseconds', p_now)
      and p_updated_at < p_now + interval '1 second'
    then date_trunc('milliseconds', p_updated_at) + interval '1 millisecond'
    else p_now
  end
$$;

drop function root_data_put(
  text, text, text, jsonb, integer, bigint, integer, integer, integer, integer, integer,
  boolean, timestamptz, timestamptz, timestamptz, integer);

-- As migration 0002 says, and: with p_if_updated_at only that version is
-- replaced, with p_if_absent nothing is. An import without p_overwrite leaves a
-- record that was written later; a line without a time is never later.
create function root_data_put(
  p_namespace text, p_collection text, p_key text, p_data jsonb, p_bytes integer,
  p_session_id bigint, p_retention_days integer,
  p_max_records integer, p_max_collections integer,
  p_max_writes integer, p_window_seconds integer,
  p_is_import boolean default false, p_created_at timestamptz default null,
  p_updated_at timestamptz default null, p_expires_at timestamptz default null,
  p_copies integer default 1, p_overwrite boolean default true,
  p_if_updated_at timestamptz default null, p_if_absent boolean default false)
returns root_data_outcome language plpgsql as $$
declare
  counter agent_root_record_counters;
  target agent_root_records;
  written agent_root_records;
  result root_data_outcome;
  at_time timestamptz;
  writes integer;
  copies integer;
  has_times boolean;
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
  if (p_if_absent and target.id is not null)
    or (p_if_updated_at is not null and not root_data_is_version(target.updated_at, p_if_updated_at)) then
    result.outcome := 'conflict';
    result.id := target.id;
    result.updated_at := target.updated_at;
    return result;
  end if;
  if p_is_import then
    has_times := p_created_at is not null or p_updated_at is not null;
    created := coalesce(p_created_at, p_updated_at, at_time);
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
    elsif target.data = p_data and target.expires_at is not distinct from expiry
      and (not has_times or (target.created_at = created and target.updated_at = updated)) then
      result.outcome := 'unchanged';
      return result;
    elsif target.id is not null and not p_overwrite
      and (not has_times or target.updated_at > updated) then
      result.outcome := 'kept_newer';
      return result;
    end if;
  else
    created := at_time;
    updated := root_data_next_version(target.updated_at, at_time);
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

drop function root_data_delete(text, text, text, bigint, integer, integer);

-- Deletes one record by key or by id, within its namespace and collection; with
-- p_if_updated_at only in that version.
create function root_data_delete(
  p_namespace text, p_collection text, p_key text, p_id bigint,
  p_max_writes integer, p_window_seconds integer,
  p_session_id bigint default null, p_if_updated_at timestamptz default null)
returns root_data_outcome language plpgsql as $$
declare
  counter agent_root_record_counters;
  gone agent_root_records;
  result root_data_outcome;
  at_time timestamptz;
  writes integer;
begin
  if p_session_id is not null and not exists (select 1 from sessions where id = p_session_id) then
    result.outcome := 'session_gone';
    return result;
  end if;
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
    select * into gone from agent_root_records
      where namespace = p_namespace and collection = p_collection and key = p_key;
  else
    select * into gone from agent_root_records
      where namespace = p_namespace and collection = p_collection and id = p_id;
  end if;
  if gone.id is null then
    result.outcome := 'not_found';
    result.records_count := counter.records_count;
    return result;
  end if;
  if p_if_updated_at is not null and not root_data_is_version(gone.updated_at, p_if_updated_at) then
    result.outcome := 'conflict';
    result.id := gone.id;
    result.updated_at := gone.updated_at;
    return result;
  end if;
  delete from agent_root_records where namespace = p_namespace and id = gone.id;
  result.records_count := root_data_settle_counter(
    counter, at_time, writes, -1, -gone.data_bytes);
  result.outcome := 'deleted';
  result.id := gone.id;
  result.key := gone.key;
  result.window_writes := writes + 1;
  return result;
end $$;

-- Deletes up to p_limit records of a collection, none younger than p_last_id.
create function root_data_empty(
  p_namespace text, p_collection text, p_last_id bigint, p_limit integer)
returns integer language plpgsql as $$
declare
  deleted integer;
  freed bigint;
begin
  perform root_data_lock_counter(p_namespace, p_collection);
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
    updated_at = clock_timestamp()
  where namespace = p_namespace and collection = p_collection;
  return deleted;
end $$;

-- Forgets the counter of a collection that holds nothing.
create function root_data_drop_counter(p_namespace text, p_collection text)
returns boolean language plpgsql as $$
begin
  perform root_data_lock_counter(p_namespace, p_collection);
  if exists (select 1 from agent_root_records
      where namespace = p_namespace and collection = p_collection) then
    return false;
  end if;
  delete from agent_root_record_counters
    where namespace = p_namespace and collection = p_collection;
  return true;
end $$;

-- Moves up to p_limit records of a collection into the same collection of
-- another namespace: those with an id above p_after_id, to p_last_id at most. A
-- record stays where its key is taken, and where a cap of the target is reached.
-- Both counters are locked, in the order of their namespaces.
create function root_data_move(
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
    updated_at = clock_timestamp()
  where c.namespace = p_from and c.collection = p_collection;
  update agent_root_record_counters c set
    records_count = c.records_count + moved,
    data_bytes = c.data_bytes + bytes,
    last_write_at = greatest(c.last_write_at, source.last_write_at),
    updated_at = clock_timestamp()
  where c.namespace = p_to and c.collection = p_collection;
  return next;
end $$;
