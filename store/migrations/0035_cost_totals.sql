-- compatible
-- The daily figures a second time, without sessions: a year of all of them is a
-- few thousand rows, however many sessions there were.
create table token_usage_totals (
  day date not null,
  agent_root text not null,
  model text not null,
  is_subagent boolean not null,
  -- Whether no session is known.
  is_adhoc boolean not null,
  context_step integer not null,
  requests bigint not null,
  partial_requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_creation_5m_tokens bigint not null,
  cache_creation_1h_tokens bigint not null,
  web_search_requests bigint not null,
  reported_usd double precision not null,
  primary key (day, agent_root, model, is_subagent, is_adhoc, context_step)
);
create index token_usage_totals_root on token_usage_totals (agent_root, day);
create index token_usage_totals_model on token_usage_totals (model);

-- Adds to both tables, each in the order of its rows.
create function add_token_usage_days(p_changes token_usage_days[]) returns void language plpgsql as $$
begin
  insert into token_usage_days as d
    select day, session_id, agent_root, model, is_subagent, context_step,
      sum(requests), sum(partial_requests), sum(input_tokens), sum(output_tokens),
      sum(cache_read_tokens), sum(cache_creation_5m_tokens), sum(cache_creation_1h_tokens),
      sum(web_search_requests), sum(reported_usd)
    from unnest(p_changes) group by 1, 2, 3, 4, 5, 6
    order by 1, 2, 3, 4, 5, 6
    on conflict (day, session_id, agent_root, model, is_subagent, context_step) do update set
      requests = d.requests + excluded.requests,
      partial_requests = d.partial_requests + excluded.partial_requests,
      input_tokens = d.input_tokens + excluded.input_tokens,
      output_tokens = d.output_tokens + excluded.output_tokens,
      cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
      cache_creation_5m_tokens = d.cache_creation_5m_tokens + excluded.cache_creation_5m_tokens,
      cache_creation_1h_tokens = d.cache_creation_1h_tokens + excluded.cache_creation_1h_tokens,
      web_search_requests = d.web_search_requests + excluded.web_search_requests,
      reported_usd = d.reported_usd + excluded.reported_usd;
  insert into token_usage_totals as d
    select day, agent_root, model, is_subagent, session_id = 0, context_step,
      sum(requests), sum(partial_requests), sum(input_tokens), sum(output_tokens),
      sum(cache_read_tokens), sum(cache_creation_5m_tokens), sum(cache_creation_1h_tokens),
      sum(web_search_requests), sum(reported_usd)
    from unnest(p_changes) group by 1, 2, 3, 4, 5, 6
    order by 1, 2, 3, 4, 5, 6
    on conflict (day, agent_root, model, is_subagent, is_adhoc, context_step) do update set
      requests = d.requests + excluded.requests,
      partial_requests = d.partial_requests + excluded.partial_requests,
      input_tokens = d.input_tokens + excluded.input_tokens,
      output_tokens = d.output_tokens + excluded.output_tokens,
      cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
      cache_creation_5m_tokens = d.cache_creation_5m_tokens + excluded.cache_creation_5m_tokens,
      cache_creation_1h_tokens = d.cache_creation_1h_tokens + excluded.cache_creation_1h_tokens,
      web_search_requests = d.web_search_requests + excluded.web_search_requests,
      reported_usd = d.reported_usd + excluded.reported_usd;
end $$;

-- Counts requests, as migration 0023 says, and takes out those that stood for
-- what was not known and is told now.
drop function record_token_usage(jsonb);
create function record_token_usage(p_reports jsonb, p_superseded text[] default '{}') returns integer language plpgsql as $$
declare
  report session_token_usages;
  known session_token_usages;
  counted session_token_usages;
  changes token_usage_days[] := '{}';
  added integer := 0;
begin
  for known in
    delete from session_token_usages where request_id = any (p_superseded) returning *
  loop
    changes := changes || token_usage_day(known, -1);
  end loop;
  for report in
    select r.* from jsonb_populate_recordset(null::session_token_usages, p_reports) r
    order by r.request_id collate "C"
  loop
    loop
      select * into known from session_token_usages where request_id = report.request_id for update;
      if found then
        exit;
      end if;
      insert into session_token_usages select report.* on conflict do nothing returning * into counted;
      if found then
        known := null;
        exit;
      end if;
    end loop;
    if known.request_id is null then
      added := added + 1;
    else
      counted := known;
      if report.session_id < known.session_id or known.session_id is null then
        counted.session_id := report.session_id;
        counted.turn_id := report.turn_id;
        counted.agent_root := report.agent_root;
        counted.source := coalesce(report.source, known.source);
      end if;
      counted.model := case
        when known.model = 'unknown' then report.model
        when report.model = 'unknown' then known.model
        else least(known.model collate "C", report.model collate "C") end;
      counted.is_subagent := known.is_subagent or report.is_subagent;
      counted.input_tokens := greatest(known.input_tokens, report.input_tokens);
      counted.output_tokens := greatest(known.output_tokens, report.output_tokens);
      counted.cache_read_tokens := greatest(known.cache_read_tokens, report.cache_read_tokens);
      counted.cache_creation_tokens := greatest(known.cache_creation_tokens, report.cache_creation_tokens);
      counted.cache_creation_5m_tokens := greatest(known.cache_creation_5m_tokens, report.cache_creation_5m_tokens);
      counted.cache_creation_1h_tokens := greatest(known.cache_creation_1h_tokens, report.cache_creation_1h_tokens);
      counted.web_search_requests := greatest(known.web_search_requests, report.web_search_requests);
      counted.reported_usd := greatest(known.reported_usd, report.reported_usd);
      counted.is_partial := known.is_partial and report.is_partial;
      counted.called_at := least(known.called_at, report.called_at);
      if counted is not distinct from known then
        continue;
      end if;
      update session_token_usages set
        session_id = counted.session_id, turn_id = counted.turn_id, agent_root = counted.agent_root,
        source = counted.source, model = counted.model, is_subagent = counted.is_subagent,
        input_tokens = counted.input_tokens, output_tokens = counted.output_tokens,
        cache_read_tokens = counted.cache_read_tokens,
        cache_creation_tokens = counted.cache_creation_tokens,
        cache_creation_5m_tokens = counted.cache_creation_5m_tokens,
        cache_creation_1h_tokens = counted.cache_creation_1h_tokens,
        web_search_requests = counted.web_search_requests, reported_usd = counted.reported_usd,
        is_partial = counted.is_partial, called_at = counted.called_at
        where request_id = counted.request_id;
      changes := changes || token_usage_day(known, -1);
    end if;
    changes := changes || token_usage_day(counted, 1);
  end loop;
  perform add_token_usage_days(changes);
  return added;
end $$;

-- Turns that ended before were written past the daily figures: both are summed
-- up from the requests.
delete from token_usage_days;
insert into token_usage_days
  select (c.u).day, (c.u).session_id, (c.u).agent_root, (c.u).model, (c.u).is_subagent, (c.u).context_step,
    sum((c.u).requests), sum((c.u).partial_requests), sum((c.u).input_tokens), sum((c.u).output_tokens),
    sum((c.u).cache_read_tokens), sum((c.u).cache_creation_5m_tokens),
    sum((c.u).cache_creation_1h_tokens), sum((c.u).web_search_requests), sum((c.u).reported_usd)
  from (select token_usage_day(t, 1) as u from session_token_usages t) c
  group by 1, 2, 3, 4, 5, 6;
insert into token_usage_totals
  select day, agent_root, model, is_subagent, session_id = 0, context_step,
    sum(requests), sum(partial_requests), sum(input_tokens), sum(output_tokens),
    sum(cache_read_tokens), sum(cache_creation_5m_tokens), sum(cache_creation_1h_tokens),
    sum(web_search_requests), sum(reported_usd)
  from token_usage_days group by 1, 2, 3, 4, 5, 6;
