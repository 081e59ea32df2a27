import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  findElicitation,
  listElicitations,
} from "../../store/around_sessions/mod.ts";
import { findSession, type Session } from "../../store/sessions/mod.ts";
import { openTestFleet, type TestFleet } from "../../tests/support/fleet.ts";
import { endTurn, leaseTurn } from "../../tests/support/leases.ts";
import { addSession } from "../../tests/support/session_rows.ts";
import { parkSession, pauseSession } from "../actions/turns.ts";
import { UNRESTRICTED } from "../caller.ts";
import { sweepFleet } from "../clock/handlers.ts";
import { FleetRefusalError } from "../errors.ts";
import { archiveSession } from "../sessions/archive.ts";
import { startSession } from "../sessions/start.ts";
import { ask, type Question } from "./ask.ts";
import { respond } from "./respond.ts";

const ME = UNRESTRICTED;

async function running({ fleet, test }: TestFleet): Promise<number> {
  const { session } = await startSession(fleet, {
    agentRoot: "gardener",
    drivenBy: "runner",
    prompt: "begin",
  });
  ok(await leaseTurn(test.db, session.id));
  return session.id;
}

async function stateOf(
  { test }: TestFleet,
  id: number,
): Promise<Partial<Session>> {
  const { status, pausedBy, pendingSleep } = await findSession(test.db, id) ??
    {};
  return { status, pausedBy, pendingSleep } as Partial<Session>;
}

async function overdue({ test }: TestFleet, requestId: string): Promise<void> {
  await test.db.write(
    "update elicitations set expires_at = now() - interval '1 second' where request_id = $1",
    [requestId],
  );
}

/** All that a refusal must leave as it is. */
async function everything({ test }: TestFleet): Promise<unknown> {
  return await test.db.read(
    `select (select jsonb_agg(to_jsonb(s) order by id) from sessions s) as sessions,
       (select jsonb_agg(to_jsonb(e) order by id) from elicitations e) as asked,
       (select count(*) from session_logs) as logs,
       (select count(*) from notifications) as notices`,
  );
}

Deno.test("a question lets the session rest with its turn, and its answer lets it go on", async () => {
  await using opened = await openTestFleet();
  const { fleet } = opened;
  const id = await running(opened);
  const first = await ask(fleet, ME, id, { message: "Red?", requestId: "q-1" });
  deepEqual(await stateOf(opened, id), {
    status: "needs_input",
    pausedBy: "elicitation",
    pendingSleep: null,
  });
  const second = await ask(fleet, ME, id, { message: "Blue?" });
  match(second.elicitation.requestId, /^[0-9a-f-]{36}$/);
  const again = await ask(fleet, ME, id, {
    message: "other words",
    requestId: "q-1",
  });
  deepEqual([again.isReplay, again.elicitation.message], [true, "Red?"]);
  const done = await respond(fleet, ME, "q-1", {
    action: "accept",
    content: { color: "red" },
  });
  deepEqual(done.elicitation.content, { color: "red" });
  equal(done.session.status, "needs_input", "another question is open");
  // By its number, too.
  const last = await respond(fleet, ME, String(second.elicitation.id), {
    action: "decline",
    content: { ignored: true },
  });
  equal(last.elicitation.content, null);
  deepEqual([last.session.status, last.session.pausedBy], ["running", null]);
  equal(first.elicitation.isOverdue, false);
});

Deno.test("what a session was to do at the end of its turn outlives a question", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const id = await running(opened);
  await parkSession(fleet, ME, id, {});
  await ask(fleet, ME, id, { message: "Red?", requestId: "q" });
  equal((await stateOf(opened, id)).pendingSleep, "spot_queue");
  await respond(fleet, ME, "q", { action: "cancel" });
  await endTurn(test.db, id);
  equal((await findSession(test.db, id))?.waitReason, "spot_queue");
});

Deno.test("a question that nobody answers is lost aloud, and its turn goes on", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const id = await running(opened);
  await ask(fleet, ME, id, { message: "Red?", requestId: "q" });
  equal((await sweepFleet(test.db)).elicitations, 0);
  await overdue(opened, "q");
  equal((await sweepFleet(test.db)).elicitations, 1);
  equal((await findElicitation(test.db, "q"))?.status, "expired");
  equal((await stateOf(opened, id)).status, "running");
  const [notice] = await test.db.read<{ type: string; message: string }>(
    "select notification_type as type, message from notifications where not stale",
  );
  equal(notice?.type, "elicitation_expired");
  match(notice?.message ?? "", /Nobody answered in time: Red\?/);
  equal((await sweepFleet(test.db)).elicitations, 0);
});

Deno.test("an answer that comes too late resolves the question as expired, and is refused", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const id = await running(opened);
  await ask(fleet, ME, id, { message: "Red?", requestId: "q" });
  await overdue(opened, "q");
  await rejects(
    respond(fleet, ME, "q", { action: "accept" }),
    /resolved already: expired.*This answer was not given/,
  );
  equal((await findElicitation(test.db, "q"))?.status, "expired");
  equal((await stateOf(opened, id)).status, "running");
});

Deno.test("questions of a turn that ended are called off, however it ends", async () => {
  for (const how of ["done", "failed", "archived"] as const) {
    await using opened = await openTestFleet();
    const { fleet, test } = opened;
    const id = await running(opened);
    await ask(fleet, ME, id, { message: "Red?", requestId: "q" });
    if (how === "archived") {
      await archiveSession(fleet, id, { isForced: true });
    } else if (how === "failed") {
      await endTurn(test.db, id, { kind: "failed", reason: "x" });
    } else await endTurn(test.db, id);
    equal((await findElicitation(test.db, "q"))?.status, "cancel", how);
    ok((await stateOf(opened, id)).status !== "running");
    await rejects(
      respond(fleet, ME, "q", { action: "accept" }),
      /resolved already: cancel/,
    );
  }
});

Deno.test("of two that answer at once, one is heard", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const id = await running(opened);
  for (let round = 0; round < 5; round++) {
    const requestId = `q-${round}`;
    await ask(fleet, ME, id, { message: "Red?", requestId });
    const outcomes = await Promise.allSettled(
      ["accept", "decline", "cancel", "accept"].map((action) =>
        respond(fleet, ME, requestId, { action: action as "accept" })
      ),
    );
    equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    equal((await stateOf(opened, id)).status, "running");
  }
  equal(
    (await listElicitations(test.db, { status: "pending" }, {
      limit: 9,
      offset: 0,
    })).length,
    0,
  );
});

Deno.test("a form holds its answer to its schema, and one that cannot be read holds nobody up", async () => {
  await using opened = await openTestFleet();
  const { fleet } = opened;
  const id = await running(opened);
  await ask(fleet, ME, id, {
    message: "Which?",
    requestId: "form",
    requestedSchema: {
      type: "object",
      properties: { color: { type: "string", enum: ["red", "blue"] } },
      required: ["color"],
    },
  });
  for (const content of [{}, { color: "green" }, { color: 1 }, undefined]) {
    await rejects(
      respond(fleet, ME, "form", { action: "accept", content }),
      /does not fit the form of question form: .*color.*Nothing was changed/s,
      JSON.stringify(content),
    );
  }
  await respond(fleet, ME, "form", {
    action: "accept",
    content: { color: "blue" },
  });
  await ask(fleet, ME, id, {
    message: "Which?",
    requestId: "odd",
    requestedSchema: { properties: { a: { type: "nonsense" } } },
  });
  await respond(fleet, ME, "odd", { action: "accept", content: { a: 1 } });
});

Deno.test("a refusal of asking and answering changes nothing", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const { db } = test;
  const id = await running(opened);
  const other = await running(opened);
  const pausing = await running(opened);
  await pauseSession(fleet, ME, pausing);
  const resting = await addSession(db, {
    status: "needs_input",
    wait_reason: null,
    driven_by: "runner",
  });
  const over = await addSession(db, { status: "archived", wait_reason: null });
  await ask(fleet, ME, id, { message: "Red?", requestId: "q" });
  await ask(fleet, ME, id, { message: "Blue?", requestId: "told" });
  await respond(fleet, ME, "told", { action: "decline" });
  const outside = { ...ME, fence: ["librarian"] };
  const confined = { sessionId: other, isConfined: true, fence: null };
  const own = { ...ME, sessionId: id };
  const big = { a: "x".repeat(70_000) };
  const asks: readonly [typeof ME, number, Question][] = [
    [ME, id, { message: " " }],
    [ME, id, { message: "x".repeat(50_001) }],
    [ME, id, { message: "a\u0000" }],
    [ME, id, { message: "x", requestId: "" }],
    [ME, id, { message: "x", requestedSchema: { type: "array" } }],
    [ME, id, { message: "x", requestedSchema: big }],
    [ME, id, { message: "x", meta: big }],
    [ME, id, { message: "x", expiresInSeconds: 0 }],
    [ME, id, { message: "x", expiresInSeconds: 604_801 }],
    [ME, other, { message: "x", requestId: "q" }],
    [ME, 999, { message: "x" }],
    [ME, resting, { message: "x" }],
    [ME, over, { message: "x" }],
    [ME, pausing, { message: "x" }],
    [outside, id, { message: "x" }],
    [confined, id, { message: "x" }],
  ];
  const answers: readonly [typeof ME, string, unknown][] = [
    [ME, "nowhere", {}],
    [ME, "999", {}],
    [ME, "told", {}],
    [ME, "q", "text"],
    [ME, "q", ["a"]],
    [ME, "q", { a: "\u0000" }],
    [ME, "q", { a: "x".repeat(70_000) }],
    [outside, "q", {}],
    [confined, "q", {}],
    [own, "q", {}],
  ];
  const before = await everything(opened);
  const refused = (error: unknown) =>
    error instanceof FleetRefusalError ||
    (error instanceof Error && error.name === "StoreRefusalError");
  for (const [caller, session, question] of asks) {
    await rejects(ask(fleet, caller, session, question), refused);
    deepEqual(await everything(opened), before, JSON.stringify(question));
  }
  for (const [caller, name, content] of answers) {
    await rejects(
      respond(fleet, caller, name, { action: "accept", content }),
      refused,
    );
    deepEqual(await everything(opened), before, name);
  }
});
