-- compatible
-- Vectors of passages, where an embedding service is configured: what is found
-- by its meaning. The signs of a vector's numbers stand apart from it, so that
-- looking through all passages of a root reads few pages.
-- Specification: docs/spec/recall.md section 8.
create table cortex_vectors (
  root text collate "C" not null,
  seq bigint not null,
  part integer not null,
  -- Name of the model and size of its vectors.
  model text not null,
  -- Of length 1.
  vector real[] not null,
  primary key (root, seq, part)
);
-- Numbers do not compress.
alter table cortex_vectors alter column vector set storage external;

create table cortex_vector_signs (
  root text collate "C" not null,
  seq bigint not null,
  part integer not null,
  scope text collate "C" not null,
  model text not null,
  signs bit varying not null,
  primary key (root, seq, part)
);

-- The model that passages get vectors of, and how far events without have been
-- looked for. Without a row nobody wants vectors.
create table cortex_embedding_models (
  model text primary key,
  after_root text collate "C" not null default '',
  after_seq bigint not null default 0,
  is_done boolean not null default false,
  looked_at timestamptz not null default now()
);

-- Events whose passages wait for vectors. Whoever takes one has it for a while.
create table cortex_unembedded (
  root text collate "C" not null,
  seq bigint not null,
  taken_until timestamptz not null default '-infinity',
  primary key (root, seq)
);

-- Makes a model the one that passages get vectors of. pgvector measures them
-- where the server has it and lets it be used.
create function cortex_open_model(p_model text)
returns void language plpgsql as $$
begin
  if to_regtype('vector') is null
    and exists (select 1 from pg_available_extensions where name = 'vector') then
    begin
      create extension if not exists vector;
    exception when others then
      raise notice 'pgvector is there and may not be used: %', sqlerrm;
    end;
  end if;
  delete from cortex_embedding_models where model <> p_model;
  insert into cortex_embedding_models (model) values (p_model) on conflict do nothing;
end $$;

-- One step of looking for passages without a vector of the model; whether more
-- may be left. Begins anew after an hour: what was being stored while the first
-- look passed it may have been missed.
create function cortex_find_unembedded(p_model text, p_limit integer)
returns boolean language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  job cortex_embedding_models;
  last record;
begin
  select * into job from cortex_embedding_models where model = p_model for update skip locked;
  if not found then return false; end if;
  if job.is_done then
    if job.looked_at > now() - interval '1 hour' then return false; end if;
    job.after_root := '';
    job.after_seq := 0;
  end if;
  for last in
    select p.root, p.seq, not exists (
        select 1 from cortex_vectors v
        where v.root = p.root and v.seq = p.seq and v.part = p.part and v.model = p_model) as is_bare
    from cortex_passages p
    where (p.root, p.seq, p.part) > (job.after_root, job.after_seq, 2147483647) and p.part = 0
    order by p.root, p.seq, p.part limit p_limit
  loop
    if last.is_bare then
      insert into cortex_unembedded (root, seq) values (last.root, last.seq) on conflict do nothing;
    end if;
    job.after_root := last.root;
    job.after_seq := last.seq;
    p_limit := p_limit - 1;
  end loop;
  update cortex_embedding_models set after_root = job.after_root, after_seq = job.after_seq,
      is_done = p_limit > 0, looked_at = now()
    where model = p_model;
  return p_limit = 0;
end $$;

-- Takes some of the events that wait, for two minutes; none where another model
-- has become the one that is wanted.
create function cortex_take_unembedded(p_model text, p_limit integer)
returns table (root text, seq bigint) language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
    update cortex_unembedded u set taken_until = clock_timestamp() + interval '2 minutes'
    from (
      select w.root, w.seq from cortex_unembedded w
      where w.taken_until < clock_timestamp()
        and exists (select 1 from cortex_embedding_models where model = p_model)
      order by w.root, w.seq limit p_limit for update skip locked) t
    where u.root = t.root and u.seq = t.seq
    returning u.root, u.seq;
end $$;

-- Stores the vectors of passages that are there. An event that is deleted at the
-- same time gets none: its row is held until they are stored.
create function cortex_put_vectors(p_model text, p_items jsonb)
returns void language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  item jsonb;
begin
  for item in
    select i.value from jsonb_array_elements(p_items) i
    order by i.value ->> 'root' collate "C", (i.value ->> 'seq')::bigint
  loop
    perform 1 from cortex_events e
      where e.root = item ->> 'root' and e.seq = (item ->> 'seq')::bigint for key share;
    if not found then continue; end if;
    delete from cortex_unembedded u
      where u.root = item ->> 'root' and u.seq = (item ->> 'seq')::bigint;
    -- Somebody else has been here.
    if not found then continue; end if;
    delete from cortex_vectors v where v.root = item ->> 'root' and v.seq = (item ->> 'seq')::bigint;
    delete from cortex_vector_signs v where v.root = item ->> 'root' and v.seq = (item ->> 'seq')::bigint;
    with given as (
      select p.root, p.seq, p.part, p.scope, g.signs::bit varying as signs, g.vector::real[] as vector
      from jsonb_to_recordset(item -> 'vectors') as g(part integer, signs text, vector text)
      join cortex_passages p on p.root = item ->> 'root' and p.seq = (item ->> 'seq')::bigint and p.part = g.part
    ), kept as (
      insert into cortex_vectors (root, seq, part, model, vector)
        select root, seq, part, p_model, vector from given
    )
    insert into cortex_vector_signs (root, seq, part, scope, model, signs)
      select root, seq, part, scope, p_model, signs from given;
  end loop;
end $$;

-- The passages whose vectors are nearest by their signs, up to p_pool, each with
-- its similarity where the server has pgvector, else with its vector, each
-- number as 4 bytes of length and 4 of value. mean is the mean distance of all
-- passages, in signs, and counted how many there are.
create function cortex_near(
  p_root text, p_scopes text[], p_model text, p_signs bit varying, p_vector real[], p_pool integer,
  p_is_filtered boolean, p_labels text[], p_actors text[], p_modality text,
  p_since timestamptz, p_until timestamptz, p_recorded_by timestamptz)
returns table (
  seq bigint, part integer, similarity double precision, vector text,
  mean double precision, counted bigint)
language plpgsql stable set jit = off as $$
#variable_conflict use_column
begin
  return query execute format($sql$
    with held as materialized (
      select s.seq, s.part, bit_count(s.signs # $4)::integer as distance
      from cortex_vector_signs s
      where s.root = $1 and s.scope = any ($2) and s.model = $3
        and (not $7 or exists (
          select 1 from cortex_events e where e.root = $1 and e.seq = s.seq
            and (cardinality($8) = 0 or e.labels ?| $8)
            and (cardinality($9) = 0 or e.actor = any ($9))
            and ($10 is null or e.modality = $10)
            and e.observed_at >= $11 and e.observed_at < $12 and e.recorded_at <= $13))
    ), pool as (
      select h.seq, h.part from held h order by h.distance, h.seq desc, h.part limit $6
    ), figures as (
      select avg(h.distance)::double precision as mean, count(*) as counted from held h
    )
    select p.seq, p.part, %s, f.mean, f.counted
    from pool p cross join figures f
    join cortex_vectors v on v.root = $1 and v.seq = p.seq and v.part = p.part and v.model = $3
  $sql$, case when to_regtype('vector') is null
    then 'null::double precision, encode(array_send(v.vector), ''hex'')'
    else '1 - (v.vector::vector <=> $5::vector), null::text' end)
  using p_root, p_scopes, p_model, p_signs, p_vector, p_pool, p_is_filtered, p_labels, p_actors,
    p_modality, p_since, p_until, p_recorded_by;
end $$;

-- As before; what is indexed waits for its vectors, too, where somebody wants any.
create or replace function cortex_put_passages(p_items jsonb, p_gone jsonb default '[]')
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
  if exists (select 1 from cortex_embedding_models) then
    insert into cortex_unembedded (root, seq)
      select i.root collate "C", i.seq from jsonb_to_recordset(p_items) as i(root text, seq bigint)
      order by 1, 2
    on conflict do nothing;
  end if;
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

-- As before; vectors go with their passages.
create or replace function cortex_drop_passages(
  p_root text, p_seqs bigint[], out passages bigint, out length bigint)
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  lexemes text[];
begin
  delete from cortex_unindexed where root = p_root and seq = any (p_seqs);
  delete from cortex_unembedded where root = p_root and seq = any (p_seqs);
  delete from cortex_vectors where root = p_root and seq = any (p_seqs);
  delete from cortex_vector_signs where root = p_root and seq = any (p_seqs);
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
