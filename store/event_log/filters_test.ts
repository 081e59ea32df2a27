/**
 * Reads keep to their filter and their limit, by whichever of their ways an
 * event is found. A page of a label goes event by event where the label is
 * frequent, else through the index.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { LogFilter, NewLogEvent } from "../../cortex/local/port.ts";
import { search } from "../../cortex/local/search/search.ts";
import { entryOf, NO_FILTER } from "../../tests/support/log_entry.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { PostgresEventLog } from "./event_log.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
/** Events that have the rare word: among the oldest. */
const RARE = [3, 4, 7, 8, 12];
/** More than the sample that tells which words are rare. */
const SIZES = { small: 40, large: 260 };

/** The time of an event, as observed and as recorded. */
function timeOf(at: number): string {
  return new Date(START + at * 60_000).toISOString();
}

function eventOf(scope: string, at: number): NewLogEvent {
  const text = `common${RARE.includes(at) ? " seldom" : ""}`;
  return {
    scope,
    actor: `user:a${at % 3}`,
    modality: at % 4 === 0 ? "observation" : "conversation",
    kind: "text",
    labels: [at % 2 === 0 ? "even" : "odd", ...at % 40 === 9 ? ["few"] : []],
    content: { kind: "text", text, at },
    context: {},
    index: entryOf(text),
    observedAt: timeOf(at),
    idempotencyKey: undefined,
    bodyHash: text,
  };
}

/** A log with a scope of each size, and a way to search one. */
async function openScopes() {
  const test = await openTestDb();
  const log = new PostgresEventLog(() => Promise.resolve(test.db));
  for (const [name, size] of Object.entries(SIZES)) {
    const scope = `org:a/ws:${name}`;
    const events = Array.from({ length: size }, (_, at) => eventOf(scope, at));
    ok((await log.append(events)).ok);
  }
  await test.db.write("update cortex_events set recorded_at = observed_at");
  return {
    async search(
      size: string,
      query: string,
      { limit = 1_000, ...filter }: Partial<LogFilter> & { limit?: number },
    ): Promise<number[]> {
      const { hits } = await search(log, {
        scopes: [`org:a/ws:${size}`],
        filter: { ...NO_FILTER, ...filter },
        query,
        limit,
      });
      const events = await log.read(hits.map(({ id }) => id));
      return events.map(({ content }) => Number(content.at));
    },
    /** All pages of a list, newest first. */
    async list(
      size: string,
      { limit = 1_000, ...filter }: Partial<LogFilter> & { limit?: number },
    ): Promise<number[]> {
      const found: number[] = [];
      let before: number | undefined;
      for (;;) {
        const { events, hasMore } = await log.list({
          reach: { kind: "exact", scope: `org:a/ws:${size}` },
          filter: { ...NO_FILTER, ...filter },
          before,
          limit,
        });
        ok(events.length <= limit);
        found.push(...events.map(({ content }) => Number(content.at)));
        before = events.at(-1)?.offset;
        if (!hasMore) return found;
        equal(events.length, limit);
      }
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

const FILTERS: readonly [
  name: string,
  filter: Partial<LogFilter>,
  passes: (at: number) => boolean,
][] = [
  ["nothing", {}, () => true],
  ["labels", { labels: ["even"] }, (at) => at % 2 === 0],
  ["two labels", { labels: ["even", "odd"] }, () => true],
  ["actors", { actors: ["user:a0", "user:a1"] }, (at) => at % 3 < 2],
  ["modality", { modality: "observation" }, (at) => at % 4 === 0],
  ["since", { since: timeOf(7) }, (at) => at >= 7],
  ["until", { until: timeOf(8) }, (at) => at < 8],
  ["recordedBy", { recordedBy: timeOf(7) }, (at) => at <= 7],
];

Deno.test("a search keeps to its filter in small scopes and large, for rare words and frequent ones", async () => {
  await using scopes = await openScopes();
  for (const [size, count] of Object.entries(SIZES)) {
    const all = Array.from({ length: count }, (_, at) => at);
    for (const [name, filter, passes] of FILTERS) {
      for (
        const [query, held] of [["seldom", RARE], ["common", all]] as const
      ) {
        const found = await scopes.search(size, query, filter);
        deepEqual(
          found.toSorted((a, b) => a - b),
          held.filter(passes),
          `${query} in ${size} by ${name}`,
        );
      }
    }
  }
});

Deno.test("what a rare word does not fill comes from the newest, each once, up to the limit", async () => {
  await using scopes = await openScopes();
  for (const size of Object.keys(SIZES)) {
    for (const limit of [1, 3, 5, 6, 20]) {
      const found = await scopes.search(size, "seldom common", { limit });
      equal(found.length, limit, `${limit} in ${size}`);
      equal(new Set(found).size, limit);
      const isRare = found.map((at) => RARE.includes(at));
      const rare = Math.min(limit, RARE.length);
      equal(isRare.filter(Boolean).length, rare, `${limit} in ${size}`);
      ok(isRare.slice(0, rare).every(Boolean), "the rare word comes first");
    }
  }
});

Deno.test("pages of a label keep to its filter, be the label frequent or not, and miss nothing", async () => {
  await using scopes = await openScopes();
  const labels: readonly [string[], (at: number) => boolean][] = [
    [[], () => true],
    [["even"], (at) => at % 2 === 0],
    [["few"], (at) => at % 40 === 9],
    [["even", "few"], (at) => at % 2 === 0 || at % 40 === 9],
    [["none"], () => false],
  ];
  for (const [size, count] of Object.entries(SIZES)) {
    const all = Array.from({ length: count }, (_, at) => count - 1 - at);
    for (const [names, isLabelled] of labels) {
      for (const [name, filter, passes] of FILTERS) {
        if (filter.labels !== undefined) continue;
        // A page that the frequent way may fill, and one that it may not.
        for (const limit of [7, 1_000]) {
          const found = await scopes.list(size, {
            ...filter,
            labels: names,
            limit,
          });
          deepEqual(
            found,
            all.filter((at) => isLabelled(at) && passes(at)),
            `[${names}] in ${size} by ${name}, ${limit} a page`,
          );
        }
      }
    }
  }
});
