import { deepEqual, equal, match, ok } from "node:assert/strict";
import { recordUsage } from "../../store/costs/mod.ts";
import { insertNotice } from "../../store/sessions/notices.ts";
import { insertRunner, noteHello } from "../../store/turns/runners.ts";
import { assertAccessible, LOOKS } from "../support/accessible.ts";
import {
  BROWSER_SKIP_NOTE,
  HAS_BROWSER,
  openBrowser,
} from "../support/browser.ts";
import { makePeople, type PeopleFile } from "../support/people.ts";
import { openWriter } from "../support/root_data.ts";
import { addSession } from "../support/session_rows.ts";
import { openSite, type Site } from "../support/site.ts";

const HOSTILE = `"><script>document.title = "owned"</script></main>\u202e`;

interface Case {
  readonly name: string;
  readonly run: (site: Site, people: PeopleFile) => Promise<void>;
}

const cases: Case[] = [];

function inBrowser(name: string, run: Case["run"]): void {
  cases.push({ name, run });
}

async function notify(site: Site, message: string): Promise<void> {
  const sessionId = await addSession(site.db, { title: HOSTILE });
  await site.db.transaction((tx) =>
    insertNotice(tx, { sessionId, type: "session_failed", message })
  );
}

async function addRunner({ db }: Site): Promise<number> {
  const { id } = await db.transaction((tx) => insertRunner(tx, HOSTILE));
  await noteHello(db, id, {
    hello: {
      version: HOSTILE,
      runtimes: [{
        name: "command",
        version: HOSTILE,
        login: { state: "missing" },
      }],
    },
    runtimes: ["command"],
    slots: 2,
    labels: [HOSTILE],
    bootId: "1",
  });
  return id;
}

inBrowser(
  "notifications are read and dismissed, one and all",
  async (site, people) => {
    for (const message of ["one", "two", HOSTILE]) await notify(site, message);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    const shown = () =>
      page.evaluate("document.querySelectorAll('.notices li').length");
    await page.goto(`${site.origin}/notifications`);
    equal(await shown(), 3);
    await page.click('.notices li:has-text("two") button[value=read]');
    await page.waitForLoadState();
    equal(await shown(), 2);
    await page.click('.notices li:has-text("one") button[value=dismiss]');
    await page.waitForLoadState();
    equal(await shown(), 1);
    await page.click("button[value=read_all]");
    await page.waitForLoadState();
    match(await page.innerText("main"), /Nothing is here/);
    await page.goto(`${site.origin}/notifications?view=read`);
    equal(await shown(), 2);
    await page.click("button[value=dismiss_all]");
    await page.waitForLoadState();
    await page.goto(`${site.origin}/notifications?view=all`);
    equal(await shown(), 0);
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "a runner is drained, takes turns again, and loses its token",
  async (site, people) => {
    const id = await addRunner(site);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    await page.goto(`${site.origin}/runners`);
    match(await page.innerText("tbody"), /There\s+0 of 2.*No login/s);
    await page.click("button[value=drain]");
    await page.waitForLoadState();
    match(await page.innerText("tbody"), /Drains/);
    await page.click("button[value=undrain]");
    await page.waitForLoadState();
    await page.click("tbody summary");
    await page.click("button[value=revoke]");
    await page.waitForLoadState();
    match(await page.innerText("main"), /There is none/);
    const [row] = await site.db.read(
      "select draining, token_hash, revoked_at is not null as revoked from runners where id = $1",
      [id],
    );
    deepEqual(row, { draining: false, token_hash: null, revoked: true });
    await page.goto(`${site.origin}/runners?revoked=1`);
    match(await page.innerText("tbody"), /No token/);
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "a trigger is made, refused with what was written, changed, fired, switched off and deleted",
  async (site, people) => {
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    await page.goto(`${site.origin}/triggers`);
    await page.click(".bar a");
    await page.waitForURL(/\/triggers\/new$/);
    await page.fill("#name", "Each morning");
    await page.fill("#root", "gardener");
    await page.fill("#template", "Water {{date}}");
    await page.selectOption('[name="n0.unit"]', "weeks");
    await page.fill('[name="n0.interval"]', "2");
    await page.click("main form > button:last-child");
    await page.waitForLoadState();
    match(await page.innerText('[role="alert"]'), /weeks need a day_of_week/);
    equal(
      await page.evaluate(
        "document.activeElement === null || document.querySelector('[aria-invalid]').name",
      ),
      "n0.day_of_week",
    );
    equal(
      await page.evaluate("document.getElementById('name').value"),
      "Each morning",
    );
    await page.selectOption('[name="n0.unit"]', "days");
    await page.fill('[name="n0.interval"]', "1");
    await page.fill('[name="n0.timezone"]', "Europe/Berlin");
    await page.click("main form > button:last-child");
    await page.waitForURL(/\/triggers\/\d+$/);
    match(
      await page.innerText("main"),
      /It runs every day at 09:00 in Europe\/Berlin, next .*2\d{3}/,
    );
    await page.click("button[value=invoke]");
    await page.waitForLoadState();
    match(await page.innerText('[role="status"]'), /Session \d+/);
    const [session] = await site.db.read("select prompt from sessions");
    match(String(session?.prompt), /^Water \d{4}-/);
    await page.click("button[value=toggle]");
    await page.waitForLoadState();
    match(await page.innerText("#h-trigger"), /disabled/);
    await page.click("main > details > summary");
    await page.fill("#template", HOSTILE);
    await page.selectOption("#add-type", "webhook");
    await page.click("main > details button[value=add]");
    await page.waitForLoadState();
    equal(
      await page.evaluate("document.querySelector('#template').value"),
      HOSTILE,
    );
    await page.click("main > details form > button:last-child");
    await page.waitForLoadState();
    match(
      await page.innerText("main"),
      /shown only here[\s\S]*\/hooks\/\S{20,}/,
    );
    await page.click("main p a");
    await page.waitForURL(/\/triggers\/\d+$/);
    match(await page.innerText("main"), /a POST to its address/);
    await page.goto(`${site.origin}/triggers?status=disabled`);
    match(await page.innerText("tbody"), /Each morning/);
    await page.click("tbody a");
    await page.waitForURL(/\/triggers\/\d+$/);
    await page.click(".buttons summary");
    await page.click("button[value=delete]");
    await page.waitForURL(`${site.origin}/triggers`);
    match(await page.innerText("main"), /There is no trigger here/);
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "conditions of several types are added, left out, written as JSON and taken away, without scripts and without a mouse",
  async (site, people) => {
    await using ann = await site.visitSignedIn(
      { javaScriptEnabled: false },
      people.keys.ann,
    );
    const { page } = ann;
    const stored = async () =>
      (await site.db.read<{ type: string; configuration: unknown }>(
        "select condition_type as type, configuration from trigger_conditions order by id",
      )).map(({ type, configuration }) => [type, configuration]);
    await page.goto(`${site.origin}/triggers/new`);
    await page.click("text=A label on GitHub");
    await page.waitForURL(/type=github_label/);
    await page.fill("#template", HOSTILE);
    await page.fill('[name="n0.repos"]', "a/b, c/d");
    await page.fill('[name="n0.labels"]', HOSTILE.replaceAll(",", ""));
    for (const type of ["schedule", "system_event"]) {
      await page.selectOption("#add-type", type);
      await page.click("button[value=add]");
      await page.waitForLoadState();
    }
    await page.click("button[value=n1]"); // The schedule is left out again.
    await page.waitForLoadState();
    await page.click("[id='n1.event_names.runner_lost']");
    await page.click("[id='n1.event_names.trigger_failed']");
    await page.fill("#name", "Several");
    await page.fill("#root", "gardener");
    // Enter saves; it presses none of the buttons that add and leave out.
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/triggers\/\d+$/);
    deepEqual(await stored(), [
      ["github_label", {
        labels: [HOSTILE.replaceAll(",", "").trim()],
        repos: ["a/b", "c/d"],
        target: "issues",
      }],
      ["system_event", { event_names: ["runner_lost", "trigger_failed"] }],
    ]);
    match(
      await page.innerText("main"),
      /It runs on runner_lost, trigger_failed\./,
    );
    await page.click("main > details > summary");
    const [label = "", event = ""] = (await site.db.read<{ id: string }>(
      "select id from trigger_conditions order by id",
    )).map(({ id }) => `c${id}`);
    equal(
      await page.evaluate(
        `document.querySelector('[name="${label}.repos"]').value`,
      ),
      "a/b, c/d",
    );
    await page.click(`[id="${event}.remove"]`);
    const details = `fieldset:has([name="${label}.repos"]) > details`;
    await page.click(`${details} > summary`);
    await page.fill(`[name="${label}.json"]`, '{"repos": ["none"]}');
    await page.click("main > details form > button:last-child");
    await page.waitForLoadState();
    match(await page.innerText('[role="alert"]'), /github_label: /);
    equal(
      await page.evaluate("document.querySelector('[aria-invalid]').name"),
      `${label}.json`,
    );
    await page.fill(
      `[name="${label}.json"]`,
      '{"repos": ["e/f"], "labels": ["ready"]}',
    );
    await page.click("main > details form > button:last-child");
    await page.waitForURL(/\/triggers\/\d+$/);
    await page.waitForLoadState();
    match(
      await page.innerText("main"),
      /It runs on the label ready on issues of e\/f\./,
    );
    deepEqual((await stored()).map(([type]) => type), ["github_label"]);
    await site.db.write("delete from triggers");
    deepEqual(ann.incidents, []);
  },
);

inBrowser("a reader sees them and has no form", async (site, people) => {
  await notify(site, "one");
  const runner = await addRunner(site);
  await using rita = await site.visitSignedIn({}, people.keys.rita);
  const { page } = rita;
  for (
    const path of ["/notifications", "/runners", "/triggers", "/triggers/new"]
  ) {
    await page.goto(`${site.origin}${path}`);
    equal(
      await page.evaluate("document.querySelectorAll('main form').length"),
      0,
      path,
    );
  }
  await page.goto(`${site.origin}/board`);
  for (
    const path of [
      "/notifications",
      `/runners/${runner}`,
      "/triggers/new",
      "/triggers/1",
    ]
  ) {
    equal(
      await page.evaluate(
        `fetch('${path}', { method: 'POST',
           body: new URLSearchParams({ do: 'read_all' }) }).then((one) => one.status)`,
      ),
      403,
      path,
    );
  }
});

inBrowser(
  "they are accessible and fit in every look, with hostile words",
  async (site, people) => {
    await notify(site, HOSTILE);
    await addRunner(site);
    const [trigger] = await site.db.write<{ id: string }>(
      `insert into triggers (name, prompt_template, agent_root_name, status, last_error, failed_at)
     values ($1, $1, $1, 'failed', $1, now()) returning id`,
      [HOSTILE],
    );
    await site.db.write(
      `insert into trigger_conditions (trigger_id, condition_type, configuration)
     values ($1, 'slack', $2::text::jsonb)`,
      [trigger?.id, JSON.stringify({ channel_id: HOSTILE })],
    );
    await recordUsage(
      site.db,
      ["claude-sonnet-4-5", HOSTILE].flatMap((model) =>
        [0, 1, 2].map((day) => ({
          requestId: `${model} ${day}`,
          sessionId: null,
          turnId: null,
          agentRoot: HOSTILE,
          source: "test",
          model,
          isSubagent: false,
          inputTokens: 100_000 * (day + 1),
          outputTokens: 50_000,
          cacheReadTokens: 0,
          cacheCreationTokens: 0,
          cacheCreation5mTokens: null,
          webSearchRequests: 0,
          reportedUsd: null,
          isPartial: false,
          calledAt: new Date(Date.now() - day * 86_400_000),
        }))
      ),
    );
    await (await openWriter(site.db)).put(HOSTILE, { [HOSTILE]: HOSTILE });
    const [record] = await site.db.write<{ id: string }>(
      "update agent_root_records set namespace = 'garden', collection = 'beds' returning id",
    );
    for (const look of LOOKS) {
      await using visitor = await site.visitSignedIn(look, people.keys.ann);
      for (
        const path of [
          "/notifications",
          "/runners",
          "/triggers",
          `/triggers/${trigger?.id}`,
          "/triggers/new",
          "/costs",
          `/supervisor/agent_root_records/edit?namespace=garden&collection=beds&id=${record?.id}`,
        ]
      ) {
        await visitor.page.goto(`${site.origin}${path}`);
        if (path === "/costs") {
          // Three days stand, two models lie.
          ok(
            await visitor.page.evaluate(
              "document.querySelectorAll('.bars rect').length >= 5",
            ),
          );
        }
        equal(
          await visitor.page.evaluate(
            "document.querySelectorAll('main script').length",
          ),
          0,
        );
        await assertAccessible(visitor, path, look);
      }
    }
  },
);

Deno.test({
  name: `what is around sessions in a browser${BROWSER_SKIP_NOTE}`,
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await openBrowser();
    for (const { name, run } of cases) {
      await t.step(name, async () => {
        await using people = await makePeople();
        await using site = await openSite(browser, { usersFile: people.path });
        await run(site, people);
      });
    }
  },
});
