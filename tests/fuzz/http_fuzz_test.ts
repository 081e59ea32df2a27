import { equal, ok } from "node:assert/strict";
import {
  API_KEY,
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";
import {
  type Chance,
  chanceOf,
  LEAK_REGEXP,
  malformedBytes,
  seedOfRun,
} from "./mutate.ts";

const INPUTS = 70_000;
const RAW_INPUTS = 1_500;
const AT_ONCE = 100;
/** A batch takes a fraction of a second; this long is for ever. */
const HANG_MS = 20_000;

const STATUSES = new Set([
  200,
  202,
  204,
  400,
  401,
  403,
  404,
  405,
  413,
  415,
  429,
]);

const HEADER_VALUES: Readonly<Record<string, readonly string[]>> = {
  "content-type": [
    "text/plain",
    "application/json; charset=utf-16",
    "application/jsonp",
    "multipart/form-data; boundary=x",
    "",
    ";",
  ],
  "content-length": ["0", "-1", "abc", "5", "1e3", "99999999999", "1, 2"],
  "transfer-encoding": ["chunked", "gzip, chunked", "identity", "chunked, x"],
  "mcp-protocol-version": [
    "2026-07-28",
    "2025-06-18",
    "2099-01-01",
    "",
    "9".repeat(3_000),
    "2026-07-28, 2025-06-18",
  ],
  "mcp-method": ["tools/call", "tools/list", "TOOLS/CALL", "=?base64?!?="],
  "mcp-name": [
    "list_root_collections",
    "nope",
    "=?base64?bm9wZQ==?=",
    "\u00e9",
  ],
  "mcp-session-id": ["x", "'; --"],
  accept: ["*/*", "text/html", ",,,", "application/json;q=abc"],
  host: ["localhost:1", "evil.example", "localhost@evil", "[::1", "", "a b"],
  origin: ["null", "http://localhost", "https://evil.example", "x://", ""],
  authorization: [
    "Bearer",
    "Bearer  ",
    "Basic eDp5",
    `Bearer rcs_1_${"A".repeat(43)}`,
    `Bearer rcs_99999999999999999999_${"A".repeat(43)}`,
    "Bearer rcs_",
    "Bearer \u00ff",
  ],
  "x-api-key": ["", " ", "wrong", "test-key,test-key", "k".repeat(10_000)],
  "x-forwarded-for": ["127.0.0.1", "x".repeat(500)],
  "x-http-method-override": ["DELETE"],
  "content-encoding": ["gzip", "br"],
  expect: ["100-continue"],
  "last-event-id": ["1"],
};
const HEADER_NAMES = Object.keys(HEADER_VALUES);

const QUERIES = [
  "?tool_groups=root_data",
  "?tool_groups=root_data",
  "",
  "?tool_groups=%00,%ff,__proto__",
  "?session_id=-1&tool_groups=root_data",
  "?session_id=99999999999999999999&tool_groups=root_data",
  "?session_id=1%27&session_id=2&tool_groups=root_data",
  "?%%%&&==&tool_groups",
  `?tool_groups=${"x,".repeat(500)}`,
];

function malformedInit(chance: Chance): RequestInit {
  const headers = new Headers({
    "content-type": "application/json",
    "x-api-key": API_KEY,
  });
  if (chance.oneIn(3)) {
    headers.set("mcp-protocol-version", "2026-07-28");
    headers.set("mcp-method", chance.pick(["tools/call", "tools/list"]));
    headers.set("mcp-name", "list_root_collections");
  }
  for (let times = chance.int(3); times > 0; times--) {
    const name = chance.pick(HEADER_NAMES);
    const value = chance.pick(HEADER_VALUES[name] ?? [""]);
    if (chance.oneIn(4)) headers.append(name, value);
    else headers.set(name, value);
  }
  const method = chance.oneIn(12)
    ? chance.pick(["GET", "HEAD", "DELETE", "OPTIONS", "PUT", "post", "M-X"])
    : "POST";
  if (method === "GET" || method === "HEAD") return { method, headers };
  const bytes = malformedBytes(chance).slice();
  return { method, headers, body: chance.oneIn(6) ? inParts(bytes) : bytes };
}

/** A body that arrives in parts, and at times breaks off. */
function inParts(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      if (at > 300) return controller.error(new Error("The client is gone"));
      controller.enqueue(bytes.subarray(at, at += 100));
    },
  });
}

async function check(response: Response): Promise<void> {
  const text = await response.text();
  ok(STATUSES.has(response.status), `status ${response.status}: ${text}`);
  ok(!LEAK_REGEXP.test(text), `leak: ${text.slice(0, 500)}`);
  if (text === "") return;
  const answer = JSON.parse(text);
  const { jsonrpc, message, status } = answer;
  ok(jsonrpc === "2.0" || (message ?? status) !== undefined, text);
  ok(answer.id !== null, text);
}

async function withinLimit(work: Promise<unknown>, what: string) {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Hangs: ${what}`)), HANG_MS);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function isAlive(endpoint: TestEndpoint, query: string): Promise<void> {
  equal((await endpoint.tools(query)).length, 6);
  const { data } = await endpoint.call(query, "list_root_collections");
  equal(data.namespace, "gardener");
}

Deno.test(`HTTP: ${INPUTS} malformed requests: no crash, no 5xx, no leak, and it still serves`, async () => {
  const seed = seedOfRun();
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  for (let done = 0; done < INPUTS; done += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, async (_, n) => {
      const chance = chanceOf(seed + done + n);
      const init = malformedInit(chance);
      const path = `${chance.oneIn(60) ? "/up" : "/mcp"}${
        chance.oneIn(8) ? query : chance.pick(QUERIES)
      }`;
      const address = chance.oneIn(9)
        ? `192.0.2.${chance.int(200)}`
        : undefined;
      try {
        await check(await endpoint.fetch(path, init, address));
      } catch (error) {
        throw new Error(`Set FUZZ_SEED=${seed}; input ${done + n}`, {
          cause: error,
        });
      }
    });
    await withinLimit(Promise.all(batch), `FUZZ_SEED=${seed}, from ${done}`);
  }
  const errors = endpoint.logged.filter((line) =>
    line.includes('"level":"error"')
  );
  equal(errors.length, 0, errors[0]);
  await isAlive(endpoint, query);
});

const RAW_HEADS = [
  "Content-Length: 5\r\nContent-Length: 500",
  "Content-Length: 5\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding:\x0bchunked",
  "Content-Length: +5",
  "Content-Length: 0x5",
  "X-API-Key: a\r\n b",
  "X-API-Key: a\0b",
  "X-API-Key: wrong\r\nX-API-Key: test-key",
  ": nameless",
  "Host: evil.example",
  `X-Long: ${"x".repeat(100_000)}`,
  "X: 1\r\n".repeat(500) + "Y: 2",
  "Content-Length: 40",
  "Content-Length: 400000",
  "Transfer-Encoding: chunked",
  "Expect: 100-continue",
  "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings",
];
const RAW_LINES = [
  "POST /mcp HTTP/1.1",
  "POST http://evil.example/mcp HTTP/1.1",
  "POST /mcp HTTP/1.0",
  "POST /mcp",
  "POST  /mcp HTTP/1.1",
  "POST /mcp HTTP/9.9",
  "post /mcp HTTP/1.1",
  "CONNECT evil:443 HTTP/1.1",
  "\0\0\0\0",
  "PRI * HTTP/2.0",
  `POST /${"m".repeat(70_000)} HTTP/1.1`,
];
const SMUGGLED = "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Whether the server hung up, which is its right. */
function isHangUp(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.ConnectionAborted ||
    error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.NotConnected;
}

/** Writes bytes, says that no more come, and reads what is answered. */
async function sendRaw(port: number, text: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let answer = "";
  try {
    for (let at = 0; at < bytes.length;) {
      at += await connection.write(bytes.subarray(at));
    }
    await connection.closeWrite();
  } catch (error) {
    if (!isHangUp(error)) throw error;
  }
  try {
    for (;;) {
      const count = await connection.read(buffer);
      if (count === null) return answer;
      answer += decoder.decode(buffer.subarray(0, count), { stream: true });
    }
  } catch (error) {
    if (!isHangUp(error)) throw error;
    return answer; // What came before it hung up counts.
  }
}

Deno.test(`HTTP: ${RAW_INPUTS} smuggled and broken requests over a socket: no 500, and it still serves`, async () => {
  const seed = seedOfRun();
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const smuggled: string[] = [];
  let answered = 0;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/smuggled") smuggled.push(request.method);
      return endpoint.handler.fetch(request);
    },
  );
  for (let done = 0; done < RAW_INPUTS; done += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, async (_, n) => {
      const chance = chanceOf(seed + done + n);
      const body = new TextDecoder("latin1").decode(malformedBytes(chance));
      const answer = await sendRaw(
        server.addr.port,
        `${chance.pick(RAW_LINES)}\r\nHost: localhost\r\n` +
          `X-API-Key: ${API_KEY}\r\nContent-Type: application/json\r\n` +
          `${chance.pick(RAW_HEADS)}\r\n\r\n` +
          (chance.oneIn(2) ? body.slice(0, 3_000) : SMUGGLED),
      );
      const what = `FUZZ_SEED=${seed}, input ${done + n}: ${answer}`;
      if (/^HTTP\/1\.[01] [24]/.test(answer)) answered++;
      ok(!/^HTTP\/1\.[01] 5/m.test(answer), what);
      ok(!LEAK_REGEXP.test(answer), what);
    });
    await withinLimit(Promise.all(batch), `FUZZ_SEED=${seed}, from ${done}`);
  }
  // Most get an answer, so that what is looked for could have been seen.
  ok(answered > RAW_INPUTS / 2, `${answered} of ${RAW_INPUTS} were answered`);
  await isAlive(endpoint, query);
});
