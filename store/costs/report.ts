/**
 * Sums of what requests used and cost, by day, root, model, thread and session,
 * from the daily figures: a year of them is summed up in a moment.
 *
 * Prices come in as numbers, one for each model, step and span of days.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import {
  type Bind,
  parameters,
  type Statement,
} from "../root_data/statement.ts";

/** What a model costs at a step of request sizes, from a day until another. */
export interface Rate {
  /** The model. */
  readonly model: string;
  /** The step. */
  readonly step: number;
  /** First day, `YYYY-MM-DD`, or `-infinity`. */
  readonly from: string;
  /** The day behind the last one, or `infinity`. */
  readonly until: string;
  /** US dollars a million tokens read. */
  readonly input: number;
  /** Written. */
  readonly output: number;
  /** Read from the cache. */
  readonly cache_read: number;
  /** Written to the cache for five minutes. */
  readonly cache_write_5m: number;
  /** For an hour. */
  readonly cache_write_1h: number;
}

/** What is summed up. */
export interface CostWindow {
  /** First day, `YYYY-MM-DD` in UTC. */
  readonly from: string;
  /** Last day. */
  readonly to: string;
  /** Only sessions of this root. */
  readonly agentRoot?: string | undefined;
  /** Only this session. */
  readonly sessionId?: number | undefined;
}

/** Sums of a kind each: tokens, or US dollars. */
export interface Kinds {
  /** Read. */
  readonly input: number;
  /** Written. */
  readonly output: number;
  /** Read from the cache. */
  readonly cacheRead: number;
  /** Written to the cache for five minutes. */
  readonly cacheWrite5m: number;
  /** For an hour, or not told apart. */
  readonly cacheWrite1h: number;
  /** Searches of the web: their number, or US dollars. */
  readonly webSearch: number;
}

/** Sums of some requests. */
export interface CostSums {
  /** How many. */
  readonly requests: number;
  /** Of these, such as may leave something out. */
  readonly partialRequests: number;
  /** Of these, such whose model has no price. */
  readonly unpricedRequests: number;
  /** Tokens. */
  readonly tokens: Kinds;
  /** List price in US dollars. */
  readonly usd: Kinds;
  /** All of it. */
  readonly totalUsd: number;
  /** What agents said it cost. */
  readonly reportedUsd: number;
}

/** Sums of one thing. */
export interface NamedSums {
  /** Which: a root, a model, a day. */
  readonly name: string;
  /** Its sums. */
  readonly sums: CostSums;
}

/** A session and what it cost. */
export interface SessionCost {
  /** Its number. */
  readonly id: number;
  /** What it is called; null where it was deleted. */
  readonly title: string | null;
  /** Its root. */
  readonly agentRoot: string;
  /** Requests. */
  readonly requests: number;
  /** List price in US dollars. */
  readonly totalUsd: number;
}

/** The report. */
export interface CostReport {
  /** All of the window. */
  readonly total: CostSums;
  /** By root, dearest first; a blank name is none. */
  readonly roots: readonly NamedSums[];
  /** By model, dearest first. */
  readonly models: readonly NamedSums[];
  /** `main` and `subagent`. */
  readonly threads: readonly NamedSums[];
  /** By day, oldest first. */
  readonly days: readonly NamedSums[];
  /** What no session made. */
  readonly adHoc: CostSums | undefined;
  /** The dearest sessions. */
  readonly sessions: readonly SessionCost[];
}

/** How far the ledger reaches. */
export interface LedgerSpan {
  /** Today in UTC, by the database's clock. */
  readonly today: string;
  /** Day of the first request; null where there is none. */
  readonly first: string | null;
  /** Day of the last one. */
  readonly last: string | null;
  /** Models that are in it. */
  readonly models: readonly string[];
}

const TOP_SESSIONS = 10;
/** Longest that a report may take on the server, in milliseconds. */
const REPORT_LIMIT_MS = 10_000;

/** Reads how far the ledger reaches, and which models are in it. */
export async function readLedgerSpan(db: Db): Promise<LedgerSpan> {
  const [row] = await db.read<Row>(
    `with recursive models as (
       (select model from token_usage_totals order by model limit 1)
       union all
       select (select d.model from token_usage_totals d where d.model > m.model order by d.model limit 1)
       from models m where m.model is not null)
     select (now() at time zone 'utc')::date::text as today,
       (select min(day)::text from token_usage_totals where requests > 0) as first,
       (select max(day)::text from token_usage_totals where requests > 0) as last,
       (select coalesce(jsonb_agg(model), '[]') from models where model is not null) as models`,
    [],
    { limitMs: REPORT_LIMIT_MS },
  );
  return {
    today: String(row?.today),
    first: row?.first as string | null,
    last: row?.last as string | null,
    models: row?.models as readonly string[],
  };
}

/** Sums a window up. */
export async function readCosts(
  db: Db,
  window: CostWindow,
  prices: { readonly rates: readonly Rate[]; readonly webSearchUsd: number },
): Promise<CostReport> {
  const sums = sumsStatement(window, prices);
  const top = sessionsStatement(window, prices);
  const bounds = { limitMs: REPORT_LIMIT_MS };
  const [rows, sessions] = await Promise.all([
    db.read<Row>(sums.text, sums.params, bounds),
    db.read<Row>(top.text, top.params, bounds),
  ]);
  const of = (kind: string) =>
    rows.filter((row) => row.kind === kind)
      .map((row) => ({ name: String(row.name ?? ""), sums: sumsOf(row) }));
  const dearest = (kind: string) =>
    of(kind).toSorted((a, b) =>
      b.sums.totalUsd - a.sums.totalUsd || b.sums.requests - a.sums.requests
    );
  return {
    total: of("total")[0]?.sums ?? sumsOf({}),
    roots: dearest("root"),
    models: dearest("model"),
    threads: dearest("thread"),
    days: of("day").toSorted((a, b) => a.name < b.name ? -1 : 1),
    adHoc: of("adhoc").find(({ name }) => name === "true")?.sums,
    sessions: sessions.map((row) => ({
      id: Number(row.session_id),
      title: row.title as string | null,
      agentRoot: String(row.agent_root ?? ""),
      requests: Number(row.requests),
      totalUsd: Number(row.usd),
    })),
  };
}

interface Prices {
  readonly rates: readonly Rate[];
  readonly webSearchUsd: number;
}

const RATES = `jsonb_to_recordset($RATES) as r (model text, step integer,
  "from" date, until date, input float8, output float8, cache_read float8,
  cache_write_5m float8, cache_write_1h float8)`;

function sumsStatement(window: CostWindow, prices: Prices): Statement {
  const { params, bind } = parameters();
  const where = conditions(window, bind);
  const rates = RATES.replace("$RATES", ratesOf(prices, bind));
  const search = bind(prices.webSearchUsd, "float8");
  // The figures without sessions are far fewer.
  const [table, isAdhoc] = window.sessionId === undefined
    ? ["token_usage_totals", "d.is_adhoc"]
    : ["token_usage_days", "d.session_id = 0"];
  return {
    params,
    text: `
    with base as materialized (
      select d.day, d.agent_root, d.model, d.is_subagent, ${isAdhoc} as is_adhoc,
        d.context_step, sum(d.requests)::float8 as requests,
        sum(d.partial_requests)::float8 as partial_requests,
        sum(d.input_tokens)::float8 as input, sum(d.output_tokens)::float8 as output,
        sum(d.cache_read_tokens)::float8 as cache_read,
        sum(d.cache_creation_5m_tokens)::float8 as write_5m,
        sum(d.cache_creation_1h_tokens)::float8 as write_1h,
        sum(d.web_search_requests)::float8 as searches, sum(d.reported_usd) as reported
      from ${table} d where ${where} group by 1, 2, 3, 4, 5, 6),
    priced as materialized (
      select b.*, r.model is null as is_unpriced,
        coalesce(b.input * r.input, 0) / 1e6 as input_usd,
        coalesce(b.output * r.output, 0) / 1e6 as output_usd,
        coalesce(b.cache_read * r.cache_read, 0) / 1e6 as cache_read_usd,
        coalesce(b.write_5m * r.cache_write_5m, 0) / 1e6 as write_5m_usd,
        coalesce(b.write_1h * r.cache_write_1h, 0) / 1e6 as write_1h_usd,
        case when r.model is null then 0 else b.searches * ${search} end as search_usd
      from base b left join ${rates}
        on r.model = b.model and r.step = b.context_step and b.day >= r."from" and b.day < r.until)
    select
      case when grouping(agent_root) = 0 then 'root' when grouping(model) = 0 then 'model'
        when grouping(is_subagent) = 0 then 'thread' when grouping(day) = 0 then 'day'
        when grouping(is_adhoc) = 0 then 'adhoc' else 'total' end as kind,
      case when grouping(agent_root) = 0 then agent_root when grouping(model) = 0 then model
        when grouping(is_subagent) = 0 then case when is_subagent then 'subagent' else 'main' end
        when grouping(day) = 0 then day::text
        when grouping(is_adhoc) = 0 then is_adhoc::text end as name,
      sum(requests) as requests, sum(partial_requests) as partial_requests,
      sum(requests) filter (where is_unpriced) as unpriced_requests,
      sum(input) as input, sum(output) as output, sum(cache_read) as cache_read,
      sum(write_5m) as write_5m, sum(write_1h) as write_1h, sum(searches) as searches,
      sum(input_usd) as input_usd, sum(output_usd) as output_usd,
      sum(cache_read_usd) as cache_read_usd, sum(write_5m_usd) as write_5m_usd,
      sum(write_1h_usd) as write_1h_usd, sum(search_usd) as search_usd,
      sum(reported) as reported
    from priced
    group by grouping sets ((), (agent_root), (model), (is_subagent), (day), (is_adhoc))`,
  };
}

function sessionsStatement(window: CostWindow, prices: Prices): Statement {
  const { params, bind } = parameters();
  const where = conditions(window, bind);
  const rates = RATES.replace("$RATES", ratesOf(prices, bind));
  const search = bind(prices.webSearchUsd, "float8");
  return {
    params,
    text: `
    with dearest as (
      select d.session_id, max(d.agent_root) as agent_root, sum(d.requests) as requests,
        sum(case when r.model is null then 0 else (d.input_tokens * r.input
          + d.output_tokens * r.output + d.cache_read_tokens * r.cache_read
          + d.cache_creation_5m_tokens * r.cache_write_5m
          + d.cache_creation_1h_tokens * r.cache_write_1h) / 1e6
          + d.web_search_requests * ${search} end) as usd
      from token_usage_days d left join ${rates}
        on r.model = d.model and r.step = d.context_step and d.day >= r."from" and d.day < r.until
      where ${where} and d.session_id > 0
      group by d.session_id order by usd desc, d.session_id limit ${TOP_SESSIONS})
    select dearest.*, s.title from dearest left join sessions s on s.id = dearest.session_id
    order by usd desc, session_id`,
  };
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

function ratesOf({ rates }: Prices, bind: Bind): string {
  return `${bind(JSON.stringify(rates), "text")}::jsonb`;
}

function sumsOf(row: Row): CostSums {
  const number = (name: string) => Number(row[name] ?? 0);
  const usd: Kinds = {
    input: number("input_usd"),
    output: number("output_usd"),
    cacheRead: number("cache_read_usd"),
    cacheWrite5m: number("write_5m_usd"),
    cacheWrite1h: number("write_1h_usd"),
    webSearch: number("search_usd"),
  };
  return {
    requests: number("requests"),
    partialRequests: number("partial_requests"),
    unpricedRequests: number("unpriced_requests"),
    tokens: {
      input: number("input"),
      output: number("output"),
      cacheRead: number("cache_read"),
      cacheWrite5m: number("write_5m"),
      cacheWrite1h: number("write_1h"),
      webSearch: number("searches"),
    },
    usd,
    totalUsd: Object.values(usd).reduce((sum, part) => sum + part, 0),
    reportedUsd: number("reported"),
  };
}
