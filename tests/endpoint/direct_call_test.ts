/** Calls that are answered without the SDK, beside those that are not. */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  createHttpHandler,
  createHttpHandlerOf,
  type HttpHandler,
} from "../../mcp/http.ts";
import { readDirectCall } from "../../mcp/protocol/direct_call.ts";
import { createServer } from "../../mcp/protocol/server.ts";
import { API_KEY, openEndpoint, sessionQuery } from "../support/endpoint.ts";

const REVISION = "2026-07-28";
const PROTOCOL = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const CLIENT = "io.modelcontextprotocol/clientInfo";
const OPTIONS = {
  apiKeys: [API_KEY],
  allowedHosts: ["*"],
  allowedOrigins: ["*"],
};

type Json = Readonly<Record<string, unknown>>;

/** A request as it is sent. */
interface Sent {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

const pickOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);

/** Envelopes and what clients add to them, right and wrong. */
const metas = fc.oneof(
  fc.constant(undefined),
  fc.record({
    progressToken: pickOf<unknown>("p", 1, 1.5, null, {}),
    "claudecode/toolUseId": pickOf<unknown>("t", null),
    [PROTOCOL]: pickOf<unknown>(
      REVISION,
      REVISION,
      "2025-11-25",
      "2030-01-01",
      7,
    ),
    [CAPABILITIES]: pickOf<unknown>(
      {},
      { elicitation: { form: {} } },
      { roots: { listChanged: 1 } },
      [],
      "none",
    ),
    [CLIENT]: pickOf<unknown>({ name: "t", version: "0" }, { name: 7 }),
    "io.modelcontextprotocol/logLevel": pickOf<unknown>("debug", "loud"),
    "io.modelcontextprotocol/of-tomorrow": pickOf<unknown>(1),
  }, { requiredKeys: [] }),
  fc.constant({ [PROTOCOL]: REVISION, [CAPABILITIES]: {} }),
  pickOf<unknown>(null, [], "text"),
);
const paramsOf = fc.record({
  name: pickOf<unknown>(
    "list_root_collections",
    "get_root_record",
    "put_root_record",
    "no_such_tool",
    7,
  ),
  arguments: pickOf<unknown>(
    {},
    { collection: "free", key: "k" },
    { collection: "free", key: "k", strange: 1 },
    undefined,
    null,
    [],
    "text",
  ),
  _meta: metas,
  inputResponses: pickOf<unknown>({}),
  requestState: pickOf<unknown>("state"),
  task: pickOf<unknown>({}),
  other: pickOf<unknown>(1),
}, { requiredKeys: ["name", "arguments", "_meta"] });
const bodies = fc.record({
  jsonrpc: pickOf<unknown>("2.0", "2.0", "2.0", "1.0"),
  id: pickOf<unknown>(1, "a", 0, null, 1.5),
  method: pickOf<unknown>("tools/call", "tools/call", "tools/call", "ping"),
  params: paramsOf,
  extra: pickOf<unknown>(1),
}, { requiredKeys: ["jsonrpc", "method", "params"] });
const usual = fc.record({
  jsonrpc: fc.constant("2.0"),
  id: pickOf<unknown>(1, "a"),
  method: fc.constant("tools/call"),
  params: paramsOf.map(({ name, arguments: args, _meta }) => ({
    name,
    arguments: args,
    _meta,
  })),
});
const headersOf = fc.record({
  "mcp-protocol-version": pickOf(
    REVISION,
    REVISION,
    "2025-06-18",
    "1999-01-01",
  ),
  "mcp-method": pickOf("tools/call", "tools/call", "ping"),
  "mcp-name": pickOf(
    "list_root_collections",
    "get_root_record",
    "=?base64?Z2V0X3Jvb3RfcmVjb3Jk?=",
    "other",
  ),
}, { requiredKeys: [] });
const rightHeaders = usual.map((body) => ({
  body,
  headers: {
    "mcp-protocol-version": REVISION,
    "mcp-method": "tools/call",
    "mcp-name": String(body.params.name),
  },
}));
const requests = fc.oneof(
  fc.record({ body: fc.oneof(bodies, usual), headers: headersOf }),
  rightHeaders,
  usual.map((body) => ({ body, headers: {} })),
) as fc.Arbitrary<Sent>;

async function answerOf(
  handler: HttpHandler,
  query: string,
  { body, headers }: Sent,
): Promise<Json> {
  const response = await handler.fetch(
    new Request(`http://127.0.0.1/mcp?${query}`, {
      method: "POST",
      headers: {
        ...headers,
        host: "127.0.0.1",
        "content-type": "application/json",
        "x-api-key": API_KEY,
      },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    body: text === "" ? undefined : JSON.parse(text),
  };
}

Deno.test("a call without the SDK is answered as the SDK answers it", async () => {
  await using endpoint = await openEndpoint();
  const query = `${await sessionQuery(
    endpoint,
    "gardener",
  )}&tool_groups=root_data`;
  await endpoint.call(query, "put_root_record", {
    collection: "free",
    key: "k",
    data: { a: 1 },
  });
  const direct = createHttpHandler(endpoint.services, OPTIONS);
  const bySdk = createHttpHandlerOf(createServer, endpoint.services, OPTIONS);
  let count = 0;
  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      const plain = JSON.parse(JSON.stringify(sent.body));
      if (readDirectCall(plain) !== undefined) count++;
      deepEqual(
        await answerOf(direct, query, sent),
        await answerOf(bySdk, query, sent),
      );
    }),
    { numRuns: 400 },
  );
  ok(count > 40, `Only ${count} of 400 could go without the SDK`);
});

Deno.test("only a call of the usual form goes without the SDK", () => {
  const call = (params: Json, more: Json = {}) =>
    readDirectCall({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "t", ...params },
      ...more,
    });
  const envelope = { [PROTOCOL]: REVISION, [CAPABILITIES]: {} };
  deepEqual(call({ arguments: { a: 1 } }), {
    id: 1,
    name: "t",
    args: { a: 1 },
    revision: undefined,
  });
  equal(call({ _meta: { progressToken: 1 } })?.revision, undefined);
  ok(call({ _meta: { progressToken: 1, "other/key": {} } }));
  equal(call({ _meta: envelope })?.revision, REVISION);
  equal(
    call({ _meta: { ...envelope, progressToken: "p" } })?.revision,
    REVISION,
  );
  for (
    const params of [
      { arguments: null },
      { arguments: [] },
      { _meta: null },
      { _meta: { progressToken: {} } },
      { _meta: { [CAPABILITIES]: {} } },
      { _meta: { ...envelope, [PROTOCOL]: "2025-11-25" } },
      { _meta: { ...envelope, [CAPABILITIES]: [] } },
      { _meta: { ...envelope, [CLIENT]: { name: 1 } } },
      { requestState: "s" },
      { name: 1 },
    ]
  ) equal(call(params), undefined, JSON.stringify(params));
  for (
    const more of [{ id: null }, { id: 1.5 }, { jsonrpc: "1.0" }, { x: 1 }]
  ) {
    equal(call({}, more), undefined, JSON.stringify(more));
  }
  for (const value of [null, [], "text", 1, { method: "tools/call" }]) {
    equal(readDirectCall(value), undefined);
  }
});
