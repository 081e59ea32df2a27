-- compatible
-- What a recall among very many passages costs: how common words are is counted
-- ahead, a thousand passages at a time, and what a filter lets pass is looked at
-- in the order of worth.
-- Specification: docs/spec/recall.md section 5.

-- In how many passages the more common terms of a root stand, of those counted.
create table cortex_term_counts (
  root text collate "C" not null,
  term text collate "C" not null,
  passages bigint not null,
  primary key (root, term)
);

-- How far the passages of a root have been counted, and how many.
create table cortex_term_marks (
  root text collate "C" not null,
  after_seq bigint not null default 0,
  after_part integer not null default 0,
  passages bigint not null default 0,
  primary key (root)
);

-- Counts the terms of the next p_limit passages of a root, where there are so
-- many; whether it did. A term that stands in fewer than three of them is rare,
-- and is counted when it is asked for.
create function cortex_count_terms(p_root text, p_limit integer)
returns boolean language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  job cortex_term_marks;
  last record;
begin
  insert into cortex_term_marks (root) values (p_root) on conflict do nothing;
  select * into job from cortex_term_marks where root = p_root for update skip locked;
  if not found then return false; end if;
  select p.seq, p.part into last from cortex_passages p
    where p.root = p_root and (p.root, p.seq, p.part) > (p_root, job.after_seq, job.after_part)
    order by p.root, p.seq, p.part offset p_limit - 1 limit 1;
  if not found then return false; end if;
  insert into cortex_term_counts as c (root, term, passages)
    select p_root, substr(l.lexeme, 5) collate "C", count(*)
    from cortex_passages p cross join lateral unnest(tsvector_to_array(p.terms)) l(lexeme)
    where p.root = p_root and (p.root, p.seq, p.part) > (p_root, job.after_seq, job.after_part)
      and (p.root, p.seq, p.part) <= (p_root, last.seq, last.part)
    group by 2 having count(*) >= 3 order by 2
  on conflict (root, term) do update set passages = c.passages + excluded.passages;
  update cortex_term_marks set after_seq = last.seq, after_part = last.part, passages = passages + p_limit
    where root = p_root;
  return true;
end $$;

-- Counts the terms of any root that has p_limit passages which are not counted.
create function cortex_count_any_terms(p_limit integer)
returns boolean language plpgsql as $$
#variable_conflict use_column
declare
  next_root text;
begin
  for next_root in
    select c.root from cortex_passage_counts c left join cortex_term_marks m on m.root = c.root
    group by c.root, m.passages having sum(c.passages) - coalesce(m.passages, 0) >= p_limit
    order by c.root
  loop
    if cortex_count_terms(next_root, p_limit) then return true; end if;
  end loop;
  return false;
end $$;

-- Takes the terms of passages that are deleted out of the counts. What is counted
-- of a term is never more than there is, so the last passage takes it along.
create function cortex_uncount_terms(p_root text, p_lexemes text[])
returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off as $$
#variable_conflict use_column
begin
  if not exists (select 1 from cortex_term_marks where root = p_root) then return; end if;
  perform 1 from cortex_term_counts c
    where c.root = p_root and c.term = any (select distinct substr(l, 5) collate "C" from unnest(p_lexemes) l)
    order by c.term for update;
  update cortex_term_counts c set passages = c.passages - g.gone
    from (
      select substr(l, 5) collate "C" as term, count(*) as gone from unnest(p_lexemes) l group by 1) g
    where c.root = p_root and c.term = g.term;
  delete from cortex_term_counts c
    where c.root = p_root and c.passages <= 0
      and c.term = any (select distinct substr(l, 5) collate "C" from unnest(p_lexemes) l);
end $$;

-- As before; the counts of terms follow.
create or replace function cortex_drop_passages(
  p_root text, p_seqs bigint[], out passages bigint, out length bigint)
language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  every text[];
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
      (select array_agg(l.lexeme) from gone h cross join lateral unnest(h.lexemes) l(lexeme))
    into passages, length, every from gone g;
  if every is null then return; end if;
  lexemes := array(select distinct l from unnest(every) l);
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
  perform cortex_uncount_terms(p_root, every);
end $$;

-- How often each of some queries is met in the scopes, how many passages the
-- root has, and how long they are on average. What the counts have is common, and
-- they tell how common; of a root that has none yet, the newest passages do. All
-- else is counted. Each of p_terms is one that satisfies the query whose number
-- p_owners has.
create function cortex_term_frequencies(
  p_root text, p_scopes text[], p_queries text[], p_terms text[], p_owners integer[])
returns table (passages bigint, mean_length double precision, frequencies double precision[])
language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  counted bigint;
  sampled bigint := 0;
  known bigint[] := '{}';
  hits bigint[];
  here bigint;
  at integer;
begin
  select coalesce(sum(c.passages), 0), coalesce(sum(c.length)::double precision / nullif(sum(c.passages), 0), 1)
    into passages, mean_length from cortex_passage_counts c where c.root = p_root;
  frequencies := '{}';
  if coalesce(cardinality(p_queries), 0) = 0 then
    return next;
    return;
  end if;
  select m.passages into counted from cortex_term_marks m where m.root = p_root;
  if counted > 0 then
    known := array(
      select coalesce(sum(c.passages), 0)::bigint
      from generate_series(1, cardinality(p_queries)) n
      left join unnest(p_terms, p_owners) t(term, owner) on t.owner = n
      left join cortex_term_counts c on c.root = p_root and c.term = t.term
      group by n order by n);
  else
    with sample as materialized (
      select p.terms from cortex_passages p where p.root = p_root
      order by p.root desc, p.seq desc, p.part desc limit 200
    )
    select (select count(*) from sample), array(
        select (select count(*) from sample s where s.terms @@ q.query::tsquery)
        from unnest(p_queries) with ordinality q(query, place) order by q.place)
      into sampled, hits;
  end if;
  for at in 1 .. cardinality(p_queries) loop
    if counted > 0 and known[at] >= 200 then
      frequencies := frequencies
        || least(passages, known[at] * greatest(1, passages / counted::double precision));
    elsif sampled = 200 and hits[at] >= 4 then
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

-- As before, at less cost. How often a word stands in a passage is left to the
-- program: here counts which words do. A passage that is new twice is rated once.
-- What the filter lets pass is looked for from the best passage on.
create or replace function cortex_candidates(
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
  -- One expression for all words. It is worked out where the row is met: a row
  -- that is carried along with its terms costs ten times as much.
  select string_agg(format('case when p.terms @@ %L::tsquery then %s else 0 end', q.query, q.weight), ' + ')
    into rough from unnest(p_queries, p_weights) as q(query, weight);
  rough := format('p.root, p.scope, p.seq, p.part, (%s)::double precision / (1.36 + 0.24 * p.length / $3) as rough',
    coalesce(rough, '0'));
  return query execute format($sql$
    with found as materialized (
      %s
    ), placed as (
      select f.seq, f.part, f.rough,
        row_number() over (partition by f.seq order by f.rough desc, f.part) as place
      from found f
      where f.root = $1 and f.scope = any ($2)
    ), best as materialized (
      -- The offset keeps the filter behind the order, so that it ends with the limit.
      select b.seq, b.part, b.rough from (
        select * from placed where place <= 2 order by rough desc, seq desc offset 0) b
      where not $4 or (
        select (cardinality($5) = 0 or e.labels ?| $5)
          and (cardinality($6) = 0 or e.actor = any ($6))
          and ($7 is null or e.modality = $7)
          and e.observed_at >= $8 and e.observed_at < $9 and e.recorded_at <= $10
        from cortex_events e where e.root = $1 and e.seq = b.seq)
      limit $11
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
      -- One long text has hundreds of passages: of more events the first ones.
      case when p_newest > 0 then format(
        'select %s from (
           (select n.seq, n.part from cortex_passages n where n.root = $1
             order by n.root desc, n.seq desc, n.part desc limit $14)
           union
           (select n.seq, n.part from cortex_passages n where n.root = $1 and n.part = 0
             order by n.root desc, n.seq desc, n.part desc limit $14)) k
         join cortex_passages p on p.root = $1 and p.seq = k.seq and p.part = k.part
         where p.terms @@ $15::tsquery', rough) end))
  using p_root, p_scopes, p_mean, p_is_filtered, p_labels, p_actors, p_modality,
    p_since, p_until, p_recorded_by, p_limit, p_lexemes, p_sought, p_newest, array_to_string(p_queries, '|');
end $$;

-- Some of the passages of an event that waits to be indexed; whether it still
-- does, or did until these. The entry of a long text is written in several of
-- these, and what one of two that write it has stored the other leaves out.
-- Whoever writes the last of them has seen to all.
create function cortex_index_part(p_item jsonb, p_is_last boolean)
returns boolean language plpgsql set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  at_root constant text := p_item ->> 'root';
  at_seq constant bigint := (p_item ->> 'seq')::bigint;
  old record;
  gone jsonb := '[]';
  missing jsonb;
begin
  perform 1 from cortex_events e where e.root = at_root and e.seq = at_seq for key share;
  if not found then return false; end if;
  perform 1 from cortex_unindexed u where u.root = at_root and u.seq = at_seq for update;
  -- Somebody else has been here.
  if not found then return false; end if;
  if exists (
    select 1 from cortex_passages p
    where p.root = at_root and p.seq = at_seq and p.version <> (p_item ->> 'version')::integer
  ) then
    select d.passages, d.length into old from cortex_drop_passages(at_root, array[at_seq]) d;
    gone := jsonb_build_array(jsonb_build_object(
      'root', at_root, 'passages', old.passages, 'length', old.length));
    insert into cortex_unindexed (root, seq) values (at_root, at_seq);
  end if;
  if p_is_last then
    delete from cortex_unindexed u where u.root = at_root and u.seq = at_seq;
  end if;
  select coalesce(jsonb_agg(g.value), '[]') into missing
    from jsonb_array_elements(p_item -> 'passages') g
    where not exists (
      select 1 from cortex_passages p
      where p.root = at_root and p.seq = at_seq and p.part = (g.value ->> 'part')::integer);
  perform cortex_put_passages(
    jsonb_build_array(jsonb_set(p_item, '{passages}', missing)), gone);
  return true;
end $$;
