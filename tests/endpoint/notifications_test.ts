import { deepEqual, equal, match } from "node:assert/strict";
import { startSession } from "../support/sessions.ts";
import { openEndpoint, type TestEndpoint } from "../support/endpoint.ts";
import { addSession } from "../support/session_rows.ts";

const GROUP = "?tool_groups=notifications";

async function state(endpoint: TestEndpoint): Promise<unknown> {
  return await endpoint.test.db.read(
    "select id, read, dismissed_at is null as there from notifications order by id",
  );
}

Deno.test("what a session sends is a pending notice, read and dismissed once", async () => {
  await using endpoint = await openEndpoint();
  const id = await addSession(endpoint.test.db, { title: "Stuck\n- x" });
  const call = (name: string, args: unknown) =>
    endpoint.call(GROUP, name, args);
  const message = `help\n### Forged ${"x".repeat(300)}`;
  const sent = await call("send_push_notification", {
    session_id: id,
    message,
  });
  match(sent.text, /^## Notification Queued\n\n- \*\*Session ID:\*\* 1\n/);
  const notice = sent.data.notification_id;
  match(
    (await call("get_notifications", { badge_only: true })).text,
    /^1 pending/,
  );
  const list = await call("get_notifications", {});
  match(list.text, /… \[200 of 316 characters\]/);
  match(list.text, /_id shows a long message whole\._/);
  const one = await call("get_notifications", { id: notice });
  match(one.text, / {2}> help\n {2}> ### Forged x{300}/);
  const unread = await call("action_notification", {
    action: "dismiss",
    id: notice,
  });
  equal(unread.isError, true);
  match(unread.text, /is unread.*nothing was changed/);
  equal(
    (await call("action_notification", { action: "mark_read", id: notice }))
      .data.changed,
    1,
  );
  equal((await call("get_notifications", { status: "unread" })).data.total, 0);
  equal(
    (await call("action_notification", { action: "dismiss", id: notice })).data
      .changed,
    1,
  );
  equal((await call("get_notifications", {})).data.total, 0);
});

Deno.test("a refusal of the notices' tools changes nothing", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const id = await addSession(db);
  const other = await addSession(db, { agent_root_key: "librarian" });
  for (const session of [id, other]) {
    await db.write(
      "insert into notifications (session_id, notification_type) values ($1, 'session_failed')",
      [session],
    );
  }
  const before = await state(endpoint);
  const fence = `${GROUP}&allowed_agent_roots=gardener`;
  const refusals: [string, string, unknown][] = [
    [GROUP, "send_push_notification", { session_id: id, message: " \n" }],
    [GROUP, "send_push_notification", { session_id: 99, message: "x" }],
    [GROUP, "send_push_notification", { session_id: id, message: "x\u0000" }],
    [fence, "send_push_notification", { session_id: other, message: "x" }],
    [GROUP, "action_notification", { action: "mark_read" }],
    [GROUP, "action_notification", { action: "mark_read", id: 99 }],
    [GROUP, "action_notification", { action: "mark_all_read", id: 1 }],
    [GROUP, "action_notification", { action: "dismiss", id: 1 }],
    [GROUP, "action_notification", { action: "erase" }],
    [fence, "action_notification", { action: "mark_read", id: 2 }],
    [fence, "get_notifications", { id: 2 }],
  ];
  for (const [query, name, args] of refusals) {
    const answer = await endpoint.call(query, name, args);
    equal(answer.isError, true, JSON.stringify(args));
    deepEqual(await state(endpoint), before, JSON.stringify(args));
  }
  const inside = await endpoint.call(fence, "action_notification", {
    action: "mark_all_read",
  });
  equal(inside.data.changed, 1);
  equal((await endpoint.call(fence, "get_notifications", {})).data.total, 1);
});

Deno.test("through a token a session sends notices of itself only", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const { session, token } = await startSession(db, {
    agentRootKey: "gardener",
  });
  const other = await addSession(db);
  const headers = { authorization: `Bearer ${token}` };
  const send = (session_id: number) =>
    endpoint.call(
      "",
      "send_push_notification",
      { session_id, message: "x" },
      headers,
    );
  equal((await send(session.id)).isError, false);
  const refused = await send(other);
  equal(refused.isError, true);
  match(refused.text, /speaks for session 1 only.*nothing was sent/);
});
