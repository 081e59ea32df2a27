import { deepEqual, equal, match, ok } from "node:assert/strict";
import { recordUsage, type RequestUsage } from "../../store/costs/usage.ts";
import { openEndpoint, type TestEndpoint } from "../support/endpoint.ts";
import { signIn } from "../support/pages.ts";
import { startSession } from "../support/sessions.ts";

const HEALTH = "?tool_groups=health";

/** Days ago, in UTC, as the ledger names it. */
function day(ago: number): string {
  return new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
}

async function filled(
  endpoint: TestEndpoint,
): Promise<{ readonly first: number; readonly second: number }> {
  const { db } = endpoint.test;
  const start = async (agentRootKey: string, title: string) =>
    (await startSession(db, { agentRootKey, title })).session.id;
  const first = await start("gardener", "*Spring* <b>");
  const second = await start("librarian", "Books");
  const usage = (part: Partial<RequestUsage>): RequestUsage => ({
    requestId: crypto.randomUUID(),
    sessionId: first,
    turnId: null,
    agentRoot: "gardener",
    model: "claude-opus-5-5",
    isSubagent: false,
    inputTokens: 1_000_000,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    cacheCreation5mTokens: null,
    webSearchRequests: 0,
    reportedUsd: null,
    isPartial: false,
    calledAt: new Date(`${day(0)}T00:00:00Z`),
    ...part,
  });
  await recordUsage(db, [
    usage({}),
    usage({ outputTokens: 100_000, inputTokens: 0, isSubagent: true }),
    usage({
      sessionId: second,
      agentRoot: "librarian",
      model: "claude-opus-99",
      cacheCreationTokens: 200_000,
      cacheCreation5mTokens: 100_000,
      reportedUsd: 1.5,
      isPartial: true,
      calledAt: new Date(`${day(20)}T23:59:59Z`),
    }),
    usage({ sessionId: null, agentRoot: null, model: "llama-9" }),
    usage({ inputTokens: 0, webSearchRequests: 10 }),
  ]);
  return { first, second };
}

Deno.test("get_costs sums up by kind, root, model, thread, day and session, and names what has no price", async () => {
  await using endpoint = await openEndpoint();
  const { first, second } = await filled(endpoint);
  const { data, text } = await endpoint.call(HEALTH, "get_costs", { days: 30 });
  // 4 for the input, 2 for the output, 0.1 for searches; 4 + 0.5 + 0.8 as opus.
  equal(data.total.total_usd, 11.4);
  deepEqual(data.total.usd, {
    input: 8,
    output: 2,
    cache_read: 0,
    cache_write_5m: 0.5,
    cache_write_1h: 0.8,
    web_search: 0.1,
  });
  deepEqual([data.total.requests, data.total.unpriced_requests], [5, 1]);
  const named = (rows: { name: string; total_usd: number }[]) =>
    rows.map(({ name, total_usd: usd }) => [name, usd]);
  deepEqual(named(data.by_root), [["gardener", 6.1], ["librarian", 5.3], [
    "",
    0,
  ]]);
  deepEqual(named(data.by_thread), [["main", 9.4], ["subagent", 2]]);
  deepEqual(named(data.by_day), [[day(20), 5.3], [day(0), 6.1]]);
  deepEqual(
    data.by_model.map((one: { name: string; price: string }) => [
      one.name,
      one.price,
    ]),
    [
      ["claude-opus-5-5", "exact"],
      ["claude-opus-99", "family"],
      ["llama-9", "none"],
    ],
  );
  deepEqual(data.unpriced_models, ["llama-9"]);
  deepEqual(
    data.top_sessions.map((one: { session_id: number }) => one.session_id),
    [first, second],
  );
  deepEqual(data.coverage, {
    first_day: day(20),
    last_day: day(0),
    partial_requests: 1,
  });
  equal(data.reported_usd, 1.5);
  for (
    const words of [
      /Total:\*\* \$11\.40/,
      /family rate, as claude-opus-5-5/,
      /Without a price, counted as 0: llama-9/,
      /Partial history: the ledger begins on/,
      /\$0\.00 in 1 requests outside of sessions/,
      /checked on 2026-12-01/,
      /\\\*Spring\\\* \\<b>/,
    ]
  ) match(text, words);
});

Deno.test("a window is the last days, or from and to, in either order and a year at most", async () => {
  await using endpoint = await openEndpoint();
  const { second } = await filled(endpoint);
  const costs = (args: Record<string, unknown>) =>
    endpoint.call(HEALTH, "get_costs", args);
  const cases: [Record<string, unknown>, number, RegExp?][] = [
    [{}, 4],
    [{ days: 20 }, 4],
    [{ days: 21 }, 5],
    [{ from: day(20), to: day(20) }, 1],
    [{ from: day(0), to: day(20), days: 1 }, 5, /they were swapped/],
    [{ from: "2001-01-01" }, 5, /365 days at most/],
    [{ to: day(20) }, 1],
    [{ days: 365, agent_root: "librarian" }, 1],
    [{ days: 365, session_id: second }, 1],
  ];
  for (const [args, requests, words = /./] of cases) {
    const { data, text } = await costs(args);
    equal(data.total.requests, requests, JSON.stringify(args));
    match(text, words);
  }
  match(
    (await costs({ agent_root: "nobody" })).text,
    /The ledger reaches from/,
  );
  match((await costs({ to: "2001-01-01" })).text, /Nothing is recorded in/);
  for (const args of [{ days: 0 }, { days: 366 }, { from: "2026-02-30" }]) {
    equal((await costs(args)).isError, true, JSON.stringify(args));
  }
  match((await costs({ session_id: 99 })).text, /Session 99 does not exist/);
});

Deno.test("an empty ledger says why there is nothing", async () => {
  await using endpoint = await openEndpoint();
  const { text, data } = await endpoint.call(HEALTH, "get_costs");
  match(text, /no agent has reported any use yet/);
  equal(data.total.requests, 0);
});

Deno.test("the narrower form shows a session its own spend and no other", async () => {
  await using endpoint = await openEndpoint();
  const { first, second } = await filled(endpoint);
  const own = `?tool_groups=self_session&session_id=${first}`;
  const costs = (query: string, args = {}) =>
    endpoint.call(query, "get_costs", args);
  equal((await costs(own)).data.session_id, first);
  equal((await costs(own, { session_id: first })).data.total.requests, 3);
  const refusals: [string, Record<string, unknown>, RegExp][] = [
    [own, { session_id: second }, /shows the spend of no other/],
    [own, { agent_root: "gardener" }, /group health has that of the fleet/],
    ["?tool_groups=self_session", {}, /names no session/],
  ];
  for (const [query, args, words] of refusals) {
    const told = await costs(query, args);
    equal(told.isError, true);
    match(told.text, words);
  }
  const named = await costs("?tool_groups=self_session", {
    session_id: second,
    days: 30,
  });
  equal(named.data.total.requests, 1);
  // Who holds the whole form has it, whatever else it asked for.
  const both = await costs(
    `${own.replace("self_session", "self_session,health")}`,
  );
  equal(both.data.session_id, null);
});

Deno.test("the page shows the same, and hostile names as names", async () => {
  await using endpoint = await openEndpoint();
  await filled(endpoint);
  const cookie = await signIn(endpoint);
  const page = async (query: string) => {
    const response = await endpoint.fetch(`/costs${query}`, {
      headers: { cookie },
    });
    return { status: response.status, html: await response.text() };
  };
  const { status, html } = await page("");
  equal(status, 200);
  ok(html.includes("$11.40") && html.includes("*Spring* &lt;b&gt;"));
  equal((await page("?from=2026-02-30")).status, 400);
  match((await page("?to=2001-01-01")).html, /Nothing is recorded/);
});
