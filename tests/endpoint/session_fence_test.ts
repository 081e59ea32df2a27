/**
 * The fence holds for every tool and action on a session, and a token reaches no
 * session but its own and those it started.
 */
import { deepEqual, equal, match } from "node:assert/strict";
import { startSession } from "../../fleet/mod.ts";
import { fleetOf } from "../../mcp/mod.ts";
import { ACTION_NAMES } from "../../mcp/tools/sessions/actions.ts";
import { openEndpoint, type TestEndpoint } from "../support/endpoint.ts";
import { readFleetState } from "../support/fleet_state.ts";
import { endTurn, leaseTurn } from "../support/leases.ts";
import { addTranscript } from "../support/session_rows.ts";
import { startSession as startClient } from "../support/sessions.ts";

/** Arguments with which each action would be possible. */
const ARGS: Readonly<Record<string, Record<string, unknown>>> = {
  follow_up: { prompt: "x" },
  change_mcp_servers: { mcp_servers: [] },
  change_skills: { skills: [] },
  change_hooks: { hooks: [] },
  change_plugins: { plugins: [] },
  change_model: { model: "m" },
  change_goal: { goal: "a goal of mine" },
  change_auto_compact_window: { auto_compact_window: 5 },
  change_scheduling_class: { scheduling_class: "spot" },
  change_precedence: { precedence: 5 },
  change_category: { category_id: 0 },
  set_visibility: { visibility: "hidden" },
  set_heartbeat: { enabled: true },
  fork: { message_index: 0 },
  update_notes: { session_notes: "n" },
  update_title: { title: "t" },
  remove_uncle: { uncle_session_id: 1 },
};

async function rested(endpoint: TestEndpoint, root: string): Promise<number> {
  const { db } = endpoint.test;
  const { session: { id } } = await startSession(fleetOf(endpoint.services), {
    agentRoot: root,
    drivenBy: "runner",
    prompt: "begin",
  });
  await leaseTurn(db, id);
  await endTurn(db, id);
  await addTranscript(db, id, ["said"]);
  return id;
}

/** Calls on a session, whatever tool makes them. */
function callsOn(id: number): readonly [string, Record<string, unknown>][] {
  const session_id = String(id);
  return [
    ...ACTION_NAMES.map((action): [string, Record<string, unknown>] => [
      "action_session",
      { action, session_id, ...ARGS[action] },
    ]),
    ["get_session", { id: session_id }],
    ["get_session_provenance", { session_id }],
    ["manage_enqueued_messages", { action: "list", session_id }],
    ["manage_enqueued_messages", {
      action: "create",
      session_id,
      content: "x",
    }],
    [
      "manage_enqueued_messages",
      { action: "send_now", session_id, content: "x" },
    ],
    ["manage_categories", {
      action: "set_session_category",
      session_id,
      category_id: 0,
    }],
    ["send_push_notification", { session_id, message: "x" }],
    ["wake_me_up_later", {
      session_id: id,
      wake_at: "2199-01-01T00:00",
      prompt: "x",
    }],
  ];
}

Deno.test("a fenced connection neither reads nor changes a session outside, by whatever tool", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const outside = await rested(endpoint, "librarian");
  const inside = await rested(endpoint, "gardener");
  const query = "?allowed_agent_roots=gardener";
  const before = await readFleetState(db);
  const calls: readonly [string, Record<string, unknown>][] = [
    ...callsOn(outside),
    ["wake_me_up_when_session_changes_state", {
      session_id: inside,
      watched_session_id: outside,
      event_names: ["session_failed"],
      prompt: "x",
    }],
  ];
  for (const [tool, args] of calls) {
    const answer = await endpoint.call(query, tool, args);
    const what = `${tool} ${JSON.stringify(args)}`;
    equal(answer.isError, true, what);
    match(
      answer.text,
      /may act on the agent roots gardener only: .* is not possible/,
      what,
    );
    deepEqual(await readFleetState(db), before, what);
  }
  const bulk = await endpoint.call(query, "action_session", {
    action: "bulk_archive",
    session_ids: [String(outside), String(inside)],
  });
  deepEqual(bulk.data.archived, [inside]);
  match(bulk.data.refused[0].reason, /belongs to "librarian"/);
});

Deno.test("refreshing all, a fenced connection takes up none of another root", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const ids = [
    await rested(endpoint, "librarian"),
    await rested(endpoint, "gardener"),
  ];
  await db.write("update sessions set status = 'failed'");
  const { data } = await endpoint.call(
    "?allowed_agent_roots=gardener",
    "action_session",
    { action: "refresh_all" },
  );
  deepEqual(data.restarted, [ids[1]]);
  equal(data.refused[0].session_id, String(ids[0]));
});

Deno.test("a session is not fenced from itself, but for what makes another of it", async () => {
  await using endpoint = await openEndpoint();
  const own = await rested(endpoint, "librarian");
  const query = `?allowed_agent_roots=gardener&session_id=${own}`;
  for (const action of ["update_notes", "set_heartbeat", "archive"]) {
    const { isError, text } = await endpoint.call(query, "action_session", {
      action,
      session_id: String(own),
      ...ARGS[action],
    });
    equal(isError, false, text);
  }
  await endpoint.call("", "action_session", {
    action: "unarchive",
    session_id: String(own),
  });
  for (const action of ["fork", "restart", "regenerate_status_summary"]) {
    const { isError, text } = await endpoint.call(query, "action_session", {
      action,
      session_id: String(own),
      ...ARGS[action],
    });
    equal(isError, true, action);
    match(text, /belongs to "librarian"/);
  }
});

Deno.test("a token reaches no session but its own and those it started, by whatever tool", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const { token } = await startClient(db, {
    agentRootKey: "gardener",
    toolGroups: ["sessions", "notifications", "triggers"],
  });
  const other = await rested(endpoint, "gardener");
  const before = await readFleetState(db);
  for (const [tool, args] of callsOn(other)) {
    // Reading is what parents and orchestrators do.
    if (tool === "get_session" || tool === "get_session_provenance") continue;
    const answer = await endpoint.call("", tool, args, {
      authorization: `Bearer ${token}`,
    });
    const what = `${tool} ${JSON.stringify(args)}`;
    equal(answer.isError, true, what);
    match(answer.text, /reaches that session and those|speaks for session/);
    deepEqual(await readFleetState(db), before, what);
  }
});
