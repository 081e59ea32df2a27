-- compatible
-- The event log of the local CortexDB. root is the first segment of a scope's
-- path; every primary key and unique index starts with it, so all tables can be
-- distributed by it. Paths compare byte by byte (collation "C"): what lies
-- below a path p is the range from p || '/' up to p || '0', the next character.
create table cortex_scopes (
  root text collate "C" not null,
  path text collate "C" not null,
  members jsonb not null,
  policies jsonb not null default '{}',
  auto_provisioned boolean not null,
  created_at timestamptz not null default now(),
  primary key (root, path)
);

create table cortex_events (
  root text collate "C" not null,
  seq bigint generated always as identity,
  id uuid not null,
  scope text collate "C" not null,
  actor text not null,
  modality text not null,
  kind text not null,
  labels jsonb not null check (jsonb_typeof(labels) = 'array'),
  content jsonb not null,
  context jsonb not null,
  idempotency_key text collate "C",
  observed_at timestamptz not null,
  recorded_at timestamptz not null,
  terms tsvector not null,
  primary key (root, seq)
);
create index cortex_events_id on cortex_events (id);
create index cortex_events_scope on cortex_events (root, scope, seq);
-- Words and labels, each behind a digest of the event's scope: a search reads
-- the entries of the scopes it asks about, whatever else the table holds.
-- New entries wait in a list that every search reads through; kept short, it costs
-- a search little and makes writes several times as fast.
create index cortex_events_terms on cortex_events using gin (terms)
  with (gin_pending_list_limit = 128);

create table cortex_keys (
  root text collate "C" not null,
  key text collate "C" not null,
  body_hash text not null,
  event_id uuid not null,
  written_at timestamptz not null,
  primary key (root, key)
);
create index cortex_keys_written on cortex_keys (written_at);

-- What is left of deleted events: how many, where, who asked and why.
create table cortex_deletions (
  root text collate "C" not null,
  id uuid not null,
  scope text collate "C" not null,
  action text not null check (action in ('forget', 'erase')),
  actor text not null,
  note text,
  events_count bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (root, id)
);

-- Erasures are jobs: a row says what is left to do, so a killed process leaves
-- one that the next call goes on with. up_to keeps later writes out of it.
create table cortex_erasures (
  root text collate "C" not null,
  id uuid not null,
  scope text collate "C" not null,
  actor text not null,
  note text,
  up_to bigint not null,
  status text not null default 'running' check (status in ('running', 'completed')),
  events_count bigint not null default 0,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (root, id)
);
create index cortex_erasures_id on cortex_erasures (id);
create index cortex_erasures_running on cortex_erasures (started_at) where status = 'running';

create function cortex_digest(p_text text, p_digits integer)
returns text language sql immutable strict parallel safe
as $$ select left(encode(sha256(convert_to(p_text, 'UTF8')), 'hex'), p_digits) $$;

-- Words of a text in any language: configuration 'simple' (no stemming, no stop
-- words, lower case) after taking off accents by Unicode decomposition, which
-- needs no extension. Only the start of a very long text is looked at.
create function cortex_words(p_text text)
returns tsvector language sql immutable strict parallel safe
as $$
  select to_tsvector('pg_catalog.simple'::regconfig, case
    when octet_length(p_text) = length(p_text) then left(p_text, 64000)
    -- Cut again: one character may decompose into eighteen.
    else regexp_replace(left(normalize(left(p_text, 64000), NFKD), 64000), '[\u0300-\u036F]', '', 'g')
  end)
$$;

-- One lexeme as the text form of a tsvector or tsquery has it.
create function cortex_quote(p_lexeme text)
returns text language sql immutable strict parallel safe
as $$ select '''' || replace(replace(p_lexeme, '\', '\\'), '''', '''''') || '''' $$;

-- What the index holds of an event: its words with their positions, and its
-- labels.
create function cortex_terms(p_scope text, p_text text, p_labels jsonb)
returns tsvector language plpgsql immutable strict parallel safe as $$
declare
  mark constant text := cortex_digest(p_scope, 8);
  words text;
begin
  select string_agg(cortex_quote(mark || 'w' || w.lexeme) || ':'
      || array_to_string(w.positions, ','), ' ')
    into words from unnest(cortex_words(p_text)) w where octet_length(w.lexeme) < 2000;
  return coalesce(words::tsvector, ''::tsvector) || coalesce((
    select array_to_tsvector(array_agg(distinct mark || 'l' || cortex_digest(l, 16)))
    from jsonb_array_elements_text(p_labels) l), ''::tsvector);
end $$;

-- A query for events of a scope that carry any of the labels.
create function cortex_label_query(p_scope text, p_labels text[])
returns tsquery language sql immutable strict parallel safe
as $$
  select string_agg(cortex_quote(cortex_digest(p_scope, 8) || 'l' || cortex_digest(l, 16)), '|')::tsquery
  from unnest(p_labels) l
$$;

-- A query for any of the words; a word of four letters or more also finds
-- longer words that begin with it, which stands in for stemming.
create function cortex_word_query(p_scope text, p_words text[])
returns tsquery language sql immutable strict parallel safe
as $$
  select string_agg(cortex_quote(cortex_digest(p_scope, 8) || 'w' || w)
    || case when length(w) >= 4 then ':*' else '' end, '|')::tsquery
  from unnest(p_words) w
$$;

-- The functions below keep their plans. Those were made for tables that may have
-- been empty at the time, so the choices that would not last are switched off.

-- Stores all items, in their order, or none. A key is claimed by inserting it,
-- so of any number of identical writes at once one stores and the others wait
-- for it and replay; keys are claimed in order, so batches cannot deadlock.
create function cortex_append(p_items jsonb, p_key_hours integer)
returns table (item integer, outcome text, event_id uuid, seq bigint)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  at_time constant timestamptz := clock_timestamp();
  fault integer;
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
    insert into cortex_events (root, id, scope, actor, modality, kind, labels, content,
        context, idempotency_key, observed_at, recorded_at, terms)
      select i.root, i.id, i.scope, i.actor, i.modality, i.kind, i.labels, i.content,
        i.context, i.key, coalesce(i.observed_at, at_time), at_time,
        cortex_terms(i.scope, i.search_text, i.labels)
      from jsonb_to_recordset(p_items) as i(item integer, root text, id uuid, scope text,
        actor text, modality text, kind text, labels jsonb, content jsonb, context jsonb,
        key text, observed_at timestamptz, search_text text)
      left join cortex_keys k on k.root = i.root and k.key = i.key
      where i.key is null or k.event_id = i.id
      order by i.item;
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

-- Deletes events and releases their keys, so that the same write stores anew.
create function cortex_delete(p_root text, p_seqs bigint[])
returns bigint language plpgsql set enable_seqscan = off as $$
declare
  keys text[];
  ids uuid[];
begin
  with gone as (
    delete from cortex_events where root = p_root and seq = any (p_seqs)
    returning id, idempotency_key
  )
  select array_agg(id), array_agg(idempotency_key) filter (where idempotency_key is not null)
    into ids, keys from gone;
  -- Locked in the order in which writes claim them.
  perform 1 from cortex_keys where root = p_root and key = any (keys) order by key for update;
  delete from cortex_keys where root = p_root and key = any (keys) and event_id = any (ids);
  return coalesce(cardinality(ids), 0);
end $$;

-- Deletes up to p_limit events of one scope and adds them to the record p_id.
create function cortex_forget(
  p_root text, p_id uuid, p_scope text, p_ids uuid[], p_from timestamptz, p_to timestamptz,
  p_up_to bigint, p_limit integer, p_actor text, p_note text)
returns bigint language plpgsql set enable_seqscan = off as $$
declare
  seqs bigint[];
  deleted bigint;
begin
  if p_ids is not null then
    select array_agg(e.seq) into seqs from cortex_events e
      where e.id = any (p_ids) and e.root = p_root and e.scope = p_scope
        and e.recorded_at >= p_from and e.recorded_at < p_to;
  else
    select array_agg(f.seq) into seqs from (
      select e.seq from cortex_events e
      where e.root = p_root and e.scope = p_scope and e.seq <= p_up_to
        and e.recorded_at >= p_from and e.recorded_at < p_to
      limit p_limit) f;
  end if;
  deleted := cortex_delete(p_root, coalesce(seqs, '{}'));
  insert into cortex_deletions as d (root, id, scope, action, actor, note, events_count)
    values (p_root, p_id, p_scope, 'forget', p_actor, p_note, deleted)
  on conflict (root, id) do update set
    events_count = d.events_count + excluded.events_count, updated_at = clock_timestamp();
  return deleted;
end $$;

-- One bounded step of an erasure. The job's row is locked, so that several
-- callers take turns; the last step completes it and records the deletion.
create function cortex_erase(p_root text, p_id uuid, p_limit integer)
returns setof cortex_erasures language plpgsql set enable_seqscan = off as $$
declare
  job cortex_erasures;
  seqs bigint[];
  is_last boolean;
begin
  select * into job from cortex_erasures where root = p_root and id = p_id for update;
  if not found then return; end if;
  if job.status = 'running' then
    select array_agg(f.seq) into seqs from (
      (select e.seq from cortex_events e
        where e.root = p_root and e.scope = job.scope and e.seq <= job.up_to limit p_limit)
      union all
      (select e.seq from cortex_events e
        where e.root = p_root and e.scope > job.scope || '/' and e.scope < job.scope || '0'
          and e.seq <= job.up_to limit p_limit)
      limit p_limit) f;
    is_last := coalesce(cardinality(seqs), 0) < p_limit;
    update cortex_erasures set
      events_count = events_count + cortex_delete(p_root, coalesce(seqs, '{}')),
      status = case when is_last then 'completed' else 'running' end,
      finished_at = case when is_last then clock_timestamp() end
    where root = p_root and id = p_id returning * into job;
    if job.status = 'completed' then
      insert into cortex_deletions (root, id, scope, action, actor, note, events_count, created_at)
        values (job.root, job.id, job.scope, 'erase', job.actor, job.note, job.events_count, job.started_at)
      on conflict do nothing;
    end if;
  end if;
  return next job;
end $$;

-- How much of an event's worth is left of its newness: up to half as much again
-- for one just made, fading over 30 days.
create function cortex_freshness(p_observed_at timestamptz)
returns double precision language sql stable parallel safe
as $$
  select 1 + 0.5 * exp(-greatest(0, extract(epoch from now() - p_observed_at))::double precision / 2592000)
$$;

-- The newest events of one scope that carry any of the labels. A label that
-- many of the newest events carry is met soon on the way from the newest one;
-- any other is found through the index.
create function cortex_labelled(
  p_root text, p_scope text, p_labels text[], p_actors text[], p_modality text,
  p_since timestamptz, p_until timestamptz, p_recorded_by timestamptz, p_before bigint, p_limit integer)
returns table (seq bigint) language plpgsql stable set enable_seqscan = off as $$
#variable_conflict use_column
declare
  sought constant tsquery := cortex_label_query(p_scope, p_labels);
  hits bigint;
begin
  select count(*) into hits from (
    select e.terms from cortex_events e where e.root = p_root and e.scope = p_scope
    order by e.seq desc limit 100) s
  where s.terms @@ sought;
  if hits >= 5 then
    return query
      select e.seq from cortex_events e
      where e.root = p_root and e.scope = p_scope and e.seq < p_before and e.labels ?| p_labels
        and (cardinality(p_actors) = 0 or e.actor = any (p_actors))
        and (p_modality is null or e.modality = p_modality)
        and e.observed_at >= p_since and e.observed_at < p_until and e.recorded_at <= p_recorded_by
      order by e.scope desc, e.seq desc limit p_limit;
    return;
  end if;
  return query
    with found as materialized (
      select e.root, e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
      from cortex_events e where e.terms @@ sought
    )
    select e.seq from found e
    where e.root = p_root and e.scope = p_scope and e.seq < p_before and e.labels ?| p_labels
      and (cardinality(p_actors) = 0 or e.actor = any (p_actors))
      and (p_modality is null or e.modality = p_modality)
      and e.observed_at >= p_since and e.observed_at < p_until and e.recorded_at <= p_recorded_by
    order by e.seq desc limit p_limit;
end $$;

-- Ranks the events of one scope. Words that stand in more than about one in 70
-- of its newest events say little and would bring in most of a large scope, so
-- candidates come from the rarer words, through the index, and, where those
-- leave room, from the newest 3,000 events. All words count, the rarer ones
-- twice; how close together they stand decides among the best 200.
create function cortex_search(
  p_root text, p_scope text, p_query text, p_labels text[], p_actors text[], p_modality text,
  p_since timestamptz, p_until timestamptz, p_recorded_by timestamptz, p_limit integer)
returns table (seq bigint, score double precision)
language plpgsql stable set enable_seqscan = off as $$
#variable_conflict use_column
declare
  words text[];
  rare text[];
  sampled integer;
  found_count integer := 0;
  every tsquery;
  picked tsquery;
  sought tsquery;
begin
  select array_agg(q.lexeme) into words from (
    select w.lexeme from unnest(cortex_words(left(p_query, 4000))) w
    where octet_length(w.lexeme) < 2000 order by w.positions[1] limit 24) q;
  every := cortex_word_query(p_scope, words);
  with sample as materialized (
    select e.terms from cortex_events e
    where e.root = p_root and e.scope = p_scope order by e.seq desc limit 200
  ), asked as materialized (
    select u.word, u.place, cortex_word_query(p_scope, array[u.word]) as query
    from unnest(words) with ordinality u(word, place)
  ), held as materialized (
    select a.word, a.place, (select count(*) from sample s where s.terms @@ a.query) as hits
    from asked a
  ), summed as (
    select word, sum(hits) over (order by hits, place) as running from held
  )
  select array_agg(word) filter (where running <= 3), (select count(*) from sample)
    into rare, sampled from summed;
  -- A scope that the sample holds whole is ranked whole.
  picked := case when sampled = 200 then cortex_word_query(p_scope, rare) end;
  if picked is not null then
    sought := case when cardinality(p_labels) = 0 then picked
      else picked && cortex_label_query(p_scope, p_labels) end;
    return query
      with hits as materialized (
        select e.root, e.scope, e.seq, e.terms, e.labels, e.actor, e.modality,
          e.observed_at, e.recorded_at
        from cortex_events e where e.terms @@ sought
      ), ranked as (
        select h.seq, h.terms, cortex_freshness(h.observed_at) as freshness,
          ts_rank(h.terms, every, 32) + ts_rank(h.terms, picked, 32) as words_rank
        from hits h
        where h.root = p_root and h.scope = p_scope
          and (cardinality(p_labels) = 0 or h.labels ?| p_labels)
          and (cardinality(p_actors) = 0 or h.actor = any (p_actors))
          and (p_modality is null or h.modality = p_modality)
          and h.observed_at >= p_since and h.observed_at < p_until and h.recorded_at <= p_recorded_by
      ), best as (
        select * from ranked order by words_rank * freshness desc, seq desc limit greatest(200, p_limit)
      )
      select b.seq, (b.words_rank + ts_rank_cd(b.terms, every, 33) + ts_rank_cd(b.terms, picked, 33))
        * b.freshness
      from best b order by 2 desc, 1 desc limit p_limit;
    get diagnostics found_count = row_count;
  end if;
  if found_count < p_limit then
    return query
      with ranked as (
        select n.seq, n.terms, cortex_freshness(n.observed_at) as freshness,
          case when every is null then 0 else ts_rank(n.terms, every, 32) end as words_rank
        from (
          select e.seq, e.terms, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
          from cortex_events e where e.root = p_root and e.scope = p_scope
          order by e.seq desc limit 3000) n
        where (every is null or n.terms @@ every)
          and (picked is null or not n.terms @@ picked)
          and (cardinality(p_labels) = 0 or n.labels ?| p_labels)
          and (cardinality(p_actors) = 0 or n.actor = any (p_actors))
          and (p_modality is null or n.modality = p_modality)
          and n.observed_at >= p_since and n.observed_at < p_until and n.recorded_at <= p_recorded_by
      ), best as (
        select * from ranked order by words_rank * freshness desc, seq desc limit greatest(200, p_limit)
      )
      select b.seq, case when every is null then 0
        else (b.words_rank + ts_rank_cd(b.terms, every, 33)) * b.freshness end
      from best b order by 2 desc, 1 desc limit p_limit - found_count;
  end if;
end $$;
