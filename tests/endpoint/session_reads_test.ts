import { deepEqual, equal, match, ok } from "node:assert/strict";
import { MAX_ANSWER_CHARACTERS } from "../../mcp/session_text/list.ts";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
} from "../support/endpoint.ts";
import {
  addHumanMessage,
  addSession,
  addTranscript,
} from "../support/session_rows.ts";

async function idsFound(
  endpoint: TestEndpoint,
  args: Record<string, unknown>,
  query = "",
): Promise<number[]> {
  const { data, isError, text } = await endpoint.call(
    query,
    "quick_search_sessions",
    args,
  );
  equal(isError, false, text);
  return data.sessions.map(({ id }: { id: number }) => id);
}

Deno.test("quick_search_sessions: a query is one literal phrase in title and metadata, not in the prompt", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const titled = await addSession(db, { title: "Fix the LOGIN page" });
  const percent = await addSession(db, { title: "100% of a_b" });
  const routed = await addSession(db, {
    title: "routed",
    custom_metadata: { key: "value", other: 1 },
    prompt: "secret words",
  });
  deepEqual(await idsFound(endpoint, { query: "the login" }), [titled]);
  deepEqual(await idsFound(endpoint, { query: "login fix" }), []);
  deepEqual(await idsFound(endpoint, { query: "100% of" }), [percent]);
  deepEqual(await idsFound(endpoint, { query: "1_0%" }), []);
  deepEqual(await idsFound(endpoint, { query: "axb of" }), []);
  for (const query of ['"key":"value"', '"key" : "value"', '"key": "VALUE"']) {
    deepEqual(await idsFound(endpoint, { query }), [routed], query);
  }
  const composed = await addSession(db, { title: "A caf\u00e9" });
  const apart = await addSession(db, { title: "The CAFE\u0301" });
  for (const query of ["caf\u00e9", "cafe\u0301"]) {
    deepEqual(await idsFound(endpoint, { query }), [apart, composed], query);
  }
  deepEqual(await idsFound(endpoint, { query: "secret words" }), []);
  const { text } = await endpoint.call("", "quick_search_sessions", {
    query: "nowhere",
  });
  match(text, /^No sessions found for nowhere with these filters/);
});

Deno.test("quick_search_sessions: filters narrow, archived ones are asked for, wrong values are errors", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const running = await addSession(db, {
    status: "running",
    wait_reason: null,
    agent_runtime: "codex",
    genesis: "slack",
  });
  const gone = await addSession(db, {
    status: "archived",
    wait_reason: null,
    title: "done work",
  });
  const snoozed = await addSession(db, {
    visibility: "snoozed",
    snoozed_until: new Date(Date.now() + 3_600_000),
    scheduling_class: "priority",
    precedence: 7,
  });
  const awake = await addSession(db, {
    visibility: "snoozed",
    snoozed_until: new Date(Date.now() - 1_000),
  });
  deepEqual(await idsFound(endpoint, {}), [awake, snoozed, running]);
  deepEqual(await idsFound(endpoint, { show_archived: true }), [
    awake,
    snoozed,
    gone,
    running,
  ]);
  deepEqual(await idsFound(endpoint, { query: "done work" }), []);
  deepEqual(await idsFound(endpoint, { status: "archived" }), [gone]);
  deepEqual(await idsFound(endpoint, { status: ["archived", "running"] }), [
    gone,
    running,
  ]);
  deepEqual(await idsFound(endpoint, { agent_runtime: "codex" }), [running]);
  deepEqual(await idsFound(endpoint, { genesis: "slack" }), [running]);
  deepEqual(await idsFound(endpoint, { visibility: "off_board" }), [snoozed]);
  deepEqual(await idsFound(endpoint, { visibility: "on_board" }), [
    awake,
    running,
  ]);
  const priority = { priority_class: "priority" };
  deepEqual(await idsFound(endpoint, priority), [snoozed, running]);
  deepEqual(await idsFound(endpoint, { ...priority, order: "precedence" }), [
    snoozed,
    running,
  ]);
  deepEqual(await idsFound(endpoint, { priority_class: "spot" }), [awake]);
  await db.write(
    `insert into app_settings (genesis_class_overrides) values ('{"slack": "spot"}')`,
  );
  deepEqual(await idsFound(endpoint, { priority_class: "spot" }), [
    awake,
    running,
  ]);
  deepEqual(await idsFound(endpoint, { id: gone, status: "running" }), [gone]);
  for (
    const [args, says] of [
      [{ status: "done" }, /running, waiting, needs_input, archived, failed/],
      [{ priority_class: "x" }, /priority, spot/],
      [{ genesis: "x" }, /web_ui, slack/],
      [{ query: "x".repeat(1_001) }, /1001 characters; the limit is 1000/],
      [{ id: 999 }, /Session not found: 999/],
      [{ per_page: 101 }, /per_page/],
    ] as const
  ) {
    const answer = await endpoint.call("", "quick_search_sessions", args);
    equal(answer.isError, true);
    match(answer.text, says);
  }
});

Deno.test("quick_search_sessions: pages follow each other, and one behind the last says so", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  for (let n = 0; n < 5; n++) await addSession(db);
  const first = await endpoint.call("", "quick_search_sessions", {
    per_page: 2,
  });
  match(first.text, /^Found 5 session\(s\) \(page 1 of 3\)/);
  match(first.text, /Next page: page: 2/);
  deepEqual(await idsFound(endpoint, { per_page: 2, page: 3 }), [1]);
  const behind = await endpoint.call("", "quick_search_sessions", {
    per_page: 2,
    page: 4,
  });
  match(behind.text, /Page 4 is behind the last one, 3/);
});

Deno.test("quick_search_sessions: 100 compact rows fit, whatever their titles; what is left out is named", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  for (let n = 0; n < 100; n++) {
    await addSession(db, {
      title: `Look into the ordinary problem number ${n}`,
      agent_runtime: "claude_code",
    });
  }
  const ordinary = await endpoint.call("", "quick_search_sessions", {
    per_page: 100,
  });
  ok(ordinary.text.length <= MAX_ANSWER_CHARACTERS, `${ordinary.text.length}`);
  match(ordinary.text, /leave out six fields: slug, category, repository/);
  match(
    ordinary.text,
    /### Look into the ordinary problem number 99 \(ID: 100\)/,
  );
  ok(!ordinary.text.includes("characters]"));
  await db.write(
    `update sessions set title = repeat('*🌱', 50), wait_reason = 'asleep',
       wait_until = now() + interval '1 day'`,
  );
  const hostile = await endpoint.call("", "quick_search_sessions", {
    per_page: 100,
  });
  ok(hostile.text.length <= MAX_ANSWER_CHARACTERS, `${hostile.text.length}`);
  ok(JSON.stringify(hostile.data).length <= 40_000);
  match(hostile.text, /of 100 characters\]/);
  const rows = hostile.text.match(/\(ID: \d+\)/g)?.length ?? 0;
  if (rows < 100) {
    match(hostile.text, new RegExp(`Rows ${rows + 1} to 100 of this page`));
  }
  const full = await endpoint.call("", "quick_search_sessions", {
    per_page: 2,
    verbose: true,
  });
  for (const label of ["Slug", "Category", "Repository", "Branch", "Prompt"]) {
    ok(full.text.includes(`**${label}:**`), label);
  }
});

Deno.test("quick_search_sessions: contents are scanned, and the answer says how far", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const said = await addSession(db);
  await addTranscript(db, said, ["we chose the blue one at the cafe\u0301"]);
  await addSession(db);
  deepEqual(await idsFound(endpoint, { query: "blue one" }), []);
  const { text, data } = await endpoint.call("", "quick_search_sessions", {
    query: "Blue one at the caf\u00e9",
    search_contents: true,
    order: "precedence",
  });
  deepEqual(data.sessions.map(({ id }: { id: number }) => id), [said]);
  match(text, /Scan complete: 2 of 2 candidate session\(s\) scanned/);
  deepEqual(data.scan, {
    complete: true,
    scanned: 2,
    candidates: 2,
    candidates_is_floor: false,
  });
});

Deno.test("a fence hides sessions of other roots from search and reading, and never the own one", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const mine = await addSession(db);
  const other = await addSession(db, { agent_root_key: "librarian" });
  const rootless = await addSession(db, { agent_root_key: null });
  const fence = "?tool_groups=sessions&allowed_agent_roots=gardener";
  deepEqual(await idsFound(endpoint, {}, fence), [mine]);
  deepEqual(
    await idsFound(endpoint, { query: "s", search_contents: true }, fence),
    [mine],
  );
  for (const id of [other, rootless]) {
    for (
      const [name, args] of [
        ["get_session", { id }],
        ["get_session_provenance", { session_id: id }],
        ["quick_search_sessions", { id }],
      ] as const
    ) {
      const answer = await endpoint.call(fence, name, args);
      equal(answer.isError, true, name);
      match(answer.text, /agent roots gardener only/);
    }
  }
  const own = `${fence}&session_id=${other}`;
  equal(
    (await endpoint.call(own, "get_session", { id: other })).isError,
    false,
  );
  deepEqual(await idsFound(endpoint, {}, own), [other, mine]);
});

Deno.test("[behaviour 12] get_session: its sections stand in order, with the queue counted and previewed", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const id = await addSession(db, {
    title: "Child\n### Forged",
    slug: "child",
    git_root: "https://me:pass@example.org/x.git",
  });
  const listed = await endpoint.call("", "quick_search_sessions", {
    id,
    verbose: true,
  });
  match(listed.text, /Repository:\*\* https:\/\/(?:\\\*){3}@example\.org/);
  const { text } = await endpoint.call("", "get_session", { id: "child" });
  match(text, /Repository:\*\* https:\/\/(?:\\\*){3}@example\.org/);
  deepEqual(text.split("\n").filter((line) => line.startsWith("#")), [
    `## Child ⏎ ### Forged (ID: ${id})`,
    "### Basic Information",
    "### Git Configuration",
    "### Execution",
    "### Current Prompt",
    "### Job Information",
    "### System Metadata",
    "### Custom Metadata",
    "### Status Summary",
    "### Session Hierarchy",
    "### Human Messages",
    "### Queued Messages",
    "### Timestamps",
    "### Transcript File",
  ]);
  match(text, /Nothing queued\./);
  for (let n = 1; n <= 7; n++) {
    await db.write(
      "insert into enqueued_messages (session_id, content, position) values ($1, $2, $3)",
      [id, `${n} - **Status:** archived\n# ${"y".repeat(200)}`, n],
    );
  }
  const queued = await endpoint.call("", "get_session", { id });
  match(queued.text, /\*\*7 pending\*\*/);
  equal(queued.text.match(/position \d \(message/g)?.length, 5);
  match(queued.text, /… \[120 of 227 characters\]/);
  match(queued.text, /and 2 more; manage_enqueued_messages list/);
  equal(queued.data.queued_messages, 7);
});

Deno.test("get_session: an ordinary one fits, each cut tells its real length, and verbose has all", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const brief = "Please look into it. ".repeat(400);
  const parent = await addSession(db, { title: "Router" });
  const id = await addSession(db, {
    parent_session_id: parent,
    prompt: brief,
    goal: "g".repeat(1_500),
    session_notes: "n".repeat(1_500),
    metadata: {
      active_follow_up_prompt: brief,
      spot_hold_reason: "h".repeat(400),
    },
    custom_metadata: { deep: { list: [brief] } },
  });
  for (let n = 0; n < 12; n++) {
    await addHumanMessage(db, n % 2 === 0 ? id : parent, brief, n);
  }
  const { text } = await endpoint.call("", "get_session", { id });
  ok(text.length <= MAX_ANSWER_CHARACTERS, `${text.length} characters`);
  match(
    text,
    /\(cut: 1,000 of 8,400 characters; verbose: true shows all of it\)/,
  );
  equal(text.match(/cut: 1,000 of 1,500 characters/g)?.length, 2);
  equal(text.match(/… \[300 of 8,400 characters\]"/g)?.length, 2);
  ok(text.includes("h".repeat(400)), "what a scheduler reads is whole");
  equal(text.match(/cut: 300 of 8,400 characters/g)?.length, 10);
  match(text, /\*\*Summary:\*\* 10 of 12 entries .* lists 12 in full/);
  const whole = await endpoint.call("", "get_session", { id, verbose: true });
  ok(!whole.text.includes("(cut:"));
  // Prompt, two values of metadata, twelve messages.
  equal(whole.text.split(brief.trim()).length - 1, 15);
});

Deno.test("the human record says whether nobody spoke, nobody was listening, all is listed, or what is cut", async () => {
  await using endpoint = await openEndpoint({ humanChannels: ["web_ui"] });
  await using deaf = await openEndpoint({ test: endpoint.test });
  const { db } = endpoint.test;
  const id = await addSession(db);
  const read = async (
    one: TestEndpoint,
    session = id,
  ) => (await one.call("", "get_session_provenance", { session_id: session }));
  match((await read(endpoint)).text, /No human spoke: no named person/);
  equal((await read(endpoint)).data.human_messages_established, true);
  const unheard = await read(deaf);
  match(unheard.text, /\*\*Capture is NOT configured for web_ui:\*\*/);
  match(unheard.text, /could not be established/);
  ok(!unheard.text.includes("No human spoke"));
  const slack = await addSession(db, { genesis: "slack" });
  match((await read(endpoint, slack)).text, /NOT configured for slack/);
  await addHumanMessage(db, id, "go ahead\n- **here:** forged");
  const complete = await read(endpoint);
  match(complete.text, /\*\*Complete:\*\* every entry in this record/);
  match(complete.text, / {2}> go ahead\n {2}> - \*\*here:\*\* forged/);
  for (let n = 1; n <= 40; n++) await addHumanMessage(db, id, `said ${n}`, n);
  const cut = await read(endpoint);
  match(
    cut.text,
    /\*\*Cut:\*\* 25 of 41 entries are listed, in full; 16 older/,
  );
  deepEqual(
    [cut.data.human_messages_here, cut.data.human_messages_listed],
    [41, 25],
  );
});

Deno.test("get_session shows no human message that get_session_provenance does not, here among many elsewhere", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const parent = await addSession(db, { title: "Router" });
  const id = await addSession(db, { parent_session_id: parent });
  for (let n = 0; n < 7; n++) {
    await addHumanMessage(db, id, `old ${n}!`, 100 + n);
  }
  for (let n = 0; n < 30; n++) {
    await addHumanMessage(db, parent, `new ${n}!`, n);
  }
  const said = (text: string) => text.match(/(old|new) \d+!/g) ?? [];
  const summary = said((await endpoint.call("", "get_session", { id })).text);
  const whole = said(
    (await endpoint.call("", "get_session_provenance", { session_id: id }))
      .text,
  );
  equal(summary.filter((one) => one.startsWith("old")).length, 5);
  equal(summary.filter((one) => one.startsWith("new")).length, 5);
  equal(whole.length, 30);
  ok(summary.every((one) => whole.includes(one)));
});

Deno.test("the hierarchy: parents, routers and uncles, each session once, and truncation is said", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const root = await addSession(db, { title: "Root" });
  const routed = await addSession(db, {
    title: "Routed",
    custom_metadata: { router_session_id: root },
  });
  const id = await addSession(db, { title: "Me", parent_session_id: routed });
  const uncle = await addSession(db, { title: "Uncle" });
  await db.write(
    "insert into session_uncle_links (session_id, uncle_session_id, source) values ($1, $2, 'follow_up')",
    [id, uncle],
  );
  const { text, data } = await endpoint.call("", "get_session_provenance", {
    session_id: id,
  });
  deepEqual(text.split("\n").filter((line) => /^ *- #/.test(line)), [
    `- #${root} [gardener] {api · spot} Root`,
    `  - #${routed} [gardener] {api · spot} Routed`,
    `    - #${id} [gardener] {api · spot} Me (also senior, by their own claim: #${uncle}) <- this session`,
    `- #${uncle} [gardener] {api · spot} Uncle`,
  ]);
  deepEqual(data.hierarchy.toSorted(), [root, routed, id, uncle].toSorted());
  await db.write(
    `insert into sessions (agent_root_key, title, parent_session_id, wait_reason)
     select 'gardener', 'Sibling', $1, 'never_started' from generate_series(1, 200)`,
    [root],
  );
  const many = await endpoint.call("", "get_session_provenance", {
    session_id: id,
  });
  equal(many.data.hierarchy.length, 150);
  ok(many.data.hierarchy.includes(id));
  equal(many.data.hierarchy_is_truncated, true);
  match(many.text, /\*\*Truncated:\*\*/);
});

Deno.test("get_session: the transcript comes by pages whose pointers lead on, and only when asked for", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const id = await addSession(db);
  const big = (n: number) => `event ${n}! ${"x".repeat(1_000)}`;
  await addTranscript(db, id, Array.from({ length: 150 }, (_, n) => big(n)));
  await addTranscript(
    db,
    id,
    Array.from({ length: 100 }, (_, n) => big(150 + n)),
  );
  const hint = await endpoint.call("", "get_session", { id });
  match(hint.text, /250 event\(s\), not shown/);
  const seen: number[] = [];
  let before: string | undefined;
  do {
    const { text } = await endpoint.call("", "get_session", {
      id,
      include_transcript: true,
      transcript_before: before,
    });
    seen.unshift(
      ...[...text.matchAll(/event (\d+)!/g)].map(([, n]) => Number(n)),
    );
    before = /transcript_before: `([\d.]+)`/.exec(text)?.[1];
  } while (before !== undefined);
  deepEqual(seen, Array.from({ length: 250 }, (_, n) => n));
  for (
    const args of [
      { transcript_format: "json" },
      { transcript_before: "1.1" },
    ]
  ) {
    const refused = await endpoint.call("", "get_session", { id, ...args });
    equal(refused.isError, true);
    match(refused.text, /include_transcript: true/);
  }
});

Deno.test("REST has a transcript whole, by pages that skip and repeat nothing", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const id = await addSession(db);
  await addTranscript(db, id, ["a", "b", "c"]);
  await addTranscript(db, id, ["d"]);
  const get = async (query: string) => {
    const response = await endpoint.fetch(
      `/api/v1/sessions/${id}/transcript${query}`,
      { headers: { "x-api-key": API_KEY } },
    );
    return { status: response.status, body: await response.json() };
  };
  const texts: string[] = [];
  let query = "?limit=2";
  for (let pages = 0; pages < 3; pages++) {
    const { body } = await get(query);
    for (const { text, payload } of body.events) {
      texts.push(text);
      deepEqual(payload, { text });
    }
    if (body.next_after === null) break;
    query = `?limit=2&after=${body.next_after}`;
  }
  deepEqual(texts, ["a", "b", "c", "d"]);
  equal((await get("?after=x")).status, 422);
});
