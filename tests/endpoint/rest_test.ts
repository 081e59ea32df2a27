import { deepEqual, equal, match, ok } from "node:assert/strict";
import { StoreUnavailableError } from "../../store/errors.ts";
import { startSession } from "../support/sessions.ts";
import { openTestDb } from "../support/test_db.ts";
import {
  API_KEY,
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";

const KEY = { "x-api-key": API_KEY };

async function get(endpoint: TestEndpoint, path: string) {
  const response = await endpoint.fetch(`/api/v1${path}`, { headers: KEY });
  return { status: response.status, body: await response.json() };
}

async function post(endpoint: TestEndpoint, path: string, body?: unknown) {
  const response = await endpoint.fetch(`/api/v1${path}`, {
    method: "POST",
    headers: { ...KEY, "content-type": "application/json" },
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("a session is registered, shown, listed and archived over REST, and its token works between", async () => {
  await using endpoint = await openEndpoint();
  const made = await post(endpoint, "/sessions", {
    agent_root: "gardener",
    title: "By hand",
    slug: "by-hand",
    tool_groups: ["root_data"],
    custom_metadata: { ticket: 7 },
  });
  equal(made.status, 201);
  const { session, token, connection } = made.body;
  deepEqual(
    [session.agent_root, session.title, session.status, session.has_token],
    ["gardener", "By hand", "waiting", true],
  );
  deepEqual(session.custom_metadata, { ticket: 7 });
  deepEqual(connection.entry.mcpServers.rootcellar, {
    type: "http",
    url: "http://localhost/mcp?tool_groups=root_data",
    headers: { Authorization: `Bearer ${token}` },
    alwaysLoad: true,
  });
  const bearer = { authorization: `Bearer ${token}` };
  const put = () =>
    endpoint.call("", "append_root_record", {
      collection: "free",
      data: {},
    }, bearer);
  equal((await put()).isError, false);

  deepEqual((await get(endpoint, "/sessions/by-hand")).body.session, session);
  const list = await get(endpoint, "/sessions?agent_root=gardener&per_page=1");
  deepEqual(list.body, {
    sessions: [session],
    pagination: { page: 1, per_page: 1, total_count: 1, total_pages: 1 },
  });

  const archived = await post(endpoint, `/sessions/${session.id}/archive`);
  equal(archived.status, 200);
  deepEqual(
    [archived.body.session.status, archived.body.session.has_token],
    ["archived", false],
  );
  const again = await post(endpoint, `/sessions/${session.id}/archive`, {});
  deepEqual(
    again.body.session.archived_at,
    archived.body.session.archived_at,
  );
  deepEqual((await get(endpoint, "/sessions")).body.sessions, []);
  equal(
    (await get(endpoint, "/sessions?include_archived=true")).body.sessions
      .length,
    1,
  );
  const closed = await endpoint.fetch("/mcp", {
    method: "POST",
    headers: bearer,
    body: "{}",
  });
  equal(closed.status, 401);
  await closed.body?.cancel();
});

Deno.test("a session's connection entry carries the key that asks, in each client's form", async () => {
  await using endpoint = await openEndpoint();
  const { session } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const path = `/sessions/${session.id}/connection`;
  const own = await get(endpoint, path);
  equal(own.body.session_id, session.id);
  deepEqual(own.body.connection.entry.mcpServers.rootcellar, {
    type: "http",
    url:
      `http://localhost/mcp?tool_groups=root_data,memory,self_session&session_id=${session.id}`,
    headers: { "X-API-Key": API_KEY },
    alwaysLoad: true,
  });
  const codex = await get(
    endpoint,
    `${path}?client=codex&tool_groups=root_data_readonly,health`,
  );
  equal(codex.body.connection.entry, null);
  match(
    codex.body.connection.text,
    /^\[mcp_servers\.rootcellar\]\nurl = ".*tool_groups=root_data_readonly,health&/,
  );
  const behindTls = await endpoint.fetch(`/api/v1${path}`, {
    headers: { ...KEY, "x-forwarded-proto": "https" },
  });
  match((await behindTls.json()).connection.text, /"https:\/\/localhost\/mcp/);
  const unknown = await get(endpoint, `${path}?tool_groups=root_dat`);
  equal(unknown.status, 422);
  match(unknown.body.message, /has no group "root_dat"; groups: sessions/);
  await post(endpoint, `/sessions/${session.id}/archive`);
  equal((await get(endpoint, path)).status, 409);
});

Deno.test("where only tokens open root data, no entry with a key is handed out", async () => {
  await using endpoint = await openEndpoint({ requireSessionToken: true });
  const { session } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const refused = await get(endpoint, `/sessions/${session.id}/connection`);
  equal(refused.status, 409);
  match(refused.body.message, /only to session tokens/);
});

Deno.test("records are read over REST exactly as the tools show them", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  for (const n of [1, 2, 3]) {
    await endpoint.call(query, "put_root_record", {
      collection: "free",
      key: `k/${n}`,
      data: { n, odd: n % 2 === 1 },
    });
  }
  const address = "namespace=gardener&collection=free";
  const page = await get(
    endpoint,
    `/root_data/records?${address}&order=oldest&limit=1&filter=${
      encodeURIComponent('{"odd":true}')
    }`,
  );
  const { data } = await endpoint.call(query, "search_root_records", {
    collection: "free",
    order: "oldest",
    limit: 1,
    filter: { odd: true },
  });
  deepEqual(page.body, { namespace: "gardener", ...data });
  equal(page.body.total, 2);
  const one = await get(endpoint, `/root_data/record?${address}&key=k%2F2`);
  const { data: same } = await endpoint.call(query, "get_root_record", {
    collection: "free",
    key: "k/2",
  });
  deepEqual(one.body, { namespace: "gardener", ...same });
  const missing = await get(endpoint, `/root_data/record?${address}&key=no`);
  equal(missing.status, 404);
  match(missing.body.message, /no record with key "no"/);

  const namespaces = await get(endpoint, "/root_data/namespaces");
  equal(namespaces.body.namespaces[0].namespace, "gardener");
  equal(namespaces.body.namespaces[0].records, 3);
  const collections = await get(
    endpoint,
    "/root_data/collections?namespace=gardener",
  );
  deepEqual(collections.body.agent_roots, ["gardener", "shed"]);
  deepEqual(
    collections.body.collections.map((
      one: { name: string; declared_by: string[]; records: number },
    ) => [one.name, one.declared_by, one.records]),
    [
      ["free", ["gardener", "shed"], 3],
      ["notes", ["gardener"], 0],
      ["runs", ["gardener"], 0],
    ],
  );
  equal(
    (await get(endpoint, "/root_data/collections?namespace=nowhere")).status,
    404,
  );
});

Deno.test("the catalog is shown with its state and its roots in pages", async () => {
  await using endpoint = await openEndpoint();
  const roots = await get(endpoint, "/catalog/roots?per_page=3&page=2");
  deepEqual(
    roots.body.roots.map((one: { name: string }) => one.name),
    ["shed"],
  );
  deepEqual(roots.body.pagination, {
    page: 2,
    per_page: 3,
    total_count: 4,
    total_pages: 2,
  });
  const catalog = await get(endpoint, "/catalog");
  deepEqual([catalog.body.state, catalog.body.roots], ["fresh", 4]);
});

Deno.test("every wrong argument is refused by name in the one envelope", async () => {
  await using endpoint = await openEndpoint();
  const cases: [string, number, RegExp][] = [
    [
      "/sessions?nope=1",
      422,
      /Unknown argument "nope"; GET \/api\/v1\/sessions takes: status/,
    ],
    ["/sessions?status=open", 422, /status must be equal to one of.*running/],
    [
      "/sessions?page=0&per_page=1000",
      422,
      /page must be >= 1.*per_page must be <= 100/,
    ],
    ["/sessions?page=1&page=2", 422, /"page" is given more than once/],
    ["/sessions?agent_root=%00", 422, /"agent_root" holds the NUL character/],
    ["/sessions/1?session=2", 422, /"session" is part of the path/],
    ["/sessions/4711", 404, /Session not found: 4711/],
    ["/sessions/%00", 404, /Session not found/],
    ["/sessions/%E0%A4%A", 404, /Session not found/],
    [
      "/root_data/records?namespace=x",
      422,
      /Missing required arguments: collection/,
    ],
    [
      "/root_data/records?namespace=X&collection=a",
      422,
      /Namespace "X" cannot exist/,
    ],
    [
      "/root_data/records?namespace=x&collection=A",
      422,
      /Collection "A" cannot exist/,
    ],
    [
      "/root_data/records?namespace=x&collection=a&filter=[]",
      422,
      /filter must be object/,
    ],
    [
      "/root_data/records?namespace=x&collection=a&limit=101",
      422,
      /limit must be <= 100/,
    ],
    ["/root_data/record?namespace=x&collection=a", 422, /Pass key or id/],
    [
      "/root_data/record?namespace=x&collection=a&id=1.5",
      422,
      /id must be integer/,
    ],
    ["/health?verbose=true", 422, /takes none/],
    ["/nowhere", 404, /nothing here/],
  ];
  for (const [path, status, text] of cases) {
    const refused = await get(endpoint, path);
    equal(refused.status, status, `${path}: ${JSON.stringify(refused.body)}`);
    match(refused.body.message, text);
    deepEqual(Object.keys(refused.body), ["error", "message", "messages"]);
    ok(refused.body.messages.length > 0);
  }
  const two = await get(endpoint, "/sessions?page=0&per_page=1000");
  equal(two.body.messages.length, 2);
});

Deno.test("a body that is wrong registers nothing and says what is wrong", async () => {
  await using endpoint = await openEndpoint();
  const cases: [unknown, number, RegExp][] = [
    ["{", 400, /not valid JSON/],
    ["[]", 422, /must be a JSON object/],
    [`{"a":${"[".repeat(80)}${"]".repeat(80)}}`, 400, /deeper than 64/],
    ["x".repeat(4 * 1024 * 1024 + 1), 413, /larger than 4 MiB/],
    [{}, 422, /Missing required arguments: agent_root/],
    [
      { agent_root: "nobody" },
      422,
      /not in the catalog.*it has: bare, gardener/,
    ],
    [{ agent_root: "gardener", tool_groups: ["nope"] }, 422, /tool_groups/],
    [{ agent_root: "gardener", slug: "12" }, 422, /A slug has/],
    [{ agent_root: "gardener", title: "x".repeat(101) }, 422, /A title has/],
    [{ agent_root: "gardener", title: "\u0000" }, 422, /NUL/],
    [
      { agent_root: "gardener", parent_session_id: 99 },
      404,
      /named as the parent/,
    ],
    [
      { agent_root: "gardener", custom_metadata: { a: "\u0000" } },
      422,
      /at \/a it holds/,
    ],
    [
      { agent_root: "gardener", custom_metadata: { a: "x".repeat(40_000) } },
      413,
      /limit is 32768/,
    ],
    [
      { agent_root: "gardener", token: "mine" },
      422,
      /Unknown argument "token"/,
    ],
  ];
  for (const [body, status, text] of cases) {
    const refused = await post(endpoint, "/sessions", body);
    equal(refused.status, status, JSON.stringify(refused.body));
    match(refused.body.message, text);
  }
  const plain = await endpoint.fetch("/api/v1/sessions", {
    method: "POST",
    headers: KEY,
    body: '{"agent_root":"gardener"}',
  });
  equal(plain.status, 415);
  await plain.body?.cancel();
  const query = await post(endpoint, "/sessions?agent_root=gardener", {});
  match(query.body.message, /is in the query/);
  equal((await get(endpoint, "/sessions")).body.pagination.total_count, 0);
});

Deno.test("REST needs an API key before it says anything, and knows which methods it has", async () => {
  await using endpoint = await openEndpoint();
  const { session, token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const status = async (path: string, init: RequestInit) => {
    const response = await endpoint.fetch(path, init);
    const text = await response.text();
    return [response.status, response.headers.get("allow"), text] as const;
  };
  const bearer = { authorization: `Bearer ${token}` };
  for (
    const path of [
      "/health",
      "/catalog",
      "/sessions",
      `/sessions/${session.id}`,
      "/root_data/namespaces",
      "/root_data/records?namespace=gardener&collection=free",
      "/openapi.json",
    ]
  ) {
    equal((await status(`/api/v1${path}`, {}))[0], 401);
    const [code, , text] = await status(`/api/v1${path}`, { headers: bearer });
    equal(code, 403);
    match(text, /for operators/);
  }
  equal((await status("/api/v1/health", { method: "DELETE" }))[0], 401);
  const wrong = (path: string, method: string) =>
    status(path, { method, headers: KEY });
  deepEqual(
    (await wrong("/api/v1/health", "POST")).slice(0, 2),
    [405, "GET, HEAD"],
  );
  deepEqual(
    (await wrong("/api/v1/sessions", "DELETE")).slice(0, 2),
    [405, "GET, HEAD, POST"],
  );
  deepEqual(
    (await wrong("/api/v1/sessions/1/archive", "GET")).slice(0, 2),
    [405, "POST"],
  );
  deepEqual(
    (await wrong("/api/v1/openapi.json", "PUT")).slice(0, 2),
    [405, "GET, HEAD"],
  );
  const [head, , text] = await wrong("/api/v1/health", "HEAD");
  deepEqual([head, text], [200, ""]);
});

Deno.test("a database that fails is 503 in the envelope, and a bug is 500; neither says more", async () => {
  let error: Error = new Error("secret of a driver");
  await using endpoint = await openEndpoint({
    store: {
      isEmbedded: false,
      db: () => Promise.reject(error),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
  const broken = await get(endpoint, "/sessions");
  equal(broken.status, 500);
  equal(broken.body.error, "internal");
  match(broken.body.message, /^Internal error [0-9a-f]{8}/);
  ok(!JSON.stringify(broken.body).includes("secret"));
  error = new StoreUnavailableError("unreachable", "It cannot be reached", {
    cause: error,
  });
  const down = await get(endpoint, "/sessions");
  deepEqual([down.status, down.body.error], [503, "database_unreachable"]);
  ok(!JSON.stringify(down.body).includes("secret"));
});

Deno.test("no answer is kept by a cache, and one that asks to come back says when", async () => {
  let error: Error | undefined;
  await using test = await openTestDb();
  await using endpoint = await openEndpoint({
    test,
    store: {
      isEmbedded: false,
      db: () => error ? Promise.reject(error) : Promise.resolve(test.db),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
  const headersOf = async (path: string, init: RequestInit = {}) => {
    const response = await endpoint.fetch(`/api/v1${path}`, {
      headers: { ...KEY, "content-type": "application/json" },
      ...init,
    });
    await response.body?.cancel();
    const { status, headers } = response;
    return [status, headers.get("cache-control"), headers.get("retry-after")];
  };
  const body = JSON.stringify({ agent_root: "gardener" });
  const start = { method: "POST", body };
  // The answer that shows a session's token, above all.
  deepEqual(await headersOf("/sessions", start), [201, "no-store", null]);
  deepEqual(await headersOf("/sessions/1"), [200, "no-store", null]);
  deepEqual(await headersOf("/sessions/9"), [404, "no-store", null]);
  const wrong = { method: "POST", body: "{" };
  deepEqual(await headersOf("/sessions", wrong), [400, "no-store", null]);
  error = new StoreUnavailableError("unreachable", "It cannot be reached");
  deepEqual(await headersOf("/sessions"), [503, "no-store", "2"]);
  error = new Error("A bug");
  deepEqual(await headersOf("/sessions"), [500, "no-store", null]);
});
