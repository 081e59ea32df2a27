/** What is the same on both wires. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  draftOf,
  LAYOUT,
  openFixture,
  scopeAt,
} from "../../tests/support/cortex/cortex_fixture.ts";
import {
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
} from "../errors.ts";
import { parseNode } from "../layout/node.ts";
import { ROOT_NODE, type Wire } from "../words.ts";
import type { EventId } from "./wire.ts";

const WIRES: readonly Wire[] = ["direct", "hosted"];
const PREFIX = { direct: "/v1", hosted: "/memory" } as const;
const GONE = "evt_404" as EventId;
const [ROOT_PREFIX] = LAYOUT.prefixes(ROOT_NODE);

for (const wire of WIRES) {
  const route = (method: string, name: string) =>
    `${method} ${PREFIX[wire]}/${name}`;

  Deno.test(`${wire}: append() stores, and replays the same event`, async () => {
    const { client, double } = openFixture(wire);
    const draft = await draftOf("coffee, black", {
      labels: ["tm:i:1"],
      observedAt: "2026-08-01T00:00:00Z",
      derive: false,
    });
    deepEqual(await client.append(draft), {
      eventId: "evt_1",
      isReplay: false,
    });
    deepEqual(await client.append(draft), { eventId: "evt_1", isReplay: true });
    equal(double.store.events.length, 1);
    const sent = double.seen.find((one) =>
      one.route === route("POST", "experience")
    );
    deepEqual(sent?.body, {
      scope: "org:a/ws:main/app:learnings",
      modality: "observation",
      content: { kind: "message", role: "user", text: "coffee, black" },
      context: {
        labels: ["tm:i:1"],
        observed_at: "2026-08-01T00:00:00Z",
      },
      directives: { extract: [] },
      idempotency_key: draft.idempotencyKey,
    });
    equal(sent?.headers.get("content-type"), "application/json");
  });

  Deno.test(`${wire}: append() refuses another event under the same key`, async () => {
    const { client } = openFixture(wire);
    const draft = await draftOf("one");
    await client.append(draft);
    await rejects(client.append({ ...draft, text: "two" }), (error) => {
      ok(error instanceof CortexRefusalError);
      equal(error.reason, "conflict");
      equal(error.errorCode, "IDEMPOTENCY_CONFLICT");
      return true;
    });
  });

  Deno.test(`${wire}: append() tries again under the same key`, async () => {
    const { client, double, clock } = openFixture(wire);
    const experience = route("POST", "experience");
    double.fail({ status: 503, route: experience });
    const draft = await draftOf("one");
    deepEqual(await client.append(draft), {
      eventId: "evt_1",
      isReplay: false,
    });
    deepEqual(clock.slept, [250]);
    const tries = double.seen.filter((one) => one.route === experience);
    equal(tries.length, 2);
    deepEqual(tries[0]?.body, tries[1]?.body);
    const claims = tries.map((one) => one.headers.get("idempotency-key"));
    equal(claims[0], claims[1]);
    equal(typeof claims[0], wire === "hosted" ? "string" : "object");
  });

  Deno.test(`${wire}: appendAll() gives receipts in order`, async () => {
    const { client, double } = openFixture(wire);
    const drafts = [await draftOf("a"), await draftOf("b"), await draftOf("c")];
    const [, second] = drafts;
    ok(second);
    await client.append(second);
    deepEqual(await client.appendAll(drafts), [
      { eventId: "evt_2", isReplay: false },
      { eventId: "evt_1", isReplay: true },
      { eventId: "evt_3", isReplay: false },
    ]);
    equal(double.store.events.length, 3);
  });

  Deno.test(`${wire}: a write without a good key is not sent`, async () => {
    const { client, double } = openFixture(wire);
    const draft = await draftOf("a");
    const many = Array(65).fill("l");
    const bad = [
      [],
      [{ ...draft, idempotencyKey: " " }],
      [{ ...draft, idempotencyKey: "k".repeat(65) }],
      [{ ...draft, labels: many }, draft],
      Array(1_001).fill(draft),
    ];
    for (const drafts of bad) {
      await rejects(client.appendAll(drafts), CortexRefusalError);
    }
    deepEqual(double.seen, []);
  });

  Deno.test(`${wire}: listEvents() pages through copies`, async () => {
    const { client, double } = openFixture(wire);
    for (const text of ["a", "b", "c"]) {
      await client.append(await draftOf(text));
    }
    const query = { scope: scopeAt(), limit: 3 };
    const first = await client.listEvents(query);
    deepEqual(first.events.map(({ text }) => text), ["c", "c", "b"]);
    ok(first.nextCursor);
    const second = await client.listEvents({
      ...query,
      cursor: first.nextCursor,
    });
    deepEqual(second.events.map(({ text }) => text), ["b", "a", "a"]);
    equal(second.nextCursor, undefined);
    const sent = double.seen.at(-1);
    equal(sent?.route, route("GET", "events"));
    equal(sent?.query.get("scope"), "org:a/ws:main/app:learnings");
    equal(sent?.query.get("limit"), "3");
    equal(sent?.query.get("cursor"), first.nextCursor);
    equal(sent?.query.has("labels"), false);
    equal(sent?.query.get("view"), wire === "direct" ? "granular" : null);
  });

  Deno.test(`${wire}: listEvents() keeps events with any of the labels`, async () => {
    const { client, double } = openFixture(wire, { doubleListing: false });
    for (const label of ["x", "y", "z"]) {
      await client.append(await draftOf(label, { labels: [label] }));
    }
    const query = { scope: scopeAt(), labels: ["x", "z"] };
    const { events } = await client.listEvents(query);
    deepEqual(events.map(({ labels }) => labels), [["z"], ["x"]]);
    deepEqual(double.seen.at(-1)?.query.getAll("labels"), ["x,z"]);
    equal(double.seen.at(-1)?.query.get("limit"), "200");
  });

  Deno.test(`${wire}: listEvents() sends no query that would list all`, async () => {
    const { client, double } = openFixture(wire);
    const bad = [
      { labels: [] },
      { labels: [""] },
      { labels: ["a,b"] },
      { labels: Array(51).fill("l") },
      { limit: 0 },
      { limit: 1.5 },
    ];
    for (const query of bad) {
      const call = client.listEvents({ scope: scopeAt(), ...query });
      await rejects(call, CortexRefusalError);
    }
    deepEqual(double.seen, []);
  });

  Deno.test(`${wire}: readEvent() finds one event or none`, async () => {
    const { client } = openFixture(wire);
    const { eventId } = await client.append(await draftOf("a"));
    equal((await client.readEvent(eventId))?.text, "a");
    equal(await client.readEvent(GONE), undefined);
    const hostile = "../scopes?x=1" as EventId;
    equal(await client.readEvent(hostile), undefined);
    await rejects(client.readEvent(".." as EventId), CortexRefusalError);
  });

  Deno.test(`${wire}: recall() reads one scope alone, and answer() its pack`, async () => {
    const { client, double } = openFixture(wire);
    const scope = scopeAt();
    for (const text of ["black coffee", "green tea", "coffee beans"]) {
      await client.append(await draftOf(text, { labels: [text.slice(0, 5)] }));
    }
    const query = { scope, query: "black coffee?", maxEvents: 2 };
    const pack = await client.recall(query);
    deepEqual(pack.events.map(({ text }) => text), [
      "black coffee",
      "coffee beans",
    ]);
    deepEqual(double.seen.at(-1)?.body, {
      scope,
      query: "black coffee?",
      view: "granular",
      budgets: {
        per_layer_limits: {
          events: 2,
          facts: 0,
          beliefs: 0,
          episodes: 0,
          understanding: 0,
        },
      },
    });
    const { packId } = pack;
    const answer = await client.answer({ scope, packId, question: "Which?" });
    equal(answer.text, "Answer to Which?: black coffee");
    equal(answer.model, "double");
    deepEqual(answer.citations, [
      { id: "evt_1", layer: "events" },
      { id: "evt_3", layer: "events" },
    ]);
    const narrow = await client.recall({ ...query, labels: ["coffe"] });
    deepEqual(narrow.events.map(({ text }) => text), ["coffee beans"]);
  });

  Deno.test(`${wire}: answer() says when the pack is gone`, async () => {
    const { client, double } = openFixture(wire);
    const scope = scopeAt();
    const { eventId } = await client.append(await draftOf("coffee"));
    const recall = { scope, query: "coffee", maxEvents: 1 };
    const isGone = (error: unknown) =>
      error instanceof CortexRefusalError && error.reason === "not_found";
    const old = await client.recall(recall);
    double.store.now += 60_000;
    const question = "What?";
    await rejects(
      client.answer({ scope, packId: old.packId, question }),
      isGone,
    );
    const { packId } = await client.recall(recall);
    const auditNote = "test";
    await client.forget({ scope, eventIds: [eventId], auditNote });
    await rejects(client.answer({ scope, packId, question }), isGone);
  });

  Deno.test(`${wire}: forget() removes the named events for good`, async () => {
    const { client, double } = openFixture(wire);
    const scope = scopeAt();
    const one = await client.append(await draftOf("a"));
    await client.append(await draftOf("b"));
    const eventIds = [one.eventId, GONE];
    const forgotten = await client.forget({ scope, eventIds, auditNote: "n" });
    deepEqual(forgotten, { matched: 1 });
    deepEqual(double.store.events.map(({ text }) => text), ["b"]);
    deepEqual(double.seen.at(-1)?.body, {
      scope,
      layers: ["events"],
      selector: { memory_ids: eventIds },
      cascade: "redact_events",
      audit_note: "n",
    });
  });

  Deno.test(`${wire}: forget() never sends an empty selector`, async () => {
    const { client, double } = openFixture(wire);
    const bad = [[], Array(101).fill(GONE), [" "]] as EventId[][];
    for (const eventIds of bad) {
      const request = { scope: scopeAt(), eventIds, auditNote: "n" };
      await rejects(client.forget(request), CortexRefusalError);
    }
    deepEqual(double.seen, []);
  });

  Deno.test(`${wire}: listScopes() lists below a prefix, or everything`, async () => {
    const { client, double } = openFixture(wire);
    for (const node of ["ws:main", "ws:other", "agent:a"]) {
      await client.append(await draftOf(node, { scope: scopeAt(node) }));
    }
    const [prefix] = LAYOUT.prefixes(parseNode("ws:main"));
    ok(prefix !== undefined && ROOT_PREFIX !== undefined);
    const stored = wire === "hosted" ? "org:t1/org:a" : "org:a";
    deepEqual(await client.listScopes({ prefix: ROOT_PREFIX }), {
      paths: [
        `${stored}/agent:a/app:learnings`,
        `${stored}/ws:main/app:learnings`,
        `${stored}/ws:other/app:learnings`,
      ],
      isCut: false,
    });
    const sent = double.seen.at(-1);
    equal(sent?.query.get("prefix"), "org:a");
    equal(sent?.query.get("limit"), "1000");
    const all = await client.listScopes({ prefix: "" as typeof ROOT_PREFIX });
    equal(all.paths.length, 3);
    equal(double.seen.at(-1)?.query.has("prefix"), false);
    const cut = await client.listScopes({ prefix: ROOT_PREFIX, limit: 2 });
    deepEqual([cut.paths.length, cut.isCut], [2, true]);
  });

  Deno.test(`${wire}: listScopes() reads plain texts and a missing route`, async () => {
    const { client, double } = openFixture(wire, { plainScopes: true });
    await client.append(await draftOf("a"));
    ok(ROOT_PREFIX !== undefined);
    const { paths } = await client.listScopes({ prefix: ROOT_PREFIX });
    equal(paths.length, 1);
    double.fail({ status: 404 });
    const none = await client.listScopes({ prefix: ROOT_PREFIX });
    deepEqual(none, { paths: [], isCut: false });
  });

  Deno.test(`${wire}: health() asks once`, async () => {
    const { client, double } = openFixture(wire);
    equal((await client.health()).status, "healthy");
    double.fail({ status: 503 });
    await rejects(client.health(), CortexUnavailableError);
    equal(double.seen.length, 2);
  });

  Deno.test(`${wire}: a foreign text in place of an answer is not understood`, async () => {
    const { client, double } = openFixture(wire);
    const scope = scopeAt();
    const draft = await draftOf("a");
    await client.listEvents({ scope });
    const calls = [
      () => client.append(draft),
      () => client.appendAll([draft, draft]),
      () => client.listEvents({ scope }),
      () => client.readEvent(GONE),
      () => client.recall({ scope, query: "q", maxEvents: 1 }),
      () => client.erase({ scope, auditNote: "n" }),
    ];
    for (const call of calls) {
      double.fail({ status: 200, text: "[]" });
      await rejects(call(), CortexProtocolError);
    }
  });

  Deno.test(`${wire}: a 429 and a 408 are waited out`, async () => {
    const { client, double, clock } = openFixture(wire);
    await client.listEvents({ scope: scopeAt() });
    double.fail({ status: 429, headers: { "retry-after": "2" } });
    double.fail({ status: 408 });
    await client.listEvents({ scope: scopeAt() });
    deepEqual(clock.slept, [2_000, 500]);
  });

  Deno.test(`${wire}: a registration that is under way is waited out`, async () => {
    const { client, double, clock } = openFixture(wire);
    await client.listEvents({ scope: scopeAt() });
    double.fail({ status: 503, times: 5, code: "AUTHORIZATION_STATE_CHANGED" });
    await client.listEvents({ scope: scopeAt() });
    deepEqual(clock.slept, [250, 500, 1_000, 2_000, 4_000]);
  });

  Deno.test(`${wire}: a bad credential is refused once`, async () => {
    const credential = "key-of-another";
    const { client, double } = openFixture(wire, {}, { credential });
    await rejects(client.listEvents({ scope: scopeAt() }), (error) => {
      ok(error instanceof CortexRefusalError);
      equal(error.reason, "unauthorized");
      ok(!Deno.inspect(error).includes(credential));
      return true;
    });
    equal(double.seen.length, 1);
  });
}
