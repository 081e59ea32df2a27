import { deepEqual, equal, match, ok } from "node:assert/strict";
import { startSession } from "../support/sessions.ts";
import { BASE_GROUPS } from "../../mcp/tools/groups.ts";
import { TOOLS } from "../../mcp/tools/registry.ts";
import { API_KEY, openEndpoint, sessionQuery } from "../support/endpoint.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

function initialize(version: string) {
  return {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: "t", version: "0" },
    },
  };
}

/** A request of the 2026-07-28 revision. */
function modern(method: string, params: Record<string, unknown> = {}) {
  return {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "t", version: "0" },
      },
    },
  };
}

function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "x-api-key": API_KEY,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  };
}

Deno.test("a request without a good credential is refused before its body is read", async () => {
  await using endpoint = await openEndpoint({
    apiKeys: [" one ", "two"].map((key) => key.trim()),
  });
  const cases: [Record<string, string>, number][] = [
    [{}, 401],
    [{ "x-api-key": "wrong" }, 401],
    [{ "x-api-key": "one" }, 200],
    [{ authorization: "Bearer two" }, 200],
    [{ authorization: "bEaReR  two " }, 200],
    [{ "x-api-key": "  ", authorization: "Bearer one" }, 200],
    [{ "x-api-key": "wrong", authorization: "Bearer one" }, 401],
    [{ authorization: "Basic one" }, 401],
    [{ authorization: "Bearer rcs_1_nonsense" }, 401],
    [{ "x-api-key": "on" }, 401],
  ];
  for (const [headers, status] of cases) {
    const response = await endpoint.fetch("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(PING),
    });
    equal(response.status, status, JSON.stringify(headers));
    const body = await response.json();
    if (status === 401) {
      match(response.headers.get("www-authenticate") ?? "", /^Bearer /);
      ok(
        !response.headers.get("www-authenticate")?.includes(
          "resource_metadata",
        ),
      );
      deepEqual(body.messages, [body.message]);
    }
  }
  let isRead = false;
  const body = new ReadableStream({
    pull() {
      isRead = true;
    },
  }, { highWaterMark: 0 });
  const response = await endpoint.fetch("/mcp", { method: "POST", body });
  equal(response.status, 401);
  await response.body?.cancel();
  ok(!isRead);
});

Deno.test("without any key nothing is open", async () => {
  await using endpoint = await openEndpoint({ apiKeys: [] });
  for (const key of ["", "undefined", "x"]) {
    const response = await endpoint.fetch("/mcp", {
      method: "POST",
      headers: { "x-api-key": key },
      body: "{}",
    });
    equal(response.status, 401);
    await response.body?.cancel();
  }
});

Deno.test("a session's token is that session, in its groups, until it is archived", async () => {
  await using endpoint = await openEndpoint();
  const { session, token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
    toolGroups: ["root_data_readonly"],
  });
  const bearer = { authorization: `Bearer ${token}` };
  const post = (query: string, message: unknown) =>
    endpoint.fetch(`/mcp${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...bearer },
      body: JSON.stringify(message),
    });
  const names = async (query: string) => {
    const { result } = await (await post(query, LIST)).json();
    return result.tools.length;
  };
  equal(await names(""), 3);
  equal(await names("?tool_groups=root_data"), 3);
  equal(await names("?tool_groups=sessions"), 0);
  equal(await names(`?session_id=${session.id}`), 3);
  const other = await post("?session_id=999", LIST);
  equal(other.status, 403);
  match(
    (await other.json()).message,
    /proves session \d+, and the URL names another/,
  );
  const listed = await endpoint.call("", "list_root_collections", {}, bearer);
  equal(listed.data.namespace, "gardener");
  const { archiveSession } = await import("../support/sessions.ts");
  await archiveSession(endpoint.test.db, session.id);
  const ended = await post("", LIST);
  equal(ended.status, 401);
  await ended.body?.cancel();
});

Deno.test("initialize echoes a known version and offers the latest otherwise", async () => {
  await using endpoint = await openEndpoint();
  for (
    const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
  ) {
    const { result } = await (await endpoint.rpc("", initialize(version)))
      .json();
    equal(result.protocolVersion, version);
    deepEqual(result.capabilities.tools, { listChanged: false });
    equal(result.serverInfo.name, "rootcellar");
  }
  const { result } = await (await endpoint.rpc("", initialize("1999-01-01")))
    .json();
  equal(result.protocolVersion, "2025-11-25");
});

Deno.test("both eras list and call over one endpoint, in plain JSON", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const old = await endpoint.rpc(query, LIST);
  match(old.headers.get("content-type") ?? "", /^application\/json/);
  equal((await old.json()).result.tools.length, 6);
  const send = (
    method: string,
    params: Record<string, unknown>,
    name?: string,
  ) =>
    endpoint.fetch(`/mcp${query}`, {
      method: "POST",
      headers: modernHeaders(method, name),
      body: JSON.stringify(modern(method, params)),
    });
  const listed = await send("tools/list", {});
  match(listed.headers.get("content-type") ?? "", /^application\/json/);
  const { result } = await listed.json();
  equal(result.tools.length, 6);
  equal(result.resultType, "complete");
  equal(result.cacheScope, "private");
  ok(result.ttlMs > 0);
  const called = await send("tools/call", {
    name: "list_root_collections",
    arguments: {},
  }, "list_root_collections");
  equal((await called.json()).result.structuredContent.namespace, "gardener");
  const discovered = await send("server/discover", {});
  deepEqual((await discovered.json()).result.supportedVersions, ["2026-07-28"]);
});

Deno.test("what is not a message is refused by the JSON-RPC rules, without an id", async () => {
  await using endpoint = await openEndpoint();
  const cases: [string, number, number][] = [
    ["{", 400, -32700],
    ["", 400, -32700],
    ["[]", 400, -32600],
    [JSON.stringify([PING, PING]), 400, -32600],
    ['"x"', 400, -32600],
    ["null", 400, -32600],
    ["{}", 400, -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
    ["[".repeat(100), 400, -32600],
    [`{"a":${"[".repeat(70)}${"]".repeat(70)}}`, 400, -32600],
  ];
  for (const [body, status, code] of cases) {
    const response = await endpoint.rpc("", body);
    equal(response.status, status, body.slice(0, 50));
    const answer = await response.json();
    equal(answer.error.code, code, body.slice(0, 50));
    ok(answer.id === undefined || answer.id === 1, body.slice(0, 50));
  }
});

Deno.test("ids come back exactly as they were sent", async () => {
  await using endpoint = await openEndpoint();
  for (const id of [1, 0, -7, "1", "", "ü", 9007199254740991]) {
    const response = await endpoint.rpc("", { ...PING, id });
    deepEqual(await response.json(), { jsonrpc: "2.0", id, result: {} });
  }
});

Deno.test("a notification is answered 202 without a body", async () => {
  await using endpoint = await openEndpoint();
  const response = await endpoint.rpc("", {
    jsonrpc: "2.0",
    method: "notifications/initialized",
  });
  equal(response.status, 202);
  equal(await response.text(), "");
});

Deno.test("an unknown method is -32601, also subscriptions", async () => {
  await using endpoint = await openEndpoint();
  for (const method of ["nope", "resources/subscribe", "logging/setLevel"]) {
    const { error } = await (await endpoint.rpc("", { ...PING, method }))
      .json();
    equal(error.code, -32601);
  }
});

Deno.test("[case 58] a tool that the connection does not see is as unknown as one that never was", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener", "root_data_readonly");
  const call = async (name: string) => {
    const response = await endpoint.rpc(query, {
      ...PING,
      method: "tools/call",
      params: { name, arguments: {} },
    });
    const { error } = await response.json();
    return [error.code, error.message.replace(name, "X")];
  };
  deepEqual(await call("put_root_record"), [-32602, "Tool not found: X"]);
  deepEqual(await call("no_such_tool"), [-32602, "Tool not found: X"]);
});

Deno.test("[cases 57, 58, 59] groups show their tools in registry order", async () => {
  await using endpoint = await openEndpoint();
  const namesOf = (group: string) =>
    TOOLS.filter((tool) => tool.group === group).map((tool) => tool.name);
  const all = namesOf("root_data");
  const reads = all.slice(0, 3);
  const namesIf = (holds: (tool: typeof TOOLS[number]) => boolean) =>
    TOOLS.filter(holds).map(({ name }) => name);
  const base = namesIf(({ group }) => BASE_GROUPS.includes(group));
  const own = namesIf(({ composites = [] }) =>
    composites.includes("self_session")
  );
  const cases: [string, string[]][] = [
    ["", base],
    ["?tool_groups=", base],
    ["?tool_groups=,", base],
    ["?tool_groups=root_data,health", [...namesOf("health"), ...all]],
    ["?tool_groups=root_data", all],
    ["?tool_groups=root_data_readonly", reads],
    ["?tool_groups=root_data_readonly,root_data", all],
    ["?tool_groups=%20root_data%20,,root_data", all],
    ["?tool_groups=memory,root_data", [...all, ...namesOf("memory")]],
    ["?tool_groups=ROOT_DATA", []],
    ["?tool_groups=nope", []],
    ["?tool_groups=nope,root_data_readonly", reads],
    ["?tool_groups=self_session", own],
    ["?tool_groups=self_session,root_data", [...own, ...all]],
  ];
  for (const [query, names] of cases) {
    deepEqual(await endpoint.tools(query), names, query);
  }
  const warnings = endpoint.logged.filter((line) =>
    line.includes("unknown_tool_groups")
  );
  equal(warnings.length, 2); // "ROOT_DATA" once, "nope" once.
});

Deno.test("methods other than POST are 405 with Allow, and 401 without a credential", async () => {
  await using endpoint = await openEndpoint();
  for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
    const response = await endpoint.fetch("/mcp", {
      method,
      headers: { "x-api-key": API_KEY },
    });
    equal(response.status, 405);
    equal(response.headers.get("allow"), "POST");
    await response.body?.cancel();
    const closed = await endpoint.fetch("/mcp", { method });
    equal(closed.status, 401);
    await closed.body?.cancel();
  }
});

Deno.test("any Accept header is served; another content type is 415", async () => {
  await using endpoint = await openEndpoint();
  const send = (headers: Record<string, string>) =>
    endpoint.fetch("/mcp", {
      method: "POST",
      headers: {
        "x-api-key": API_KEY,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(PING),
    });
  for (
    const accept of [
      "*/*",
      "application/json",
      "text/html",
      "text/event-stream",
    ]
  ) {
    const response = await send({ accept });
    equal(response.status, 200);
    deepEqual((await response.json()).result, {});
  }
  const wrong = await send({ "content-type": "text/plain" });
  equal(wrong.status, 415);
  await wrong.body?.cancel();
});

Deno.test("an unsupported protocol version header is 400, except on the handshake", async () => {
  await using endpoint = await openEndpoint();
  const send = (version: string, message: unknown) =>
    endpoint.fetch("/mcp", {
      method: "POST",
      headers: {
        "x-api-key": API_KEY,
        "content-type": "application/json",
        "mcp-protocol-version": version,
      },
      body: JSON.stringify(message),
    });
  const bad = await send("1999-01-01", PING);
  equal(bad.status, 400);
  match((await bad.json()).error.message, /Unsupported/);
  const good = await send("2025-06-18", PING);
  equal(good.status, 200);
  await good.body?.cancel();
  const hello = await send("1999-01-01", initialize("2025-06-18"));
  equal(hello.status, 200);
  await hello.body?.cancel();
});

Deno.test("a body over 4 MiB is 413, whether it says its length or not", async () => {
  await using endpoint = await openEndpoint();
  const big = new Uint8Array(5 * 1024 * 1024).fill(0x20);
  for (const body of [big, new Blob([big]).stream()]) {
    const response = await endpoint.fetch("/mcp", {
      method: "POST",
      headers: { "x-api-key": API_KEY, "content-type": "application/json" },
      body,
    });
    equal(response.status, 413);
    await response.body?.cancel();
  }
});

Deno.test("a foreign host or origin is refused, ports do not matter", async () => {
  await using endpoint = await openEndpoint();
  const send = (headers: Record<string, string>) =>
    endpoint.fetch("/mcp", {
      method: "POST",
      headers: {
        "x-api-key": API_KEY,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(PING),
    });
  const cases: [Record<string, string>, number][] = [
    [{ host: "localhost:9999" }, 200],
    [{ host: "evil.example" }, 403],
    [{ origin: "http://localhost:5173" }, 200],
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "null" }, 403],
  ];
  for (const [headers, status] of cases) {
    const response = await send(headers);
    equal(response.status, status, JSON.stringify(headers));
    equal(
      response.headers.get("access-control-allow-origin"),
      status === 200 && headers.origin !== undefined ? headers.origin : null,
    );
    await response.body?.cancel();
  }
  const preflight = await endpoint.fetch("/mcp", {
    method: "OPTIONS",
    headers: {
      origin: "http://localhost:6274",
      "access-control-request-method": "POST",
    },
  });
  equal(preflight.status, 204);
  match(
    preflight.headers.get("access-control-allow-headers") ?? "",
    /mcp-protocol-version/,
  );
});

Deno.test("arguments are checked before the tool runs, and each fault is named", async () => {
  await using endpoint = await openEndpoint();
  const query = "?tool_groups=root_data"; // No session: the tool itself would refuse.
  const cases: [string, unknown, RegExp][] = [
    ["get_root_record", {}, /^Missing required arguments: collection$/],
    [
      "put_root_record",
      { key: "k" },
      /^Missing required arguments: collection, data$/,
    ],
    [
      "get_root_record",
      { collection: true },
      /^Invalid arguments: collection must be string \(this is true\)$/,
    ],
    [
      "get_root_record",
      { collection: "c", nope: 1 },
      /^Unknown argument "nope"; get_root_record takes: collection, key, id$/,
    ],
    [
      "list_root_collections",
      { x: 1 },
      /^Unknown argument "x"; list_root_collections takes none$/,
    ],
    [
      "search_root_records",
      { collection: "c", order: "best" },
      /order must be equal to one of the allowed values: newest, oldest, recently_updated/,
    ],
    [
      "put_root_record",
      { collection: "c", key: "k", data: [] },
      /data must be object/,
    ],
    [
      "put_root_record",
      { collection: "c", key: "k".repeat(201), data: {} },
      /key is 201 characters; the limit is 200/,
    ],
    ["get_root_record", { collection: "c", id: 1.5 }, /id must be integer/],
  ];
  for (const [name, args, text] of cases) {
    const answer = await endpoint.call(query, name, args);
    ok(answer.isError);
    match(answer.text, text);
  }
});

Deno.test("a fault of the database reaches no client, only the log", async () => {
  const secret = "hunter2-in-a-dsn";
  await using endpoint = await openEndpoint({
    store: {
      isEmbedded: false,
      db: () =>
        Promise.reject(
          new Error(`connect postgres://u:${secret}@db.internal failed`),
        ),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
  const answer = await endpoint.call(
    "?tool_groups=root_data&session_id=1",
    "list_root_collections",
  );
  ok(answer.isError);
  match(answer.text, /^Internal error [0-9a-f]{8}/);
  const reference = /[0-9a-f]{8}/.exec(answer.text)?.[0] ?? "?";
  const line = endpoint.logged.find((line) => line.includes(reference));
  ok(
    line !== undefined && !line.includes(secret) &&
      line.includes("db.internal"),
  );
  const token = await endpoint.fetch("/mcp", {
    method: "POST",
    headers: { authorization: `Bearer rcs_1_${"A".repeat(43)}` },
    body: "{}",
  });
  equal(token.status, 500);
  ok(!(await token.text()).includes(secret));
});

Deno.test("200 requests of different sessions and scopes never see each other's", async () => {
  await using endpoint = await openEndpoint();
  const gardener = await sessionQuery(endpoint, "gardener");
  const librarian = await sessionQuery(
    endpoint,
    "librarian",
    "root_data_readonly",
  );
  await Promise.all(Array.from({ length: 200 }, async (_, n) => {
    if (n % 4 === 0) return equal((await endpoint.tools(gardener)).length, 6);
    if (n % 4 === 1) return equal((await endpoint.tools(librarian)).length, 3);
    const query = n % 4 === 2 ? gardener : librarian;
    const { data } = await endpoint.call(query, "list_root_collections");
    equal(data.namespace, n % 4 === 2 ? "gardener" : "librarian");
  }));
});

Deno.test("/up needs no key; other paths say where MCP is", async () => {
  await using endpoint = await openEndpoint();
  equal((await (await endpoint.fetch("/up")).json()).status, "ok");
  const lost = await endpoint.fetch("/sse");
  equal(lost.status, 404);
  match((await lost.json()).message, /POST \/mcp/);
});

Deno.test("a Host header that holds more than a host is refused before it says where to go", async () => {
  await using endpoint = await openEndpoint({ allowedHosts: ["*"] });
  const hosts = [
    "localhost/mcp?tool_groups=root_data&session_id=1&x=",
    "localhost/evil",
    "user@localhost",
    "localhost?x",
    "localhost#x",
    "a b",
    "localhost:99999999",
  ];
  for (const host of hosts) {
    const response = await endpoint.fetch("/api/v1/health", {
      headers: { host, "x-api-key": API_KEY },
    });
    equal(response.status, 400, host);
    match((await response.json()).message, /Host header must be a host name/);
  }
  for (
    const host of [
      "localhost",
      "LOCALHOST:80",
      "[::1]:7668",
      "my_host.internal",
    ]
  ) {
    const response = await endpoint.fetch("/api/v1/health", {
      headers: { host, "x-api-key": API_KEY },
    });
    equal(response.status, 200, host);
    await response.body?.cancel();
  }
});

Deno.test("a token with a blank session_id in the URL is that session", async () => {
  await using endpoint = await openEndpoint();
  const { token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const answer = await endpoint.call(
    "?session_id=",
    "list_root_collections",
    {},
    {
      authorization: `Bearer ${token}`,
    },
  );
  equal(answer.data.namespace, "gardener");
});

Deno.test("numbers beyond what the database counts with are the caller's mistake", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const far = await endpoint.call(query, "search_root_records", {
    collection: "free",
    offset: 1e20,
  });
  match(
    far.text,
    /^Invalid arguments: offset must be <= 10000 \(this is 100000000000000000000\)$/,
  );
  const id = await endpoint.call(query, "get_root_record", {
    collection: "free",
    id: 1e20,
  });
  match(id.text, /^Invalid arguments: id must be/);
});
