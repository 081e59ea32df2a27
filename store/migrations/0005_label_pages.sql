-- compatible
-- The newest events of one scope that carry any of the labels, before a place.
--
-- The index knows which events carry a label, but not in which order: a page
-- through it costs as much as all of them. So where the label is frequent, which
-- the events next before the place tell, the page is read event by event, for as
-- many events as it should take; what then is missing comes from the index. Read
-- page by page, a scope costs its size and not its square, and no label makes one
-- page read through all of a scope.
create or replace function cortex_labelled(
  p_root text, p_scope text, p_labels text[], p_actors text[], p_modality text,
  p_since timestamptz, p_until timestamptz, p_recorded_by timestamptz, p_before bigint, p_limit integer)
returns table (seq bigint) language plpgsql stable set enable_seqscan = off as $$
#variable_conflict use_column
declare
  sought constant tsquery := cortex_label_query(p_scope, p_labels);
  -- With 5 in 100, an event is met in 20.
  stretch constant integer := 20 * p_limit;
  before bigint := p_before;
  missing integer := p_limit;
  hits integer;
begin
  select count(*) into hits from (
    select e.terms from cortex_events e
    where e.root = p_root and e.scope = p_scope and e.seq < p_before
    order by e.scope desc, e.seq desc limit 100) s
  where s.terms @@ sought;
  if hits >= 5 then
    return query
      select n.seq from (
        select e.scope, e.seq, e.labels, e.actor, e.modality, e.observed_at, e.recorded_at
        from cortex_events e
        where e.root = p_root and e.scope = p_scope and e.seq < p_before
        order by e.scope desc, e.seq desc limit stretch) n
      where n.labels ?| p_labels
        and (cardinality(p_actors) = 0 or n.actor = any (p_actors))
        and (p_modality is null or n.modality = p_modality)
        and n.observed_at >= p_since and n.observed_at < p_until and n.recorded_at <= p_recorded_by
      order by n.scope desc, n.seq desc limit p_limit;
    get diagnostics hits = row_count;
    missing := p_limit - hits;
    if missing <= 0 then return; end if;
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
    order by e.seq desc limit missing;
end $$;
