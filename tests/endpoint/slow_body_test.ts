/** Bodies that begin and do not end: nobody may hold a request for ever. */
import { deepEqual, equal, match } from "node:assert/strict";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
} from "../support/endpoint.ts";

/** How long these bodies may take; they never end, so any time will do. */
const LIMIT_MS = 50;
const LENGTHS: readonly Record<string, string>[] = [
  { "content-length": "50" },
  { "transfer-encoding": "chunked" },
];

/** A body that sends a little and then nothing. */
function stalling(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode(text)),
  });
}

function send(
  endpoint: TestEndpoint,
  path: string,
  init: { body: string; headers: Record<string, string> },
): Promise<Response> {
  return endpoint.fetch(path, {
    method: "POST",
    headers: init.headers,
    body: stalling(init.body),
  });
}

Deno.test("a message that does not arrive in time is 408", async () => {
  await using endpoint = await openEndpoint({ bodyLimitMs: LIMIT_MS });
  for (const length of LENGTHS) {
    const response = await send(endpoint, "/mcp", {
      body: '{"jsonrpc":',
      headers: {
        "x-api-key": API_KEY,
        "content-type": "application/json",
        ...length,
      },
    });
    equal(response.status, 408);
    deepEqual(await response.json(), {
      jsonrpc: "2.0",
      error: {
        code: -32000,
        message: "The body did not arrive within 0.05 seconds",
      },
    });
  }
});

Deno.test("arguments that do not arrive in time are 408 in the envelope, and nothing is done", async () => {
  await using endpoint = await openEndpoint({ bodyLimitMs: LIMIT_MS });
  for (const length of LENGTHS) {
    const response = await send(endpoint, "/api/v1/sessions", {
      body: '{"agent_root":"gardener"',
      headers: {
        "x-api-key": API_KEY,
        "content-type": "application/json",
        ...length,
      },
    });
    equal(response.status, 408);
    const { error, message } = await response.json();
    deepEqual([error, message], [
      "body_too_slow",
      "The body did not arrive in time",
    ]);
  }
  deepEqual(await endpoint.test.db.read("select id from sessions"), []);
});

Deno.test("a form that does not arrive in time is 408, and signs nobody in", async () => {
  await using endpoint = await openEndpoint({ bodyLimitMs: LIMIT_MS });
  for (const length of LENGTHS) {
    const response = await send(endpoint, "/sign_in", {
      body: `key=${API_KEY}&next=`,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: "http://localhost",
        ...length,
      },
    });
    equal(response.status, 408);
    equal(response.headers.get("set-cookie"), null);
    match(await response.text(), /The form did not arrive in time/);
  }
});

Deno.test("a form of unknown length is read as far as its bound", async () => {
  await using endpoint = await openEndpoint();
  const signIn = async (body: string) => {
    const response = await endpoint.fetch("/sign_in", {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "transfer-encoding": "chunked",
        origin: "http://localhost",
      },
      body: new Blob([body]).stream(),
    });
    await response.body?.cancel();
    return response.status;
  };
  equal(await signIn(`key=${API_KEY}`), 303);
  equal(await signIn("key=wrong"), 401);
  equal(await signIn(`key=${"x".repeat(20_000)}`), 413);
});
