/**
 * Every refusal of the tools of sessions: it says what was wrong, and changes
 * nothing at all.
 */
import { deepEqual, equal, match } from "node:assert/strict";
import {
  createMessage,
  type FleetCaller,
  followUp,
  startSession,
  UNRESTRICTED,
  wakeLater,
} from "../../fleet/mod.ts";
import { fleetOf } from "../../mcp/mod.ts";
import { openEndpoint, ROOTS, type TestEndpoint } from "../support/endpoint.ts";
import { readFleetState } from "../support/fleet_state.ts";
import { endTurn, leaseTurn } from "../support/leases.ts";

const ME: FleetCaller = UNRESTRICTED;

/** Sessions of every kind, by what they are. */
async function settle(endpoint: TestEndpoint) {
  const fleet = fleetOf(endpoint.services);
  const { db } = endpoint.test;
  const make = async (
    more: Partial<Parameters<typeof startSession>[1]> = {},
  ) => {
    const { session } = await startSession(fleet, {
      agentRoot: "gardener",
      drivenBy: "runner",
      prompt: "begin",
      ...more,
    });
    return session.id;
  };
  const lease = async (id: number) => {
    await leaseTurn(db, id);
    return id;
  };
  const rest = async (id: number) => {
    await endTurn(db, await lease(id));
    return id;
  };
  const fail = async (id: number) => {
    await endTurn(db, await lease(id), { kind: "failed", reason: "broke" });
    return id;
  };
  const parent = await rest(await make({ slug: "taken" }));
  const resting = await rest(await make({ parentSessionId: parent }));
  const running = await lease(await make());
  const { message: carried } = await createMessage(fleet, ME, resting, {
    content: "carried",
  });
  const working = await lease(resting);
  const { message: waiting } = await createMessage(fleet, ME, running, {
    content: "waits",
  });
  const failed = await fail(await make());
  const archived = await rest(await make());
  await db.write(
    "update sessions set status = 'archived', archived_at = now() where id = $1",
    [archived],
  );
  const asleep = await rest(await make());
  await wakeLater(fleet, ME, {
    sessionId: asleep,
    wakeAt: "2199-01-01T00:00",
    prompt: "wake",
  });
  const fresh = await make({ prompt: undefined });
  const client = await make({ drivenBy: "client", prompt: undefined });
  const outside = await rest(await make({ agentRoot: "librarian" }));
  const orphan = await rest(await make());
  const ofFailed = await make({ parentSessionId: failed });
  const ofArchived = await make({ parentSessionId: archived });
  // An uncle that a claim in the other direction can be mistaken for.
  await followUp(fleet, ME, orphan, {
    content: "claim",
    actingSessionId: parent,
  });
  return {
    parent,
    resting: orphan,
    running,
    working,
    failed,
    archived,
    asleep,
    fresh,
    client,
    outside,
    ofFailed,
    ofArchived,
    idle: await rest(await make()),
    carried: carried.id,
    waiting: waiting.id,
  };
}

type Refusal = readonly [
  tool: string,
  args: Record<string, unknown>,
  says: RegExp,
  query?: string,
];

async function assertRefused(
  endpoint: TestEndpoint,
  refusals: readonly Refusal[],
): Promise<void> {
  const { db } = endpoint.test;
  const before = await readFleetState(db);
  for (const [tool, args, says, query = ""] of refusals) {
    const answer = await endpoint.call(query, tool, args);
    const what = `${tool} ${JSON.stringify(args).slice(0, 200)} ${query}`;
    equal(answer.isError, true, `${what} was not refused: ${answer.text}`);
    match(answer.text, says, what);
    deepEqual(await readFleetState(db), before, what);
  }
}

Deno.test("a refusal of finding, reading and starting sessions changes nothing", async () => {
  await using endpoint = await openEndpoint({
    roots: { ...ROOTS, "caf\u00e9": { name: "caf\u00e9" } },
  });
  const s = await settle(endpoint);
  const fence = "?allowed_agent_roots=gardener";
  const start = (args: Record<string, unknown>, says: RegExp, query = "") =>
    [
      "start_session",
      { agent_root: "gardener", ...args },
      says,
      query,
    ] as const;
  await assertRefused(endpoint, [
    ["quick_search_sessions", { status: "done" }, /running, waiting/],
    ["quick_search_sessions", { genesis: "x" }, /web_ui/],
    ["quick_search_sessions", { priority_class: "x" }, /priority, spot/],
    ["quick_search_sessions", { query: "x".repeat(1_001) }, /limit is 1000/],
    ["quick_search_sessions", { id: 9_999 }, /not found/],
    ["quick_search_sessions", { prompt: "x" }, /Unknown argument "prompt"/],
    ["get_session", { id: "9999" }, /not found/],
    [
      "get_session",
      { id: String(s.parent), transcript_format: "json" },
      /incl/,
    ],
    ["get_session", { id: String(s.outside) }, /"librarian"/, fence],
    ["get_session_provenance", { session_id: "9999" }, /not found/],
    [
      "get_session_provenance",
      { session_id: String(s.outside) },
      /"lib/,
      fence,
    ],
    ["get_transcript_archive", {}, /no transcript archive yet/],
    ["start_session", { prompt: "x" }, /agent_root or a git_root/],
    start({ agent_root: "nowhere" }, /nowhere/),
    start(
      { agent_root: "cafe\u0301" },
      /"caf\u00e9" looks the same and is written with other code points/,
    ),
    ["quick_search_sessions", { agent_runtime: "a\u0000" }, /NUL character/],
    [
      "respond_to_elicitation",
      { request_id: "a\u0000", action_type: "cancel" },
      /NUL character.*nothing was changed/,
    ],
    start({ prompt: " " }, /prompt is blank/),
    start({ prompt: "x".repeat(500_001) }, /500,000/),
    start({ title: "x".repeat(101) }, /1 to 100/),
    start({ slug: "123" }, /not only digits/),
    start({ slug: "Taken" }, /lowercase/),
    start({ slug: "taken" }, /taken/),
    start({ goal: "unknown-word" }, /no goal of the catalog/),
    start({ goal: "x ".repeat(25_001) }, /50,000/),
    start({ mcp_servers: ["nope"] }, /mcp_servers names.*nope/),
    start({ skills: ["nope"] }, /skills names.*nope/),
    start({ hooks: ["nope"] }, /hooks names.*nope/),
    start({ plugins: ["nope"] }, /plugins names.*nope/),
    start({ parent_session_id: 9_999 }, /9999/),
    start({ precedence: 1, place: "top_of_spot" }, /place/),
    start({ precedence: 1_000_000_001 }, /precedence/),
    start({ scheduling_class: "slow" }, /priority, spot/),
    start({ auto_compact_window: 0 }, /auto_compact_window/),
    start({ config: { effort: "high" } }, /config/),
    start({ custom_metadata: { a: "x".repeat(33_000) } }, /32 KB/),
    start({ subdirectory: "../up" }, /inside the repository/),
    start({ agent_runtime: "No Name" }, /agent_runtime/),
    ["start_session", { prompt: "x" }, /has to be named/, fence],
    start({ agent_root: "librarian" }, /not among them/, fence),
    start({ git_root: "https://example.org/x" }, /git_root cannot/, fence),
    start({ branch: "x" }, /branch cannot/, fence),
    start({ subdirectory: "x" }, /subdirectory cannot/, fence),
    start({ plugins: [] }, /plugins cannot/, fence),
    start({ mcp_servers: ["x"] }, /exactly the root's/, fence),
  ]);
});

Deno.test("a refusal of an action on a session changes nothing", async () => {
  await using endpoint = await openEndpoint();
  const s = await settle(endpoint);
  const act = (
    action: string,
    id: number | undefined,
    args: Record<string, unknown>,
    says: RegExp,
    query = "",
  ): Refusal => [
    "action_session",
    {
      action,
      ...(id === undefined ? {} : { session_id: String(id) }),
      ...args,
    },
    says,
    query,
  ];
  await assertRefused(endpoint, [
    act("explode", s.parent, {}, /follow_up.*bulk_archive/),
    act("follow_up", undefined, { prompt: "x" }, /follow_up needs session_id/),
    act("follow_up", 9_999, { prompt: "x" }, /not found/),
    act("follow_up", s.parent, {}, /needs prompt/),
    act("follow_up", s.parent, { prompt: " " }, /blank/),
    act("follow_up", s.parent, { prompt: "x".repeat(500_001) }, /500,000/),
    act("follow_up", s.parent, {
      prompt: "x",
      goal: "x".repeat(50_001),
    }, /50,000/),
    act("follow_up", s.failed, { prompt: "x" }, /failed \(broke\): restart/),
    act("follow_up", s.archived, { prompt: "x" }, /unarchive it first/),
    act("pause", s.idle, {}, /only a running one/),
    act("pause", s.archived, {}, /only a running one/),
    act("pause_into_spot_queue", s.fresh, {}, /never ran/),
    act("pause_into_spot_queue", s.failed, {}, /needs_input, running or wait/),
    act("pause_into_spot_queue", s.archived, {}, /needs_input, running or w/),
    act("pause_into_spot_queue", s.client, {}, /its own client/),
    act("pause_into_spot_queue", s.idle, { prompt: " " }, /blank/),
    act("start_now", s.idle, {}, /nothing of it is parked/),
    act("start_now", s.asleep, {}, /sleeps until 2199/),
    act("start_now", s.client, {}, /its own client/),
    act("restart", s.running, {}, /pause it first/),
    act("restart", s.archived, {}, /unarchive it first/),
    act("restart", s.asleep, {}, /sleeps until 2199/),
    act("restart", s.fresh, {}, /asked nothing/),
    act("restart", s.client, {}, /its own client/),
    act(
      "archive",
      s.running,
      {},
      /1 message\(s\) still to be said: 1\. "waits"/,
    ),
    act("archive", s.working, {}, /under way.*force: true/),
    act("archive", 9_999, {}, /not found/),
    act(
      "unarchive",
      s.idle,
      {},
      /unarchive is possible in archived only. Nothing was changed/,
    ),
    act("change_mcp_servers", s.idle, {}, /needs mcp_servers/),
    act("change_mcp_servers", s.idle, { mcp_servers: ["x"] }, /does not have/),
    act("change_mcp_servers", s.idle, {
      mcp_servers: Array.from({ length: 51 }, (_, index) => `s${index}`),
    }, /50 entries at most/),
    act("change_skills", s.idle, { skills: ["x"] }, /does not have/),
    act("change_hooks", s.idle, { hooks: ["x"] }, /does not have/),
    act("change_plugins", s.idle, { plugins: ["x"] }, /does not have/),
    act("change_model", s.idle, {}, /needs model/),
    act("change_model", s.idle, { model: " " }, /blank/),
    act("change_goal", s.idle, {}, /needs goal/),
    act("change_goal", s.idle, { goal: "word" }, /no goal of the catalog/),
    act("change_goal", s.idle, { goal: "x ".repeat(25_001) }, /50,000/),
    act("change_auto_compact_window", s.idle, {}, /needs auto_compact/),
    act("change_auto_compact_window", s.idle, {
      auto_compact_window: 1_000_001,
    }, /1 to 1,000,000/),
    act("change_scheduling_class", s.idle, {}, /spot, priority or derived/),
    act("change_scheduling_class", s.idle, {
      scheduling_class: "spot",
      precedence: 1,
      place: "top_of_spot",
    }, /place/),
    act("change_precedence", s.idle, {}, /precedence/),
    act("change_precedence", s.idle, { precedence: -1_000_000_001 }, /preced/),
    act("change_category", s.idle, {}, /category_id/),
    act("change_category", s.idle, { category_id: 99 }, /does not exist/),
    act("set_visibility", s.idle, {}, /visibility/),
    act("set_visibility", s.idle, { visibility: "snoozed" }, /snoozed_until/),
    act("set_visibility", s.idle, {
      visibility: "snoozed",
      snoozed_until: "2199-12-31T23:59:60",
    }, /is a local time like/),
    act("set_visibility", s.idle, {
      visibility: "snoozed",
      snoozed_until: "2001-01-01T00:00",
    }, /ahead|future|past/),
    act("set_visibility", s.idle, {
      visibility: "snoozed",
      snoozed_until: "2199-01-01T00:00+02:00",
    }, /offset/),
    act("set_visibility", s.idle, {
      visibility: "snoozed",
      snoozed_until: "2199-01-01T00:00",
      timezone: "Mars/Olympus",
    }, /Mars\/Olympus/),
    act("set_heartbeat", s.idle, {}, /enabled or interval_seconds/),
    act("set_heartbeat", s.idle, { interval_seconds: 29 }, /30 to 86,400/),
    act("fork", s.idle, { message_index: -1 }, /message_index/),
    act("regenerate_status_summary", s.idle, {}, /no transcript yet/),
    act("refresh", s.fresh, {}, /never ran/),
    act(
      "update_notes",
      s.idle,
      { session_notes: "x".repeat(50_001) },
      /50,000/,
    ),
    act("update_title", s.idle, { title: " " }, /1 to 100/),
    act("update_title", s.idle, { title: "x".repeat(101) }, /1 to 100/),
    act("remove_uncle", s.resting, {}, /uncle_session_id/),
    act("remove_uncle", s.idle, { uncle_session_id: s.parent }, /not recorded/),
    act("remove_uncle", s.parent, {
      uncle_session_id: s.resting,
    }, /the other way round/),
    act("bulk_archive", undefined, {}, /session_ids/),
    act("bulk_archive", undefined, { session_ids: [] }, /1 to 100/),
  ]);
});

Deno.test("a refusal of the queue's tool changes nothing", async () => {
  await using endpoint = await openEndpoint();
  const s = await settle(endpoint);
  const queue = (
    action: string,
    id: number,
    args: Record<string, unknown>,
    says: RegExp,
  ): Refusal => [
    "manage_enqueued_messages",
    { action, session_id: String(id), ...args },
    says,
  ];
  const long = "x".repeat(500_001);
  await assertRefused(endpoint, [
    queue("shuffle", s.idle, {}, /list, get, create/),
    queue("list", 9_999, {}, /not found/),
    queue("list", s.idle, { per_page: 101 }, /per_page/),
    queue("get", s.idle, {}, /needs message_id/),
    queue("get", s.idle, { message_id: s.waiting }, /not in the queue/),
    queue("create", s.idle, {}, /needs content/),
    queue("create", s.idle, { content: " " }, /blank/),
    queue("create", s.idle, { content: long }, /500,000/),
    queue("create", s.archived, { content: "x" }, /unarchive it first/),
    queue("update", s.running, { message_id: s.waiting }, /content or goal/),
    queue("update", s.running, { content: "x" }, /needs message_id/),
    queue("update", s.running, {
      message_id: s.waiting,
      content: long,
    }, /500,000/),
    queue("update", s.idle, {
      message_id: s.waiting,
      content: "x",
    }, /not in the queue of session/),
    queue("update", s.working, {
      message_id: s.carried,
      content: "x",
    }, /already being delivered/),
    queue("delete", s.running, {}, /needs message_id/),
    queue("delete", s.idle, { message_id: s.waiting }, /not in the queue/),
    queue("delete", s.working, { message_id: s.carried }, /being delivered/),
    queue("reorder", s.running, { message_id: s.waiting }, /needs position/),
    queue("reorder", s.running, {
      message_id: s.waiting,
      position: 0,
    }, /position/),
    queue("reorder", s.idle, {
      message_id: s.waiting,
      position: 1,
    }, /not in the queue/),
    queue("interrupt", s.running, {}, /needs message_id/),
    queue("interrupt", s.running, { message_id: 9_999 }, /not in the queue/),
    queue("interrupt", s.working, {
      message_id: s.carried,
    }, /already being delivered/),
    queue("send_now", s.idle, {}, /needs content/),
    queue("send_now", s.idle, { content: long }, /500,000/),
    queue("send_now", s.failed, { content: "x" }, /restart it first/),
    queue("send_now", s.archived, { content: "x" }, /unarchive it first/),
  ]);
});

Deno.test("a refusal of what a session does of itself changes nothing", async () => {
  await using endpoint = await openEndpoint();
  const s = await settle(endpoint);
  const self = (
    action: string,
    id: number | undefined,
    args: Record<string, unknown>,
    says: RegExp,
    as = id,
  ): Refusal => [
    "action_session",
    {
      action,
      ...(id === undefined ? {} : { session_id: String(id) }),
      ...args,
    },
    says,
    `?tool_groups=self_session&session_id=${as}`,
  ];
  const report = { message: "I cannot", reason: "other" };
  await assertRefused(endpoint, [
    self("restart", s.idle, {}, /update_notes.*message_parent, archive/),
    self("fork", s.idle, {}, /update_notes/),
    self("change_model", s.idle, { model: "x" }, /Unknown argument|update_no/),
    self("archive", undefined, {}, /session's own id/, s.idle),
    self("pause_into_spot_queue", s.idle, { halt: true }, /not for a session/),
    self("message_parent", s.idle, report, /has no parent/),
    self("message_parent", s.ofFailed, report, /the parent, failed/),
    self("message_parent", s.ofArchived, report, /unarchive_parent: true/),
    self(
      "message_parent",
      s.working,
      { ...report, reason: "tired" },
      /wrong_sc/,
    ),
    self("message_parent", s.working, { ...report, message: "\n " }, /blank/),
    self("message_parent", s.working, { reason: "other" }, /needs message/),
    self("message_parent", s.working, { message: "x" }, /needs reason/),
    self("message_parent", s.working, {
      ...report,
      message: "x".repeat(500_000),
    }, /500,000/),
    self(
      "message_parent",
      s.working,
      report,
      /has to be the calling session's own/,
      s.idle,
    ),
    [
      "send_push_notification",
      { session_id: String(s.idle), message: " " },
      /blank/,
      "?tool_groups=self_session",
    ],
    [
      "wake_me_up_later",
      { wake_at: "2199-01-01T00:00Z", timezone: "Europe/Berlin", prompt: "x" },
      /UTC|Z/,
      `?tool_groups=self_session&session_id=${s.idle}`,
    ],
    [
      "wake_me_up_later",
      { wake_at: "2199-01-01", prompt: "x" },
      /time/,
      `?tool_groups=self_session&session_id=${s.idle}`,
    ],
    [
      "wake_me_up_when_session_changes_state",
      {
        watched_session_id: s.idle,
        event_names: ["session_failed"],
        prompt: "x",
      },
      /cannot wait for itself/,
      `?tool_groups=self_session&session_id=${s.idle}`,
    ],
    [
      "wake_me_up_when_session_changes_state",
      {
        watched_session_id: s.failed,
        event_names: ["session_failed"],
        prompt: "x",
      },
      /is failed already/,
      `?tool_groups=self_session&session_id=${s.idle}`,
    ],
  ]);
});
