import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  API_KEY,
  openEndpoint,
  ROOTS,
  type TestEndpoint,
  type ToolAnswer,
} from "../support/endpoint.ts";
import { ORIGIN, postForm, signIn } from "../support/pages.ts";
import { startSession } from "../support/sessions.ts";

const GROUP = "?tool_groups=work_backlog";
const WITH_ROUTER = { roots: { ...ROOTS, router: { name: "router" } } };

function append(
  endpoint: TestEndpoint,
  key: string,
  args: Record<string, unknown> = {},
  query = GROUP,
): Promise<ToolAnswer> {
  return endpoint.call(query, "append_work_backlog_item", {
    key,
    issue_url: `https://github.com/o/web/issues/${key.split("#")[1] ?? 1}`,
    repo: "o/web",
    surface: "web",
    title: `Issue ${key}`,
    kind: "bug",
    scope_direction: "convergent",
    estimated_cost: "small",
    ...args,
  });
}

async function queue(
  endpoint: TestEndpoint,
  args: Record<string, unknown> = {},
): Promise<string[]> {
  const { data } = await endpoint.call(GROUP, "get_work_backlog", args);
  return data.items.map(({ key }: { key: string }) => key);
}

async function caller(
  endpoint: TestEndpoint,
): Promise<{ readonly id: number; readonly query: string }> {
  const { session } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  return { id: session.id, query: `${GROUP}&session_id=${session.id}` };
}

async function post(
  endpoint: TestEndpoint,
  path: string,
  body: Record<string, unknown> = {},
): Promise<
  { readonly status: number; readonly body: Record<string, unknown> }
> {
  const response = await endpoint.fetch(`/api/v1/work_backlog${path}`, {
    method: "POST",
    headers: { "x-api-key": API_KEY, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("what comes in stands in the band of its cost, first in, first out, and says where", async () => {
  await using endpoint = await openEndpoint();
  const { id, query } = await caller(endpoint);
  const first = await append(endpoint, "web#1", {}, query);
  deepEqual(
    [first.data.result, first.data.position, first.data.precedence],
    ["appended", 1, 6_000],
  );
  deepEqual(
    [first.data.item.added_by, first.data.item.writing_session_id],
    ["gardener", id],
  );
  await append(endpoint, "web#2", { estimated_cost: "large" });
  await append(endpoint, "web#3");
  const fourth = await append(endpoint, "web#4", { estimated_cost: "medium" });
  deepEqual([fourth.data.position, fourth.data.queued_total], [3, 4]);
  equal(fourth.data.item.added_by, "mcp");
  deepEqual(await queue(endpoint), ["web#1", "web#3", "web#4", "web#2"]);
  const again = await append(endpoint, "web#2", { estimated_cost: "small" });
  deepEqual(
    [again.data.result, again.data.position, again.data.item.estimated_cost],
    ["already_queued", 4, "large"],
  );
  equal((await queue(endpoint)).length, 4);
});

Deno.test("filters narrow the list and leave places as they are; a word outside of the vocabulary is an error", async () => {
  await using endpoint = await openEndpoint();
  await append(endpoint, "web#1", { kind: "docs", surface: "a" });
  await append(endpoint, "web#2", { repo: "o/api" });
  await append(endpoint, "web#3", { scope_direction: "divergent" });
  const cases: [Record<string, unknown>, string[]][] = [
    [{ kind: "docs" }, ["web#1"]],
    [{ surface: "web" }, ["web#2", "web#3"]],
    [{ repo: "o/api" }, ["web#2"]],
    [{ scope_direction: "divergent" }, ["web#3"]],
    [{ estimated_cost: "large" }, []],
    [{ pinned: true }, []],
    [{ pinned: "false" }, ["web#1", "web#2", "web#3"]],
    [{ key: "web#2" }, ["web#2"]],
    [{ added_by: "mcp" }, ["web#1", "web#2", "web#3"]],
    [{ status: "started" }, []],
    [{ status: "all", limit: 1, offset: 1 }, ["web#2"]],
  ];
  for (const [args, keys] of cases) {
    deepEqual(await queue(endpoint, args), keys, JSON.stringify(args));
  }
  const { data } = await endpoint.call(GROUP, "get_work_backlog", {
    key: "web#3",
  });
  deepEqual(
    [data.items[0].position, data.total_matching, data.next_offset],
    [3, 1, null],
  );
  for (
    const args of [
      { status: "done" },
      { estimated_cost: "tiny" },
      { pinned: "maybe" },
      { limit: 0 },
      { limit: 201 },
      { limit: "x" },
      { offset: -1 },
    ]
  ) {
    const told = await endpoint.call(GROUP, "get_work_backlog", args);
    equal(told.isError, true, JSON.stringify(args));
  }
});

Deno.test("an agent's item is refused what people decide, and what makes no sense", async () => {
  await using endpoint = await openEndpoint();
  const refusals: [Record<string, unknown>, RegExp][] = [
    [{ precedence: 9_999 }, /"precedence" cannot be passed/],
    [{ pinned: true }, /"pinned" cannot be passed/],
    [{ prompt: "do it" }, /"prompt" cannot be passed/],
    [{ status: "started" }, /"status" is set by the server/],
    [{ added_by: "human" }, /"added_by" is set by the server/],
    [{ added_via: "import" }, /set by the server/],
    [{ writing_session_id: 1 }, /set by the server/],
    [{ issue_url: null }, /Missing required arguments: issue_url/],
    [{ issue_url: " " }, /item without an issue needs a prompt/],
    [{ issue_url: "ftp://x/1" }, /no address/],
    [{ repo: "web" }, /owner\/name/],
    [{ key: " " }, /key is empty/],
    [{ key: "x".repeat(201) }, /key has 201 characters/],
    [{ title: "x".repeat(1_001) }, /title has 1001/],
    [{ kind: "x".repeat(101) }, /kind has 101/],
    [{ decided_at: "2026-13-01" }, /no day of the calendar/],
    [{ notes: "x".repeat(65 * 1024) }, /notes has 66560/],
    [{ ratings: { a: "x".repeat(65 * 1024) } }, /64 KB at most/],
    [{ ratings: { a: "\u0000" } }, /NUL/],
    [{ estimated_cost: "tiny" }, /small, medium, large/],
  ];
  for (const [args, words] of refusals) {
    const told = await append(endpoint, "web#1", args);
    equal(told.isError, true, JSON.stringify(args).slice(0, 100));
    match(told.text, words);
  }
  deepEqual(await queue(endpoint, { status: "all" }), []);
});

Deno.test("a pull starts spot sessions of the router root, children of the caller, the first one on top", async () => {
  await using endpoint = await openEndpoint(WITH_ROUTER);
  const { id, query } = await caller(endpoint);
  await endpoint.test.db.write("update sessions set precedence = 40");
  for (const n of [1, 2, 3, 4]) await append(endpoint, `web#${n}`);
  const told = await endpoint.call(query, "pull_work_backlog_items", {
    keys: ["web#3", "web#1"],
    dead: [{ key: "web#4", reason: "issue_closed" }],
  });
  equal(told.isError, false, told.text);
  deepEqual(
    told.data.started.map((
      { item, precedence, scheduling_class: of }: {
        item: { key: string };
        precedence: number;
        scheduling_class: string;
      },
    ) => [item.key, precedence, of]),
    [["web#3", 42, "spot"], ["web#1", 41, "spot"]],
  );
  const [{ session, item }] = told.data.started;
  deepEqual(
    [session.agent_root, session.parent_session_id, session.title],
    ["router", id, "Implement web#3 (Issue web#3)"],
  );
  deepEqual(
    [item.status, item.started_session_id, item.started_by_session_id],
    ["started", session.id, id],
  );
  const [row] = await endpoint.test.db.read(
    `select s.prompt, scheduling_class, precedence, wait_reason,
       (select count(*)::int from turns t where t.session_id = s.id
          and t.kind = 'start' and t.prompt = s.prompt) as turns
     from sessions s where id = $1`,
    [session.id],
  );
  deepEqual({ ...row }, {
    wait_reason: "queued",
    turns: 1,
    prompt: "https://github.com/o/web/issues/3 Please implement this.",
    scheduling_class: "spot",
    precedence: 42,
  });
  deepEqual(
    told.data.removed.map((one: { key: string; reason: string }) => [
      one.key,
      one.reason,
    ]),
    [["web#4", "issue_closed"]],
  );
  deepEqual(
    [told.data.counts.queued, told.data.counts.in_flight],
    [1, 2],
  );
  deepEqual(await queue(endpoint), ["web#2"]);
  deepEqual((await queue(endpoint, { status: "in_flight" })).sort(), [
    "web#1",
    "web#3",
  ]);
  const top = await endpoint.call(query, "pull_work_backlog_items", {
    count: 10,
  });
  equal(top.data.started.length, 1);
  const none = await endpoint.call(query, "pull_work_backlog_items", {
    count: 0,
  });
  deepEqual([none.isError, none.data.started], [false, []]);
  // What was started once can be cleared again.
  equal((await append(endpoint, "web#3")).data.result, "appended");
  deepEqual(await queue(endpoint, { key: "web#3", status: "all" }), [
    "web#3",
    "web#3",
  ]);
});

Deno.test("a pull that is refused pulls nothing, and says so first", async () => {
  await using endpoint = await openEndpoint(WITH_ROUTER);
  const { id, query } = await caller(endpoint);
  for (const n of [1, 2]) await append(endpoint, `web#${n}`);
  const eleven = Array.from({ length: 11 }, (_, n) => `k${n}`);
  const dead = (key: string, reason: string) => ({ dead: [{ key, reason }] });
  const refusals: [Record<string, unknown>, RegExp, string?][] = [
    [{}, /pass count/],
    [{ count: 1, keys: ["web#1"] }, /count or keys, not both/],
    [{ count: 11 }, /count is 0 to 10; it is 11/],
    [{ count: -1 }, /count is 0 to 10/],
    [{ keys: eleven }, /10 keys at most; there are 11/],
    [{ keys: ["web#1", "web#1"] }, /named more than once/],
    [{ keys: ["web#1"], ...dead("web#1", "issue_closed") }, /more than once/],
    [{ keys: ["web#1", "web#9"] }, /not queued, so not to be started: web#9/],
    [{ keys: ["web#1"], ...dead("web#9", "trust_failed") }, /web#9/],
    [{ ...dead("web#1", "boring") }, /may be: issue_closed/],
    [{ ...dead(" ", "issue_closed") }, /needs its key/],
    [{ count: 1 }, /names none; add session_id/, GROUP],
    [{ count: 1 }, /session 999 does not exist/, `${GROUP}&session_id=999`],
    [
      { count: 1 },
      /may act on the agent roots gardener only/,
      `${query}&allowed_agent_roots=gardener`,
    ],
  ];
  for (const [args, words, where = query] of refusals) {
    const told = await endpoint.call(where, "pull_work_backlog_items", args);
    equal(told.isError, true, JSON.stringify(args));
    match(told.text, /^Nothing was pulled: /);
    match(told.text, words);
  }
  deepEqual(await queue(endpoint), ["web#1", "web#2"]);
  const [sessions] = await endpoint.test.db.read(
    "select count(*)::int as n from sessions",
  );
  equal(sessions?.n, 1);
  const inside = await endpoint.call(
    `${query}&allowed_agent_roots=router`,
    "pull_work_backlog_items",
    { keys: ["web#1"] },
  );
  equal(inside.isError, false, inside.text);
  equal(inside.data.pulled_by_session_id, id);
  await endpoint.setRoots({ gardener: {} });
  const gone = await endpoint.call(query, "pull_work_backlog_items", {
    count: 1,
  });
  match(gone.text, /^Nothing was pulled: .*ROUTER_ROOT.*"router" is not in/);
});

Deno.test("over REST people pin, place, remove and start; what they pinned stays", async () => {
  await using endpoint = await openEndpoint(WITH_ROUTER);
  for (const n of [1, 2, 3]) await append(endpoint, `web#${n}`);
  equal((await post(endpoint, "/3/place")).status, 200);
  deepEqual(await queue(endpoint), ["web#3", "web#1", "web#2"]);
  await post(endpoint, "/1/place", { precedence: 10 });
  deepEqual(await queue(endpoint), ["web#3", "web#2", "web#1"]);
  deepEqual((await queue(endpoint, { pinned: true })).sort(), [
    "web#1",
    "web#3",
  ]);
  await post(endpoint, "/1/unpin");
  deepEqual(await queue(endpoint), ["web#3", "web#2", "web#1"]);
  const pinned = await post(endpoint, "/2/pin");
  deepEqual((pinned.body.item as { pinned: boolean }).pinned, true);
  const removed = await post(endpoint, "/2/remove", { reason: "no more" });
  deepEqual(
    (removed.body.item as { removal_reason: string }).removal_reason,
    "no more",
  );
  const started = await post(endpoint, "/3/start");
  equal(started.status, 201);
  const { id } = started.body.session as { id: number };
  const [row] = await endpoint.test.db.read(
    "select scheduling_class, parent_session_id from sessions where id = $1",
    [id],
  );
  deepEqual({ ...row }, {
    scheduling_class: "priority",
    parent_session_id: null,
  });
  for (
    const [path, body, status] of [
      ["/3/pin", {}, 409],
      ["/9/pin", {}, 404],
      ["/1/place", { precedence: 2e9 }, 422],
      ["/1/remove", { reason: " " }, 422],
    ] as const
  ) equal((await post(endpoint, path, body)).status, status, path);
  const own = await post(endpoint, "", {
    key: "mine",
    repo: "o/web",
    surface: "web",
    title: "Mine",
    kind: "chore",
    scope_direction: "divergent",
    estimated_cost: "large",
    prompt: "Tidy up",
  });
  equal(own.status, 201);
  deepEqual((own.body.item as { added_by: string }).added_by, "human");
});

Deno.test("on the page people do the same, and programs are refused it", async () => {
  await using endpoint = await openEndpoint(WITH_ROUTER);
  for (const n of [1, 2]) {
    await append(endpoint, `web#${n}`, {
      title: `<script>alert(${n})</script>`,
    });
  }
  const cookie = await signIn(endpoint);
  const headers = { origin: ORIGIN, cookie };
  const press = async (path: string, fields = {}, sent = headers) => {
    const response = await postForm(endpoint, `/backlog/${path}`, fields, {
      headers: sent,
    });
    return { status: response.status, text: await response.text() };
  };
  equal((await press("2/top")).status, 303);
  deepEqual(await queue(endpoint), ["web#2", "web#1"]);
  const wrong = await press("1/place", { precedence: "high" });
  equal(wrong.status, 400);
  match(wrong.text, /A place is a whole number/);
  equal((await press("1/remove", { reason: "done" })).status, 303);
  equal((await press("2/start")).status, 303);
  deepEqual(await queue(endpoint), []);
  await append(endpoint, "web#5", { title: "<b>five</b>" });
  const page = await endpoint.fetch("/backlog", { headers });
  const html = await page.text();
  ok(html.includes("&lt;b&gt;five&lt;/b&gt;") && !html.includes("<b>five"));
  for (const view of ["in_flight", "removed", "ended", "no-such"]) {
    const response = await endpoint.fetch(`/backlog?status=${view}`, {
      headers,
    });
    equal(response.status, 200);
    await response.body?.cancel();
  }
  const refused: [Record<string, string>, number][] = [
    [{ origin: ORIGIN, "x-api-key": API_KEY }, 403],
    [{ origin: "https://evil.example", cookie }, 403],
    [{ origin: ORIGIN }, 303],
  ];
  for (const [sent, status] of refused) {
    equal((await press("3/start", {}, sent as typeof headers)).status, status);
  }
  deepEqual(await queue(endpoint), ["web#5"]);
});
