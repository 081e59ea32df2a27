import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { MemoryHealth } from "../../mcp/memory.ts";
import { judgeSpace } from "../../store/disk.ts";
import { startSession } from "../support/sessions.ts";
import { openTestDb } from "../support/test_db.ts";
import {
  API_KEY,
  type EndpointOptions,
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";

const KEY = { "x-api-key": API_KEY };
const LOCAL = "127.0.0.1";
const REMOTE = "203.0.113.7";
const DOWN: EndpointOptions = {
  store: {
    isEmbedded: false,
    db: () => Promise.reject(new Error("secret of a driver")),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  },
};

async function ask(
  endpoint: TestEndpoint,
  path: string,
  address: string,
  headers: Record<string, string> = {},
) {
  const response = await endpoint.fetch(path, { headers }, address);
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
}

async function metrics(endpoint: TestEndpoint): Promise<string> {
  return (await ask(endpoint, "/metrics", LOCAL)).text;
}

function memoryOf(health: () => Promise<MemoryHealth>): EndpointOptions {
  const engine = () => Promise.reject(new Error("There is none"));
  return { memory: { engine, health } };
}

const HEALTHY: MemoryHealth = {
  state: "healthy",
  wire: "direct",
  service: "local",
  layout: "v3",
  root: "org:acme",
  message: null,
};

Deno.test("/up looks at the process only", async () => {
  await using endpoint = await openEndpoint(DOWN);
  const up = await ask(endpoint, "/up", REMOTE);
  equal(up.status, 200);
  equal(JSON.parse(up.text).status, "ok");
});

Deno.test("a disk without room fails the deep probe, one with little is a warning", async () => {
  await using test = await openTestDb();
  for (const [freeBytes, status] of [[0, 503], [200e6, 200], [2e9, 200]]) {
    await using endpoint = await openEndpoint({
      store: {
        isEmbedded: true,
        db: () => Promise.resolve(test.db),
        disk: () => Promise.resolve(judgeSpace(freeBytes ?? 0)),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
    });
    const { complaint } = judgeSpace(freeBytes ?? 0);
    const deep = await ask(endpoint, "/up/deep", LOCAL);
    equal(deep.status, status);
    const { database } = JSON.parse(deep.text).checks;
    equal(database.detail, complaint ?? "answers");
    const health = await endpoint.fetch("/api/v1/health", { headers: KEY });
    const { root_data_health: rootData } = await health.json();
    deepEqual(rootData.reasons, complaint === undefined ? [] : [complaint]);
    equal(rootData.status, complaint === undefined ? "ok" : "warning");
  }
});

Deno.test("/up/deep says what failed to everybody, and why to operators", async () => {
  await using endpoint = await openEndpoint({
    ...DOWN,
    ...memoryOf(() =>
      Promise.resolve({ ...HEALTHY, state: "down", message: "refused" })
    ),
  });
  const remote = await ask(endpoint, "/up/deep", REMOTE);
  equal(remote.status, 503);
  const { version: _, ...said } = JSON.parse(remote.text);
  deepEqual(said, {
    status: "failed",
    failed: ["database", "memory", "fleet"],
  });
  for (
    const [address, headers] of [[LOCAL, {}], [REMOTE, KEY]] as const
  ) {
    const told = await ask(endpoint, "/up/deep", address, headers);
    equal(told.status, 503);
    const { checks } = JSON.parse(told.text);
    deepEqual(checks.catalog, { ok: true, detail: "read" });
    deepEqual(checks.memory, { ok: false, detail: "down: refused" });
    match(checks.database.detail, /^Internal error [0-9a-f]{8}/);
    ok(!told.text.includes("secret"));
  }
  equal(
    (await ask(endpoint, "/up/deep", REMOTE, { "x-api-key": "no" })).status,
    401,
  );
});

Deno.test("/up/deep is 200 with a stale catalog and a degraded memory, which still serve", async () => {
  await using endpoint = await openEndpoint(
    memoryOf(() =>
      Promise.resolve({ ...HEALTHY, state: "degraded", message: "slow" })
    ),
  );
  await endpoint.services.catalog.current();
  await endpoint.setRootsText("garbage");
  const { status, text } = await ask(endpoint, "/up/deep", LOCAL);
  equal(status, 200);
  const { checks } = JSON.parse(text);
  match(checks.catalog.detail, /^stale: .*JSON/);
  equal(checks.memory.detail, "degraded: slow");
});

Deno.test("a memory that hangs or throws is down in the report and the probe, and hangs neither", async () => {
  for (
    const [health, text] of [
      [() => new Promise<never>(() => {}), /within 2 s/],
      [() => Promise.reject(new Error("token abc")), /log has the reason/],
    ] as const
  ) {
    await using endpoint = await openEndpoint(memoryOf(health));
    const [report, probe] = await Promise.all([
      ask(endpoint, "/api/v1/health", REMOTE, KEY),
      ask(endpoint, "/up/deep", LOCAL),
    ]);
    const { status, memory, root_data_health } = JSON.parse(report.text);
    deepEqual([status, memory.state], ["warning", "down"]);
    equal(root_data_health.status, "ok");
    match(memory.message, text);
    ok(!report.text.includes("abc"));
    equal(probe.status, 503);
    deepEqual(JSON.parse(probe.text).failed, ["memory"]);
  }
});

Deno.test("get_system_health and GET health are one report", async () => {
  await using endpoint = await openEndpoint(
    memoryOf(() => Promise.resolve(HEALTHY)),
  );
  const query = await sessionQuery(endpoint, "gardener");
  await endpoint.call(query, "append_root_record", {
    collection: "free",
    data: {},
  });
  const { data } = await endpoint.call("", "get_system_health");
  const report = JSON.parse(
    (await ask(endpoint, "/api/v1/health", REMOTE, KEY)).text,
  );
  const still = (one: typeof report) => ({
    ...one,
    time: "",
    catalog: { ...one.catalog, age_seconds: 0 },
  });
  deepEqual(still(data), still(report));
  deepEqual(report.memory, HEALTHY);
  equal(report.status, "ok");
  const reads = await endpoint.tools("?tool_groups=health_readonly");
  deepEqual(reads[0], "get_system_health");
});

Deno.test("get_system_health stays compact with many namespaces, and verbose lists them all", async () => {
  await using endpoint = await openEndpoint();
  await endpoint.test.db.write(
    `insert into agent_root_record_counters (namespace, collection, records_count, data_bytes)
     select 'n' || n, 'c', 1, n from generate_series(1, 120) n`,
  );
  const compact = (await endpoint.call("", "get_system_health")).data
    .root_data_health;
  deepEqual(
    [compact.namespaces.length, compact.namespaces_omitted],
    [50, 70],
  );
  equal(compact.namespaces[0].namespace, "n120");
  const all = (await endpoint.call("", "get_system_health", { verbose: true }))
    .data.root_data_health;
  deepEqual([all.namespaces.length, all.namespaces_omitted], [120, 0]);
});

Deno.test("/metrics opens to programs on this machine and to API keys, not to what a proxy passes on", async () => {
  await using endpoint = await openEndpoint();
  const { token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const cases: [string, Record<string, string>, number][] = [
    [LOCAL, {}, 200],
    [LOCAL, { "x-api-key": "wrong" }, 401],
    ["::1", {}, 200],
    ["::ffff:127.0.0.1", {}, 200],
    [REMOTE, {}, 401],
    [REMOTE, KEY, 200],
    [REMOTE, { authorization: `Bearer ${token}` }, 403],
    [LOCAL, { "x-forwarded-for": REMOTE }, 401],
    [LOCAL, { forwarded: `for=${REMOTE}` }, 401],
    [LOCAL, { "x-forwarded-for": REMOTE, ...KEY }, 200],
  ];
  for (const [address, headers, status] of cases) {
    const { status: actual } = await ask(
      endpoint,
      "/metrics",
      address,
      headers,
    );
    equal(actual, status, JSON.stringify([address, headers]));
  }
  await using named = await openEndpoint({ allowedHosts: ["*"] });
  const foreign = { host: "rootcellar.example" };
  equal((await ask(named, "/metrics", LOCAL, foreign)).status, 401);
  const wrong = await endpoint.fetch("/metrics", { method: "POST" }, LOCAL);
  deepEqual([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"]);
  await wrong.body?.cancel();
});

Deno.test("calls, refusals, requests and states are counted, in labels that no caller chooses", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const put = (args: unknown) => endpoint.call(query, "put_root_record", args);
  await put({ collection: "free", key: "k", data: {} });
  await put({ collection: "free", key: "k", data: {}, evil: 1 });
  await put({ collection: "free", key: "\u0000", data: {} });
  await endpoint.rpc(query, {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "evil_tool", arguments: {} },
  });
  await ask(endpoint, "/api/v1/sessions/evil_slug", REMOTE, KEY);
  await ask(endpoint, "/evil_path", REMOTE, KEY);
  await ask(endpoint, "/api/v1/health", REMOTE, { "x-api-key": "evil_key" });
  const response = await endpoint.fetch("/up", { method: "EVIL" });
  await response.body?.cancel();
  ok(!(await metrics(endpoint)).includes("\nrootcellar_sweep_last_run"));
  endpoint.handler.metrics.swept({
    isSkipped: false,
    deleted: 7,
    batches: 1,
    isTimedOut: false,
    recounted: 1,
    drift: [{
      namespace: "evil_namespace",
      collection: "c",
      records: { before: 1, after: 2 },
      bytes: { before: 1, after: 2 },
    }],
    elapsedMs: 3,
  });
  endpoint.handler.metrics.swept(undefined);
  const { headers } = await ask(endpoint, "/metrics", LOCAL);
  match(headers.get("content-type") ?? "", /^text\/plain; version=/);
  const text = await metrics(endpoint);
  for (
    const line of [
      'rootcellar_tool_calls_total{tool="put_root_record",outcome="ok"} 1',
      'rootcellar_tool_calls_total{tool="put_root_record",outcome="refused"} 2',
      'rootcellar_tool_call_duration_seconds_count{tool="put_root_record"} 3',
      'rootcellar_refusals_total{reason="invalid_call"} 1',
      'rootcellar_refusals_total{reason="unstorable_data"} 1',
      'rootcellar_refusals_total{reason="not_found"} 2',
      'rootcellar_refusals_total{reason="unauthorized"} 1',
      'rootcellar_http_requests_total{route="/mcp",method="POST",status="200"} 4',
      'rootcellar_http_requests_total{route="/api/v1/sessions/:session",method="GET",status="404"} 1',
      'rootcellar_http_requests_total{route="none",method="GET",status="404"} 1',
      'rootcellar_http_requests_total{route="/up",method="other",status="405"} 1',
      'rootcellar_http_request_duration_seconds_count{route="/mcp"} 4',
      'rootcellar_sweeps_total{outcome="done"} 1',
      'rootcellar_sweeps_total{outcome="failed"} 1',
      "rootcellar_sweep_deleted_records_total 7",
      "rootcellar_sweep_corrected_counters_total 1",
      'rootcellar_catalog_state{state="fresh"} 1',
      'rootcellar_catalog_state{state="stale"} 0',
    ]
  ) ok(text.includes(`${line}\n`), `${line}\n\n${text}`);
  match(text, /^process_resident_memory_bytes [0-9.e+]+$/m);
  match(text, /^rootcellar_sweep_last_run_timestamp_seconds [0-9.]+$/m);
  ok(!text.includes("evil"), text);
});
