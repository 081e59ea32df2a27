-- compatible
-- What recall searches: the passages of events, as the analyser of the program
-- made them, behind one index for all scopes of a root. A lexeme is a mark of
-- its root and a term, so that a search reads the entries of its root alone.
-- Specification: docs/spec/recall.md section 5.
create table cortex_passages (
  root text collate "C" not null,
  seq bigint not null,
  part integer not null,
  scope text collate "C" not null,
  -- Where it stands in the event's text, in characters; null: beside the text.
  from_at integer,
  characters integer not null,
  -- Words that say something.
  length integer not null,
  version integer not null,
  terms tsvector not null,
  primary key (root, seq, part)
) with (toast_tuple_target = 8160);
-- Ranking reads terms of many rows: they stay in the row.
alter table cortex_passages alter column terms set storage main;
create index cortex_passages_terms on cortex_passages using gin (terms)
  with (gin_pending_list_limit = 128);

-- Terms of a root that a misspelt word may stand for. A term whose last passage
-- is deleted goes with it.
create table cortex_terms_known (
  root text collate "C" not null,
  term text collate "C" not null,
  primary key (root, term)
);

-- How many passages a root has, and how long they are together. Several rows
-- each, so that writers rarely wait for one another.
create table cortex_passage_counts (
  root text collate "C" not null,
  slot integer not null,
  passages bigint not null,
  length bigint not null,
  primary key (root, slot)
) with (fillfactor = 50);

-- Events without passages of the current analyser: those of before, and those
-- that a program writes which knows of none.
create table cortex_unindexed (
  root text collate "C" not null,
  seq bigint not null,
  primary key (root, seq)
);
insert into cortex_unindexed (root, seq) select root, seq from cortex_events;

-- How far passages of older analysers have been looked for, for each newer one.
create table cortex_analysers (
  version integer primary key,
  after_root text collate "C" not null default '',
  after_seq bigint not null default 0,
  is_done boolean not null default false
);
insert into cortex_analysers (version, is_done) values (1, true);

create function cortex_count_passages(p_root text, p_passages bigint, p_length bigint)
returns void language sql
begin atomic
  insert into cortex_passage_counts as c (root, slot, passages, length)
    values (p_root, floor(random() * 8)::integer, p_passages, p_length)
  on conflict (root, slot) do update set
    passages = c.passages + excluded.passages, length = c.length + excluded.length;
end;

-- Stores the passages of events that are there: each item names root, seq and
-- scope of its event, the terms to be known, and its passages. p_gone are counts
-- of passages that were deleted before.
create function cortex_put_passages(p_items jsonb, p_gone jsonb default '[]')
returns void language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
begin
  insert into cortex_passages (root, seq, part, scope, from_at, characters, length, version, terms)
    select i.root, i.seq, p.part, i.scope, p.from_at, p.characters, p.length, i.version, p.terms::tsvector
    from jsonb_to_recordset(p_items) as i(
      root text, seq bigint, scope text, version integer, passages jsonb)
    cross join lateral jsonb_to_recordset(i.passages) as p(
      part integer, from_at integer, characters integer, length integer, terms text);
  -- In one order everywhere, so that writers cannot deadlock.
  insert into cortex_terms_known (root, term)
    select distinct i.root collate "C", t.term collate "C"
    from jsonb_to_recordset(p_items) as i(root text, known jsonb)
    cross join lateral jsonb_array_elements_text(i.known) as t(term)
    order by 1, 2
  on conflict do nothing;
  -- Counts come last everywhere, for the same reason.
  perform cortex_count_passages(c.root, c.passages::bigint, c.length::bigint) from (
    select b.root, sum(b.passages) as passages, sum(b.length) as length from (
      select i.root, 1 as passages, p.length
      from jsonb_to_recordset(p_items) as i(root text, passages jsonb)
      cross join lateral jsonb_to_recordset(i.passages) as p(length integer)
      union all
      select g.root, -g.passages, -g.length
      from jsonb_to_recordset(p_gone) as g(root text, passages integer, length integer)) b
    group by b.root order by b.root) c;
end $$;

-- Forgets the passages of some events, and the terms that no other passage of
-- the root has. Whoever calls counts them.
create function cortex_drop_passages(
  p_root text, p_seqs bigint[], out passages bigint, out length bigint)
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  lexemes text[];
begin
  delete from cortex_unindexed where root = p_root and seq = any (p_seqs);
  with gone as (
    delete from cortex_passages where root = p_root and seq = any (p_seqs)
    returning length, tsvector_to_array(terms) as lexemes
  )
  select count(*), coalesce(sum(g.length), 0),
      (select array_agg(distinct l.lexeme) from gone h cross join lateral unnest(h.lexemes) l(lexeme))
    into passages, length, lexemes from gone g;
  if lexemes is null then return; end if;
  -- What stands in the newest passages need not be looked for in the index.
  lexemes := array(
    select l.lexeme from unnest(lexemes) l(lexeme)
    join cortex_terms_known k on k.root = p_root and k.term = substr(l.lexeme, 5) collate "C"
    except
    select unnest(tsvector_to_array(n.terms)) from (
      select p.terms from cortex_passages p where p.root = p_root
      order by p.root desc, p.seq desc, p.part desc limit 200) n
    order by 1);
  lexemes := array(
    select l.lexeme from unnest(lexemes) l(lexeme)
    where not exists (
      select 1 from cortex_passages p
      where p.terms @@ cortex_quote(l.lexeme)::tsquery and p.root = p_root));
  perform 1 from cortex_terms_known k
    where k.root = p_root and k.term = any (select substr(l, 5) collate "C" from unnest(lexemes) l)
    order by k.term for update;
  delete from cortex_terms_known k
    where k.root = p_root and k.term = any (select substr(l, 5) collate "C" from unnest(lexemes) l);
end $$;

-- Passages for events that had none, or older ones. An event that is deleted at
-- the same time gets none: its row is held until they are stored.
create function cortex_index(p_items jsonb)
returns void language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  item jsonb;
  old record;
  gone jsonb := '[]';
  there jsonb := '[]';
begin
  for item in
    select i.value from jsonb_array_elements(p_items) i
    order by i.value ->> 'root' collate "C", (i.value ->> 'seq')::bigint
  loop
    perform 1 from cortex_events e
      where e.root = item ->> 'root' and e.seq = (item ->> 'seq')::bigint for key share;
    if not found then continue; end if;
    delete from cortex_unindexed u
      where u.root = item ->> 'root' and u.seq = (item ->> 'seq')::bigint;
    -- Somebody else has been here.
    if not found then continue; end if;
    select d.passages, d.length into old
      from cortex_drop_passages(item ->> 'root', array[(item ->> 'seq')::bigint]) d;
    gone := gone || jsonb_build_array(jsonb_build_object(
      'root', item ->> 'root', 'passages', old.passages, 'length', old.length));
    there := there || jsonb_build_array(item);
  end loop;
  perform cortex_put_passages(there, gone);
end $$;

-- One step of looking for passages of older analysers; whether more may be left.
create function cortex_find_outdated(p_version integer, p_limit integer)
returns boolean language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  job cortex_analysers;
  last record;
begin
  insert into cortex_analysers (version) values (p_version) on conflict do nothing;
  select * into job from cortex_analysers where version = p_version for update skip locked;
  if not found or job.is_done then return false; end if;
  for last in
    select p.root, p.seq, p.version from cortex_passages p
    where (p.root, p.seq, p.part) > (job.after_root, job.after_seq, 2147483647) and p.part = 0
    order by p.root, p.seq, p.part limit p_limit
  loop
    if last.version < p_version then
      insert into cortex_unindexed (root, seq) values (last.root, last.seq) on conflict do nothing;
    end if;
    job.after_root := last.root;
    job.after_seq := last.seq;
    p_limit := p_limit - 1;
  end loop;
  update cortex_analysers set after_root = job.after_root, after_seq = job.after_seq, is_done = p_limit > 0
    where version = p_version;
  return p_limit = 0;
end $$;

-- How often each of some queries is met in the scopes, how many passages the
-- root has, and how long they are on average. What stands in many of the newest
-- passages is common, and its share there tells how common; all else is counted.
create function cortex_frequencies(p_root text, p_scopes text[], p_queries text[])
returns table (passages bigint, mean_length double precision, frequencies double precision[])
language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  sampled bigint;
  hits bigint[];
  here bigint;
  at integer;
begin
  select coalesce(sum(c.passages), 0), coalesce(sum(c.length)::double precision / nullif(sum(c.passages), 0), 1)
    into passages, mean_length from cortex_passage_counts c where c.root = p_root;
  with sample as materialized (
    select p.terms from cortex_passages p where p.root = p_root
    order by p.root desc, p.seq desc, p.part desc limit 200
  )
  select (select count(*) from sample), array(
      select (select count(*) from sample s where s.terms @@ q.query::tsquery)
      from unnest(p_queries) with ordinality q(query, place) order by q.place)
    into sampled, hits;
  frequencies := '{}';
  for at in 1 .. coalesce(cardinality(p_queries), 0) loop
    if sampled = 200 and hits[at] >= 4 then
      frequencies := frequencies || passages * hits[at] / 200.0::double precision;
    else
      select count(*) into here from (
        with found as materialized (
          select p.root, p.scope from cortex_passages p where p.terms @@ p_queries[at]::tsquery
        )
        select 1 from found f where f.root = p_root and f.scope = any (p_scopes) limit 5000) c;
      frequencies := frequencies || here::double precision;
    end if;
  end loop;
  return next;
end $$;

-- The passages that may fit best: all that p_sought finds, and of the newest
-- p_newest passages and first passages of the root those that any of the queries
-- finds, by a rough measure. Of each event the best two; with what stands where
-- of the lexemes, in the passage and in the first one of its event, which has
-- title and tags.
create function cortex_candidates(
  p_root text, p_scopes text[], p_sought text, p_newest integer, p_queries text[], p_weights double precision[],
  p_lexemes text[], p_mean double precision, p_is_filtered boolean, p_labels text[], p_actors text[],
  p_modality text, p_since timestamptz, p_until timestamptz, p_recorded_by timestamptz, p_limit integer)
returns table (
  event_id uuid, observed_at timestamptz, part integer, from_at integer, characters integer,
  length integer, places jsonb, head jsonb)
language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  rough text;
begin
  -- One expression for all words. It is r / (r + norm), so written that each
  -- word is looked up once. It is worked out where the row is met: a row that is
  -- carried along with its terms costs ten times as much.
  select string_agg(format('%s::double precision * (1 - 0.2 * (0.6 + 0.4 * p.length / $3) / '
      || '(ts_rank(''{0.6,0.4,0.8,1}'', p.terms, %L::tsquery) + 0.2 * (0.6 + 0.4 * p.length / $3)))',
      q.weight, q.query), ' + ') into rough
    from unnest(p_queries, p_weights) as q(query, weight);
  rough := format('p.root, p.scope, p.seq, p.part, %s as rough', coalesce(rough, '0::double precision'));
  return query execute format($sql$
    with found as materialized (
      %s
    ), placed as (
      select f.seq, f.part, f.rough,
        row_number() over (partition by f.seq order by f.rough desc, f.part) as place
      from found f
      where f.root = $1 and f.scope = any ($2)
        and (not $4 or exists (
          select 1 from cortex_events e where e.root = $1 and e.seq = f.seq
            and (cardinality($5) = 0 or e.labels ?| $5)
            and (cardinality($6) = 0 or e.actor = any ($6))
            and ($7 is null or e.modality = $7)
            and e.observed_at >= $8 and e.observed_at < $9 and e.recorded_at <= $10))
    ), best as materialized (
      select * from placed where place <= 2 order by rough desc, seq desc limit $11
    )
    select e.id, e.observed_at, b.part, p.from_at, p.characters, p.length, cortex_places(p.terms, $12),
      case when b.part > 0 then (
        select cortex_places(h.terms, $12) from cortex_passages h
        where h.root = $1 and h.seq = b.seq and h.part = 0) end
    from best b
    join cortex_events e on e.root = $1 and e.seq = b.seq
    join cortex_passages p on p.root = $1 and p.seq = b.seq and p.part = b.part
    order by b.rough desc, b.seq desc
  $sql$, concat_ws(' union ',
      case when p_sought is not null then
        format('select %s from cortex_passages p where p.terms @@ $13::tsquery', rough) end,
      case when p_newest > 0 then format(
        '(select %s from (select * from cortex_passages n where n.root = $1
           order by n.root desc, n.seq desc, n.part desc limit $14) p where p.terms @@ $15::tsquery)', rough) end,
      -- One long text has hundreds of passages: of more events the first ones.
      case when p_newest > 0 then format(
        '(select %s from (select * from cortex_passages n where n.root = $1 and n.part = 0
           order by n.root desc, n.seq desc, n.part desc limit $14) p where p.terms @@ $15::tsquery)', rough) end))
  using p_root, p_scopes, p_mean, p_is_filtered, p_labels, p_actors, p_modality,
    p_since, p_until, p_recorded_by, p_limit, p_lexemes, p_sought, p_newest, array_to_string(p_queries, '|');
end $$;

-- Where the lexemes stand: for each its places and the letters of its weights.
create function cortex_places(p_terms tsvector, p_lexemes text[])
returns jsonb language sql immutable strict parallel safe
begin atomic
  select coalesce(jsonb_object_agg(u.lexeme, jsonb_build_array(to_jsonb(u.positions), array_to_string(u.weights, ''))), '{}')
  from unnest(p_terms) u(lexeme, positions, weights) where u.lexeme = any (p_lexemes);
end;

-- Terms of a root that look like a word: about as long, but for an ending that a
-- stem has not, and the same at their beginning, at their end, or behind their
-- first letter.
create function cortex_similar_terms(p_root text, p_word text)
returns setof text language sql stable
begin atomic
  select k.term from cortex_terms_known k
  where k.root = p_root
    and char_length(k.term) between char_length(p_word) - 5 and char_length(p_word) + 2
    and (left(k.term, 2) = left(p_word, 2) or right(k.term, 3) = right(p_word, 3)
      or substr(k.term, 2, 3) = substr(p_word, 2, 3)
      or (left(k.term, 1) = left(p_word, 1) and substr(k.term, 3, 2) = substr(p_word, 3, 2)))
  limit 2000;
end;

-- As before; events come with their passages, or are to be indexed later. Words
-- are no longer among the lexemes of the event itself, labels are.
create or replace function cortex_append(p_items jsonb, p_key_hours integer)
returns table (item integer, outcome text, event_id uuid, seq bigint)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  at_time constant timestamptz := clock_timestamp();
  fault integer;
  indexed jsonb;
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
    with stored as (
      insert into cortex_events (root, id, scope, actor, modality, kind, labels, content,
          context, idempotency_key, observed_at, recorded_at, terms)
        select i.root, i.id, i.scope, i.actor, i.modality, i.kind, i.labels, i.content,
          i.context, i.key, coalesce(i.observed_at, at_time), at_time,
          cortex_terms(i.scope, coalesce(i.search_text, ''), i.labels)
        from jsonb_to_recordset(p_items) as i(item integer, root text, id uuid, scope text,
          actor text, modality text, kind text, labels jsonb, content jsonb, context jsonb,
          key text, observed_at timestamptz, search_text text)
        left join cortex_keys k on k.root = i.root and k.key = i.key
        where i.key is null or k.event_id = i.id
        order by i.item
      returning root, seq, id, scope
    ), later as (
      insert into cortex_unindexed (root, seq)
        select s.root, s.seq from stored s
        join jsonb_to_recordset(p_items) as i(id uuid, passages jsonb, version integer) on i.id = s.id
        where i.passages is null or i.version < (select max(version) from cortex_analysers)
    )
    select jsonb_agg(jsonb_build_object('root', s.root, 'seq', s.seq, 'scope', s.scope,
        'version', i.version, 'known', i.known, 'passages', i.passages) order by s.seq)
      into indexed from stored s
      join jsonb_to_recordset(p_items) as i(id uuid, version integer, known jsonb, passages jsonb) on i.id = s.id
      where i.passages is not null;
    if indexed is not null then perform cortex_put_passages(indexed); end if;
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

-- Deletes events with their passages and releases their keys, so that the same
-- write stores anew.
create or replace function cortex_delete(p_root text, p_seqs bigint[])
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
  perform cortex_count_passages(p_root, -d.passages, -d.length)
    from cortex_drop_passages(p_root, p_seqs) d where d.passages > 0;
  return coalesce(cardinality(ids), 0);
end $$;
