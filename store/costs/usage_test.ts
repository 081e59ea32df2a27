import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Db } from "../pg/db.ts";
import { recordUsage, type RequestUsage } from "./usage.ts";

const AT = new Date("2026-08-01T12:00:00Z");

function usage(part: Partial<RequestUsage> = {}): RequestUsage {
  return {
    requestId: "r1",
    sessionId: 1,
    turnId: null,
    agentRoot: "gardener",
    model: "claude-opus-5",
    isSubagent: false,
    inputTokens: 10,
    outputTokens: 20,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    cacheCreation5mTokens: null,
    webSearchRequests: 0,
    reportedUsd: null,
    isPartial: false,
    calledAt: AT,
    ...part,
  };
}

/** Daily figures, and those that the requests themselves give. */
async function bothSums(db: Db): Promise<[unknown[], unknown[]]> {
  const days = await db.read(
    `select day::text, session_id, agent_root, model, is_subagent, context_step,
       requests, partial_requests, input_tokens, output_tokens, cache_read_tokens,
       cache_creation_5m_tokens, cache_creation_1h_tokens, web_search_requests
     from token_usage_days where requests <> 0 or input_tokens <> 0 or output_tokens <> 0
     order by 1, 2, 3, 4, 5, 6`,
  );
  const requests = await db.read(
    `select (u).day::text, (u).session_id, (u).agent_root, (u).model, (u).is_subagent,
       (u).context_step, sum((u).requests)::bigint as requests,
       sum((u).partial_requests)::bigint as partial_requests,
       sum((u).input_tokens)::bigint as input_tokens, sum((u).output_tokens)::bigint as output_tokens,
       sum((u).cache_read_tokens)::bigint as cache_read_tokens,
       sum((u).cache_creation_5m_tokens)::bigint as cache_creation_5m_tokens,
       sum((u).cache_creation_1h_tokens)::bigint as cache_creation_1h_tokens,
       sum((u).web_search_requests)::bigint as web_search_requests
     from (select token_usage_day(t, 1) as u from session_token_usages t) c
     group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`,
  );
  return [days, requests];
}

/** Figures without sessions, and those that the daily ones give. */
async function bothTotals(db: Db): Promise<[unknown[], unknown[]]> {
  const figures =
    `sum(requests)::int as requests, sum(input_tokens)::bigint as input,
    sum(output_tokens)::bigint as output, sum(cache_read_tokens)::bigint as cache`;
  const totals = await db.read(
    `select day::text, agent_root, model, is_subagent, is_adhoc, context_step, ${figures}
     from token_usage_totals group by 1, 2, 3, 4, 5, 6 having sum(requests) <> 0 order by 1, 2, 3, 4, 5, 6`,
  );
  const days = await db.read(
    `select day::text, agent_root, model, is_subagent, session_id = 0 as is_adhoc, context_step, ${figures}
     from token_usage_days group by 1, 2, 3, 4, 5, 6 having sum(requests) <> 0 order by 1, 2, 3, 4, 5, 6`,
  );
  return [totals, days];
}

async function ledger(db: Db): Promise<unknown[]> {
  return await db.read(
    "select * from session_token_usages order by request_id",
  );
}

async function clear(db: Db): Promise<void> {
  await db.write("delete from session_token_usages");
  await db.write("delete from token_usage_days");
  await db.write("delete from token_usage_totals");
}

Deno.test("a request is counted once, by its greatest report, and for the session that made it", async () => {
  await using test = await openTestDb();
  const { db } = test;
  equal(await recordUsage(db, [usage({ outputTokens: 1 })]), 1);
  equal(await recordUsage(db, [usage(), usage()]), 0);
  // A fork repeats the lines of its origin.
  const fork = { sessionId: 2, agentRoot: "librarian" };
  equal(await recordUsage(db, [usage({ ...fork, outputTokens: 1 })]), 0);
  const [row] = await ledger(db) as Record<string, unknown>[];
  deepEqual(
    [Number(row?.session_id), row?.agent_root, Number(row?.output_tokens)],
    [1, "gardener", 20],
  );
  const [days, requests] = await bothSums(db);
  equal(days.length, 1);
  deepEqual(days, requests);
});

Deno.test("what stood for an unknown use is taken out once that is told, and not before", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const lost = usage({ requestId: "lost", model: null, isPartial: true });
  await recordUsage(db, [lost, usage()]);
  await recordUsage(db, [usage({ requestId: "r2" })], { superseded: ["lost"] });
  await recordUsage(db, [usage({ requestId: "r2" })], { superseded: ["lost"] });
  const rows = await ledger(db) as Record<string, unknown>[];
  deepEqual(rows.map((row) => row.request_id), ["r1", "r2"]);
  deepEqual(...await bothSums(db));
  deepEqual(...await bothTotals(db));
});

Deno.test("the session of a request outlives the session's row", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const [session] = await db.write<{ id: string }>(
    "insert into sessions (title, wait_reason) values ('x', 'never_started') returning id",
  );
  await recordUsage(db, [usage({ sessionId: Number(session?.id) })]);
  await db.write("delete from sessions");
  const [days, requests] = await bothSums(db);
  deepEqual(days, requests);
  equal(days.length, 1);
});

Deno.test("figures that are none count as nothing, and texts that cannot be kept are made to fit", async () => {
  await using test = await openTestDb();
  const { db } = test;
  await recordUsage(db, [
    usage({
      inputTokens: NaN,
      outputTokens: -5,
      cacheReadTokens: Infinity,
      cacheCreationTokens: 1e30,
      reportedUsd: NaN,
      model: "a\u0000\ud800b",
    }),
    usage({ requestId: "r2", model: null }),
  ]);
  const rows = await db.read(
    `select model, input_tokens::int as i, output_tokens::int as o,
       cache_creation_tokens as w, reported_usd as usd
     from session_token_usages order by request_id`,
  );
  deepEqual(rows.map((row) => ({ ...row })), [
    { model: "a\ufffdb", i: 0, o: 0, w: "1000000000000", usd: null },
    { model: "unknown", i: 10, o: 20, w: "0", usd: null },
  ]);
});

Deno.test("reports in any order, any number of times, by forks and at once, leave the same ledger and the same days", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const report = fc.record({
    requestId: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    sessionId: fc.option(fc.integer({ min: 1, max: 4 })),
    model: fc.constantFrom("claude-opus-5", "claude-haiku-5-5", null),
    isSubagent: fc.boolean(),
    inputTokens: fc.integer({ min: 0, max: 300_000 }),
    outputTokens: fc.integer({ min: 0, max: 5_000 }),
    cacheReadTokens: fc.integer({ min: 0, max: 300_000 }),
    cacheCreationTokens: fc.integer({ min: 0, max: 1_000 }),
    cacheCreation5mTokens: fc.option(fc.integer({ min: 0, max: 1_000 })),
    isPartial: fc.boolean(),
    day: fc.integer({ min: 0, max: 2 }),
  }).map(({ day, ...part }) =>
    usage({
      ...part,
      agentRoot: part.sessionId === null ? null : `root-${part.sessionId}`,
      calledAt: new Date(AT.getTime() + day * 86_400_000),
    })
  );
  const reports = fc.array(report, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      reports,
      fc.infiniteStream(fc.nat()),
      async (all, dice) => {
        await clear(db);
        await recordUsage(db, all);
        const once = await ledger(db);
        const [days, requests] = await bothSums(db);
        deepEqual(days, requests);
        deepEqual(...await bothTotals(db));
        // Each at least twice, shuffled, in batches of several connections.
        const many = [...all, ...all, ...all.slice(0, 3)].map((one) => ({
          one,
          key: dice.next().value ?? 0,
        })).sort((a, b) => a.key - b.key).map(({ one }) => one);
        await clear(db);
        const batches = [0, 1, 2].map((n) =>
          many.filter((_one, at) => at % 3 === n)
        );
        await Promise.all(
          batches.map((batch) =>
            db.transaction((tx) => recordUsage(tx, batch))
          ),
        );
        deepEqual(await ledger(db), once);
        deepEqual(await bothSums(db), [days, requests]);
        deepEqual(...await bothTotals(db));
      },
    ),
    { numRuns: 25 },
  );
});
