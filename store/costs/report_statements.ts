/**
 * The statements of the cost report.
 *
 * Figures are summed up before they are priced, by what a price depends on: a
 * year is tens of thousands of rows, and some thousand sums.
 *
 * @module
 */
import {
  type Bind,
  parameters,
  type Statement,
} from "../root_data/statement.ts";
import type { CostWindow, Rate } from "./report.ts";
import type { LatestTurns } from "./turn_costs.ts";

/** Sessions that a report lists. */
const TOP_SESSIONS = 10;

/** What figures are priced with. */
export interface Prices {
  /** Rates of all models. */
  readonly rates: readonly Rate[];
  /** Of one search. */
  readonly webSearchUsd: number;
}

const FIGURES =
  `sum(requests) as requests, sum(partial_requests) as partial_requests,
  sum(requests) filter (where is_unpriced) as unpriced_requests,
  sum(input) as input, sum(output) as output, sum(cache_read) as cache_read,
  sum(write_5m) as write_5m, sum(write_1h) as write_1h, sum(searches) as searches,
  sum(input_usd) as input_usd, sum(output_usd) as output_usd,
  sum(cache_read_usd) as cache_read_usd, sum(write_5m_usd) as write_5m_usd,
  sum(write_1h_usd) as write_1h_usd, sum(search_usd) as search_usd,
  sum(reported) as reported`;

/** Which rate a day's figures have. */
const RATE_OF_DAY = `r.model = d.model and r.step = d.context_step
        and d.day >= r."from" and d.day < r.until`;

/** Sums of all, and by root, model, thread, day and kind of session. */
export function sumsStatement(window: CostWindow, prices: Prices): Statement {
  const { params, bind } = parameters();
  const where = conditions(window, bind);
  const rates = ratesOf(prices, bind);
  const search = bind(prices.webSearchUsd, "float8");
  // The figures without sessions are far fewer.
  const source = window.sessionId === undefined
    ? "token_usage_totals"
    : "(select *, session_id = 0 as is_adhoc from token_usage_days)";
  return {
    params,
    text: `
    with rates as materialized (${rates}),
    periods (period, "from", until) as (${periodsOf(window, prices, bind)}),
    sums as (
      select grouping(d.day) = 0 as is_day, coalesce(d.day, p."from") as priced_on, d.day,
        d.agent_root, d.model, d.is_subagent, d.is_adhoc, d.context_step,
        sum(d.requests)::float8 as requests,
        sum(d.partial_requests)::float8 as partial_requests,
        sum(d.input_tokens)::float8 as input, sum(d.output_tokens)::float8 as output,
        sum(d.cache_read_tokens)::float8 as cache_read,
        sum(d.cache_creation_5m_tokens)::float8 as write_5m,
        sum(d.cache_creation_1h_tokens)::float8 as write_1h,
        sum(d.web_search_requests)::float8 as searches, sum(d.reported_usd) as reported
      from ${source} d join periods p on d.day >= p."from" and d.day < p.until
      where ${where}
      group by grouping sets ((d.day, d.model, d.context_step),
        (d.agent_root, d.model, d.is_subagent, d.is_adhoc, d.context_step, p."from"))),
    priced as materialized (
      select s.*, r.model is null as is_unpriced,
        coalesce(s.input * r.input, 0) / 1e6 as input_usd,
        coalesce(s.output * r.output, 0) / 1e6 as output_usd,
        coalesce(s.cache_read * r.cache_read, 0) / 1e6 as cache_read_usd,
        coalesce(s.write_5m * r.cache_write_5m, 0) / 1e6 as write_5m_usd,
        coalesce(s.write_1h * r.cache_write_1h, 0) / 1e6 as write_1h_usd,
        case when r.model is null then 0 else s.searches * ${search} end as search_usd
      from sums s left join rates r on r.model = s.model and r.step = s.context_step
        and s.priced_on >= r."from" and s.priced_on < r.until)
    select
      case when grouping(agent_root) = 0 then 'root' when grouping(model) = 0 then 'model'
        when grouping(is_subagent) = 0 then 'thread'
        when grouping(is_adhoc) = 0 then 'adhoc' else 'total' end as kind,
      case when grouping(agent_root) = 0 then agent_root when grouping(model) = 0 then model
        when grouping(is_subagent) = 0 then case when is_subagent then 'subagent' else 'main' end
        when grouping(is_adhoc) = 0 then is_adhoc::text end as name,
      ${FIGURES}
    from priced where not is_day
    group by grouping sets ((), (agent_root), (model), (is_subagent), (is_adhoc))
    union all
    select 'day', day::text, ${FIGURES} from priced where is_day group by day`,
  };
}

/**
 * The dearest sessions: priced row by row, and read whole once they are known.
 * That a session's number is above 0 is said again, for the index of sessions
 * holds only such rows.
 */
export function sessionsStatement(
  window: CostWindow,
  prices: Prices,
): Statement {
  const { params, bind } = parameters();
  const where = conditions(window, bind);
  const rates = ratesOf(prices, bind);
  const search = bind(prices.webSearchUsd, "float8");
  return {
    params,
    text: `
    with rates as materialized (${rates}),
    priced as (
      select d.session_id, case when r.model is null then 0 else ${
      priceOf(search)
    } end as usd
      from token_usage_days d left join rates r on ${RATE_OF_DAY}
      where ${where} and d.session_id > 0),
    dearest as (
      select session_id, sum(usd) as usd from priced
      group by session_id order by usd desc, session_id limit ${TOP_SESSIONS})
    select t.session_id, t.usd, f.agent_root, f.requests, s.title
    from dearest t cross join lateral (
      select max(d.agent_root) as agent_root, sum(d.requests) as requests
      from token_usage_days d
      where d.session_id = t.session_id and d.session_id > 0 and ${where}) f
    left join sessions s on s.id = t.session_id
    order by t.usd desc, t.session_id`,
  };
}

/** The latest turns of a session, each with the list price of its requests. */
export function turnsStatement(
  { sessionId, turns }: LatestTurns,
  prices: Prices,
): Statement {
  const { params, bind } = parameters();
  const session = bind(sessionId, "bigint");
  const rates = ratesOf(prices, bind);
  return {
    params,
    text: `
    with rates as materialized (${rates})
    select u.turn_id, sum(${
      priceOf(bind(prices.webSearchUsd, "float8"))
    }) as usd
    from session_token_usages u cross join lateral token_usage_day(u, 1) d
    join rates r on ${RATE_OF_DAY}
    where u.session_id = ${session} and u.turn_id in (
      select id from turns where session_id = ${session}
      order by ordinal desc limit ${bind(turns, "integer")})
    group by u.turn_id`,
  };
}

/** The list price of a day's figures, in US dollars; `search` is that of one. */
function priceOf(search: string): string {
  return `(d.input_tokens * r.input
          + d.output_tokens * r.output + d.cache_read_tokens * r.cache_read
          + d.cache_creation_5m_tokens * r.cache_write_5m
          + d.cache_creation_1h_tokens * r.cache_write_1h) / 1e6
          + d.web_search_requests * ${search}`;
}

function conditions(window: CostWindow, bind: Bind): string {
  return [
    `d.day between ${bind(window.from, "text")}::date and ${
      bind(window.to, "text")
    }::date`,
    "d.requests > 0",
    ...(window.agentRoot === undefined
      ? []
      : [`d.agent_root = ${bind(window.agentRoot, "text")}`]),
    ...(window.sessionId === undefined
      ? []
      : [`d.session_id = ${bind(window.sessionId, "bigint")}`]),
  ].join(" and ");
}

/** The rates as rows. */
function ratesOf({ rates }: Prices, bind: Bind): string {
  return `select r.* from jsonb_to_recordset(${
    bind(JSON.stringify(rates), "text")
  }::jsonb)
    as r (model text, step integer, "from" date, until date, input float8, output float8,
      cache_read float8, cache_write_5m float8, cache_write_1h float8)`;
}

/**
 * Spans of the window within which no price changes, as rows that the planner
 * can count: the figures of a span are summed up before they are priced.
 */
function periodsOf(
  { from, to }: CostWindow,
  { rates }: Prices,
  bind: Bind,
): string {
  const changes = rates.flatMap((rate) => [rate.from, rate.until])
    .filter((day) => day > from && day <= to && /^[0-9]/.test(day));
  const starts = [...new Set([from, ...changes])].sort();
  return `values ${
    starts.map((start, at) =>
      `(${at}, ${bind(start, "text")}::date, ${
        bind(starts[at + 1] ?? "infinity", "text")
      }::date)`
    ).join(", ")
  }`;
}
