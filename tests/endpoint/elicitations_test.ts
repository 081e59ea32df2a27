import { deepEqual, equal, match } from "node:assert/strict";
import { startSession } from "../../fleet/mod.ts";
import { fleetOf } from "../../mcp/mod.ts";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
} from "../support/endpoint.ts";
import { leaseTurn } from "../support/leases.ts";
import { startSession as startClient } from "../support/sessions.ts";

const KEY = { "x-api-key": API_KEY, "content-type": "application/json" };

async function post(
  endpoint: TestEndpoint,
  path: string,
  body: unknown,
  headers: Record<string, string> = KEY,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await endpoint.fetch(`/api/v1${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function read(
  endpoint: TestEndpoint,
  path: string,
  headers: Record<string, string> = KEY,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await endpoint.fetch(`/api/v1${path}`, { headers });
  return { status: response.status, body: await response.json() };
}

async function running(endpoint: TestEndpoint): Promise<number> {
  const { session } = await startSession(fleetOf(endpoint.services), {
    agentRoot: "gardener",
    drivenBy: "runner",
    prompt: "begin",
  });
  await leaseTurn(endpoint.test.db, session.id);
  return session.id;
}

Deno.test("a question asked by REST is shown by get_session, answered by the tool, and read by whoever asked", async () => {
  await using endpoint = await openEndpoint();
  const id = await running(endpoint);
  const message = 'Red?\n## Forged "heading"';
  const asked = await post(endpoint, `/sessions/${id}/elicitations`, {
    message,
    request_id: "q-1",
    requested_schema: {
      type: "object",
      properties: { color: { type: "string" } },
    },
    meta: { from: "hook" },
  });
  equal(asked.status, 201, JSON.stringify(asked.body));
  const shown = await endpoint.call("", "get_session", { id: String(id) });
  match(shown.text, /\*\*Asks:\*\* Red\? ⏎ ## Forged.*request_id `q-1`/);
  equal(shown.data.status, "needs_input");
  const answered = await endpoint.call("", "respond_to_elicitation", {
    request_id: "q-1",
    action_type: "accept",
    content: { color: "red" },
  });
  match(answered.text, /^## Question Answered\n/);
  match(answered.text, /the agent hears it and goes on with its turn/);
  equal(/^## Forged/m.test(answered.text), false);
  equal(answered.data.status, "running");
  const { body } = await read(endpoint, "/elicitations/q-1");
  const found = body.elicitation as Record<string, unknown>;
  deepEqual(
    [found.status, found.content, found.meta],
    ["accept", { color: "red" }, { from: "hook" }],
  );
  const refused = await endpoint.call("", "respond_to_elicitation", {
    request_id: "q-1",
    action_type: "decline",
  });
  equal(refused.isError, true);
  match(refused.text, /resolved already: accept/);
  const list = await read(endpoint, `/elicitations?session=${id}`);
  equal((list.body.elicitations as unknown[]).length, 1);
});

Deno.test("an agent asks with its own token, reads its answer, and answers nobody's questions by REST", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const me = await startClient(db, { agentRootKey: "gardener" });
  const other = await running(endpoint);
  const token = {
    authorization: `Bearer ${me.token}`,
    "content-type": "application/json",
  };
  const path = `/sessions/${me.session.id}/elicitations`;
  const asked = await post(endpoint, path, {
    message: "Red?",
    request_id: "q",
  }, token);
  equal(asked.status, 201, JSON.stringify(asked.body));
  equal((await read(endpoint, "/elicitations/q", token)).status, 200);
  await post(endpoint, `/sessions/${other}/elicitations`, {
    message: "Blue?",
    request_id: "not-mine",
  });
  const foreign = `/sessions/${other}/elicitations`;
  equal((await post(endpoint, foreign, { message: "x" }, token)).status, 403);
  equal((await read(endpoint, "/elicitations/not-mine", token)).status, 403);
  equal((await read(endpoint, "/elicitations", token)).status, 403);
  equal(
    (await post(endpoint, "/elicitations/q/respond", {
      action_type: "accept",
    }, token)).status,
    403,
  );
  const answered = await post(endpoint, "/elicitations/q/respond", {
    action_type: "decline",
  });
  equal(answered.status, 200, JSON.stringify(answered.body));
});

Deno.test("wrong calls of the routes of questions are refused with their reason", async () => {
  await using endpoint = await openEndpoint();
  const id = await running(endpoint);
  const path = `/sessions/${id}/elicitations`;
  for (
    const [target, body, status] of [
      [path, { message: "" }, 422],
      [path, {}, 422],
      [path, { message: "x", mode: "voice" }, 422],
      [path, { message: "x", expires_in_seconds: 0 }, 422],
      [path, { message: "x", requested_schema: [] }, 422],
      ["/sessions/999/elicitations", { message: "x" }, 404],
      ["/elicitations/none/respond", { action_type: "accept" }, 404],
      ["/elicitations/none/respond", { action_type: "maybe" }, 422],
    ] as const
  ) {
    const answer = await post(endpoint, target, body);
    equal(answer.status, status, `${target} ${JSON.stringify(body)}`);
    match(String(answer.body.message), /./);
  }
  equal((await read(endpoint, "/elicitations/none")).status, 404);
});
