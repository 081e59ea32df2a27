-- compatible
-- The records of one collection whose data contains the filter.
--
-- A function, so that the large statement of a search keeps one plan: only the
-- query here is planned anew, with the filter's value, and it is small. The
-- number of rows is a guess that makes the caller's plan for any filter as
-- cheap as one for this filter.
create function root_data_hits(p_namespace text, p_collection text, p_filter jsonb)
returns table (
  id bigint, created_at timestamptz, updated_at timestamptz, data_bytes integer)
language plpgsql stable rows 10 as $$
begin
  if p_filter @? '$.** ? (@.type() != "object" && @.type() != "array")' then
    return query
      select r.id, r.created_at, r.updated_at, r.data_bytes
      from agent_root_records r
      where r.namespace = p_namespace and r.collection = p_collection
        and root_data_scoped(r.namespace, r.collection, r.data)
          @> root_data_scoped(p_namespace, p_collection, p_filter);
  else
    -- The index knows values only: a filter of empty objects and arrays would
    -- read all of it.
    return query
      select r.id, r.created_at, r.updated_at, r.data_bytes
      from agent_root_records r
      where r.namespace = p_namespace and r.collection = p_collection
        and r.data @> p_filter;
  end if;
end $$;
