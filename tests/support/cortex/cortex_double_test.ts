/** The stand-in misbehaves as it is told to. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { CortexDouble, type Quirks } from "./cortex_double.ts";

function open(quirks: Partial<Quirks> = {}) {
  const double = new CortexDouble({ doubleListing: false, ...quirks });
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await double.fetch(`http://127.0.0.1/${path}`, {
      method,
      headers: { authorization: `Bearer ${double.credential}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? {} : JSON.parse(text),
    };
  };
  const write = (scope: string, text: string, key = text) =>
    send("POST", "v1/experience", {
      scope,
      modality: "observation",
      content: { kind: "message", role: "user", text },
      context: { labels: [] },
      idempotency_key: key,
    });
  const texts = async (scope: string) => {
    const { body } = await send("GET", `v1/events?scope=${scope}`);
    return body.items.map((item: { content: { text: string } }) =>
      item.content.text
    );
  };
  const paths = async (query: string) => {
    const { body } = await send("GET", `v1/scopes/list?${query}`);
    return body.items?.map((item: { path: string }) => item.path);
  };
  return { double, send, write, texts, paths };
}

Deno.test("a listing repeats every event and counts the copies", async () => {
  const { send, write } = open({ doubleListing: true });
  for (const text of ["a", "b"]) await write("org:a", text);
  const { body } = await send("GET", "v1/events?scope=org:a&limit=3&cursr=9");
  deepEqual(body.items.map((item: { id: string }) => item.id), [
    "evt_2",
    "evt_2",
    "evt_1",
  ]);
  deepEqual([body.has_more, body.next_cursor], [true, "3"]);
});

Deno.test("a scope listing is 50 long unless asked, and 1000 at most", async () => {
  const { write, paths, double } = open();
  for (let at = 0; at < 60; at++) await write(`org:a/ws:w${at}`, `${at}`);
  equal((await paths("prefix=org:a")).length, 50);
  equal((await paths("prefix=org:a&limit=5000")).length, 60);
  double.quirks.maxScopes = 50;
  equal((await paths("prefix=org:a&limit=1000")).length, 50);
});

Deno.test("a prefix is of whole segments, or plain when told", async () => {
  const { write, paths, double, send } = open();
  for (const scope of ["org:a/ws:m", "org:ab/ws:m"]) await write(scope, scope);
  deepEqual(await paths("prefix=org:a"), ["org:a/ws:m"]);
  double.quirks.plainPrefix = true;
  equal((await paths("prefix=org:a")).length, 2);
  for (const bad of ["prefix=", "prefix=org:a/", "prefix=org"]) {
    equal((await send("GET", `v1/scopes/list?${bad}`)).status, 422, bad);
  }
});

Deno.test("a new event is hidden for as many readings as told", async () => {
  const { write, texts, send } = open({ listingLag: 2, recallLag: 1 });
  await write("org:a", "coffee");
  deepEqual(await texts("org:a"), []);
  deepEqual(await texts("org:a"), []);
  deepEqual(await texts("org:a"), ["coffee"]);
  const recall = async () =>
    (await send("POST", "v1/recall", { scope: "org:a", query: "coffee" }))
      .body.layers.events.length;
  deepEqual([await recall(), await recall()], [0, 1]);
});

Deno.test("a key belongs to the store, and lives for a day", async () => {
  const { write, double } = open();
  await write("org:a", "x", "k");
  const replay = await write("org:a", "x", "k");
  deepEqual([replay.status, replay.body.replayed_from_idempotency], [
    200,
    true,
  ]);
  const other = await write("org:b", "x", "k");
  deepEqual([other.status, other.body.error_code], [
    409,
    "IDEMPOTENCY_CONFLICT",
  ]);
  double.store.now += 24 * 3_600_000;
  equal((await write("org:b", "x", "k")).status, 202);
});

Deno.test("forgetting keeps its two interlocks and its default", async () => {
  const { write, send, texts } = open();
  await write("org:a", "x");
  const forget = (body: object) =>
    send("POST", "v1/forget", { scope: "org:a", layers: ["events"], ...body });
  const code = async (body: object) => (await forget(body)).body.error_code;
  const selector = { memory_ids: ["evt_1"] };
  const cascade = "redact_events";
  equal(
    await code({ selector, confirm_all: true }),
    "AMBIGUOUS_SELECTOR_CONFIRM_ALL",
  );
  equal(await code({}), "EMPTY_SELECTOR_WITHOUT_CONFIRMATION");
  equal(
    await code({ selector: { ids: ["evt_1"] } }),
    "EMPTY_SELECTOR_WITHOUT_CONFIRMATION",
  );
  equal(await code({ selector, cascade: null }), "INVALID_CASCADE");
  equal(await code({ selector, all: true }), "INVALID_BODY");
  equal(await code({ selector }), undefined);
  deepEqual(await texts("org:a"), ["x"]);
  const { body } = await forget({ selector, cascade });
  deepEqual(body, { deleted: { events: 1 }, requested: 1, matched: 1 });
  deepEqual(await texts("org:a"), []);
});

Deno.test("forgetting frees keys since 0.10.4 and not before", async () => {
  for (const forgetReleasesKeys of [true, false]) {
    const { write, send } = open({ forgetReleasesKeys });
    await write("org:a", "x");
    await send("POST", "v1/forget", {
      scope: "org:a",
      selector: { memory_ids: ["evt_1"] },
      cascade: "redact_events",
    });
    const { body } = await write("org:a", "x");
    equal(body.replayed_from_idempotency, !forgetReleasesKeys);
  }
});

Deno.test("erasing redacts below and keeps those keys", async () => {
  const { write, send, texts, double } = open();
  const erase = () =>
    send("POST", "v1/erasures", { scope: "org:a", confirm_all: true });
  const fill = async () => {
    await write("org:a", "at");
    return await write("org:a/ws:m", "below");
  };
  await fill();
  equal((await erase()).status, 202);
  deepEqual([await texts("org:a"), await texts("org:a/ws:m")], [[], []]);
  const again = await fill();
  equal(again.body.replayed_from_idempotency, true);
  deepEqual([await texts("org:a"), await texts("org:a/ws:m")], [["at"], []]);
  double.quirks.eraseBelow = "keep";
  await write("org:a/ws:m", "below, too");
  await erase();
  deepEqual(await texts("org:a/ws:m"), ["below, too"]);
});

Deno.test("a write registers its own scope to its first writer alone", async () => {
  const { write, send } = open();
  await write("org:a/ws:m", "x");
  equal((await send("GET", "v1/scopes?path=org:a")).status, 404);
  const { body } = await send("GET", "v1/scopes?path=org:a/ws:m");
  deepEqual(body.members, [{ actor: "user:local", role: "owner" }]);
  equal(body.auto_provisioned, true);
  const put = await send("PUT", "v1/scopes/members?path=org:a", {
    members: [],
  });
  equal(put.status, 404);
});

Deno.test("each wire refuses what it does not know", async () => {
  const { write, send } = open();
  equal(
    (await write("customer:a", "x")).body.error_code,
    "UNREGISTERED_SCOPE_TYPE",
  );
  equal((await write("org", "x")).status, 422);
  equal((await write("org:a", "x".repeat(1024 * 1024 + 1))).status, 422);
  equal(
    (await send("POST", "v1/recall", { scope: "org:a", mode: 1 })).status,
    422,
  );
  equal((await send("POST", "memory/experience/bulk", {})).status, 404);
  const erase = { scope: "org:a", confirm_all: true };
  const { body } = await send("POST", "memory/v1/erasures", erase);
  deepEqual(body, {
    success: false,
    error: "not done",
    errorCode: "UNKNOWN_FIELD",
  });
  const keyless = await send("POST", "memory/experience", { scope: "org:a" });
  equal(keyless.body.errorCode, "MISSING_IDEMPOTENCY_KEY");
});

Deno.test("fail() fails as often as told, applied or not", async () => {
  const { write, double, texts } = open();
  double.fail({ status: 503, times: 2, route: "POST /v1/experience" });
  double.fail({ status: 408, isApplied: true, route: "POST /v1/experience" });
  const statuses: number[] = [];
  for (const text of ["a", "b", "c", "d"]) {
    statuses.push((await write("org:a", text)).status);
  }
  deepEqual(statuses, [503, 503, 408, 202]);
  deepEqual(await texts("org:a"), ["d", "c"]);
  ok(double.routes.length === 5);
});

Deno.test("recalled texts begin with their role when told", async () => {
  const { write, send } = open({ rolePrefix: true });
  await write("org:a", "coffee");
  const recall = { scope: "org:a", query: "coffee", view: "granular" };
  const { body } = await send("POST", "v1/recall", recall);
  equal(body.layers.events[0].content.text, "[user] coffee");
});
