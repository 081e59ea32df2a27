import {
  deepEqual,
  equal,
  match,
  ok,
  rejects,
  throws,
} from "node:assert/strict";
import { FakeClock } from "../../tests/support/fake_clock.ts";
import { createDirectClient } from "./client_direct.ts";
import type { ClientOptions, CortexClient } from "./client_types.ts";
import {
  CortexConfigError,
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
} from "../errors.ts";
import { parseActor, type ScopePath } from "../layout/scope.ts";

const SECRET = "cx_live_Zk29-secret";
const SCOPE = "org:a/app:learnings" as ScopePath;
const PAGE = { items: [] };

type Answering = (request: Request) => Response | Promise<Response>;

/** A client whose requests go to `answer`; counts them. */
function clientOf(answer: Answering, options: Partial<ClientOptions> = {}) {
  const clock = new FakeClock();
  const requests: Request[] = [];
  const client = createDirectClient({
    endpoint: "https://cortex.example/base",
    credential: SECRET,
    actor: parseActor("user:a"),
    clock,
    random: () => 0.5,
    fetch: (input, init) => {
      const request = new Request(input, init);
      requests.push(request);
      return Promise.resolve(answer(request));
    },
    ...options,
  });
  const list = () => client.listEvents({ scope: SCOPE });
  return { client, clock, requests, list };
}

/** Answers one after the other; the last one again and again. */
function sequence(...answers: readonly (() => Response)[]): Answering {
  let at = 0;
  return () => (answers[Math.min(at++, answers.length - 1)] ?? json)();
}

const json = (body: unknown = PAGE) => Response.json(body);
const bad = (status: number, headers = {}) => () =>
  new Response("no", { status, headers });

async function failureOf(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("Call did not fail");
}

/** Everything that could be shown of a value, in any way of showing it. */
function shown(value: unknown): string {
  const texts = [Deno.inspect(value, { depth: 9, showHidden: true })];
  for (let at = value; at instanceof Error; at = at.cause) {
    texts.push(String(at), at.stack ?? "", JSON.stringify(at));
  }
  return texts.join("\n");
}

Deno.test("send() sets the client's headers and keeps the endpoint's path", async () => {
  const { list, requests } = clientOf(() => json(), {
    headers: { "X-Trace": "t1" },
  });
  await list();
  const [request] = requests;
  ok(request?.url.startsWith("https://cortex.example/base/v1/events?scope="));
  equal(request?.redirect, "manual");
  const { headers } = request ?? new Request("x:");
  equal(headers.get("authorization"), `Bearer ${SECRET}`);
  equal(headers.get("x-cortex-actor"), "user:a");
  equal(headers.get("x-trace"), "t1");
  equal(headers.get("content-type"), null);
});

Deno.test("send() asks a credential source before every try", async () => {
  let asked = 0;
  const seen: (string | null)[] = [];
  const answer = sequence(bad(503), () => json());
  const { list } = clientOf((request) => {
    seen.push(request.headers.get("authorization"));
    return answer(request);
  }, { credential: () => Promise.resolve(`k${++asked}`) });
  await list();
  deepEqual(seen, ["Bearer k1", "Bearer k2"]);
});

Deno.test("send() sends nothing with a credential that no header carries", async () => {
  const { list, requests } = clientOf(() => json(), {
    credential: () => `${SECRET}\n`,
  });
  const error = await failureOf(list());
  ok(error instanceof CortexRefusalError && error.reason === "unauthorized");
  ok(!shown(error).includes(SECRET));
  equal(requests.length, 0);
});

Deno.test("send() tries a read again and then gives its answer", async () => {
  const { list, requests, clock } = clientOf(
    sequence(bad(500), bad(503), () => json()),
  );
  deepEqual(await list(), { events: [], nextCursor: undefined });
  equal(requests.length, 3);
  deepEqual(clock.slept, [250, 500]);
});

Deno.test("send() says how often it tried in vain", async () => {
  const { list } = clientOf(bad(503));
  const error = await failureOf(list());
  ok(error instanceof CortexUnavailableError);
  equal(error.attempts, 3);
  equal(error.status, 503);
  equal(error.isOutcomeUnknown, false);
  match(error.message, /^Cannot list events: CortexDB answered 503: "no"/);
});

Deno.test("send() keeps what broke the last try as the cause", async () => {
  const fault = new TypeError("connection refused");
  const { list, requests } = clientOf(() => Promise.reject(fault));
  const error = await failureOf(list());
  ok(error instanceof CortexUnavailableError);
  equal(error.cause, fault);
  equal(requests.length, 3);
});

Deno.test("send() holds every request of the client after a 429", async () => {
  const { list, client, clock, requests } = clientOf(
    sequence(bad(429, { "retry-after": "4" }), () => json()),
  );
  const once = client.listEvents({ scope: SCOPE }, { maxAttempts: 1 });
  await rejects(once, CortexUnavailableError);
  deepEqual(clock.slept, []);
  await list();
  deepEqual(clock.slept, [4_000]);
  equal(requests.length, 2);
});

Deno.test("send() heeds Retry-After, at most 10 seconds", async () => {
  const { list, clock } = clientOf(
    sequence(bad(503, { "retry-after": "3600" }), () => json()),
  );
  await list();
  deepEqual(clock.slept, [10_000]);
});

Deno.test("send() ends a try at its time limit and tries again", async () => {
  const hanging = () => new Promise<Response>(() => {});
  let count = 0;
  const { list, clock } = clientOf(
    () => ++count < 2 ? hanging() : json(),
    { limits: { timeoutMs: 5 } },
  );
  await list();
  equal(count, 2);
  deepEqual(clock.slept, [250]);
});

Deno.test("send() says that the time ran out, also within a body", async () => {
  let cancelled = 0;
  const { list } = clientOf(
    () => new Response(new ReadableStream({ cancel: () => void cancelled++ })),
    { limits: { timeoutMs: 5 } },
  );
  const error = await failureOf(list());
  ok(error instanceof CortexUnavailableError);
  match(error.message, /no full answer within the time limit \(3 tries\)/);
  equal((error.cause as Error).name, "TimeoutError");
  equal(cancelled, 3);
});

Deno.test("send() cancels the body of an answer that comes too late", async () => {
  const late = Promise.withResolvers<Response>();
  const cancelled = Promise.withResolvers<void>();
  const { client } = clientOf(() => late.promise);
  const stop = new AbortController();
  const call = client.listEvents({ scope: SCOPE }, { signal: stop.signal });
  const failure = failureOf(call);
  await Promise.resolve();
  stop.abort();
  await failure;
  late.resolve(
    new Response(new ReadableStream({ cancel: () => cancelled.resolve() })),
  );
  await cancelled.promise;
});

Deno.test("send() rejects with the reason of the caller's signal", async () => {
  const reason = new Error("changed my mind");
  const answers: [string, Answering][] = [
    ["before the answer", () => new Promise<Response>(() => {})],
    ["within the body", () => new Response(new ReadableStream())],
  ];
  for (const [when, answer] of answers) {
    const stop = new AbortController();
    const started = Promise.withResolvers<void>();
    const { client, requests } = clientOf((request) => {
      started.resolve();
      return answer(request);
    });
    const call = client.listEvents({ scope: SCOPE }, { signal: stop.signal });
    const failure = failureOf(call);
    await started.promise;
    stop.abort(reason);
    equal(await failure, reason, when);
    equal(requests.length, 1);
  }
});

Deno.test("send() is not held by its own wait when the caller leaves", async () => {
  const answered = Promise.withResolvers<void>();
  const client = createDirectClient({
    endpoint: "http://localhost",
    random: () => 1_000,
    fetch: () => {
      answered.resolve();
      return Promise.resolve(new Response("no", { status: 503 }));
    },
  });
  const stop = new AbortController();
  const call = client.listEvents({ scope: SCOPE }, { signal: stop.signal });
  const failure = failureOf(call);
  await answered.promise;
  setTimeout(() => stop.abort(new Error("left")));
  equal((await failure).message, "left");
});

Deno.test("send() sends nothing for a caller that has left", async () => {
  const { client, requests } = clientOf(() => json());
  const signal = AbortSignal.abort();
  const call = client.listEvents({ scope: SCOPE }, { signal });
  equal((await failureOf(call)).name, "AbortError");
  equal(requests.length, 0);
});

Deno.test("send() stops reading at the size limit", async () => {
  let isCancelled = false;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
        cancel: () => void (isCancelled = true),
      }),
    );
  const { list } = clientOf(endless, { limits: { maxBodyBytes: 5_000 } });
  const error = await failureOf(list());
  ok(error instanceof CortexProtocolError);
  equal(error.path, "$");
  match(error.message, /is over 5000 bytes/);
  ok(isCancelled);
});

Deno.test("send() takes a body of exactly the size limit", async () => {
  const maxBodyBytes = JSON.stringify(PAGE).length;
  await clientOf(() => json(), { limits: { maxBodyBytes } }).list();
  const small = clientOf(() => json(), {
    limits: { maxBodyBytes: maxBodyBytes - 1 },
  });
  await rejects(small.list(), CortexProtocolError);
});

Deno.test("send() cuts the words of a refusal", async () => {
  const { list } = clientOf(() =>
    new Response("x".repeat(1e6), { status: 400 })
  );
  const error = await failureOf(list());
  ok(error.message.length < 450);
  match(error.message, /\(65236 more characters\)/);
});

Deno.test("send() does not understand what is no JSON", async () => {
  const bodies = ["<html>", "{", "\xff", '{"items":', "[]", "null", "7"];
  for (const body of bodies) {
    const { list, requests } = clientOf(() => new Response(body));
    const error = await failureOf(list());
    ok(error instanceof CortexProtocolError, body);
    ok(error.path.startsWith("$"));
    equal(requests.length, 1);
  }
  const bytes = new Uint8Array([0x22, 0xff, 0x22]);
  const { list } = clientOf(() => new Response(bytes));
  await rejects(list(), CortexProtocolError);
});

Deno.test("send() follows no redirect", async () => {
  const { list, requests } = clientOf(() =>
    Response.redirect("https://elsewhere.example/", 307)
  );
  const error = await failureOf(list());
  ok(error instanceof CortexProtocolError);
  match(error.message, /is a redirect \(307\)/);
  equal(requests.length, 1);
});

Deno.test("a refusal carries what kind it is, whatever the dialect", async () => {
  const table: [number, unknown, reason: string, code: string | undefined][] = [
    [
      400,
      { error_code: "INVALID_CASCADE" },
      "invalid_request",
      "INVALID_CASCADE",
    ],
    [413, "too big", "invalid_request", undefined],
    [422, { code: "invalid_body" }, "invalid_request", "INVALID_BODY"],
    [401, { error_code: "actor_mismatch" }, "unauthorized", "ACTOR_MISMATCH"],
    [
      403,
      { error: { code: "POLICY_DENIED" } },
      "unauthorized",
      "POLICY_DENIED",
    ],
    [404, "<html>not here</html>", "not_found", undefined],
    [409, { error: "SCOPE_HAS_RECORDS" }, "conflict", "SCOPE_HAS_RECORDS"],
    [400, { success: false, errorCode: "CONFLICT" }, "conflict", "CONFLICT"],
    [402, { error: "no credits left" }, "refused", undefined],
    [405, "", "refused", undefined],
    [501, { error_code: 12, message: {} }, "refused", undefined],
    [418, [1, 2], "refused", undefined],
  ];
  for (const [status, body, reason, code] of table) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const headers = { "x-request-id": "req-7" };
    const { list, requests } = clientOf(() =>
      new Response(text, { status, headers })
    );
    const error = await failureOf(list());
    ok(error instanceof CortexRefusalError, `${status}`);
    equal(error.reason, reason, `${status}`);
    equal(error.errorCode, code, `${status}`);
    equal(error.status, status);
    equal(error.requestId, "req-7");
    equal(requests.length, 1);
  }
});

Deno.test("a refusal quotes words without control characters", async () => {
  const message = "bad \u001b[31m scope\n";
  const { list } = clientOf(() =>
    Response.json({ error_code: "X", message }, { status: 422 })
  );
  const error = await failureOf(list());
  equal(
    error.message,
    'Cannot list events: CortexDB answered 422 X: "bad \\u001b[31m scope\\n"',
  );
});

Deno.test("no failure shows the credential", async () => {
  const echo = { message: `Bearer ${SECRET} is bad`, error_code: SECRET };
  const headers = { "x-request-id": SECRET.toUpperCase() };
  const fault = new TypeError(`cannot send Bearer ${SECRET}`);
  const deep = new TypeError("cannot send", { cause: { header: SECRET } });
  const answers: Answering[] = [
    () => Response.json(echo, { status: 401, headers }),
    () => Response.json(echo, { status: 503, headers }),
    () => Response.json({ error: echo }, { status: 400, headers }),
    () => new Response(`token=${SECRET}`, { status: 403 }),
    () => new Response(`${"x".repeat(290)}${SECRET}`, { status: 403 }),
    () => new Response(SECRET),
    () => Response.json({ items: [{ id: { SECRET } }] }),
    () => Promise.reject(fault),
    () => Promise.reject(deep),
    () => Promise.reject(SECRET),
  ];
  for (const answer of answers) {
    const { list, client } = clientOf(answer);
    const error = await failureOf(list());
    ok(
      !shown(error).toLowerCase().includes(SECRET.toLowerCase()),
      shown(error),
    );
    ok(!shown(error).includes(SECRET.slice(0, 12)), shown(error));
    ok(!shown(client).includes(SECRET));
  }
});

Deno.test("a client is not built on plain http to another machine", () => {
  const endpoint = "http://cortex.example";
  throws(() => clientOf(() => json(), { endpoint }), (error) => {
    ok(error instanceof CortexConfigError);
    ok(!shown(error).includes(SECRET));
    return true;
  });
});

Deno.test("every body is read or cancelled over a real connection", async () => {
  const answers: [number, string][] = [
    [200, '{"items":[]}'],
    [404, "x".repeat(200_000)],
    [200, "y".repeat(200_000)],
    [307, "z".repeat(100_000)],
  ];
  let at = 0;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => {
      const [status, text] = answers[at++ % answers.length] ?? [500, ""];
      const headers = status === 307 ? { location: "/" } : undefined;
      return new Response(text, { status, ...(headers && { headers }) });
    },
  );
  const client: CortexClient = createDirectClient({
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    limits: { maxBodyBytes: 10_000 },
  });
  const list = () => client.listEvents({ scope: SCOPE });
  deepEqual((await list()).events, []);
  await rejects(list(), CortexRefusalError);
  await rejects(list(), CortexProtocolError);
  await rejects(list(), CortexProtocolError);
});
