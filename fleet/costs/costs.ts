/**
 * What inference cost: a window of days, all of the fleet or a part of it, by
 * list prices.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import {
  type CostReport,
  type CostWindow,
  type LatestTurns,
  type LedgerSpan,
  type Rate,
  readCosts as readSums,
  readLedgerSpan,
  readTurnCosts as readTurnSums,
} from "../../store/costs/mod.ts";
import { findSession } from "../../store/sessions/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { isDay } from "../gate/entry.ts";
import { type ModelPrice, priceOf, type PriceTable } from "./prices.ts";

/** Days of a window where a call does not say. */
export const DEFAULT_COST_DAYS = 7;
/** Most days of a window. */
export const MAX_COST_DAYS = 365;

/** What is asked for, as callers write it. */
export interface CostQuery {
  /** The last so many days, today among them; not looked at beside from or to. */
  readonly days?: number | undefined;
  /** First day, ISO 8601. */
  readonly from?: string | undefined;
  /** Last day, ISO 8601. */
  readonly to?: string | undefined;
  /** Only this root, by name or alias. */
  readonly agentRoot?: string | undefined;
  /** Only this session. */
  readonly sessionId?: number | undefined;
}

/** What it cost. */
export interface Costs {
  /** What was summed up. */
  readonly window: CostWindow;
  /** How far the ledger reaches. */
  readonly span: LedgerSpan;
  /** The sums. */
  readonly report: CostReport;
  /** How each model of the report got its price. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
  /** The table. */
  readonly table: PriceTable;
  /** What was made of the question: days swapped, a window cut. */
  readonly notes: readonly string[];
}

/** Sums up costs. @throws {FleetRefusalError} A day or session that is none. */
export async function readCosts(
  { store, catalog }: Pick<Fleet, "store" | "catalog">,
  query: CostQuery,
  table: PriceTable,
): Promise<Costs> {
  const db = await store.db();
  const span = await readLedgerSpan(db);
  const { from, to, notes } = windowOf(query, span.today);
  const { sessionId } = query;
  const isKnown = sessionId === undefined ||
    await findSession(db, sessionId) !== undefined;
  const window = {
    from,
    to,
    agentRoot: await rootOf(catalog, query.agentRoot),
    sessionId,
  };
  const prices = pricesOf(span, table);
  const report = await readSums(db, window, ratesOf(prices, table));
  // A deleted session is no longer there, and what it cost is.
  if (!isKnown && report.total.requests === 0) {
    throw new FleetRefusalError(
      "not_found",
      `Session ${sessionId} does not exist, and nothing is recorded for it from ${from} to ${to}`,
    );
  }
  return { window, span, report, prices, table, notes };
}

/**
 * Reads the list price of each turn in US dollars, by the turn's number; a turn
 * none of whose requests has a price is left out.
 */
export async function readTurnCosts(
  { store }: Pick<Fleet, "store">,
  latest: LatestTurns,
  table: PriceTable,
): Promise<ReadonlyMap<number, number>> {
  const db = await store.db();
  const prices = pricesOf(await readLedgerSpan(db), table);
  return await readTurnSums(db, latest, ratesOf(prices, table));
}

/** How each model of the ledger gets its price. */
function pricesOf(
  { models }: LedgerSpan,
  table: PriceTable,
): ReadonlyMap<string, ModelPrice> {
  return new Map(models.map((model) => [model, priceOf(table, model)]));
}

function ratesOf(
  prices: ReadonlyMap<string, ModelPrice>,
  { web_search_per_1000 }: PriceTable,
): { readonly rates: readonly Rate[]; readonly webSearchUsd: number } {
  return {
    rates: [...prices.values()].flatMap(({ rates }) => rates),
    webSearchUsd: web_search_per_1000 / 1_000,
  };
}

/** The root's name in the catalog; a name that it lacks is taken as it is. */
async function rootOf(
  catalog: Fleet["catalog"],
  name: string | undefined,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  try {
    return (await catalog.current()).findRoot(name)?.name ?? name;
  } catch {
    return name; // The ledger can be read while the catalog cannot.
  }
}

function windowOf(
  { days = DEFAULT_COST_DAYS, from, to }: CostQuery,
  today: string,
): { from: string; to: string; notes: string[] } {
  if (from === undefined && to === undefined) {
    return { from: daysFrom(today, 1 - days), to: today, notes: [] };
  }
  assertDay("from", from);
  assertDay("to", to);
  const notes: string[] = [];
  let last = to ?? today;
  let first = from ?? daysFrom(last, 1 - DEFAULT_COST_DAYS);
  if (first > last) {
    [first, last] = [last, first];
    notes.push("from was behind to: they were swapped");
  }
  const least = daysFrom(last, 1 - MAX_COST_DAYS);
  if (first < least) {
    first = least;
    notes.push(
      `a window has ${MAX_COST_DAYS} days at most: it begins at ${least}`,
    );
  }
  return { from: first, to: last, notes };
}

function daysFrom(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

function assertDay(name: string, text: string | undefined): void {
  if (text === undefined || isDay(text)) return;
  throw new FleetRefusalError(
    "bad_argument",
    `${name} is "${
      cutText(text, 40)
    }", which is no day of the calendar; write it as 2026-08-31`,
  );
}
