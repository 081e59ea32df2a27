/**
 * Costs as answers have them.
 *
 * @module
 */
import type { Costs } from "../../../fleet/mod.ts";
import type { CostSums, Kinds } from "../../../store/costs/mod.ts";
import {
  COUNT,
  listOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
  wordOf,
} from "../../schema.ts";

const USD = { type: "number", minimum: 0 } as const;
const KINDS = objectOf({
  input: USD,
  output: USD,
  cache_read: USD,
  cache_write_5m: USD,
  cache_write_1h: USD,
  web_search: USD,
});

/** Sums of some requests. */
export const SUMS = objectOf({
  requests: COUNT,
  unpriced_requests: COUNT,
  total_usd: USD,
  usd: KINDS,
  tokens: KINDS,
});
const NAMED = objectOf({ name: TEXT, requests: COUNT, total_usd: USD });

/** The report. */
export const COSTS = objectOf({
  from: TEXT,
  to: TEXT,
  agent_root: orNull(TEXT),
  session_id: orNull(COUNT),
  total: SUMS,
  reported_usd: USD,
  by_root: listOf(NAMED),
  by_model: listOf(objectOf({
    ...NAMED.properties,
    price: wordOf(["exact", "family", "none"]),
  })),
  by_thread: listOf(NAMED),
  by_day: listOf(NAMED),
  top_sessions: listOf(objectOf({
    session_id: COUNT,
    title: orNull(TEXT),
    requests: COUNT,
    total_usd: USD,
  })),
  unpriced_models: listOf(TEXT),
  coverage: objectOf({
    first_day: orNull(TEXT),
    last_day: orNull(TEXT),
    partial_requests: COUNT,
  }),
  prices_checked_on: TEXT,
  notes: listOf(TEXT),
});

/** Models without a price, that are in a report. */
export function unpricedModels({ report, prices }: Costs): string[] {
  return report.models.map(({ name }) => name)
    .filter((name) => (prices.get(name)?.kind ?? "none") === "none");
}

/** The report with the field names of the wire; dollars to a millionth. */
export function costsShape(
  costs: Costs,
  notes: readonly string[],
): ValueOf<typeof COSTS> {
  const { window, report, span, table, prices } = costs;
  const named = ({ name, sums }: { name: string; sums: CostSums }) => ({
    name,
    requests: sums.requests,
    total_usd: usd(sums.totalUsd),
  });
  return {
    from: window.from,
    to: window.to,
    agent_root: window.agentRoot ?? null,
    session_id: window.sessionId ?? null,
    total: {
      requests: report.total.requests,
      unpriced_requests: report.total.unpricedRequests,
      total_usd: usd(report.total.totalUsd),
      usd: kinds(report.total.usd, usd),
      tokens: kinds(report.total.tokens, (one) => one),
    },
    reported_usd: usd(report.total.reportedUsd),
    by_root: report.roots.map(named),
    by_model: report.models.map((one) => ({
      ...named(one),
      price: prices.get(one.name)?.kind ?? "none",
    })),
    by_thread: report.threads.map(named),
    by_day: report.days.map(named),
    top_sessions: report.sessions.map((one) => ({
      session_id: one.id,
      title: one.title,
      requests: one.requests,
      total_usd: usd(one.totalUsd),
    })),
    unpriced_models: unpricedModels(costs),
    coverage: {
      first_day: span.first,
      last_day: span.last,
      partial_requests: report.total.partialRequests,
    },
    prices_checked_on: table.checked_on,
    notes: [...notes],
  };
}

function kinds(
  sums: Kinds,
  shown: (value: number) => number,
): ValueOf<typeof KINDS> {
  return {
    input: shown(sums.input),
    output: shown(sums.output),
    cache_read: shown(sums.cacheRead),
    cache_write_5m: shown(sums.cacheWrite5m),
    cache_write_1h: shown(sums.cacheWrite1h),
    web_search: shown(sums.webSearch),
  };
}

function usd(value: number): number {
  return Math.max(0, Math.round(value * 1e6) / 1e6);
}
