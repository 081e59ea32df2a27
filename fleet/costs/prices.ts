/**
 * The price table: what a million tokens of each model cost, dated and with its
 * sources. A file of the operator's own goes over it, row by row.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import type { Rate } from "../../store/costs/mod.ts";
import BUILT_IN from "./prices.json" with { type: "json" };

/** Rates in US dollars a million tokens. */
export interface PriceRates {
  /** Read. */
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

/** Rates of a model from a day on. */
export interface PriceRow extends PriceRates {
  /** The model, exactly. */
  readonly model: string;
  /** First day, `YYYY-MM-DD`. @default {always} */
  readonly from?: string;
  /** Rates of larger requests: those that read more tokens than `above`. */
  readonly tiers?: readonly (PriceRates & { readonly above: number })[];
}

/** The rates of a model that has no row: those of another one. */
export interface PriceFamily {
  /** What stands in the model's name. */
  readonly family: string;
  /** The model whose rates are taken. */
  readonly like: string;
}

/** A price table. */
export interface PriceTable {
  /** The day it was checked, `YYYY-MM-DD`. */
  readonly checked_on: string;
  /** Where its rates come from. */
  readonly sources: readonly string[];
  /** US dollars for a thousand searches of the web. */
  readonly web_search_per_1000: number;
  /** Looked at last, in order. */
  readonly families: readonly PriceFamily[];
  /** Looked at first. */
  readonly models: readonly PriceRow[];
}

/** The table that the program brings. */
export const BUILT_IN_PRICES: PriceTable = BUILT_IN;

/** How a model got its price. */
export interface ModelPrice {
  /** `exact`: by its own row; `family`: by that of another; else it has none. */
  readonly kind: "exact" | "family" | "none";
  /** The row's model, where it is another. */
  readonly like?: string;
  /** Its rates by step and day. */
  readonly rates: readonly Rate[];
}

/**
 * Sizes of requests, in tokens read, above which prices may change. The same as
 * in `token_usage_step` of the database.
 */
export const STEPS: readonly number[] = [
  32_000,
  64_000,
  100_000,
  128_000,
  200_000,
  256_000,
  272_000,
  512_000,
  1_000_000,
];

/** What stands around a model's name: a vendor before it, a variant or day after. */
const AROUND_REGEXP = /^(?:.*\/)|(?:\[[^\]]*\])$|(?:[-@]20\d{6})$/g;

/** The price of a model by a table. */
export function priceOf(table: PriceTable, model: string): ModelPrice {
  const plain = model.trim().toLowerCase();
  const bare = plain.replaceAll(AROUND_REGEXP, "").replaceAll(
    AROUND_REGEXP,
    "",
  );
  for (const name of [plain, bare]) {
    const rows = table.models.filter((row) => row.model.toLowerCase() === name);
    if (rows.length > 0) {
      return { kind: "exact", rates: ratesOf(model, rows) };
    }
  }
  const family = table.families.find(({ family }) =>
    plain.includes(family.toLowerCase())
  );
  const rows = table.models.filter((row) => row.model === family?.like);
  return family === undefined || rows.length === 0
    ? { kind: "none", rates: [] }
    : { kind: "family", like: family.like, rates: ratesOf(model, rows) };
}

function ratesOf(model: string, rows: readonly PriceRow[]): Rate[] {
  const dated = rows.toSorted((a, b) =>
    (a.from ?? "") < (b.from ?? "") ? -1 : 1
  );
  return dated.flatMap((row, at) =>
    [0, ...STEPS].map((least, step) => ({
      model,
      step,
      from: row.from ?? "-infinity",
      until: dated[at + 1]?.from ?? "infinity",
      ...plainRates(
        row.tiers?.filter(({ above }) => above <= least)
          .toSorted((a, b) => b.above - a.above)[0] ?? row,
      ),
    }))
  );
}

function plainRates(rates: PriceRates): PriceRates {
  const { input, output, cache_read, cache_write_5m, cache_write_1h } = rates;
  return { input, output, cache_read, cache_write_5m, cache_write_1h };
}

/** A table read from a file, or what is wrong with it. */
export type PriceReading =
  | { readonly ok: true; readonly table: PriceTable }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a table of the operator's own, and lays it over another. Never throws. */
export function readPrices(
  text: string,
  base: PriceTable = BUILT_IN_PRICES,
): PriceReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problems: ["it is not JSON"] };
  }
  if (!isObject(value)) {
    return { ok: false, problems: ["it is no object with models in it"] };
  }
  const problems: string[] = [];
  const say = (place: string, what: string) => {
    if (problems.length < 10) problems.push(`${cutText(place, 80)} ${what}`);
  };
  const models = listOf(value.models ?? [], "models", say)
    .flatMap((row, at) => rowOf(row, `models/${at}`, say));
  const families = listOf(value.families ?? [], "families", say)
    .flatMap((one, at): PriceFamily[] => {
      const { family, like } = isObject(one) ? one : {};
      if (typeof family === "string" && typeof like === "string") {
        return [{ family, like }];
      }
      say(`families/${at}`, "needs family and like, both texts");
      return [];
    });
  const checkedOn = value.checked_on ?? base.checked_on;
  if (!isDayText(checkedOn)) say("checked_on", "is no day such as 2026-12-01");
  const search = value.web_search_per_1000 ?? base.web_search_per_1000;
  if (!isPrice(search)) say("web_search_per_1000", "is no number from 0");
  const sources = listOf(value.sources ?? base.sources, "sources", say);
  if (problems.length > 0) return { ok: false, problems };
  const own = new Set(models.map(({ model }) => model));
  return {
    ok: true,
    table: {
      checked_on: String(checkedOn),
      sources: sources.map(String),
      web_search_per_1000: Number(search),
      families: [...families, ...base.families],
      models: [
        ...models,
        ...base.models.filter(({ model }) => !own.has(model)),
      ],
    },
  };
}

type Say = (place: string, what: string) => void;

const NAMES = [
  "input",
  "output",
  "cache_read",
  "cache_write_5m",
  "cache_write_1h",
] as const;

function rowOf(value: unknown, place: string, say: Say): PriceRow[] {
  if (!isObject(value) || typeof value.model !== "string") {
    say(place, "needs a model, a text");
    return [];
  }
  if (value.from !== undefined && !isDayText(value.from)) {
    say(`${place}/from`, "is no day such as 2026-12-01");
  }
  const tiers = listOf(value.tiers ?? [], `${place}/tiers`, say)
    .map((tier, at) => {
      const where = `${place}/tiers/${at}`;
      const above = isObject(tier) ? tier.above : undefined;
      if (!STEPS.some((step) => step === above)) {
        say(`${where}/above`, `is none of ${STEPS.join(", ")}`);
      }
      return { above: Number(above), ...rates(tier, where, say) };
    });
  return [{
    model: value.model,
    ...(isDayText(value.from) ? { from: value.from } : {}),
    ...rates(value, place, say),
    ...(tiers.length === 0 ? {} : { tiers }),
  }];
}

/** What is not given is as dear as reading, and an hour as five minutes. */
function rates(value: unknown, place: string, say: Say): PriceRates {
  const given = isObject(value) ? value : {};
  const { input, cache_write_5m: write = input } = given;
  const all = {
    ...given,
    cache_read: given.cache_read ?? input,
    cache_write_5m: write,
    cache_write_1h: given.cache_write_1h ?? write,
  };
  const numbers = NAMES.map((name) => {
    const price = Reflect.get(all, name);
    if (!isPrice(price)) say(`${place}/${name}`, "is no number from 0");
    return [name, Number(price)] as const;
  });
  return Object.fromEntries(numbers) as Record<typeof NAMES[number], number>;
}

function listOf(value: unknown, place: string, say: Say): readonly unknown[] {
  if (Array.isArray(value)) return value;
  say(place, "is no list");
  return [];
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isDayText(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) &&
    !Number.isNaN(Date.parse(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
