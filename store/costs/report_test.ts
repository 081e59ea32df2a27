import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { openTestDb } from "../../tests/support/test_db.ts";
import { type Rate, readCosts } from "./report.ts";
import { recordUsage, type RequestUsage } from "./usage.ts";

const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
const WINDOW = { from: "2026-03-02", to: "2026-03-04" };

/** A price that changes on the third day, and one that never does. */
const RATES: readonly Rate[] = [0, 1].flatMap((step) => [
  rate("a", step, "-infinity", "2026-03-03", 10 + step),
  rate("a", step, "2026-03-03", "infinity", 40 + step),
  rate("b", step, "-infinity", "infinity", 1),
]);

function rate(
  model: string,
  step: number,
  from: string,
  until: string,
  usd: number,
): Rate {
  return {
    model,
    step,
    from,
    until,
    input: usd,
    output: 2 * usd,
    cache_read: 0,
    cache_write_5m: 0,
    cache_write_1h: 0,
  };
}

/** What a request costs by the rates above, in millionths of a dollar. */
function priceOf({ model, inputTokens, outputTokens, calledAt }: RequestUsage) {
  const day = calledAt.toISOString().slice(0, 10);
  const step = inputTokens > 32_000 ? 1 : 0;
  const found = RATES.find((one) =>
    one.model === model && one.step === step && one.from !== undefined &&
    (one.from === "-infinity" || day >= one.from) &&
    (one.until === "infinity" || day < one.until)
  );
  return found === undefined
    ? 0
    : inputTokens * found.input + outputTokens * found.output;
}

Deno.test("sums by root, model, thread, day and session agree with each request priced by itself, also where a price changes within the window", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const request = fc.record({
    day: fc.constantFrom(...DAYS),
    model: fc.constantFrom("a", "b", "no price"),
    sessionId: fc.option(fc.integer({ min: 1, max: 15 })),
    isSubagent: fc.boolean(),
    inputTokens: fc.integer({ min: 0, max: 60_000 }),
    outputTokens: fc.integer({ min: 0, max: 9_000 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 25 }),
      async (given) => {
        for (const table of ["session_token_usages", "token_usage_days"]) {
          await db.write(`delete from ${table}`);
        }
        await db.write("delete from token_usage_totals");
        const usages = given.map(({ day, ...rest }, at): RequestUsage => ({
          ...rest,
          requestId: `r${at}`,
          turnId: null,
          agentRoot: rest.sessionId === null
            ? null
            : `root${rest.sessionId % 3}`,
          cacheReadTokens: 0,
          cacheCreationTokens: 0,
          cacheCreation5mTokens: null,
          webSearchRequests: 0,
          reportedUsd: null,
          isPartial: false,
          calledAt: new Date(`${day}T12:00:00Z`),
        }));
        await recordUsage(db, usages);
        const inside = usages.filter(({ calledAt }) =>
          calledAt.toISOString() >= WINDOW.from
        );
        const prices = { rates: RATES, webSearchUsd: 0 };
        const report = await readCosts(db, WINDOW, prices);
        const expected = (
          name: (one: RequestUsage) => string | undefined,
        ) => {
          const sums = new Map<string, number>();
          for (const one of inside) {
            const key = name(one);
            if (key === undefined) continue;
            sums.set(key, (sums.get(key) ?? 0) + priceOf(one));
          }
          return [...sums].sort();
        };
        const told = (
          rows: readonly { name: string; sums: { totalUsd: number } }[],
        ) =>
          rows.map(({ name, sums }): [string, number] => [
            name,
            Math.round(sums.totalUsd * 1e6),
          ]).sort();
        deepEqual(told(report.roots), expected((one) => one.agentRoot ?? ""));
        deepEqual(told(report.models), expected((one) => one.model ?? ""));
        deepEqual(
          told(report.threads),
          expected((one) => one.isSubagent ? "subagent" : "main"),
        );
        deepEqual(
          told(report.days),
          expected((one) => one.calledAt.toISOString().slice(0, 10)),
        );
        equal(report.total.requests, inside.length);
        equal(
          report.total.unpricedRequests,
          inside.filter(({ model }) => model === "no price").length,
        );
        const sessions = expected((one) =>
          one.sessionId === null ? undefined : String(one.sessionId)
        ).sort(([a, usd], [b, other]) => other - usd || Number(a) - Number(b));
        deepEqual(
          report.sessions.map(({ id, totalUsd }) => [
            String(id),
            Math.round(totalUsd * 1e6),
          ]),
          sessions.slice(0, 10),
        );
        const session = inside.find(({ sessionId }) => sessionId !== null)
          ?.sessionId;
        if (session === undefined || session === null) return;
        const own = await readCosts(
          db,
          { ...WINDOW, sessionId: session },
          prices,
        );
        equal(
          Math.round(own.total.totalUsd * 1e6),
          inside.filter(({ sessionId }) => sessionId === session)
            .reduce((sum, one) => sum + priceOf(one), 0),
        );
      },
    ),
    { numRuns: 30 },
  );
});
