import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  HAS_DEBIAN_POSTGRES,
  openDebianPostgres,
} from "../support/debian_postgres.ts";
import {
  mainFolder,
  openHome,
  runVerb,
  type ServerProcess,
  startServer,
} from "../support/process.ts";

const DEADLINE_MS = 120_000;
const NEEDS = HAS_DEBIAN_POSTGRES
  ? ""
  : " (skipped: Debian's postgresql-15 is not installed)";
const KEY = { "x-api-key": "k" };

/** Asks a server; the status and the body, parsed where it is JSON. */
async function ask(server: ServerProcess, path: string, body?: unknown) {
  const response = await fetch(new URL(path, server.url), {
    headers: { ...KEY, "content-type": "application/json" },
    ...(body === undefined
      ? {}
      : { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

/** Asks again and again until the answer is as it should be. */
async function until<T>(
  look: () => Promise<T>,
  isThere: (found: T) => boolean,
): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const found = await look();
    if (isThere(found)) return found;
    if (performance.now() > deadline) {
      throw new Error(`It did not come about: ${JSON.stringify(found)}`);
    }
  }
}

function events(log: string, name: string) {
  return log.split("\n").filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line)).filter(({ event }) => event === name);
}

Deno.test("SIGHUP reads the catalog at once, and a bad one keeps the last good one", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/roots.json`;
  const write = (text: string) => Deno.writeTextFile(path, text);
  await write('{"one": {"name": "one"}}');
  await using home = await openHome({
    API_KEYS: "k",
    CATALOG: path,
    CATALOG_REFRESH_SECONDS: "86400",
  });
  await using server = await startServer(home.env);
  const catalog = async () => (await ask(server, "/api/v1/catalog")).body;
  equal((await catalog()).roots, 1);
  await write('{"one": {"name": "one"}, "two": {"name": "two"}}');
  Deno.kill(server.pid, "SIGHUP");
  equal((await until(catalog, ({ roots }) => roots === 2)).state, "fresh");
  await write("garbage");
  Deno.kill(server.pid, "SIGHUP");
  const stale = await until(catalog, ({ state }) => state === "stale");
  equal(stale.roots, 2);
  equal(await server.stop(), 0);
  const log = await server.log;
  deepEqual(events(log, "catalog_reloaded").map((one) => one.roots), [2]);
  match(events(log, "catalog_not_reloaded")[0]?.reason, /JSON/);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("errors that nothing catches are logged with a reference, and the server goes on", async () => {
  await using home = await openHome({ API_KEYS: "k" });
  await using server = await startServer(
    home.env,
    [],
    { preload: mainFolder("tests/support/faults_on_signal.ts") },
  );
  const counted = (kind: string) => async () => {
    const { body } = await ask(server, "/metrics");
    return String(body).includes(
      `rootcellar_uncaught_errors_total{kind="${kind}"} 1\n`,
    );
  };
  Deno.kill(server.pid, "SIGUSR1");
  await until(counted("rejection"), Boolean);
  Deno.kill(server.pid, "SIGUSR2");
  await until(counted("error"), Boolean);
  equal((await ask(server, "/up/deep")).status, 200);
  equal(await server.stop(), 0);
  const logged = events(await server.log, "uncaught");
  deepEqual(
    logged.map(({ level, kind, error }) => [level, kind, error.message]),
    [
      ["error", "rejection", "a rejection for the test"],
      ["error", "error", "an error for the test"],
    ],
  );
  for (const { reference } of logged) match(reference, /^[0-9a-f]{8}$/);
});

Deno.test("doctor asks the server that runs, and tells a stranger on the port and an open key file", async () => {
  await using home = await openHome();
  await using server = await startServer(home.env);
  const doctor = async (port: string, env = {}) =>
    await runVerb(["doctor", "--port", port], { ...home.env, ...env });
  const { port } = new URL(server.url);
  const fine = await doctor(port);
  equal(fine.code, 0, fine.stdout);
  match(fine.stdout, /ok +server +127\.0\.0\.1:\d+ is served by Rootcellar/);
  match(fine.stdout, /ok +deep probe +the server reaches its parts/);
  await using stranger = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("hello"),
  );
  await Deno.chmod(`${home.home}/api-key`, 0o644);
  const odd = await doctor(String(stranger.addr.port));
  match(odd.stdout, /warning +server +.*not by a Rootcellar that answers/);
  match(odd.stdout, /warning +api keys +.*api-key is open to other users/);
  const wrongKey = await doctor(port, { API_KEYS: "other" });
  match(wrongKey.stdout, /warning +deep probe .*A valid API key/);
  equal(await server.stop(), 0);
});

Deno.test("Deno's OpenTelemetry sends a span for each request, and no credential", async () => {
  const { promise: span, resolve } = Promise.withResolvers<string>();
  await using collector = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const text = await request.text();
      if (request.url.endsWith("/v1/traces")) resolve(text);
      return Response.json({});
    },
  );
  await using home = await openHome({
    API_KEYS: "k-secret",
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  await using server = await startServer(home.env);
  const response = await fetch(new URL("/api/v1/health", server.url), {
    headers: { "x-api-key": "k-secret" },
  });
  await response.body?.cancel();
  const text = await span;
  match(text, /\/api\/v1\/health/);
  ok(!text.includes("k-secret"), text);
  equal(await server.stop(), 0);
});

Deno.test("SIGTERM lets a request under way finish, refuses new ones with 503, then ends", async () => {
  await using home = await openHome({ API_KEYS: "k" });
  await using server = await startServer(home.env);
  const { hostname, port, host } = new URL(server.url);
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  using slow = await Deno.connect({ hostname, port: Number(port) });
  const send = (text: string) => slow.write(new TextEncoder().encode(text));
  await send(
    `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nx-api-key: k\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${
      body.slice(0, 10)
    }`,
  );
  // Both come in on the one port in order, so the slow one is under way.
  equal((await ask(server, "/up")).status, 200);
  const ended = server.stop("SIGTERM");
  const refused = await until(
    () => ask(server, "/up"),
    ({ status }) => status === 503,
  );
  match(refused.body.message, /stopping/);
  await send(body.slice(10));
  const answer = new Uint8Array(4_096);
  const length = await slow.read(answer) ?? 0;
  match(
    new TextDecoder().decode(answer.subarray(0, length)),
    /^HTTP\/1.1 200 .*"result":\{\}/s,
  );
  equal(await ended, 0);
});

Deno.test({
  name:
    `a database that stops and starts again is survived, and every surface says so meanwhile${NEEDS}`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres();
    await using home = await openHome({
      API_KEYS: "k",
      DATABASE_URL: postgres.url,
    });
    await using server = await startServer(home.env);
    const made = await ask(server, "/api/v1/sessions", {
      agent_root: "gardener",
    });
    equal(made.status, 201);
    const { id } = made.body.session;
    const call = async (name: string, args: unknown = {}) =>
      (await ask(
        server,
        `/mcp?tool_groups=root_data,health&session_id=${id}`,
        {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: args },
        },
      )).body.result;
    const put = (key: string) =>
      call("put_root_record", { collection: "runs", key, data: {} });
    equal((await put("before")).structuredContent.result, "created");
    match(
      String((await ask(server, "/metrics")).body),
      /^rootcellar_database_connections_limit 5$/m,
    );

    await postgres.stop();
    const [tool, health, report, list, deep, up, metrics] = await Promise.all([
      put("meanwhile"),
      call("get_system_health"),
      ask(server, "/api/v1/health"),
      ask(server, "/api/v1/sessions"),
      ask(server, "/up/deep"),
      ask(server, "/up"),
      ask(server, "/metrics"),
    ]);
    ok(tool.isError);
    match(
      tool.content[0].text,
      /database cannot be reached|connection to the database broke/,
    );
    for (const one of [health.structuredContent, report.body]) {
      equal(one.status, "warning");
      equal(one.root_data_health.status, "unavailable");
      match(one.root_data_health.error, /^StoreUnavailableError: /);
    }
    equal(list.status, 503);
    match(list.body.error, /^database_/);
    equal(deep.status, 503);
    ok(deep.body.failed.includes("database"));
    // The local CortexDB lives in the same database: degraded, or down when it
    // does not even say so in time.
    match(deep.body.checks.memory.detail, /^(degraded|down): /);
    match(deep.body.checks.database.detail, /database/);
    deepEqual([up.status, metrics.status], [200, 200]);
    ok(!JSON.stringify([tool, report, list, deep]).includes("keeper"));

    await postgres.start();
    equal((await put("after")).structuredContent.result, "created");
    const back = await ask(server, "/up/deep");
    deepEqual([back.status, back.body.failed], [200, []]);
    equal((await ask(server, "/api/v1/health")).body.status, "ok");
    equal(await server.stop(), 0);
  },
});
