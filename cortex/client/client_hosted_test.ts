import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  draftOf,
  openFixture,
  scopeAt,
} from "../../tests/support/cortex/cortex_fixture.ts";
import {
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
} from "../errors.ts";
import { parseRootPath } from "../layout/scope.ts";
import type { EventId } from "./wire.ts";

const HOSTED = "hosted";
const ERASURES = "POST /memory/v1/erasures";

Deno.test("no actor is sent or asked for", async () => {
  const { client, double } = openFixture(HOSTED);
  await client.listEvents({ scope: scopeAt() });
  deepEqual(double.routes, ["GET /memory/events"]);
  equal(double.seen[0]?.headers.has("x-cortex-actor"), false);
});

Deno.test("what was written lies below the tenant", async () => {
  const { client, double } = openFixture(HOSTED);
  await client.append(await draftOf("a"));
  deepEqual([...double.store.scopes.keys()], [
    "org:t1/org:a/ws:main/app:learnings",
  ]);
  const { events } = await client.listEvents({ scope: scopeAt() });
  equal(events[0]?.scope, "org:t1/org:a/ws:main/app:learnings");
});

Deno.test("append() that met its own claim does not know the outcome", async () => {
  const { client, double } = openFixture(HOSTED);
  double.fail({ status: 502, isApplied: true });
  await rejects(client.append(await draftOf("a")), (error) => {
    ok(error instanceof CortexUnavailableError);
    equal(error.errorCode, "CONFLICT");
    equal(error.attempts, 2);
    return error.isOutcomeUnknown;
  });
  equal(double.store.events.length, 1);
  const again = await client.append(await draftOf("a"));
  equal(again.isReplay, true);
});

Deno.test("append() that meets a claim at once is refused", async () => {
  const { client, double } = openFixture(HOSTED);
  for (const status of [400, 409]) {
    double.fail({ status, code: "CONFLICT" });
    await rejects(
      client.append(await draftOf("a")),
      (error) =>
        error instanceof CortexRefusalError && error.reason === "conflict",
    );
  }
});

Deno.test("appendAll() sends one event a request, each under its claim", async () => {
  const { client, double } = openFixture(HOSTED);
  await client.appendAll([await draftOf("a"), await draftOf("b")], {
    wait: "indexed",
  });
  deepEqual(double.routes, Array(2).fill("POST /memory/experience"));
  const claims = double.seen.map((one) => one.headers.get("idempotency-key"));
  equal(new Set(claims).size, 2);
  ok(double.seen.every(({ query }) => !query.has("wait")));
});

Deno.test("appendAll() that fails leaves what came before", async () => {
  const { client, double } = openFixture(HOSTED);
  const [a, b] = [await draftOf("a"), await draftOf("b")];
  await client.append({ ...b, text: "another under the same key" });
  await rejects(client.appendAll([a, b]), CortexRefusalError);
  equal((await client.append(a)).isReplay, true);
  equal(double.store.events.length, 2);
});

Deno.test("forget() is tried again, and gone by then is done", async () => {
  const { client, double } = openFixture(HOSTED);
  const scope = scopeAt();
  const { eventId } = await client.append(await draftOf("a"));
  const request = { scope, eventIds: [eventId], auditNote: "n" };
  double.fail({ status: 502, isApplied: true });
  double.fail({ status: 404 });
  deepEqual(await client.forget(request), { matched: undefined });
  equal(double.store.events.length, 0);
  double.fail({ status: 404 });
  await rejects(client.forget(request), CortexRefusalError);
});

Deno.test("erase() of a scope is answered outside the envelope", async () => {
  const { client, double } = openFixture(HOSTED);
  const scope = scopeAt();
  await client.append(await draftOf("a"));
  const erasure = await client.erase({ scope, auditNote: "n" });
  deepEqual(erasure, { ids: ["er_1"], status: "completed" });
  deepEqual(double.seen.at(-1)?.body, { scope, audit_note: "n" });
  equal(double.routes.at(-1), ERASURES);
  const [id] = erasure.ids;
  ok(id);
  equal((await client.readErasure(id))?.status, "completed");
  equal(double.store.events.length, 0);
});

Deno.test("erase() goes on only while it is unfinished", async () => {
  const { client, double, clock } = openFixture(HOSTED);
  const request = { scope: scopeAt(), auditNote: "n" };
  double.fail({ status: 502, code: "ERASURE_INCOMPLETE", times: 2 });
  equal((await client.erase(request)).status, "completed");
  deepEqual(clock.slept, [250, 500]);
  double.fail({ status: 502 });
  await rejects(client.erase(request), CortexUnavailableError);
  equal(double.seen.length, 4);
});

Deno.test("erase() without its route is unsupported", async () => {
  const { client } = openFixture(HOSTED, { hasScopedErasure: false });
  const call = client.erase({ scope: scopeAt(), auditNote: "n" });
  await rejects(
    call,
    (error) =>
      error instanceof CortexRefusalError && error.reason === "unsupported",
  );
});

Deno.test("eraseTenant() takes everything of the tenant", async () => {
  const { client, double } = openFixture(HOSTED);
  await client.append(await draftOf("a"));
  await client.append(await draftOf("b", { scope: scopeAt("agent:x") }));
  await client.eraseTenant();
  equal(double.routes.at(-1), "DELETE /memory");
  equal(double.store.events.length, 0);
  double.fail({ status: 200, text: '{"erased":true,"scopes":0}' });
  await client.eraseTenant();
  for (const text of ['{"success":true,"data":{}}', '{"erased":false}', ""]) {
    double.fail({ status: 200, text });
    await rejects(client.eraseTenant(), CortexProtocolError);
  }
});

Deno.test("an answer outside its envelope is not understood", async () => {
  const { client, double } = openFixture(HOSTED);
  const table: [string, string][] = [
    ['{"items":[]}', "$.success"],
    ['{"success":false,"data":{"items":[]}}', "$.success"],
    ['{"success":1,"data":{"items":[]}}', "$.success"],
    ['{"success":true}', "$.data.items"],
    ['{"success":true,"data":[]}', "$.data"],
    ["", "$.items"],
  ];
  for (const [text, path] of table) {
    double.fail({ status: 200, text });
    await rejects(client.listEvents({ scope: scopeAt() }), (error) => {
      ok(error instanceof CortexProtocolError);
      equal(error.path, path);
      return true;
    });
  }
});

Deno.test("health() lists one scope of a type never written", async () => {
  const { client, double } = openFixture(HOSTED);
  await client.health();
  const [sent] = double.seen;
  equal(sent?.route, "GET /memory/scopes");
  equal(sent?.query.get("prefix"), "tmh:probe");
  equal(sent?.query.get("limit"), "1");
});

Deno.test("what only the other wire has is not sent", async () => {
  const { client, double } = openFixture(HOSTED);
  const path = parseRootPath("org:a");
  const calls = [
    () => client.registerScope({ path, members: [] }),
    () => client.readMembers(path),
    () => client.replaceMembers({ path, members: [] }),
    () => client.whoami(),
  ];
  for (const call of calls) {
    await rejects(
      call(),
      (error) =>
        error instanceof CortexRefusalError && error.reason === "unsupported",
    );
  }
  deepEqual(double.seen, []);
  await client.readEvent("evt_1" as EventId);
  equal(double.seen.length, 1);
});
