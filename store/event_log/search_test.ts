/**
 * Ranked search keeps to its filter and its limit, by whichever of its ways an
 * event is found: small scopes are ranked whole, large ones through the words
 * that are rare in them, and filled up with what is newest.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { LogFilter, NewLogEvent } from "../../cortex/local/port.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { PostgresEventLog } from "./event_log.ts";

const NO_FILTER: LogFilter = {
  labels: [],
  actors: [],
  modality: undefined,
  since: undefined,
  until: undefined,
  recordedBy: undefined,
};
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
    labels: [at % 2 === 0 ? "even" : "odd"],
    content: { kind: "text", text, at },
    context: {},
    text,
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
      const { events } = await log.search({
        reach: { kind: "exact", scope: `org:a/ws:${size}` },
        filter: { ...NO_FILTER, ...filter },
        query,
        limit,
      });
      return events.map(({ content }) => Number(content.at));
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
