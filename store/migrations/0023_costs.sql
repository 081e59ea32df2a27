-- compatible
-- What requests to models used, each counted once, and the same by day: so that
-- a year of requests is summed up in a moment. Prices are applied when it is read.

-- A request keeps the number of its session when that is deleted.
alter table session_token_usages
  drop constraint session_token_usages_session_id_fkey,
  add column reported_usd double precision,
  add column is_partial boolean not null default false,
  add column source text check (char_length(source) between 1 and 100);

create table token_usage_days (
  day date not null,
  -- 0 where no session is known.
  session_id bigint not null,
  agent_root text not null,
  model text not null,
  is_subagent boolean not null,
  -- How large the request was: prices may have steps.
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
  primary key (day, session_id, agent_root, model, is_subagent, context_step)
);
create index token_usage_days_session on token_usage_days (session_id, day) where session_id > 0;
create index token_usage_days_root on token_usage_days (agent_root, day);
create index token_usage_days_model on token_usage_days (model);

-- The step of a request by all that it had the model read: prices change above a
-- threshold, and all thresholds of a price table are among these.
create function token_usage_step(p_context bigint) returns integer language sql immutable as $$
  select width_bucket(p_context - 1,
    array[32000, 64000, 100000, 128000, 200000, 256000, 272000, 512000, 1000000]::bigint[])
$$;

-- What a request adds to its day. Cache writes that are not told apart count as
-- those for an hour.
create function token_usage_day(p_usage session_token_usages, p_sign integer)
returns token_usage_days language sql stable as $$
  select row(
    (p_usage.called_at at time zone 'utc')::date,
    coalesce(p_usage.session_id, 0),
    coalesce(p_usage.agent_root, ''),
    p_usage.model,
    p_usage.is_subagent,
    token_usage_step(p_usage.input_tokens + p_usage.cache_read_tokens + p_usage.cache_creation_tokens),
    p_sign,
    p_sign * p_usage.is_partial::integer,
    p_sign * p_usage.input_tokens,
    p_sign * p_usage.output_tokens,
    p_sign * p_usage.cache_read_tokens,
    p_sign * least(coalesce(p_usage.cache_creation_5m_tokens, 0), p_usage.cache_creation_tokens),
    p_sign * greatest(p_usage.cache_creation_tokens - coalesce(p_usage.cache_creation_5m_tokens, 0), 0),
    p_sign * p_usage.web_search_requests,
    p_sign * coalesce(p_usage.reported_usd, 0))::token_usage_days
$$;

-- Counts requests. A request that is reported again is the same request: of each
-- figure the greatest report holds, so that neither repetition nor order matters;
-- of two sessions the older one holds, for a fork repeats what its origin used.
-- Everybody locks requests in the order of their names, then days in theirs.
create function record_token_usage(p_reports jsonb) returns integer language plpgsql as $$
declare
  report session_token_usages;
  known session_token_usages;
  counted session_token_usages;
  changes token_usage_days[] := '{}';
  added integer := 0;
begin
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
  insert into token_usage_days as d
    select day, session_id, agent_root, model, is_subagent, context_step,
      sum(requests), sum(partial_requests), sum(input_tokens), sum(output_tokens),
      sum(cache_read_tokens), sum(cache_creation_5m_tokens), sum(cache_creation_1h_tokens),
      sum(web_search_requests), sum(reported_usd)
    from unnest(changes) group by 1, 2, 3, 4, 5, 6
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
  return added;
end $$;

-- What was recorded before.
insert into token_usage_days
  select (g).* from (
    select row((c.u).day, (c.u).session_id, (c.u).agent_root, (c.u).model, (c.u).is_subagent,
      (c.u).context_step, sum((c.u).requests), sum((c.u).partial_requests), sum((c.u).input_tokens),
      sum((c.u).output_tokens), sum((c.u).cache_read_tokens), sum((c.u).cache_creation_5m_tokens),
      sum((c.u).cache_creation_1h_tokens), sum((c.u).web_search_requests),
      sum((c.u).reported_usd))::token_usage_days as g
    from (select token_usage_day(t, 1) as u from session_token_usages t) c
    group by (c.u).day, (c.u).session_id, (c.u).agent_root, (c.u).model, (c.u).is_subagent, (c.u).context_step) s;
