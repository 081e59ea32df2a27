/**
 * Sums of what requests used and cost, by day, root, model, thread and session,
 * from the daily figures: a year of them is summed up in a moment.
 *
 * Prices come in as numbers, one for each model, step and span of days.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import { sessionsStatement, sumsStatement } from "./report_statements.ts";

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
