import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Died, dying } from "../../tests/support/dying_db.ts";
import { openFakeGithub, refusal } from "../../tests/support/fake_github.ts";
import { CHANNEL, openFakeSlack } from "../../tests/support/fake_slack.ts";
import { openTestFleet, type TestFleet } from "../../tests/support/fleet.ts";
import { UNRESTRICTED } from "../caller.ts";
import {
  createTrigger,
  readTrigger,
  toggleTrigger,
  updateTrigger,
} from "../triggers/edit.ts";
import { readSlackChannels } from "./channels.ts";
import { openWatchers, pollDue, type Watchers } from "./poll.ts";
import type { OutsideSettings } from "./watcher.ts";

interface Bench extends TestFleet {
  /** Looks at all, whenever they would be due. */
  look(watchers?: Watchers): Promise<number>;
  /** Prompts of the sessions that were started since it was asked last. */
  prompts(): Promise<string[]>;
  /** Seconds from the last look at the only condition to the next. */
  wait(): Promise<number>;
  readonly watchers: Watchers;
}

async function openBench(outside: OutsideSettings): Promise<Bench> {
  const opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  const watchers = await openWatchers(outside);
  let seen = 0;
  return {
    ...opened,
    watchers,
    async look(given = watchers) {
      await db.write("update trigger_conditions set poll_after = null");
      return await pollDue(fleet, () => Promise.resolve(given));
    },
    async prompts() {
      const rows = await db.read<{ id: string; prompt: string }>(
        "select id, prompt from sessions where id > $1 order by id",
        [seen],
      );
      seen = Number(rows.at(-1)?.id ?? seen);
      return rows.map(({ prompt }) => prompt);
    },
    async wait() {
      const [row] = await db.read<{ seconds: number }>(
        "select extract(epoch from poll_after - last_polled_at)::float8 as seconds from trigger_conditions",
      );
      return Math.round(row?.seconds ?? NaN);
    },
  };
}

async function make(
  { fleet }: TestFleet,
  triggerType: string,
  configuration: Record<string, unknown>,
  promptTemplate = "{{number}} {{labels}} {{author}}",
): Promise<number> {
  const { trigger } = await createTrigger(fleet, UNRESTRICTED, {
    name: "Outside",
    agentRootName: "gardener",
    promptTemplate,
    triggerType,
    configuration,
  });
  return trigger.id;
}

const LABELS = { repos: ["o/web"], labels: ["Agent"], exclude_labels: ["wip"] };

Deno.test("a label fires once for each time that it is put on, from the second look on, and narrows as told", async () => {
  await using github = openFakeGithub();
  await using bench = await openBench({
    githubToken: "gh-token",
    githubUrl: github.url,
  });
  await make(bench, "github_label", LABELS);
  const old = github.open("o/web");
  github.label("o/web", old, "agent");
  equal(await bench.look(), 1);
  deepEqual(await bench.prompts(), []);
  const plain = github.open("o/web");
  const pull = github.open("o/web", { pull_request: { url: "x" } });
  const wip = github.open("o/web");
  github.label("o/web", wip, "wip");
  for (const number of [plain, pull, wip, old]) {
    github.label("o/web", number, "agent");
    github.label("o/web", number, "other");
  }
  await bench.look();
  deepEqual((await bench.prompts()).sort(), [
    "1 agent, agent, other bob",
    "2 agent, other bob",
  ]);
  await bench.look();
  deepEqual(await bench.prompts(), []);
  // Where nothing changed, it costs a conditional request.
  match(github.requests.at(-1) ?? "", / 304$/);
});

Deno.test("more than a page of events is read to where the last look ended", async () => {
  await using github = openFakeGithub();
  await using bench = await openBench({
    githubToken: "gh-token",
    githubUrl: github.url,
  });
  await make(bench, "github_label", LABELS, "{{number}}");
  const number = github.open("o/web");
  github.label("o/web", number, "agent");
  await bench.look();
  for (let at = 0; at < 230; at++) github.label("o/web", number, "noise");
  const late = github.open("o/web");
  github.label("o/web", late, "agent");
  for (let at = 0; at < 120; at++) github.label("o/web", number, "noise");
  await bench.look();
  deepEqual(await bench.prompts(), [String(late)]);
  ok(github.requests.some((line) => line.includes("page=4")));
});

Deno.test("new issues fire, with the labels that are asked for", async () => {
  await using github = openFakeGithub();
  await using bench = await openBench({
    githubToken: "gh-token",
    githubUrl: github.url,
  });
  await make(
    bench,
    "github_issue",
    { repos: ["o/web"], labels: ["bug"], target: "both" },
    "{{event}} {{repo}}#{{number}} {{title}} {{link}}",
  );
  github.open("o/web");
  await bench.look();
  github.open("o/web", { title: "no label" });
  github.open("o/web", { labels: [{ name: "bug" }], title: "{{link}}" });
  await bench.look();
  await bench.look();
  deepEqual(await bench.prompts(), [
    "opened o/web#3 {{link}} https://github.com/o/web/issues/3",
  ]);
});

Deno.test("edits keep what was seen, unless another thing is watched: then it begins anew", async () => {
  await using github = openFakeGithub();
  await using bench = await openBench({
    githubToken: "gh-token",
    githubUrl: github.url,
  });
  const { fleet } = bench;
  const id = await make(bench, "github_label", LABELS);
  for (const repo of ["o/web", "o/api"]) {
    github.label(repo, github.open(repo), "agent");
  }
  await bench.look();
  github.label("o/web", github.open("o/web"), "agent");
  const edit = (configuration: Record<string, unknown>) =>
    updateTrigger(fleet, UNRESTRICTED, id, {
      triggerType: "github_label",
      configuration,
    });
  await edit({ ...LABELS, exclude_labels: ["wip", "later"] });
  await bench.look();
  equal((await bench.prompts()).length, 1);
  await edit({ ...LABELS, repos: ["o/web", "o/api"] });
  github.label("o/api", github.open("o/api"), "agent");
  await bench.look();
  deepEqual(await bench.prompts(), []);
  github.label("o/api", github.open("o/api"), "agent");
  await bench.look();
  equal((await bench.prompts()).length, 1);
  // What was off has no past.
  await toggleTrigger(fleet, UNRESTRICTED, id);
  github.label("o/web", github.open("o/web"), "agent");
  equal(await bench.look(), 0);
  await toggleTrigger(fleet, UNRESTRICTED, id);
  await bench.look();
  deepEqual(await bench.prompts(), []);
});

Deno.test("a server that dies between any two statements of a look fires nothing twice and leaves nothing out", async () => {
  await using github = openFakeGithub();
  await using bench = await openBench({
    githubToken: "gh-token",
    githubUrl: github.url,
  });
  const { fleet, test: { db } } = bench;
  await make(bench, "github_label", LABELS);
  github.label("o/web", github.open("o/web"), "x");
  await bench.look();
  let died = true;
  for (let at = 0; died; at++) {
    github.label("o/web", github.open("o/web"), "agent");
    const dead = dying(db, at);
    await db.write("update trigger_conditions set poll_after = null");
    const looking = pollDue(
      {
        ...fleet,
        store: { ...fleet.store, db: () => Promise.resolve(dead.db) },
      },
      () => Promise.resolve(bench.watchers),
    );
    died = await looking.then(() => false, (error) => {
      ok(error instanceof Died, String(error));
      return true;
    });
    await bench.look();
    equal((await bench.prompts()).length, 1, `dead before statement ${at}`);
    ok(died || at > 5, "a look has a few statements only");
  }
});

Deno.test("of servers that poll at once, one looks", async () => {
  await using github = openFakeGithub();
  await using bench = await openBench({
    githubToken: "gh-token",
    githubUrl: github.url,
  });
  github.open("o/web");
  await make(bench, "github_label", LABELS);
  const polls = await Promise.all(
    Array.from(
      { length: 4 },
      () => pollDue(bench.fleet, () => Promise.resolve(bench.watchers)),
    ),
  );
  equal(polls.reduce((sum, looks) => sum + looks, 0), 1);
  equal(github.requests.length, 1);
});

Deno.test("limits, failures, a lost repository and a revoked token are said, waited for, and got over", async () => {
  await using github = openFakeGithub();
  await using bench = await openBench({
    githubToken: "gh-token",
    githubUrl: github.url,
  });
  const id = await make(bench, "github_label", LABELS, "{{number}}");
  const error = async () => {
    const { conditions } = await readTrigger(bench.fleet, UNRESTRICTED, id);
    return conditions[0]?.pollError ?? "";
  };
  await bench.look();
  match(await error(), /no repository o\/web that the token may read \(404\)/);
  github.label("o/web", github.open("o/web"), "x");
  await bench.look();
  equal(await error(), "");
  github.label("o/web", github.open("o/web"), "agent");

  github.trouble.push(() => refusal(502, "Bad gateway"));
  await bench.look();
  match(await error(), /cannot be reached/);
  equal(await bench.wait(), 60);
  github.trouble.push(() => refusal(503, "Unavailable"));
  await bench.look();
  equal(await bench.wait(), 120);
  github.trouble.push(() =>
    refusal(429, "Slow down", { "retry-after": "700" })
  );
  await bench.look();
  match(await error(), /rate limit is reached/);
  equal(await bench.wait(), 700);
  github.trouble.push(() =>
    refusal(403, "API rate limit exceeded", {
      date: "Tue, 01 Dec 2026 09:00:00 GMT",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(Date.UTC(2026, 11, 1, 9, 20) / 1_000),
    })
  );
  await bench.look();
  equal(await bench.wait(), 1_200);
  github.token = "another";
  await bench.look();
  match(await error(), /takes the token no more \(401\)/);
  ok(!(await error()).includes("gh-token"));
  github.token = "gh-token";
  await bench.look();
  deepEqual([await error(), await bench.prompts()], ["", ["2"]]);
});

Deno.test("without a token a condition says which setting is missing", async () => {
  await using bench = await openBench({});
  const id = await make(bench, "github_label", LABELS);
  const other = await make(bench, "slack", { channel_id: CHANNEL });
  equal(await bench.look(), 2);
  for (
    const [trigger, message] of [
      [id, /GITHUB_TOKEN is not set/],
      [other, /SLACK_BOT_TOKEN is not set/],
    ] as const
  ) {
    const { conditions } = await readTrigger(
      bench.fleet,
      UNRESTRICTED,
      trigger,
    );
    match(conditions[0]?.pollError ?? "", message);
  }
});

Deno.test("messages of a channel fire in their order, those of bots and of itself do not", async () => {
  await using slack = openFakeSlack();
  await using bench = await openBench({
    slackToken: "xoxb-1",
    slackUrl: slack.url,
  });
  await make(
    bench,
    "slack",
    { channel_id: CHANNEL, channel_name: "general" },
    "{{text}}|{{author}}|{{channel}}|{{link}}",
  );
  slack.say("before");
  await bench.look();
  deepEqual(await bench.prompts(), []);
  const ts = slack.say("one");
  slack.say("by a bot", { bot_id: "B1" });
  slack.say("joined", { subtype: "channel_join" });
  slack.say("by itself", { user: "U0BOT00000" });
  slack.say("two", { subtype: "file_share" });
  await bench.look();
  await bench.look();
  deepEqual(
    (await bench.prompts()).map((prompt) => prompt.split("|")[0]),
    ["one", "two"],
  );
  equal(slack.requests.filter((one) => one === "auth.test").length, 1);
  const [row] = await bench.test.db.read<{ prompt: string; genesis: string }>(
    "select prompt, genesis from sessions order by id limit 1",
  );
  equal(
    row?.prompt,
    `one|U0ADA00000|general|https://team.slack.com/archives/${CHANNEL}/p${
      ts.replace(".", "")
    }`,
  );
  equal(row?.genesis, "slack");
});

Deno.test("what people say in Slack is a human message of the session that it starts or reaches, in their name", async () => {
  await using slack = openFakeSlack();
  await using bench = await openBench({
    slackToken: "xoxb-1",
    slackUrl: slack.url,
    slackName: (id) => Promise.resolve(id === "U0ADA00000" ? "ada" : undefined),
  });
  const { fleet, test: { db } } = bench;
  const id = await make(
    bench,
    "slack",
    { channel_id: CHANNEL },
    "Do: {{text}}",
  );
  const said = () =>
    db.read(
      `select session_id, author, channel, content, provenance
       from human_messages order by id`,
    );
  slack.say("before");
  await bench.look();
  slack.say("one\u0000", { user: "U0ADA00000" });
  slack.say("two", { user: "U0EVE00000" });
  await bench.look();
  const [one, two] = (await said()).map((row) => ({ ...row }));
  deepEqual({ ...one, provenance: null, session_id: null }, {
    session_id: null,
    author: "ada",
    channel: "slack",
    content: "one\ufffd",
    provenance: null,
  });
  match(JSON.stringify(one?.provenance), /"link":"https:.*archives/);
  equal(two?.author, "slack:U0EVE00000");
  ok(one?.session_id !== two?.session_id);
  await updateTrigger(fleet, UNRESTRICTED, id, { reuseSession: true });
  slack.say("three", { user: "U0ADA00000" });
  await bench.look();
  const last = (await said()).at(-1);
  deepEqual([last?.session_id, last?.content], [two?.session_id, "three"]);
  // Who works, and may not be told meanwhile, was told nothing.
  await db.write(
    "update sessions set status = 'running', wait_reason = null where id = $1",
    [two?.session_id],
  );
  slack.say("four", { user: "U0ADA00000" });
  await bench.look();
  equal((await said()).length, 3);
});

Deno.test("mentions and the words of some fire alone where that is asked for", async () => {
  await using slack = openFakeSlack();
  await using bench = await openBench({
    slackToken: "xoxb-1",
    slackUrl: slack.url,
  });
  await make(bench, "slack", {
    channel_id: CHANNEL,
    event_type: "mention",
    from_users: ["U0EVE00000"],
  }, "{{text}}");
  await bench.look();
  slack.say("plain", { user: "U0EVE00000" });
  slack.say("<@U0BOT00000> by ada");
  slack.say("<@U0BOT00000> by eve", { user: "U0EVE00000" });
  await bench.look();
  deepEqual(await bench.prompts(), ["<@U0BOT00000> by eve"]);
});

Deno.test("what Slack refuses is said in words, waited for, and got over", async () => {
  await using slack = openFakeSlack();
  await using bench = await openBench({
    slackToken: "xoxb-1",
    slackUrl: slack.url,
  });
  const id = await make(bench, "slack", { channel_id: CHANNEL }, "{{text}}");
  const error = async () =>
    (await readTrigger(bench.fleet, UNRESTRICTED, id)).conditions[0]
      ?.pollError ?? "";
  const refuse = (word: string) => () =>
    Response.json({ ok: false, error: word });
  slack.trouble.push(refuse("token_revoked"));
  await bench.look();
  match(await error(), /takes the token no more.*\(token_revoked\)/);
  await bench.look();
  equal(await error(), "");
  slack.trouble.push(() =>
    new Response("", { status: 429, headers: { "retry-after": "90" } })
  );
  await bench.look();
  match(await error(), /rate limit/);
  equal(await bench.wait(), 90);
  slack.trouble.push(() => new Response("oops", { status: 503 }));
  await bench.look();
  match(await error(), /cannot be reached/);
  slack.trouble.push(refuse("not_in_channel"));
  await bench.look();
  match(await error(), /invite it/);
  slack.say("late");
  await bench.look();
  deepEqual([await error(), await bench.prompts()], ["", ["late"]]);
});

Deno.test("channels are listed over all pages; a refusal is told", async () => {
  await using slack = openFakeSlack();
  const settings = { slackToken: "xoxb-1", slackUrl: slack.url };
  deepEqual(
    (await readSlackChannels(settings)).map(({ name, isMember }) => [
      name,
      isMember,
    ]),
    [["general", true], ["other", false]],
  );
  slack.trouble.push(() =>
    Response.json({ ok: false, error: "missing_scope" })
  );
  await rejects(readSlackChannels(settings), { message: /more scopes/ });
  await rejects(readSlackChannels({}), { message: /SLACK_BOT_TOKEN/ });
});
