/**
 * A large ledger of gate decisions searched by each filter, and a year of
 * requests summed up.
 *
 * @module
 */
import { BUILT_IN_PRICES, priceOf } from "../../fleet/costs/prices.ts";
import { readCosts, readLedgerSpan } from "../../store/costs/report.ts";
import { searchDecisions } from "../../store/gate/search.ts";
import type { DecisionFilter } from "../../store/gate/search_statement.ts";
import { MANY } from "../../store/gate/testdata/recorded.ts";
import type { Db } from "../../store/pg/mod.ts";
import {
  type Bench,
  type Benchmark,
  type Part,
  type Row,
  toRow,
} from "./benchmark.ts";

/** The design's bars, in milliseconds. */
const SEARCH_BAR_MS = 30;
const COSTS_BAR_MS = 200;

/** The benchmark. */
export const ledgers: Benchmark = {
  name: "ledgers",
  summary:
    "search among 1,000,000 gate decisions, and costs of 1,000,000 requests",
  async run(bench) {
    const { db } = await bench.stage();
    return [await decisions(bench, db), await costs(bench, db)];
  },
};

async function decisions(bench: Bench, db: Db): Promise<Part> {
  const count = bench.pick(1_000_000, 2_000);
  bench.note(`recording ${count} decisions`);
  // Indexes of parts of texts are made faster than they are grown.
  const indexes = await db.read<{ name: string; made: string }>(
    `select indexname as name, indexdef as made from pg_indexes
     where tablename = 'gate_decisions' and indexdef like '%gin_trgm_ops%'`,
  );
  for (const { name } of indexes) await db.write(`drop index ${name}`);
  await db.write(MANY, [count]);
  for (const { made } of indexes) await db.write(made);
  await db.write("vacuum analyze gate_decisions");
  const url = "https://github.com/o/r/pull/7";
  const filters: Readonly<Record<string, DecisionFilter>> = {
    "no filter": {},
    gate: { gate: "issue_work" },
    surface: { surface: "surface_7" },
    decision: { decision: "hold" },
    "gate and surface": { gate: "pr_merge", surface: "surface_7" },
    "gate and decision": { gate: "pr_merge", decision: "hold" },
    "surface and decision": { surface: "surface_7", decision: "hold" },
    "all three": {
      gate: "pr_merge",
      surface: "surface_7",
      decision: "hold",
    },
    "address": { artifactUrl: url },
    "days": { from: "2025-12-25", to: "2026-01-01" },
    "a rare text": { query: await markOf(db, 5) },
    "a part of an address": { artifactQuery: "pull/1999" },
    "a common text": { query: "because" },
  };
  const rows: Row[] = [];
  for (const [label, filter] of Object.entries(filters)) {
    rows.push(
      await timed(bench, label, async () => {
        const { decisions } = await searchDecisions(db, {
          ...filter,
          limit: 10,
          offset: 0,
        });
        if (decisions.length === 0) throw new Error(`Nothing for ${label}`);
      }),
    );
  }
  const exact = rows.slice(0, 10);
  return {
    title: `search of ${count} gate decisions, pages of 10`,
    rows,
    figures: [{
      label: "slowest p50 of a filter with an index",
      value: Math.max(...exact.map(({ p50 }) => p50)),
      unit: "ms",
      bar: { atMost: SEARCH_BAR_MS },
    }],
  };
}

async function markOf(db: Db, id: number): Promise<string> {
  const [row] = await db.read<{ mark: string }>(
    "select payload ->> 'mark' as mark from gate_decisions where id = $1",
    [id],
  );
  return String(row?.mark);
}

/** A year: sessions of 25 requests, of 20 roots, with four models. */
const REQUESTS = `
  insert into session_token_usages (request_id, session_id, agent_root, model,
    is_subagent, input_tokens, output_tokens, cache_read_tokens,
    cache_creation_tokens, called_at)
  select 'r' || n, n / 25 + 1, 'root_' || (n / 25) % 20,
    (array['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'gpt-6.2-sol'])[(n / 50) % 4 + 1],
    n % 10 = 0, n % 5000, n % 2000, (n * 7) % 150000, n % 3000,
    now() - (n / 2800) * interval '1 day'
  from generate_series(0, $1::int - 1) n`;
const DAYS = `
  insert into token_usage_days
  select (u).day, (u).session_id, (u).agent_root, (u).model, (u).is_subagent, (u).context_step,
    sum((u).requests), sum((u).partial_requests), sum((u).input_tokens), sum((u).output_tokens),
    sum((u).cache_read_tokens), sum((u).cache_creation_5m_tokens),
    sum((u).cache_creation_1h_tokens), sum((u).web_search_requests), sum((u).reported_usd)
  from (select token_usage_day(t, 1) as u from session_token_usages t) c
  group by 1, 2, 3, 4, 5, 6`;
const TOTALS = `
  insert into token_usage_totals
  select day, agent_root, model, is_subagent, session_id = 0, context_step,
    sum(requests), sum(partial_requests), sum(input_tokens), sum(output_tokens),
    sum(cache_read_tokens), sum(cache_creation_5m_tokens), sum(cache_creation_1h_tokens),
    sum(web_search_requests), sum(reported_usd)
  from token_usage_days group by 1, 2, 3, 4, 5, 6`;

async function costs(bench: Bench, db: Db): Promise<Part> {
  const count = bench.pick(1_000_000, 5_000);
  bench.note(`recording ${count} requests`);
  await db.write(REQUESTS, [count]);
  await db.write(DAYS);
  await db.write(TOTALS);
  await db.write(
    "vacuum analyze session_token_usages, token_usage_days, token_usage_totals",
  );
  const span = await readLedgerSpan(db);
  const rates = span.models.flatMap((model) =>
    priceOf(BUILT_IN_PRICES, model).rates
  );
  const to = span.today;
  const from = Temporal.PlainDate.from(to).add({ days: -364 }).toString();
  const week = Temporal.PlainDate.from(to).add({ days: -6 }).toString();
  const windows = {
    "a year of the fleet": { from, to },
    "a year of a root": { from, to, agentRoot: "root_3" },
    "a session": { from, to, sessionId: 3 },
    "a week of the fleet": { from: week, to },
  };
  const rows: Row[] = [];
  for (const [label, window] of Object.entries(windows)) {
    rows.push(
      await timed(bench, label, async () => {
        await readLedgerSpan(db);
        const prices = { rates, webSearchUsd: 0.01 };
        const report = await readCosts(db, window, prices);
        if (report.total.requests === 0 || report.total.totalUsd === 0) {
          throw new Error(`Nothing for ${label}`);
        }
      }),
    );
  }
  return {
    title: `costs of ${count} requests`,
    rows,
    figures: [{
      label: "p50 of a year of the fleet",
      value: rows[0]?.p50 ?? NaN,
      unit: "ms",
      bar: { atMost: COSTS_BAR_MS },
    }],
  };
}

async function timed(
  bench: Bench,
  label: string,
  once: () => Promise<void>,
): Promise<Row> {
  const times: number[] = [];
  for (let n = 0; n < bench.pick(60, 2); n++) {
    const began = performance.now();
    await once();
    times.push(performance.now() - began);
  }
  return toRow(label, times.slice(bench.pick(10, 0)));
}
