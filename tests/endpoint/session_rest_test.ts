import { deepEqual, equal, match } from "node:assert/strict";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
} from "../support/endpoint.ts";
import { readFleetState } from "../support/fleet_state.ts";
import { addSession } from "../support/session_rows.ts";
import { startSession } from "../support/sessions.ts";

const KEY = { "x-api-key": API_KEY, "content-type": "application/json" };

async function call(
  endpoint: TestEndpoint,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
) {
  const response = await endpoint.fetch(`/api/v1${path}`, {
    method,
    headers: KEY,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("a session is started, told, searched and put away by REST", async () => {
  await using endpoint = await openEndpoint();
  const started = await call(endpoint, "POST", "/agent_sessions", {
    agent_root: "gardener",
    prompt: "dig",
    slug: "digging",
    idempotency_key: "k",
  });
  equal(started.status, 201, JSON.stringify(started.body));
  const again = await call(endpoint, "POST", "/agent_sessions", {
    agent_root: "gardener",
    idempotency_key: "k",
  });
  deepEqual(
    [again.body.session_id, again.body.is_replay],
    [started.body.session_id, true],
  );
  const told = await call(endpoint, "POST", "/sessions/digging/actions", {
    action: "follow_up",
    prompt: "deeper",
  });
  match(told.body.markdown, /^## Follow-up Sent/);
  const listed = await call(endpoint, "GET", "/sessions/digging/messages");
  equal(listed.body.messages.length, 1);
  const found = await call(
    endpoint,
    "GET",
    "/search/sessions?status=waiting&per_page=5",
  );
  deepEqual(
    found.body.sessions.map(({ id }: { id: number }) => id),
    [started.body.session_id],
  );
  const shown = await call(endpoint, "GET", "/sessions/digging/details");
  equal(shown.body.queued_messages, 1);
  match(shown.body.markdown, /### Queued Messages/);
  const archived = await call(endpoint, "POST", "/session_actions", {
    action: "bulk_archive",
    session_ids: ["digging"],
    force: true,
  });
  deepEqual(archived.body.archived, [started.body.session_id]);
});

Deno.test("REST refuses what the tools refuse, in their words, and changes as little", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const id = await addSession(db, { status: "archived", wait_reason: null });
  const before = await readFleetState(db);
  const cases = [
    [
      "action_session",
      { action: "follow_up", session_id: String(id), prompt: "x" },
      `/sessions/${id}/actions`,
      409,
    ],
    [
      "manage_enqueued_messages",
      { action: "create", session_id: String(id), content: "x" },
      `/sessions/${id}/messages`,
      409,
    ],
    [
      "manage_categories",
      { action: "delete", category_id: 9 },
      "/categories",
      404,
    ],
    [
      "action_notification",
      {
        action: "mark_read",
        id: 9,
      },
      "/notifications/actions",
      404,
    ],
    ["start_session", { agent_root: "nowhere" }, "/agent_sessions", 422],
  ] as const;
  for (const [tool, args, path, status] of cases) {
    const byTool = await endpoint.call("", tool, args);
    equal(byTool.isError, true);
    const { session_id: _, ...body } = args as Record<string, unknown>;
    const byRest = await call(endpoint, "POST", path, body);
    equal(byRest.status, status, path);
    equal(byRest.body.message, byTool.text);
    deepEqual(await readFleetState(db), before, path);
  }
});

Deno.test("the routes of the fleet are for operators", async () => {
  await using endpoint = await openEndpoint();
  const { session, token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  for (
    const [method, path] of [
      ["GET", "/search/sessions"],
      ["GET", "/configs"],
      ["POST", `/sessions/${session.id}/actions`],
      ["POST", "/categories"],
      ["POST", "/notifications"],
    ] as const
  ) {
    const response = await endpoint.fetch(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    equal(response.status, 403, path);
    await response.body?.cancel();
  }
});
