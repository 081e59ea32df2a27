-- compatible
-- Conversations in a listing come as one event each: the first of those that
-- share their first label, found without reading the others.
-- Specification: docs/spec/recall.md section 9.
create index cortex_events_folds on cortex_events (root, scope, (labels ->> 0), seq)
  where modality = 'conversation';

-- Where the conversation of a scope that a label names begins.
create function cortex_first_turn(p_root text, p_scope text, p_label text)
returns bigint language sql stable
as $$
  select e.seq from cortex_events e
  where e.root = p_root and e.scope = p_scope and e.modality = 'conversation'
    and (e.labels ->> 0) = p_label
  order by e.seq limit 1
$$;

-- The newest events of one scope that carry any of the labels, or of all where
-- there are none, before a place: of a conversation only its first. Where labels
-- name conversations, these are found by their names; else as cortex_labelled
-- finds events.
create function cortex_folded(
  p_root text, p_scope text, p_labels text[], p_actors text[], p_modality text,
  p_since timestamptz, p_until timestamptz, p_recorded_by timestamptz, p_before bigint, p_limit integer)
returns table (seq bigint) language plpgsql stable set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  is_narrowed constant boolean := cardinality(p_labels) > 0;
  sought constant tsquery := cortex_label_query(p_scope, p_labels);
  stretch constant integer := case when is_narrowed then 20 * p_limit end;
  before bigint := p_before;
  missing integer := p_limit;
  firsts bigint[] := '{}';
  hits integer;
begin
  if is_narrowed then
    firsts := array(
      select cortex_first_turn(p_root, p_scope, l.label) from unnest(p_labels) l(label));
    firsts := array_remove(firsts, null);
  end if;
  if cardinality(firsts) > 0 then
    return query
      with found as materialized (
        select e.root, e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
        from cortex_events e where e.terms @@ sought and e.modality <> 'conversation'
        union all
        select e.root, e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
        from cortex_events e where e.root = p_root and e.seq = any (firsts)
      )
      select e.seq from found e
      where e.root = p_root and e.scope = p_scope and e.seq < p_before and e.labels ?| p_labels
        and (cardinality(p_actors) = 0 or e.actor = any (p_actors))
        and (p_modality is null or e.modality = p_modality)
        and e.observed_at >= p_since and e.observed_at < p_until and e.recorded_at <= p_recorded_by
      order by e.seq desc limit p_limit;
    return;
  end if;
  select count(*) into hits from (
    select e.terms, e.modality, e.labels, e.seq from cortex_events e
    where is_narrowed and e.root = p_root and e.scope = p_scope and e.seq < p_before
    order by e.scope desc, e.seq desc limit 100) s
  where s.terms @@ sought and (s.modality <> 'conversation'
    or s.seq = coalesce(cortex_first_turn(p_root, p_scope, s.labels ->> 0), s.seq));
  if hits >= 5 or not is_narrowed then
    return query
      select n.seq from (
        select e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
        from cortex_events e
        where e.root = p_root and e.scope = p_scope and e.seq < p_before
        order by e.scope desc, e.seq desc limit stretch) n
      where (not is_narrowed or n.labels ?| p_labels)
        and (cardinality(p_actors) = 0 or n.actor = any (p_actors))
        and (p_modality is null or n.modality = p_modality)
        and n.observed_at >= p_since and n.observed_at < p_until and n.recorded_at <= p_recorded_by
        and (n.modality <> 'conversation' or (n.labels ->> 0) is null
          or n.seq = (
            select o.seq from cortex_events o
            where o.root = p_root and o.scope = p_scope and o.modality = 'conversation'
              and (o.labels ->> 0) = (n.labels ->> 0)
            order by o.seq limit 1))
      order by n.scope desc, n.seq desc limit p_limit;
    get diagnostics hits = row_count;
    missing := p_limit - hits;
    if missing <= 0 or not is_narrowed then return; end if;
    select n.seq into before from (
      select e.scope, e.seq from cortex_events e
      where e.root = p_root and e.scope = p_scope and e.seq < p_before
      order by e.scope desc, e.seq desc limit stretch) n
    order by n.scope, n.seq limit 1;
  end if;
  return query
    with found as materialized (
      select e.root, e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
      from cortex_events e where e.terms @@ sought
    )
    select e.seq from found e
    where e.root = p_root and e.scope = p_scope and e.seq < before and e.labels ?| p_labels
      and (cardinality(p_actors) = 0 or e.actor = any (p_actors))
      and (p_modality is null or e.modality = p_modality)
      and e.observed_at >= p_since and e.observed_at < p_until and e.recorded_at <= p_recorded_by
      and (e.modality <> 'conversation' or (e.labels ->> 0) is null
        or e.seq = (
          select o.seq from cortex_events o
          where o.root = p_root and o.scope = p_scope and o.modality = 'conversation'
            and (o.labels ->> 0) = (e.labels ->> 0)
          order by o.seq limit 1))
    order by e.seq desc limit missing;
end $$;
