import { deepEqual, ok } from "node:assert/strict";
import { TOOLS } from "../../mcp/tools/registry.ts";
import { openEndpoint, ROOTS } from "../support/endpoint.ts";
import { startSession } from "../support/sessions.ts";
import { bend, type Chance, chanceOf, seedOfRun } from "./mutate.ts";

const CALLS = 1_500;
const AT_ONCE = 20;

/** Tools of the ledger and the backlog, and what else writes. */
const GROUPS = ["gate_decisions", "work_backlog"];

/** Arguments as they should be, and such as would be a person's to pass. */
const VALUES: Readonly<Record<string, unknown>> = {
  gate: "pr_merge",
  surface: "web",
  entry: {
    pr: "https://github.com/o/r/pull/1",
    human_feedback: { verdict: "should-have-held" },
    "Human-Feedback": [{ humanFeedback: 1 }],
    nested: [{ HUMAN_FEEDBACK: "yes" }],
  },
  key: "web#1",
  issue_url: "https://github.com/o/r/issues/1",
  repo: "o/r",
  title: "T",
  kind: "bug",
  scope_direction: "convergent",
  estimated_cost: "small",
  ratings: { pinned: true, precedence: 9_999 },
  count: 1,
  keys: ["web#1"],
  dead: [{ key: "web#2", reason: "issue_closed" }],
};
const LEVERS: Readonly<Record<string, unknown>> = {
  human_feedback: { verdict: "x" },
  feedback: "x",
  verdict: "should-have-held",
  note: "x",
  channel: "web_ui",
  pinned: true,
  precedence: 9_999,
  place: "top",
  scheduling_class: "priority",
  priority: true,
  removal_reason: "judgement",
  added_by: "human",
  prompt: "do it",
};

function argumentsOf(
  chance: Chance,
  names: readonly string[],
): Record<string, unknown> {
  const args: Record<string, unknown> = Object.fromEntries(
    names.filter((name) => name in VALUES && !chance.oneIn(5))
      .map((name) => [name, VALUES[name]]),
  );
  if (typeof args.key === "string") args.key = `web#${chance.pick([1, 2, 3])}`;
  if (chance.oneIn(2)) {
    const name = chance.pick(Object.keys(LEVERS));
    args[name] = LEVERS[name];
  }
  return chance.oneIn(3) ? bend(chance, args) as typeof args : args;
}

Deno.test(`${CALLS} calls of the ledger's and the backlog's tools write no feedback, pin nothing and start nothing as priority`, async () => {
  const seed = seedOfRun();
  await using endpoint = await openEndpoint({
    roots: { ...ROOTS, router: { name: "router" } },
  });
  const { db } = endpoint.test;
  const { session } = await startSession(db, { agentRootKey: "gardener" });
  const query = `?tool_groups=${GROUPS.join(",")}&session_id=${session.id}`;
  const tools = TOOLS.filter(({ group }) => GROUPS.includes(group));
  const worked = new Set<string>();
  for (let done = 0; done < CALLS; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, n) => {
      const chance = chanceOf(seed + done + n);
      const tool = chance.pick(tools);
      const args = argumentsOf(chance, Object.keys(tool.input.properties));
      const response = await endpoint.rpc(query, {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: tool.name, arguments: args },
      });
      const body = await response.json();
      if (body.result?.isError === undefined && body.result !== undefined) {
        worked.add(tool.name);
      }
    }));
  }
  ok(worked.size === tools.length, `seed ${seed}: ${[...worked]}`);
  const [row] = await db.read(
    `select (select count(*)::int from gate_decision_feedbacks) as feedbacks,
       (select count(*)::int from gate_decisions
          where lower(payload::text) ~ 'human[^a-z]*feedback') as smuggled,
       (select count(*)::int from work_backlog_items where pinned) as pinned,
       (select count(*)::int from work_backlog_items
          where status = 'queued' and precedence > 6000) as lifted,
       (select count(*)::int from work_backlog_items where added_via <> 'mcp'
          or added_by <> 'gardener' or issue_url is null) as disguised,
       (select count(*)::int from work_backlog_items where status = 'removed'
          and removal_reason <> 'issue_closed') as judged,
       (select count(*)::int from sessions where scheduling_class = 'priority') as priority`,
  );
  deepEqual({ ...row }, {
    feedbacks: 0,
    smuggled: 0,
    pinned: 0,
    lifted: 0,
    disguised: 0,
    judged: 0,
    priority: 0,
  }, `seed ${seed}`);
});

Deno.test("no tool takes an argument that a person's lever has", () => {
  for (const { name, group, input } of TOOLS) {
    if (!GROUPS.includes(group)) continue;
    for (
      const lever of ["precedence", "scheduling_class", "prompt", "verdict"]
    ) {
      ok(!(lever in input.properties), `${name}: ${lever}`);
    }
    const isFilter = name === "get_work_backlog";
    ok(isFilter || !("pinned" in input.properties), name);
  }
});
