import { deepEqual, equal, match, ok } from "node:assert/strict";
import { API_KEY, openEndpoint } from "../support/endpoint.ts";
import { startSession } from "../support/sessions.ts";

const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

function modern(
  method: string,
  headers: Record<string, string> = {},
  meta: unknown = MODERN_META,
): RequestInit {
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": API_KEY,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "m",
      method,
      params: { _meta: meta },
    }),
  };
}

Deno.test("subscriptions/listen is refused at once, in both eras: no list ever changes", async () => {
  await using endpoint = await openEndpoint();
  const fresh = await endpoint.fetch("/mcp", modern("subscriptions/listen"));
  equal(fresh.status, 404);
  const { id, error } = await fresh.json();
  deepEqual([id, error.code], ["m", -32601]);
  const old = await endpoint.rpc("", {
    jsonrpc: "2.0",
    id: 1,
    method: "subscriptions/listen",
  });
  equal((await old.json()).error.code, -32601);
});

Deno.test("an error of the current revision carries the request's id or none, never null", async () => {
  await using endpoint = await openEndpoint();
  const cases: [RequestInit, number, number][] = [
    [modern("nope"), 404, -32601],
    [modern("ping"), 404, -32601],
    [modern("tools/list", { "mcp-method": "tools/call" }), 400, -32020],
    [
      modern("tools/list", { "mcp-protocol-version": "2099-01-01" }, {
        ...MODERN_META,
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
      }),
      400,
      -32022,
    ],
  ];
  for (const [init, status, code] of cases) {
    const response = await endpoint.fetch("/mcp", init);
    const answer = await response.json();
    equal(response.status, status, JSON.stringify(answer));
    equal(answer.error.code, code);
    equal(answer.id, "m");
  }
  const broken = await endpoint.fetch("/mcp", { ...modern("x"), body: "{" });
  ok(!("id" in await broken.json()));
});

Deno.test("a body that a refusal left unread is let go", async () => {
  await using endpoint = await openEndpoint();
  const key = { "x-api-key": API_KEY };
  const cases: [string, Record<string, string>, number][] = [
    ["PUT", key, 405],
    ["POST", { ...key, "content-type": "text/plain" }, 415],
    ["POST", { ...key, host: "evil.example" }, 403],
    ["POST", {}, 401],
    [
      "POST",
      { ...key, "content-type": "application/json", "content-length": "5e9" },
      413,
    ],
  ];
  for (const [method, headers, status] of cases) {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel() {
        isCancelled = true;
      },
    });
    const response = await endpoint.fetch("/mcp", { method, headers, body });
    equal(response.status, status);
    await response.body?.cancel();
    ok(isCancelled, `${method} ${status}`);
  }
});

Deno.test("OPTIONS without an origin is answered without CORS, and needs no key", async () => {
  await using endpoint = await openEndpoint();
  const response = await endpoint.fetch("/mcp", { method: "OPTIONS" });
  equal(response.status, 204);
  equal(response.headers.get("access-control-allow-origin"), null);
});

Deno.test("a request with members or parameters of a strange form is answered, not dropped", async () => {
  await using endpoint = await openEndpoint();
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const extra = await endpoint.rpc("", { ...ping, _meta: 0, extra: true });
  deepEqual((await extra.json()).result, {});
  const strange = await endpoint.rpc("", { ...ping, params: { _meta: 0 } });
  equal(strange.status, 400);
  equal((await strange.json()).error.code, -32600);
  const hello = await endpoint.rpc("", {
    ...ping,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {} },
  });
  const { error } = await hello.json();
  equal(error.code, -32602);
  match(error.message, /^Invalid params: params\.clientInfo: /);
});

/** Sends bytes to a real port, and reads what comes until the end. */
async function exchangeBytes(
  port: number,
  text: string,
  isCut: boolean,
): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  if (isCut) await connection.closeWrite();
  let answer = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  for (
    let read = await connection.read(buffer).catch(() => null);
    read !== null;
    read = await connection.read(buffer).catch(() => null)
  ) answer += decoder.decode(buffer.subarray(0, read));
  return answer;
}

Deno.test("a request that breaks off in its body harms nobody, and header names may have any case", async () => {
  await using endpoint = await openEndpoint();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, { remoteAddr }) =>
      endpoint.handler.fetch(request, remoteAddr.hostname),
  );
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const send = (length: number) =>
    exchangeBytes(
      server.addr.port,
      "POST /mcp HTTP/1.1\r\nHOST: localhost\r\nX-API-KEY: " + API_KEY +
        "\r\nCONTENT-TYPE: application/json\r\nConnection: close\r\n" +
        `cOnTeNt-LeNgTh: ${length}\r\n\r\n${ping}`,
      length > ping.length,
    );
  const whole = await send(ping.length);
  match(whole, /^HTTP\/1\.1 200/);
  match(whole, /"result":\{\}/);
  const cut = await send(ping.length + 100);
  ok(!/^HTTP\/1\.1 (200|5)/.test(cut), cut);
  equal(await send(ping.length), whole);
  deepEqual(endpoint.logged.filter((line) => /"error"/.test(line)), []);
});

Deno.test("a POST that has no body needs no Content-Type and no length, as curl sends it", async () => {
  await using endpoint = await openEndpoint();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, { remoteAddr }) =>
      endpoint.handler.fetch(request, remoteAddr.hostname),
  );
  const post = (path: string) =>
    exchangeBytes(
      server.addr.port,
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${API_KEY}` +
        "\r\nConnection: close\r\n\r\n",
      false,
    );
  const none = await post("/api/v1/sessions/404/archive");
  match(none, /^HTTP\/1\.1 404/);
  match(none, /Session not found: 404/);
  match(
    await post("/api/v1/sessions"),
    /Missing required arguments?: agent_root/,
  );
  match(await post("/mcp"), /^HTTP\/1\.1 415/);
});

Deno.test("a token opens its own session only, whatever the URL calls another one", async () => {
  await using endpoint = await openEndpoint();
  const { session, token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const list = async (query: string) => {
    const response = await endpoint.fetch(`/mcp${query}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    return [response.status, await response.text()] as const;
  };
  for (const own of ["", "?session_id=", `?session_id=${session.id}`]) {
    equal((await list(own))[0], 200, own);
  }
  for (const id of ["abc", "99", "-1", "1.0", "%00"]) {
    const [status, text] = await list(`?session_id=${id}`);
    equal(status, 403, id);
    match(text, /proves session 1, .* drop session_id/);
  }
});
