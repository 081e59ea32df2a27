-- compatible
-- Import: the put of root data with the times of the record it brings, outside
-- the rate window. New parameters have defaults, so that callers of the older
-- form keep working.
drop function root_data_settle_counter(
  agent_root_record_counters, timestamptz, integer, integer, bigint);
drop function root_data_put(
  text, text, text, jsonb, integer, bigint, integer, integer, integer, integer, integer);

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
    result.retry_after_seconds := greatest(1, ceil(extract(epoch from
      counter.window_started_at + make_interval(secs => p_window_seconds) - at_time)));
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
