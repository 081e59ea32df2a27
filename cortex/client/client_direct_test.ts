import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  draftOf,
  openFixture,
  scopeAt,
} from "../../tests/support/cortex/cortex_fixture.ts";
import { createDirectClient } from "./client_direct.ts";
import { CortexRefusalError, CortexUnavailableError } from "../errors.ts";
import { parseActor, parseRootPath } from "../layout/scope.ts";
import type { ErasureId } from "./wire.ts";

const WHOAMI = "GET /v1/auth/whoami";
const EVENTS = "GET /v1/events";
const ROOT = parseRootPath("org:a");
const OWNER = { actor: "user:a", role: "owner" };
const DIRECT = "direct";

Deno.test("the actor is asked for once, and sent on every call", async () => {
  const { client, double } = openFixture(DIRECT, { subject: "user:kim@acme" });
  const list = () => client.listEvents({ scope: scopeAt() });
  await Promise.all([list(), list(), list()]);
  await list();
  deepEqual(double.routes, [WHOAMI, EVENTS, EVENTS, EVENTS, EVENTS]);
  for (const { route, headers } of double.seen) {
    const actor = headers.get("x-cortex-actor");
    equal(actor, route === WHOAMI ? null : "user:kim@acme");
  }
});

Deno.test("a configured actor is sent and nothing is asked", async () => {
  const actor = parseActor("agent:b");
  const { client, double } = openFixture(DIRECT, {}, { actor });
  await client.listEvents({ scope: scopeAt() });
  deepEqual(double.routes, [EVENTS]);
  equal(double.seen[0]?.headers.get("x-cortex-actor"), "agent:b");
});

Deno.test("the actor is asked for again after a refusal", async () => {
  const { client, double } = openFixture(DIRECT, { subject: "user:a" });
  const list = () => client.listEvents({ scope: scopeAt() });
  await list();
  double.quirks.subject = "user:b";
  await rejects(list(), (error) => {
    ok(error instanceof CortexRefusalError);
    return error.errorCode === "ACTOR_MISMATCH";
  });
  await list();
  equal(double.seen.at(-1)?.headers.get("x-cortex-actor"), "user:b");
  equal(double.routes.filter((route) => route === WHOAMI).length, 2);
});

Deno.test("an older server without whoami gets no actor", async () => {
  const { client, double } = openFixture(DIRECT, { hasWhoami: false });
  await client.listEvents({ scope: scopeAt() });
  await client.listEvents({ scope: scopeAt() });
  deepEqual(double.routes, [WHOAMI, EVENTS, EVENTS]);
  equal(double.seen[1]?.headers.has("x-cortex-actor"), false);
});

Deno.test("a whoami that fails is asked again by the next call", async () => {
  const { client, double } = openFixture(DIRECT);
  double.fail({ status: 503, times: 3, route: WHOAMI });
  const list = () => client.listEvents({ scope: scopeAt() });
  await rejects(list(), CortexUnavailableError);
  await list();
  equal(double.routes.filter((route) => route === WHOAMI).length, 4);
});

Deno.test("one caller that leaves does not end the question of another", async () => {
  const answer = Promise.withResolvers<Response>();
  let asked = 0;
  const client = createDirectClient({
    endpoint: "http://localhost",
    credential: "k",
    fetch: (input) => {
      if (!String(input).endsWith("whoami")) {
        return Promise.resolve(Response.json({ items: [] }));
      }
      asked++;
      return answer.promise;
    },
  });
  const stop = new AbortController();
  const scope = scopeAt();
  const left = client.listEvents({ scope }, { signal: stop.signal });
  const stays = client.listEvents({ scope });
  stop.abort(new Error("left"));
  await rejects(left, /left/);
  answer.resolve(Response.json({ caller: "user:a" }));
  deepEqual((await stays).events, []);
  equal(asked, 1);
});

Deno.test("whoami() refuses a caller that no header can carry", async () => {
  const { client, double } = openFixture(DIRECT);
  double.fail({ status: 200, text: '{"caller":"user:a\\nx: y"}' });
  await rejects(client.whoami(), /\$\.caller holds what no header can carry/);
});

Deno.test("without a credential no actor is asked for", async () => {
  const requests: Request[] = [];
  const client = createDirectClient({
    endpoint: "http://localhost",
    fetch: (input, init) => {
      requests.push(new Request(input, init));
      return Promise.resolve(Response.json({ items: [] }));
    },
  });
  await client.listEvents({ scope: scopeAt() });
  equal(requests.length, 1);
  equal(requests[0]?.headers.has("authorization"), false);
});

Deno.test("append() names what to wait for", async () => {
  const { client, double } = openFixture(DIRECT);
  await client.append(await draftOf("a"), { wait: "indexed" });
  equal(double.seen.at(-1)?.query.get("wait"), "indexed");
  await client.append(await draftOf("b"));
  equal(double.seen.at(-1)?.query.has("wait"), false);
});

Deno.test("append() whose wait ran out is a replay at the next try", async () => {
  const { client, double } = openFixture(DIRECT);
  const route = "POST /v1/experience";
  double.fail({ status: 408, code: "WAIT_TIMEOUT", route, isApplied: true });
  const receipt = await client.append(await draftOf("a"), { wait: "indexed" });
  // Of what an earlier try of the same call wrote, for all that is known.
  deepEqual(receipt, { eventId: "evt_1", isReplay: true, mayBeOwn: true });
  equal(double.store.events.length, 1);
});

Deno.test("append() sent once says that it may have been stored", async () => {
  const { client, double } = openFixture(DIRECT);
  await client.listEvents({ scope: scopeAt() });
  const unknown: [number, boolean][] = [
    [408, true],
    [500, true],
    [503, false],
    [429, false],
  ];
  for (const [status, isUnknown] of unknown) {
    double.fail({ status });
    const call = client.append(await draftOf(`${status}`), { maxAttempts: 1 });
    await rejects(call, (error) => {
      ok(error instanceof CortexUnavailableError);
      equal(error.isOutcomeUnknown, isUnknown, `${status}`);
      return error.attempts === 1;
    });
  }
});

Deno.test("appendAll() is one ordered request", async () => {
  const { client, double } = openFixture(DIRECT);
  await client.appendAll([await draftOf("a"), await draftOf("b")], {
    wait: "indexed",
  });
  const sent = double.seen.at(-1);
  equal(sent?.route, "POST /v1/experience/bulk");
  equal(sent?.query.get("wait"), "indexed");
  const body = sent?.body as { ordering: string; items: unknown[] };
  equal(body.ordering, "strict_temporal");
  equal(body.items.length, 2);
  await client.appendAll([await draftOf("c")]);
  equal(double.seen.at(-1)?.route, "POST /v1/experience");
});

Deno.test("forget(), erase() and the registry's writes are sent once", async () => {
  const { client, double } = openFixture(DIRECT);
  const scope = scopeAt();
  const { eventId } = await client.append(await draftOf("a"));
  const calls = [
    () => client.forget({ scope, eventIds: [eventId], auditNote: "n" }),
    () => client.erase({ scope, auditNote: "n" }),
    () => client.registerScope({ path: ROOT, members: [OWNER] }),
    () => client.replaceMembers({ path: ROOT, members: [OWNER] }),
  ];
  for (const call of calls) {
    const before = double.seen.length;
    double.fail({ status: 503 });
    await rejects(call(), CortexUnavailableError);
    equal(double.seen.length, before + 1);
  }
});

Deno.test("erase() is followed until it is through", async () => {
  const { client, double } = openFixture(DIRECT, { erasureSteps: 2 });
  const scope = scopeAt();
  await client.append(await draftOf("a"));
  const erasure = await client.erase({ scope, auditNote: "n" });
  deepEqual(erasure, { ids: ["er_1"], status: "running" });
  deepEqual(double.seen.at(-1)?.body, {
    scope,
    confirm_all: true,
    audit_note: "n",
  });
  const [id] = erasure.ids;
  ok(id);
  equal((await client.readErasure(id))?.status, "running");
  equal((await client.readErasure(id))?.status, "completed");
  equal(double.routes.at(-1), "GET /v1/erasures/er_1");
  equal(await client.readErasure("er_9" as ErasureId), undefined);
});

Deno.test("a scope is registered, read, and given members", async () => {
  const { client, double } = openFixture(DIRECT);
  equal(await client.readMembers(ROOT), undefined);
  await client.registerScope({ path: ROOT, members: [OWNER] });
  deepEqual(double.seen.at(-1)?.body, { path: "org:a", members: [OWNER] });
  await rejects(
    client.registerScope({ path: ROOT, members: [OWNER] }),
    (error) =>
      error instanceof CortexRefusalError && error.reason === "conflict" &&
      error.errorCode === "SCOPE_REGISTRATION_EXISTS",
  );
  deepEqual(await client.readMembers(ROOT), [OWNER]);
  equal(double.seen.at(-1)?.query.get("path"), "org:a");
  const members = [OWNER, { actor: "user:b", role: "auditor" }];
  await client.replaceMembers({ path: ROOT, members });
  equal(double.routes.at(-1), "PUT /v1/scopes/members");
  deepEqual(double.seen.at(-1)?.body, { members });
  deepEqual(await client.readMembers(ROOT), members);
});

Deno.test("a registration that is refused is not sent again", async () => {
  const { client, double } = openFixture(DIRECT, { registrationStatus: 403 });
  const call = client.registerScope({ path: ROOT, members: [OWNER] });
  await rejects(
    call,
    (error) =>
      error instanceof CortexRefusalError && error.reason === "unauthorized",
  );
  equal(double.routes.filter((route) => route === "POST /v1/scopes").length, 1);
});

Deno.test("health() needs no actor", async () => {
  const { client, double } = openFixture(DIRECT);
  deepEqual(await client.health(), { status: "healthy", version: "v0.10.5" });
  deepEqual(double.routes, ["GET /v1/admin/health"]);
});

Deno.test("eraseTenant() is not for this wire", async () => {
  const { client, double } = openFixture(DIRECT);
  await rejects(
    client.eraseTenant(),
    (error) =>
      error instanceof CortexRefusalError && error.reason === "unsupported" &&
      error.status === undefined,
  );
  deepEqual(double.seen, []);
});
