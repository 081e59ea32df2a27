import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  openEndpoint,
  type TestEndpoint,
  type ToolAnswer,
} from "../support/endpoint.ts";
import { startSession } from "../support/sessions.ts";

const GROUP = "?tool_groups=triggers";
const DAILY = {
  interval: 1,
  unit: "days",
  time: "09:30",
  timezone: "Europe/Berlin",
};

function act(
  endpoint: TestEndpoint,
  args: Record<string, unknown>,
  query = GROUP,
): Promise<ToolAnswer> {
  return endpoint.call(query, "action_trigger", args);
}

async function create(
  endpoint: TestEndpoint,
  args: Record<string, unknown> = {},
): Promise<number> {
  const { isError, text, data } = await act(endpoint, {
    action: "create",
    name: "Every morning",
    agent_root_name: "gardener",
    prompt_template: "Water {{title}}",
    ...("conditions" in args
      ? {}
      : { trigger_type: "schedule", configuration: DAILY }),
    ...args,
  });
  ok(!isError, text);
  return data.trigger.id;
}

async function show(endpoint: TestEndpoint, id: number): Promise<ToolAnswer> {
  const answer = await endpoint.call(GROUP, "search_triggers", { id });
  ok(!answer.isError, answer.text);
  return answer;
}

async function refused(
  endpoint: TestEndpoint,
  args: Record<string, unknown>,
  message: RegExp,
  query = GROUP,
): Promise<void> {
  const { isError, text } = await act(endpoint, args, query);
  ok(isError, text);
  match(text, message);
}

Deno.test("a trigger is made, shown whole, listed, switched, and deleted with its sessions left", async () => {
  await using endpoint = await openEndpoint();
  const made = await act(endpoint, {
    action: "create",
    name: "Every *morning*",
    agent_root_name: "gardener",
    prompt_template: "Water\n# the beds",
    trigger_type: "schedule",
    configuration: DAILY,
    max_sessions_per_minute: 3,
    scheduling_class: "priority",
  });
  match(made.text, /^## Trigger Created/);
  match(made.text, /\*\*Name:\*\* Every \\\*morning\\\*/);
  match(made.text, /MCP servers:\*\* the root's defaults/);
  match(made.text, /No server was seen in the last two minutes/);
  const { id } = made.data.trigger;
  const shown = await show(endpoint, id);
  match(shown.text, /> Water\n> # the beds/);
  match(shown.text, /every day at 09:30 in Europe\/Berlin; next 20/);
  match(shown.text, /\*\*Class:\*\* priority \(its own\)/);
  deepEqual(shown.data.trigger.conditions[0].configuration, DAILY);
  equal(shown.data.trigger.prompt_template, "Water\n# the beds");

  const list = await endpoint.call(GROUP, "search_triggers", {
    trigger_type: "schedule",
    status: "enabled",
  });
  deepEqual([list.data.total, list.data.triggers[0].id], [1, id]);
  match(list.text, /### Every \\\*morning\\\* \(ID: \d+\)/);
  match(list.text, /Sessions per minute:\*\* 3 at most/);
  for (const filter of [{ trigger_type: "slack" }, { status: "failed" }]) {
    const { data } = await endpoint.call(GROUP, "search_triggers", filter);
    equal(data.total, 0);
  }
  const fired = await act(endpoint, { action: "invoke", id });
  equal(fired.data.outcome, "started");
  const off = await act(endpoint, { action: "toggle", id });
  equal(off.data.trigger.status, "disabled");
  equal(off.data.trigger.sessions_created_count, 1);
  equal((await show(endpoint, id)).data.sessions[0].id, fired.data.session_id);
  const gone = await act(endpoint, { action: "delete", id });
  equal(gone.data.trigger_id, id);
  const { isError, text } = await endpoint.call(GROUP, "search_triggers", {
    id,
  });
  ok(isError);
  match(text, /Trigger \d+ does not exist/);
  deepEqual(
    await endpoint.test.db.read("select id::int from sessions"),
    [{ id: fired.data.session_id }],
  );
});

Deno.test("what a call leaves out stays, and what it clears is gone", async () => {
  await using endpoint = await openEndpoint();
  const id = await create(endpoint, {
    reuse_session: true,
    enqueue_messages: true,
    precedence: 7,
    max_sessions_per_minute: 2,
    goal: "The beds are wet.",
    mcp_servers: [],
  });
  const renamed = await act(endpoint, {
    action: "update",
    id,
    name: "Renamed",
    precedence: null,
  });
  const { trigger } = renamed.data;
  deepEqual(
    [trigger.name, trigger.precedence, trigger.enqueue_messages, trigger.goal],
    ["Renamed", 7, true, "The beds are wet."],
  );
  const cleared = await act(endpoint, {
    action: "update",
    id,
    clear: ["precedence", "goal", "max_sessions_per_minute"],
  });
  deepEqual(
    [
      cleared.data.trigger.precedence,
      cleared.data.trigger.goal,
      cleared.data.trigger.max_sessions_per_minute,
    ],
    [null, null, null],
  );
  await refused(
    endpoint,
    { action: "update", id, reuse_session: false },
    /enqueue_messages say what is done with a session that is told again/,
  );
  equal((await show(endpoint, id)).data.trigger.reuse_session, true);
});

Deno.test("conditions are upserted: an id edits, none adds, the rest stays, remove takes away", async () => {
  await using endpoint = await openEndpoint();
  const id = await create(endpoint);
  const added = await act(endpoint, {
    action: "update",
    id,
    conditions: [
      { trigger_type: "schedule", configuration: { ...DAILY, time: "18:00" } },
      {
        trigger_type: "github_label",
        configuration: {
          repo: "o/web",
          label: "agent",
          exclude_labels: ["wip"],
        },
      },
    ],
  });
  const [first, second, third] = added.data.trigger.conditions;
  deepEqual(third.configuration, {
    repos: ["o/web"],
    labels: ["agent"],
    exclude_labels: ["wip"],
    target: "issues",
  });
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [[], /conditions is empty/],
    [[{ id: 999_999, remove: true }], /has no condition 999999; it has: /],
    [[{ id: first.id }, { id: first.id }], /more than once/],
    [[{ remove: true }], /remove needs the id/],
    [[{ trigger_type: "schedule" }], /needs trigger_type and configuration/],
    [[{ configuration: DAILY }], /needs trigger_type and configuration/],
    [[{ trigger_type: "schedule", configuration: DAILY }], /would be the same/],
    [[{ trigger_type: "moon", configuration: {} }], /"moon" is no type/],
    [
      [{ trigger_type: "ao_event", configuration: {} }],
      /wake_me_up_when_session/,
    ],
    [
      [{ id: first.id, trigger_type: "slack", configuration: {} }],
      /does not change/,
    ],
    [[{ id: first.id }], /without configuration or remove/],
    [[{
      id: third.id,
      configuration: { repos: ["o/web"], labels: ["agent"] },
    }], /has exclude_labels \(wip\).*or \[\]/],
    [
      [first, second, third].map(({ id }) => ({ id, remove: true })),
      /keeps one condition at least/,
    ],
  ];
  for (const [conditions, message] of cases) {
    await refused(endpoint, { action: "update", id, conditions }, message);
  }
  await refused(endpoint, {
    action: "update",
    id,
    trigger_type: "schedule",
    configuration: DAILY,
  }, /has 2 conditions of the type schedule \(ids/);
  await refused(endpoint, {
    action: "update",
    id,
    trigger_type: "schedule",
    configuration: DAILY,
    conditions: [{ id: first.id, remove: true }],
  }, /not both/);

  // What is printed may be handed back as it is.
  const before = (await show(endpoint, id)).data.trigger.conditions;
  const echoed = await act(endpoint, {
    action: "update",
    id,
    conditions: before.map((
      { id, configuration }: { id: number; configuration: object },
    ) => ({ id, configuration })),
  });
  deepEqual(echoed.data.trigger.conditions, before);

  const edited = await act(endpoint, {
    action: "update",
    id,
    conditions: [
      { id: second.id, remove: true },
      {
        id: third.id,
        configuration: {
          repos: ["o/web"],
          labels: ["bot"],
          exclude_labels: [],
        },
      },
    ],
  });
  deepEqual(
    edited.data.trigger.conditions.map((one: { id: number }) => one.id),
    [first.id, third.id],
  );
  deepEqual(edited.data.trigger.conditions[1].configuration, {
    repos: ["o/web"],
    labels: ["bot"],
    target: "issues",
  });
  // One of its type is what the flat pair means.
  const flat = await act(endpoint, {
    action: "update",
    id,
    trigger_type: "schedule",
    configuration: { ...DAILY, time: "07:00" },
  });
  deepEqual(
    [
      flat.data.trigger.conditions[0].id,
      flat.data.trigger.conditions[0].configuration.time,
    ],
    [first.id, "07:00"],
  );
});

Deno.test("an edit that would let more through without saying so is refused", async () => {
  await using endpoint = await openEndpoint();
  const id = await create(endpoint, {
    conditions: [{
      trigger_type: "slack",
      configuration: { channel_id: "C0123456789", event_type: "mention" },
    }],
  });
  const [{ id: conditionId }] = (await show(endpoint, id)).data.trigger
    .conditions;
  await refused(endpoint, {
    action: "update",
    id,
    conditions: [{
      id: conditionId,
      configuration: { channel_id: "C0123456789" },
    }],
  }, /event_type "mention".*pass event_type: "mention" to keep it/);
});

Deno.test("what an action would not look at, and what no trigger can be, is refused and changes nothing", async () => {
  await using endpoint = await openEndpoint();
  const id = await create(endpoint);
  const cases: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ action: "create", name: "x" }, /needs agent_root_name, prompt_template/],
    [{ action: "create", id }, /takes no id/],
    [{
      action: "create",
      name: "x",
      agent_root_name: "gardener",
      prompt_template: "x",
    }, /needs conditions, or trigger_type/],
    [{ action: "update" }, /needs the id of a trigger/],
    [{ action: "update", id, status: "failed" }, /status must be equal to one/],
    [{ action: "update", id, name: "a\nb" }, /one line/],
    [{ action: "update", id, name: " " }, /name is blank/],
    [{ action: "update", id, prompt_template: "" }, /prompt_template is blank/],
    [{ action: "update", id, max_sessions_per_minute: 0 }, /must be >= 1/],
    [{ action: "update", id, trigger_type: "schedule" }, /go together/],
    [{ action: "update", id, configuration: DAILY }, /go together/],
    [{ action: "update", id, last_session_id: 3 }, /server's to set/],
    [{ action: "update", id, variables: {} }, /does not take variables/],
    [{ action: "delete", id, name: "x" }, /does not take name/],
    [{ action: "toggle", id: id + 1 }, /does not exist/],
    [{ action: "invoke", id, goal: "x" }, /does not take goal/],
    [{
      action: "update",
      id,
      configuration: { scheduled_at: "2001-01-01T00:00" },
      trigger_type: "schedule",
    }, /lies in the past; it is now/],
    [{
      action: "update",
      id,
      configuration: { ...DAILY, interval: "2" },
      trigger_type: "schedule",
    }, /interval is a whole number from 1 to 10000; it is "2"/],
    [{
      action: "update",
      id,
      configuration: { ...DAILY, unit: "weeks", day_of_week: 7 },
      trigger_type: "schedule",
    }, /or 0 \(Sunday\) to 6; it is 7/],
  ];
  const before = (await show(endpoint, id)).data;
  for (const [args, message] of cases) await refused(endpoint, args, message);
  deepEqual((await show(endpoint, id)).data, before);
  const { data } = await endpoint.call(GROUP, "search_triggers", {});
  equal(data.total, 1);
});

Deno.test("an unknown root is stored with a warning, and invoking it is an error of the tool", async () => {
  await using endpoint = await openEndpoint();
  const { data, isError } = await act(endpoint, {
    action: "create",
    name: "Later",
    agent_root_name: "not-yet",
    prompt_template: "x",
    trigger_type: "system_event",
    configuration: { event_names: ["runner_lost"] },
    mcp_servers: ["nothing"],
  });
  ok(!isError);
  match(data.warnings[0], /no agent root "not-yet"/);
  match(data.warnings[1], /these of mcp_servers: nothing/);
  await refused(
    endpoint,
    { action: "invoke", id: data.trigger.id },
    /"not-yet" is not in the catalog/,
  );
});

Deno.test("a fence shows and lets change triggers of its roots only, and brings no plugins in", async () => {
  await using endpoint = await openEndpoint();
  const inside = await create(endpoint, { agent_root_name: "gardener" });
  const outside = await create(endpoint, { agent_root_name: "librarian" });
  const query = `${GROUP}&allowed_agent_roots=gardener`;
  const list = await endpoint.call(query, "search_triggers", {});
  deepEqual(
    list.data.triggers.map(({ id }: { id: number }) => id),
    [inside],
  );
  const hidden = await endpoint.call(query, "search_triggers", { id: outside });
  match(hidden.text, /Trigger \d+ does not exist/);
  for (const action of ["update", "delete", "toggle", "invoke"]) {
    await refused(endpoint, { action, id: outside }, /gardener only/, query);
  }
  await refused(
    endpoint,
    { action: "update", id: inside, agent_root_name: "librarian" },
    /gardener only/,
    query,
  );
  await refused(
    endpoint,
    { action: "update", id: inside, catalog_plugins: [] },
    /catalog_plugins cannot be set/,
    query,
  );
  const fine = await act(
    endpoint,
    { action: "update", id: inside, name: "Mine" },
    query,
  );
  equal(fine.data.trigger.name, "Mine");
});

Deno.test("wakes are listed, switched and deleted beside triggers, but not changed", async () => {
  await using endpoint = await openEndpoint();
  const { session } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  await endpoint.test.db.write("update sessions set driven_by = 'runner'");
  const year = new Date().getUTCFullYear() + 1;
  const armed = await endpoint.call(
    `${GROUP}&session_id=${session.id}`,
    "wake_me_up_later",
    { wake_at: `${year}-01-02T03:04`, prompt: "up" },
  );
  match(armed.text, /No server was seen/);
  const id = armed.data.wake_id;
  const { text, data } = await show(endpoint, id);
  match(text, new RegExp(`Wakes:\\*\\* session ${session.id}, once`));
  match(text, new RegExp(`once at ${year}-01-02T03:04:00 in UTC`));
  equal(data.trigger.wake_session_id, session.id);
  await refused(
    endpoint,
    { action: "update", id, name: "x" },
    /is a wake of session/,
  );
  const off = await act(endpoint, { action: "toggle", id });
  equal(off.data.trigger.status, "disabled");
  const fired = await act(endpoint, { action: "invoke", id });
  deepEqual(
    [fired.data.outcome, fired.data.session_id],
    ["told", session.id],
  );
  const spent = await act(endpoint, { action: "invoke", id });
  match(spent.text, /does not exist/);
});

Deno.test("readers of the group see triggers and change none", async () => {
  await using endpoint = await openEndpoint();
  deepEqual(await endpoint.tools("?tool_groups=triggers_readonly"), [
    "search_triggers",
  ]);
  deepEqual(await endpoint.tools(GROUP), [
    "search_triggers",
    "action_trigger",
    "wake_me_up_later",
    "wake_me_up_when_session_changes_state",
  ]);
});
