import { deepEqual, ok } from "node:assert/strict";
import { BASE_GROUPS, GROUP_NAMES } from "../../mcp/tools/groups.ts";
import { openEndpoint } from "../support/endpoint.ts";

/** The tools of an address without a query, by group. */
const BASE: Readonly<Record<string, readonly string[]>> = {
  sessions: [
    "quick_search_sessions",
    "get_session",
    "get_session_provenance",
    "get_configs",
    "get_transcript_archive",
    "start_session",
    "action_session",
    "manage_enqueued_messages",
    "manage_categories",
    "respond_to_elicitation",
    "save_outcome_analysis",
  ],
  notifications: [
    "get_notifications",
    "send_push_notification",
    "action_notification",
  ],
  triggers: [
    "search_triggers",
    "action_trigger",
    "wake_me_up_later",
    "wake_me_up_when_session_changes_state",
  ],
  health: [
    "get_system_health",
    "action_health",
    "get_spot_policy",
    "action_spot_policy",
    "get_costs",
  ],
};

const MAX_LIST_BYTES = 60_000;

Deno.test("an address without a query shows the base tools, and no other", async () => {
  await using endpoint = await openEndpoint();
  deepEqual(Object.keys(BASE), BASE_GROUPS);
  const shown = await endpoint.tools("");
  const all = Object.values(BASE).flat();
  deepEqual(shown.filter((name) => !all.includes(name)), []);
  for (const group of ["sessions", "notifications"]) {
    deepEqual(await endpoint.tools(`?tool_groups=${group}`), BASE[group]);
  }
});

Deno.test("what is listed of each group stays under 60 KB", async () => {
  await using endpoint = await openEndpoint();
  for (const groups of [...GROUP_NAMES]) {
    const response = await endpoint.rpc(`?tool_groups=${groups}`, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
    });
    const { byteLength } = await response.arrayBuffer();
    ok(byteLength < MAX_LIST_BYTES, `${groups}: ${byteLength} bytes`);
  }
});
