-- compatible
-- Stores events with their passages. What a row is found by among its labels may
-- come worked out (terms), and events and passages are written from one reading
-- of the items: each event's place in the log is drawn before, so that no row
-- has to be looked up to be told apart.
create or replace function cortex_append(p_items jsonb, p_key_hours integer)
returns table (item integer, outcome text, event_id uuid, seq bigint)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
  at_time constant timestamptz := clock_timestamp();
  places constant regclass := pg_get_serial_sequence('cortex_events', 'seq');
  fault integer;
  counted jsonb;
begin
  begin
    insert into cortex_keys as k (root, key, body_hash, event_id, written_at)
      select distinct on (i.root, i.key) i.root, i.key, i.body_hash, i.id, at_time
      from jsonb_to_recordset(p_items) as i(
        item integer, root text collate "C", key text collate "C", body_hash text, id uuid)
      where i.key is not null
      order by i.root, i.key, i.item
    on conflict (root, key) do update set
      body_hash = excluded.body_hash, event_id = excluded.event_id, written_at = excluded.written_at
      where k.written_at < at_time - make_interval(hours => p_key_hours);
    select min(i.item) into fault
      from jsonb_to_recordset(p_items) as i(item integer, root text, key text, body_hash text)
      join cortex_keys k on k.root = i.root and k.key = i.key
      where k.body_hash <> i.body_hash;
    if fault is not null then
      raise exception 'idempotency conflict' using errcode = 'RC409';
    end if;
    -- The first writer of a scope owns it.
    insert into cortex_scopes (root, path, members, auto_provisioned)
      select distinct on (i.root, i.scope) i.root, i.scope,
        jsonb_build_array(jsonb_build_object('actor', i.actor, 'role', 'owner')), true
      from jsonb_to_recordset(p_items) as i(
        item integer, root text collate "C", scope text collate "C", actor text)
      order by i.root, i.scope, i.item
    on conflict do nothing;
    with items as materialized (
      select nextval(places) as seq, o.* from (
        select i.* from jsonb_to_recordset(p_items) as i(item integer, root text, id uuid, scope text,
          actor text, modality text, kind text, labels jsonb, content jsonb, context jsonb, key text,
          observed_at timestamptz, search_text text, terms text, version integer, known jsonb, passages jsonb)
        left join cortex_keys k on k.root = i.root and k.key = i.key
        where i.key is null or k.event_id = i.id
        order by i.item) o
    ), events as (
      insert into cortex_events (root, seq, id, scope, actor, modality, kind, labels, content,
          context, idempotency_key, observed_at, recorded_at, terms)
        overriding system value
        select i.root, i.seq, i.id, i.scope, i.actor, i.modality, i.kind, i.labels, i.content,
          i.context, i.key, coalesce(i.observed_at, at_time), at_time,
          case when i.terms is null then cortex_terms(i.scope, coalesce(i.search_text, ''), i.labels)
            else i.terms::tsvector end
        from items i
    ), later as (
      insert into cortex_unindexed (root, seq)
        select i.root, i.seq from items i
        where i.passages is null or i.version < (select max(version) from cortex_analysers)
    ), unembedded as (
      insert into cortex_unembedded (root, seq)
        select i.root, i.seq from items i
        where i.passages is not null and exists (select 1 from cortex_embedding_models)
    ), known as (
      -- In one order everywhere, so that writers cannot deadlock.
      insert into cortex_terms_known (root, term)
        select distinct i.root collate "C", t.term collate "C"
        from items i cross join lateral jsonb_array_elements_text(i.known) as t(term)
        order by 1, 2
      on conflict do nothing
    ), passages as (
      insert into cortex_passages (root, seq, part, scope, from_at, characters, length, version, terms)
        select i.root, i.seq, p.part, i.scope, p.from_at, p.characters, p.length, i.version, p.terms::tsvector
        from items i cross join lateral jsonb_to_recordset(i.passages) as p(
          part integer, from_at integer, characters integer, length integer, terms text)
      returning root, length
    )
    select jsonb_agg(to_jsonb(c) order by c.root) into counted from (
      select p.root, count(*) as passages, sum(p.length) as length from passages p group by p.root) c;
    -- Counts come last everywhere, for the same reason.
    perform cortex_count_passages(c.root, c.passages, c.length)
      from jsonb_to_recordset(counted) as c(root text, passages bigint, length bigint);
  exception when sqlstate 'RC409' then
    return query select fault, 'conflict'::text, null::uuid, null::bigint;
    return;
  end;
  return query
    select i.item, case when i.key is null or k.event_id = i.id then 'stored' else 'replayed' end,
      coalesce(k.event_id, i.id), e.seq
    from jsonb_to_recordset(p_items) as i(item integer, root text, key text, id uuid)
    left join cortex_keys k on k.root = i.root and k.key = i.key
    left join cortex_events e on e.id = coalesce(k.event_id, i.id)
    order by i.item;
end $$;
