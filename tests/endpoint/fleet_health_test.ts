import { deepEqual, equal, match, ok } from "node:assert/strict";
import { sendJob } from "../../store/jobs/mod.ts";
import { insertRunner, noteHello } from "../../store/turns/mod.ts";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
  type ToolAnswer,
} from "../support/endpoint.ts";
import { openTestDb } from "../support/test_db.ts";
import { postForm, signIn } from "../support/pages.ts";

const KEY = { "x-api-key": API_KEY, "content-type": "application/json" };

async function act(
  endpoint: TestEndpoint,
  action: string,
  args: Record<string, unknown> = {},
  query = "",
): Promise<ToolAnswer> {
  return await endpoint.call(query, "action_health", { action, ...args });
}

/** What a job of a lane is, sent many times. */
async function send(
  endpoint: TestEndpoint,
  lane: "triggers" | "maintenance",
  kind: string,
  count: number,
): Promise<void> {
  await endpoint.test.db.transaction(async (tx) => {
    for (let n = 0; n < count; n++) {
      await sendJob(tx, lane, { kind, session_id: n });
    }
  });
}

async function addFailed(endpoint: TestEndpoint): Promise<number> {
  const [row] = await endpoint.test.db.write<{ id: string }>(
    `insert into sessions (title, status, driven_by, agent_root_key, prompt, failure_reason)
     values ('broken', 'failed', 'runner', 'gardener', 'do it', 'it broke') returning id`,
  );
  return Number(row?.id);
}

async function addOld(endpoint: TestEndpoint, days: number): Promise<number> {
  const [row] = await endpoint.test.db.write<{ id: string }>(
    `insert into sessions (title, status, agent_root_key, state_since)
     values ('old', 'needs_input', 'gardener', now() - $1::int * interval '1 day') returning id`,
    [days],
  );
  return Number(row?.id);
}

async function statusOf(endpoint: TestEndpoint, id: number): Promise<unknown> {
  const [row] = await endpoint.test.db.read<{ status: string }>(
    "select status from sessions where id = $1",
    [id],
  );
  return row?.status;
}

Deno.test("get_system_health tells lanes, classes, the first in line, what runs and its ages", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const quiet = await endpoint.call("", "get_system_health");
  match(quiet.text, /\*\*Queue recovery mode:\*\* off/);
  match(quiet.text, /No job is ready and waiting; 0 wait for their time/);
  ok(!quiet.text.includes("In flight by queue"));
  equal(quiet.data.status, "ok");
  await send(endpoint, "triggers", "fire_wake", 3);
  await send(endpoint, "maintenance", "odd `kind`", 1);
  await db.write(
    "update rootcellar_jobs.job set start_after = now() - interval '400 seconds' where name = 'maintenance'",
  );
  await db.write(
    `update rootcellar_jobs.job set state = 'active', started_on = now() - interval '90 seconds'
     where id = (select id from rootcellar_jobs.job where name = 'triggers' limit 1)`,
  );
  const { text, data } = await endpoint.call("", "get_system_health");
  const { lanes, longest_waiting, job_classes } = data.fleet;
  const triggers = lanes.find((one: { lane: string }) =>
    one.lane === "triggers"
  );
  deepEqual([triggers.ready, triggers.in_flight], [2, 1]);
  ok(triggers.oldest_execution_seconds >= 90);
  equal(triggers.oldest_execution_seconds, triggers.youngest_execution_seconds);
  equal(longest_waiting.lane, "maintenance");
  ok(longest_waiting.seconds >= 400);
  deepEqual(job_classes[0], {
    lane: "triggers",
    job_class: "fire_wake",
    ready: 2,
  });
  match(text, /2 × fire\\?_wake in triggers/);
  match(text, /odd \\`kind\\`/);
  match(text, /\*\*In flight by queue:\*\* triggers 1 of 10 a server/);
  match(text, /The lane maintenance is backed up: 1 jobs/);
  equal(data.status, "warning");
});

Deno.test("[behaviour 2] get_system_health tells runners, leases without events, and names of secrets, never values", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const { id } = await db.transaction((tx) => insertRunner(tx, "attic"));
  await noteHello(db, id, {
    hello: {
      variables: ["B_TOKEN", "A_TOKEN"],
      runtimes: [{
        name: "codex",
        version: "1.2",
        login: { state: "found", account: "default" },
      }],
    },
    runtimes: ["codex"],
    slots: 3,
    labels: [],
    bootId: "b",
  });
  const session = await addFailed(endpoint);
  await db.write(
    "update sessions set status = 'running', failure_reason = null where id = $1",
    [session],
  );
  const [turn] = await db.write<{ id: string }>(
    `insert into turns (session_id, ordinal, kind, phase, runner_id, lease_no, leased_until, leased_at)
     values ($1, 1, 'start', 'delivered', $2, 1, now() + interval '1 minute', now() - interval '20 minutes')
     returning id`,
    [session, id],
  );
  const plain = await endpoint.call("", "get_system_health");
  const { fleet } = plain.data;
  deepEqual(fleet.secret_names, ["A_TOKEN", "B_TOKEN"]);
  match(plain.text, /never their values: A\\?_TOKEN, B\\?_TOKEN/);
  equal(fleet.cli_status, undefined);
  equal(fleet.runners[0].is_seen, true);
  equal(fleet.agents.slots, 3);
  deepEqual(
    fleet.silent_turns.map((one: Record<string, unknown>) => [
      one.turn_id,
      one.session_id,
      one.phase,
    ]),
    [[Number(turn?.id), session, "delivered"]],
  );
  const { data, text } = await endpoint.call("", "get_system_health", {
    include_cli_status: true,
  });
  deepEqual(data.fleet.cli_status, [{
    runner_id: id,
    runtime: "codex",
    version: "1.2",
    login: "found",
  }]);
  match(text, /codex 1\\?\.2, login found/);
});

Deno.test("recovery mode is stated on and off, needs a reason, and ends by itself", async () => {
  await using endpoint = await openEndpoint();
  const refused = await act(endpoint, "enter_queue_recovery_mode");
  ok(refused.isError);
  match(refused.text, /needs reason/);
  for (const ttl_minutes of [4, 241]) {
    const bad = await act(endpoint, "enter_queue_recovery_mode", {
      reason: "x",
      ttl_minutes,
    });
    ok(bad.isError);
  }
  const on = await act(endpoint, "enter_queue_recovery_mode", {
    reason: "a flood\n## of jobs",
    ttl_minutes: 5,
  });
  match(on.data.message, /is on until/);
  const { text, data } = await endpoint.call("", "get_system_health");
  match(text, /\*\*Queue recovery mode:\*\* ON until .*a flood .*of jobs/);
  equal(data.fleet.recovery_mode.is_on, true);
  ok(!/^## of jobs/m.test(text));
  const off = await act(endpoint, "exit_queue_recovery_mode");
  match(off.data.message, /is off: the lanes/);
  match(
    (await act(endpoint, "exit_queue_recovery_mode")).data.message,
    /was off already/,
  );
  await act(endpoint, "enter_queue_recovery_mode", { reason: "again" });
  await endpoint.test.db.write(
    "update app_settings set queue_recovery_until = now() - interval '1 second'",
  );
  const ended = await endpoint.call("", "get_system_health");
  equal(ended.data.fleet.recovery_mode.is_on, false);
});

Deno.test("queued jobs are counted, discarded and put off by class and queue, if there are as many as expected", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  await send(endpoint, "triggers", "fire_wake", 3);
  await send(endpoint, "triggers", "tell_state", 2);
  const waiting = async () =>
    (await db.read(
      "select data ->> 'kind' as kind, count(*)::int as n from rootcellar_jobs.job where state = 'created' group by 1 order by 1",
    )).map(({ kind, n }) => [kind, n]);
  const preview = await act(endpoint, "preview_queued_jobs", {
    queue_name: "triggers",
  });
  equal(preview.data.queued_jobs.total, 5);
  const one = { job_class: "fire_wake", queue_name: "triggers" };
  for (
    const [args, reason] of [
      [{ ...one }, /needs expected_count/],
      [
        { ...one, expected_count: 2 },
        /expected_count is 2, and 3 jobs wait: 3 fire_wake in triggers/,
      ],
      [{ expected_count: 5 }, /Name job_class, queue_name or both/],
      [
        { queue_name: "agents", expected_count: 0 },
        /holds turns of live sessions/,
      ],
      [
        { queue_name: "attic", expected_count: 0 },
        /There is no queue "attic"; queues are triggers/,
      ],
    ] as const
  ) {
    for (const action of ["discard_queued_jobs", "reschedule_queued_jobs"]) {
      const { isError, text } = await act(endpoint, action, args);
      ok(isError, text);
      match(text, reason);
    }
  }
  deepEqual(await waiting(), [["fire_wake", 3], ["tell_state", 2]]);
  const moved = await act(endpoint, "reschedule_queued_jobs", {
    ...one,
    expected_count: 3,
    delay_minutes: 30,
  });
  equal(moved.data.queued_jobs.total, 3);
  const [later] = await db.read(
    `select count(*)::int as n from rootcellar_jobs.job
     where start_after > now() + interval '29 minutes' and keep_until > start_after`,
  );
  equal(later?.n, 3);
  const gone = await act(endpoint, "discard_queued_jobs", {
    ...one,
    expected_count: 3,
  });
  match(gone.text, /3 jobs were discarded for good/);
  deepEqual(await waiting(), [["tell_state", 2]]);
});

Deno.test("cleanup, retry and archive wait for each other across tool, REST and page, with one key; others do not", async () => {
  await using endpoint = await openEndpoint({
    apiKeys: [API_KEY, "another-key"],
  });
  const id = await addFailed(endpoint);
  const first = await act(endpoint, "retry_sessions", { session_ids: [id] });
  deepEqual(first.data.sessions, [id]);
  equal(await statusOf(endpoint, id), "waiting");
  const again = await act(endpoint, "retry_sessions");
  ok(again.isError);
  match(again.text, /try again in \d+ seconds\. Nothing was changed/);
  const post = (key: string, action: string, body: unknown = {}) =>
    endpoint.fetch(`/api/v1/health/${action}`, {
      method: "POST",
      headers: { ...KEY, "x-api-key": key },
      body: JSON.stringify(body),
    });
  const rest = await post(API_KEY, "retry_sessions");
  equal(rest.status, 429);
  await rest.body?.cancel();
  const cookie = await signIn(endpoint);
  const page = await postForm(endpoint, "/health/retry_sessions", {}, {
    headers: { origin: "http://localhost", cookie },
  });
  equal(page.status, 409);
  match(await page.text(), /role="alert".*seconds/s);
  // Another action, and another key, are on their own.
  for (
    const [key, action] of [
      [API_KEY, "cleanup_processes"],
      [API_KEY, "archive_old"],
      ["another-key", "retry_sessions"],
    ] as const
  ) {
    const response = await post(key, action);
    equal(response.status, 200, action);
    await response.body?.cancel();
  }
  await endpoint.test.db.write(
    "update health_cooldowns set taken_at = taken_at - interval '31 seconds'",
  );
  equal((await act(endpoint, "retry_sessions")).isError, false);
  // These are never held up.
  for (let n = 0; n < 2; n++) {
    for (
      const action of [
        "cli_refresh",
        "cli_clear_cache",
        "exit_queue_recovery_mode",
        "backfill_token_usage",
      ]
    ) equal((await act(endpoint, action)).isError, false, action);
  }
});

Deno.test("a cooldown that cannot be kept refuses, and says that it is unavailable", async () => {
  await using endpoint = await openEndpoint();
  const id = await addFailed(endpoint);
  await endpoint.test.db.write("alter table health_cooldowns rename to gone");
  const { isError, text } = await act(endpoint, "retry_sessions");
  ok(isError);
  match(text, /Rate limiting unavailable/);
  ok(!/try again in/.test(text));
  equal(await statusOf(endpoint, id), "failed");
  const rest = await endpoint.fetch("/api/v1/health/archive_old", {
    method: "POST",
    headers: KEY,
    body: "{}",
  });
  equal(rest.status, 503);
  await rest.body?.cancel();
});

Deno.test("archive_old archives what rests for days and has nothing to say", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const [old, young, marked, told] = [
    await addOld(endpoint, 8),
    await addOld(endpoint, 6),
    await addOld(endpoint, 30),
    await addOld(endpoint, 30),
  ];
  await db.write("update sessions set favorited = true where id = $1", [
    marked,
  ]);
  await db.write(
    "insert into enqueued_messages (session_id, content, position) values ($1, 'hear me', 1)",
    [told],
  );
  const { data } = await act(endpoint, "archive_old");
  deepEqual([data.sessions, data.skipped, data.more_may_be_left], [
    [old],
    [],
    false,
  ]);
  deepEqual(
    await Promise.all(
      [old, young, marked, told].map((id) => statusOf(endpoint, id)),
    ),
    ["archived", "needs_input", "needs_input", "needs_input"],
  );
});

Deno.test("retry_sessions starts failed sessions only, and inside the fence", async () => {
  await using endpoint = await openEndpoint();
  const [failed, resting] = [
    await addFailed(endpoint),
    await addOld(endpoint, 1),
  ];
  const fenced = "?tool_groups=health&allowed_agent_roots=librarian";
  const outside = await act(endpoint, "retry_sessions", {
    session_ids: [failed, resting, 99_999],
  }, fenced);
  deepEqual(outside.data.sessions, []);
  equal(outside.data.skipped.length, 3);
  match(outside.data.skipped[0].reason, /agent roots librarian only/);
  match(outside.data.skipped[1].reason, /needs_input, and only a failed one/);
  match(outside.data.skipped[2].reason, /does not exist/);
  await endpoint.test.db.write("delete from health_cooldowns");
  deepEqual(
    (await act(endpoint, "retry_sessions", {}, fenced)).data.sessions,
    [],
  );
  equal(await statusOf(endpoint, failed), "failed");
  for (
    const [action, args] of [
      ["enter_queue_recovery_mode", { reason: "x" }],
      ["exit_queue_recovery_mode", {}],
      ["discard_queued_jobs", { queue_name: "triggers", expected_count: 0 }],
    ] as const
  ) {
    const { isError, text } = await act(endpoint, action, args, fenced);
    ok(isError, action);
    match(text, /librarian only/);
  }
  await endpoint.test.db.write("delete from health_cooldowns");
  deepEqual((await act(endpoint, "retry_sessions")).data.sessions, [failed]);
});

Deno.test("an action takes its own arguments and no other's", async () => {
  await using endpoint = await openEndpoint();
  const { isError, text } = await act(endpoint, "archive_old", {
    session_ids: [1],
  });
  ok(isError);
  match(text, /archive_old takes no session_ids: it takes days/);
  const unknown = await act(endpoint, "reboot");
  ok(unknown.isError);
  match(unknown.text, /cleanup_processes/);
});

Deno.test("runners are asked once however often, and what they said can be forgotten", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const { id } = await db.transaction((tx) => insertRunner(tx, "attic"));
  await db.write(
    `update runners set hello = '{"variables": ["A"]}', runtimes = '{codex}'`,
  );
  await act(endpoint, "cleanup_processes");
  await act(endpoint, "cli_refresh");
  const { data } = await act(endpoint, "cli_clear_cache");
  equal(data.runners_asked, 1);
  deepEqual(
    (await db.read(
      "select runner_id::int, kind from runner_commands order by id",
    ))
      .map((row) => Object.values(row)),
    [[id, "clean_up"], [id, "say_hello"]],
  );
  const [runner] = await db.read("select hello, runtimes from runners");
  deepEqual({ ...runner }, { hello: {}, runtimes: ["codex"] });
});

Deno.test("the health page shows lanes and runners, and its forms act", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  await db.transaction((tx) => insertRunner(tx, "<b>attic</b>"));
  const cookie = await signIn(endpoint);
  const headers = { origin: "http://localhost", cookie };
  const entered = await postForm(
    endpoint,
    "/health/enter_queue_recovery_mode",
    { reason: "<i>flood</i>", ttl_minutes: "10" },
    { headers },
  );
  equal(entered.status, 200);
  const html = await entered.text();
  match(html, /role="status"/);
  match(html, /&lt;i&gt;flood&lt;\/i&gt;/);
  match(html, /&lt;b&gt;attic&lt;\/b&gt;/);
  ok(!html.includes("<i>flood"));
  const bad = await postForm(
    endpoint,
    "/health/archive_old",
    { days: "many" },
    {
      headers,
    },
  );
  equal(bad.status, 409);
  match(await bad.text(), /days is a whole number/);
  const foreign = await postForm(
    endpoint,
    "/health/exit_queue_recovery_mode",
    {},
    { headers: { origin: "http://elsewhere", cookie } },
  );
  equal(foreign.status, 403);
  await foreign.body?.cancel();
  const { data } = await endpoint.call("", "get_system_health");
  equal(data.fleet.recovery_mode.is_on, true);
});

Deno.test("the spot policy is read and changed over REST as by the tools", async () => {
  await using endpoint = await openEndpoint();
  const changed = await endpoint.fetch("/api/v1/spot_policy", {
    method: "POST",
    headers: KEY,
    body: JSON.stringify({
      action: "set_gating",
      enabled: true,
      max_concurrent_sessions: 7,
    }),
  });
  equal(changed.status, 200);
  const policy = await changed.json();
  deepEqual(
    [policy.settings.enabled, policy.settings.max_concurrent_sessions],
    [
      true,
      7,
    ],
  );
  const read = await endpoint.fetch("/api/v1/spot_policy", { headers: KEY });
  deepEqual(await read.json(), policy);
  const refused = await endpoint.fetch("/api/v1/spot_policy", {
    method: "POST",
    headers: KEY,
    body: JSON.stringify({ action: "set_gating" }),
  });
  equal(refused.status, 422);
  match((await refused.json()).message, /nothing was changed/);
});

Deno.test("metrics have the fleet's figures once the database is in use", async () => {
  await using test = await openTestDb();
  let isOpen = false;
  await using endpoint = await openEndpoint({
    test,
    store: {
      isEmbedded: false,
      db: () => Promise.resolve(test.db),
      pool: () => isOpen ? { connections: 1, underWay: 0 } : undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
  const early = await endpoint.fetch("/metrics", { headers: KEY });
  ok(!(await early.text()).includes("rootcellar_turns{"));
  isOpen = true;
  await send(endpoint, "triggers", "fire_wake", 2);
  await endpoint.call("", "get_system_health");
  const response = await endpoint.fetch("/metrics", { headers: KEY });
  const text = await response.text();
  match(text, /rootcellar_lane_jobs\{lane="triggers",state="ready"\} 2/);
  match(text, /rootcellar_turns\{state="ready"\} 0/);
  match(text, /rootcellar_queue_recovery_mode 0/);
});
