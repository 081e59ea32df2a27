import { deepEqual, equal, match } from "node:assert/strict";
import { recordLogin } from "../../store/spot/policy.ts";
import { openEndpoint, type TestEndpoint } from "../support/endpoint.ts";
import { startSession } from "../support/sessions.ts";

const HEALTH = "?tool_groups=health";

function act(endpoint: TestEndpoint, args: Record<string, unknown>) {
  return endpoint.call(HEALTH, "action_spot_policy", args);
}

Deno.test("the spot policy is read with its decision, and changes are answered with the next one", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  await startSession(db, { agentRootKey: "gardener" });
  const first = await endpoint.call(HEALTH, "get_spot_policy");
  deepEqual([first.data.decision, first.data.reason], [
    "allowed",
    "gating_disabled",
  ]);
  deepEqual(first.data.settings, {
    enabled: false,
    five_hour_threshold_pct: 80,
    weekly_threshold_pct: 80,
    max_concurrent_sessions: 10,
  });
  const api = first.data.geneses.find((one: { genesis: string }) =>
    one.genesis === "api"
  );
  deepEqual(api, {
    genesis: "api",
    scheduling_class: "spot",
    default_class: "spot",
    live_sessions: 1,
    is_settable: true,
  });
  const on = await act(endpoint, { action: "set_gating", enabled: true });
  equal(on.data.reason, "no_snapshot");
  await recordLogin(db, {
    runtime: "claude_code",
    account: "*me*",
    windows: [
      { name: "five_hour", utilization: 0.85, resetsInMs: 60_000 },
      { name: "seven_day", utilization: 0.1, resetsInMs: null },
    ],
    rejectedForMs: null,
  });
  const held = await endpoint.call(HEALTH, "get_spot_policy");
  match(held.text, /\*\*Decision:\*\* HELD \(at_utilization_limit\)/);
  match(held.text, /claude_code \\\*me\\\*: five_hour 85 %, seven_day 10 %/);
  const raised = await act(endpoint, {
    action: "set_gating",
    five_hour_threshold_pct: 90,
  });
  deepEqual(
    [raised.data.decision, raised.data.settings.enabled],
    ["allowed", true],
  );
  // A window that has begun anew no longer counts.
  await recordLogin(db, {
    runtime: "claude_code",
    account: "*me*",
    windows: [{ name: "five_hour", utilization: 1, resetsInMs: -1 }],
    rejectedForMs: null,
  });
  const anew = await endpoint.call(HEALTH, "get_spot_policy");
  deepEqual(
    anew.data.logins[0].windows.map((one: { name: string }) => one.name),
    ["seven_day"],
  );
});

Deno.test("classes of geneses are promoted, demoted and reset; those of triggers are set there", async () => {
  await using endpoint = await openEndpoint();
  const classes = (data: {
    geneses: { genesis: string; scheduling_class: string }[];
  }) =>
    Object.fromEntries(
      data.geneses.map((one) => [one.genesis, one.scheduling_class]),
    );
  const up = await act(endpoint, { action: "promote_genesis", genesis: "API" });
  equal(classes(up.data).api, "priority");
  match(up.text, /api: priority, changed from spot/);
  const down = await act(endpoint, {
    action: "demote_genesis",
    genesis: "web_ui",
  });
  deepEqual(
    [classes(down.data).web_ui, classes(down.data).api],
    ["spot", "priority"],
  );
  const refusals: [Record<string, unknown>, RegExp][] = [
    [{ action: "promote_genesis", genesis: "slack" }, /on|from their trigger/],
    [{ action: "promote_genesis", genesis: "nope" }, /no genesis "nope"/],
    [{ action: "demote_genesis" }, /needs genesis/],
    [{ action: "set_gating" }, /At least one of/],
    [{ action: "set_gating", max_concurrent_sessions: 0 }, /must be >= 1/],
    [{ action: "set_gating", weekly_threshold_pct: 101 }, /must be <= 100/],
    [{ action: "explode" }, /set_gating/],
  ];
  for (const [args, words] of refusals) {
    const told = await act(endpoint, args);
    equal(told.isError, true, JSON.stringify(args));
    match(told.text, words);
  }
  const reset = await act(endpoint, { action: "reset_genesis_classes" });
  deepEqual(
    [classes(reset.data).web_ui, classes(reset.data).api],
    ["priority", "spot"],
  );
});

Deno.test("a database that fails lets spot sessions pass, and says so", async () => {
  await using endpoint = await openEndpoint({
    store: {
      isEmbedded: false,
      db: () => Promise.reject(new Error("secret")),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
  const { data, text } = await endpoint.call(HEALTH, "get_spot_policy");
  deepEqual([data.decision, data.reason], ["allowed", "unavailable"]);
  match(text, /could not be read/);
});
