import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readMessage, tidied } from "./rpc.ts";

Deno.test("readMessage() leaves out members that JSON-RPC does not know", () => {
  const reading = readMessage({
    jsonrpc: "2.0",
    id: 1,
    method: "ping",
    params: {},
    _meta: 0,
    extra: [],
  });
  ok(reading.ok);
  deepEqual(reading.message, {
    jsonrpc: "2.0",
    id: 1,
    method: "ping",
    params: {},
  });
});

Deno.test("readMessage() refuses a form that the SDK would drop without an answer", () => {
  const reading = readMessage({
    jsonrpc: "2.0",
    id: 7,
    method: "ping",
    params: { _meta: "text" },
  });
  ok(!reading.ok);
  equal(reading.id, 7);
});

Deno.test("tidied() turns a report of the validator into invalid params", () => {
  const message = JSON.stringify([{
    path: ["params", "clientInfo"],
    message: "expected object",
  }]);
  deepEqual(
    tidied({ jsonrpc: "2.0", id: 1, error: { code: -32603, message } }),
    {
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32602,
        message: "Invalid params: params.clientInfo: expected object",
      },
    },
  );
});

Deno.test("tidied() keeps what was thrown to itself, and leaves other errors alone", () => {
  const thrown = tidied({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32603, message: "connect postgres://u:p@db failed" },
  });
  ok("error" in thrown);
  equal(thrown.error.message, "Internal error");
  const other = { code: -32602, message: "Tool not found: x" };
  deepEqual(tidied({ jsonrpc: "2.0", id: 1, error: other }), {
    jsonrpc: "2.0",
    id: 1,
    error: other,
  });
  match(
    JSON.stringify(tidied({ jsonrpc: "2.0", id: 1, result: {} })),
    /result/,
  );
});

Deno.test("readMessage() takes optional members that say nothing as absent", () => {
  const table: [given: Record<string, unknown>, params: unknown][] = [
    [{ method: "tools/list", params: null }, undefined],
    [{ method: "tools/list", params: [] }, undefined],
    [{ method: "tools/list", params: { cursor: null } }, {}],
    [{ method: "ping", params: { _meta: null } }, {}],
    [
      { method: "ping", params: { _meta: { progressToken: null, a: 1 } } },
      { _meta: { a: 1 } },
    ],
    [
      { method: "tools/call", params: { name: "x", arguments: null } },
      { name: "x" },
    ],
    [
      { method: "tools/call", params: { name: "x", arguments: [] } },
      { name: "x" },
    ],
    [
      { method: "tools/call", params: { name: "x", arguments: { a: null } } },
      { name: "x", arguments: { a: null } },
    ],
    [
      {
        method: "initialize",
        params: { protocolVersion: "1", capabilities: [] },
      },
      { protocolVersion: "1", capabilities: {} },
    ],
    [
      {
        method: "initialize",
        params: {
          capabilities: {
            sampling: true,
            roots: [],
            elicitation: false,
            x: {},
          },
        },
      },
      { capabilities: { sampling: {}, x: {} } },
    ],
  ];
  for (const [given, params] of table) {
    const reading = readMessage({ jsonrpc: "2.0", id: 1, ...given });
    ok(reading.ok, JSON.stringify(given));
    deepEqual(
      "params" in reading.message ? reading.message.params : undefined,
      params,
    );
  }
  const notified = readMessage({
    jsonrpc: "2.0",
    method: "notifications/initialized",
    params: null,
  });
  ok(notified.ok && !("params" in notified.message));
});

Deno.test("readMessage() still refuses params that are no object", () => {
  for (const params of ["x", 1, [1], true]) {
    const reading = readMessage({ jsonrpc: "2.0", id: 1, method: "a", params });
    equal(reading.ok, false, JSON.stringify(params));
  }
});

Deno.test("tidied() makes one line of a report behind the name of what was checked", () => {
  const report = JSON.stringify(
    [{ path: ["arguments"], message: "Invalid input" }],
    null,
    2,
  );
  const { error } = tidied({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32602, message: `Invalid tools/call request: ${report}` },
  }) as { error: { code: number; message: string } };
  deepEqual(error, {
    code: -32602,
    message: "Invalid params: arguments: Invalid input",
  });
});
