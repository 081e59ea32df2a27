import { deepEqual, equal, match } from "node:assert/strict";
import { API_KEY, openEndpoint } from "../support/endpoint.ts";
import { addSession } from "../support/session_rows.ts";

const TOOL = "save_outcome_analysis";

// deno-lint-ignore no-explicit-any -- trees are taken apart freely
type Tree = any;

function segment(id: string, children: Tree[] = [], kind = "Success"): Tree {
  return {
    id,
    trigger: { kind: "New", source: "user" },
    goal: { text: `goal of ${id}`, kind: "Action" },
    outcome: { kind, explanation: `so it went with ${id}` },
    meta: null,
    children,
  };
}

function tree(): Tree {
  return segment("S0", [
    segment("S0.0", [segment("S0.0.0", [], "Failure")]),
    {
      ...segment("S0.1"),
      trigger: { kind: "Correction", source: "agent" },
      meta: { event_range: ["1.1", "1.9"], wall_clock_s: 3, model: "m" },
    },
  ]);
}

function deep(levels: number): Tree {
  const id = (level: number) => ["S0", ...Array(level).fill("0")].join(".");
  let inner = segment(id(levels - 1));
  for (let level = levels - 2; level >= 0; level--) {
    inner = segment(id(level), [inner]);
  }
  return inner;
}

Deno.test("an analysis is saved with its figures, and a second one takes its place", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const analyzer = await addSession(db);
  const id = await addSession(db, {
    status: "archived",
    wait_reason: null,
    agent_runtime: "codex",
    config: { model: "gpt" },
  });
  const save = (args: Record<string, unknown>) =>
    endpoint.call("", TOOL, { session_id: String(id), ...args });
  const first = await save({
    root: { ...tree(), mood: "good" },
    analyzer_session_id: analyzer,
    notes: " well ",
  });
  match(first.text, /\*\*Segments:\*\* 4, 1 failed/);
  match(first.text, /\*\*Left out of the tree:\*\* mood/);
  equal(first.data.depth, 3);
  equal(first.data.is_superseding, false);
  const second = await save({
    root: segment("S0", [], "Failure"),
    analyzer_session_id: 999,
  });
  match(second.text, /left out: there is no such session/);
  equal(second.data.is_superseding, true);
  equal(second.data.analyzer_session_id, null);
  const rows = await db.read(
    `select superseded_at is null as current, analyzer_session_id::int as by, notes,
       root_outcome, agent_root, agent_runtime, model from outcome_analyses order by id`,
  );
  const common = {
    agent_root: "gardener",
    agent_runtime: "codex",
    model: "gpt",
  };
  deepEqual(rows.map((row) => ({ ...row })), [
    {
      current: false,
      by: analyzer,
      notes: "well",
      root_outcome: "Success",
      ...common,
    },
    {
      current: true,
      by: null,
      notes: null,
      root_outcome: "Failure",
      ...common,
    },
  ]);
  const read = await endpoint.fetch(second.data.path, {
    headers: { "x-api-key": API_KEY },
  });
  const body = await read.json();
  equal(body.root.outcome.explanation, "so it went with S0");
  equal(body.root.mood, undefined);
  // As deep as may be: as text, since a message is not nested so deep.
  const deepest = await save({ root: JSON.stringify(deep(32)) });
  equal(deepest.data.depth, 32, deepest.text);
});

Deno.test("whatever is wrong with a tree is listed, and nothing is stored", async () => {
  await using endpoint = await openEndpoint();
  const { db } = endpoint.test;
  const id = await addSession(db, { status: "archived", wait_reason: null });
  const live = await addSession(db);
  const other = await addSession(db, {
    status: "archived",
    wait_reason: null,
    agent_root_key: "librarian",
  });
  const bad = (change: (root: Tree) => void) => {
    const root = tree();
    change(root);
    return root;
  };
  const wide = segment(
    "S0",
    Array.from({ length: 5_001 }, (_, index) => segment(`S0.${index}`)),
  );
  const cases: [Record<string, unknown>, RegExp, string?][] = [
    [{ session_id: String(live), root: tree() }, /only one that is over/],
    [{ session_id: "999", root: tree() }, /not found/],
    [{ root: "text" }, /root must be object/],
    [{ root: {} }, /S0: trigger is missing.*goal is missing/],
    [{ root: tree(), notes: "x".repeat(1_001) }, /1,000/],
    [{ root: bad((root) => root.id = "S1") }, /id is "S1"; .*"S0"/],
    [
      { root: bad((root) => root.children[1].id = "S0.2") },
      /S0\.1: id is "S0\.2"/,
    ],
    [
      { root: bad((root) => root.children[0].trigger.kind = "Correction") },
      /S0\.0: trigger\.kind is Correction/,
    ],
    [{ root: bad((root) => root.trigger.kind = "Correction") }, /S0: trigger/],
    [{ root: bad((root) => root.trigger.source = "x") }, /user, agent, sub/],
    [{ root: bad((root) => root.goal.text = " ") }, /goal\.text is missing/],
    [{ root: bad((root) => root.goal.text = "x".repeat(501)) }, /501/],
    [{ root: bad((root) => root.goal.kind = "Idea") }, /Plan, Action/],
    [{ root: bad((root) => delete root.outcome.explanation) }, /explanation/],
    [
      { root: bad((root) => root.outcome.explanation = "x".repeat(141)) },
      /141 characters; the most is 140/,
    ],
    [{ root: bad((root) => root.meta = { tokens_in: -1 }) }, /tokens_in/],
    [{ root: bad((root) => root.meta = { event_range: ["a"] }) }, /no pair/],
    [{ root: bad((root) => root.children[0].children = {}) }, /no list/],
    [{ root: JSON.stringify(deep(33)) }, /deeper than 32 levels/],
    [{ root: wide }, /more than 5000 segments/],
    [
      { session_id: String(other), root: tree() },
      /belongs to "librarian"/,
      "?allowed_agent_roots=gardener",
    ],
  ];
  for (const [args, says, query = ""] of cases) {
    const answer = await endpoint.call(query, TOOL, {
      session_id: String(id),
      ...args,
    });
    equal(answer.isError, true, String(says));
    match(answer.text, says);
    equal((await db.read("select 1 from outcome_analyses")).length, 0);
  }
  const many = segment(
    "S0",
    Array.from({ length: 60 }, (_, index) => ({
      ...segment(`S0.${index}`),
      outcome: { kind: "Success", explanation: "" },
    })),
  );
  const { text } = await endpoint.call("", TOOL, {
    session_id: String(id),
    root: many,
  });
  match(text, /The tree has 60 problem\(s\).*and 10 more\. Nothing was stored/);
});
