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
