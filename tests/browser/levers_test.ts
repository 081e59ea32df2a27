import { deepEqual, equal, match } from "node:assert/strict";
import { startSession } from "../../fleet/sessions/start.ts";
import { fleetOf } from "../../mcp/fleet.ts";
import { assertAccessible, LOOKS } from "../support/accessible.ts";
import {
  BROWSER_SKIP_NOTE,
  HAS_BROWSER,
  openBrowser,
  untilTrue,
} from "../support/browser.ts";
import { endTurn, leaseTurn } from "../support/leases.ts";
import { makePeople, type PeopleFile } from "../support/people.ts";
import { openSite, type Site } from "../support/site.ts";

const HOSTILE = `"></textarea><script>document.title = "owned"</script>\u202e`;

interface Case {
  readonly name: string;
  readonly run: (site: Site, people: PeopleFile) => Promise<void>;
}

const cases: Case[] = [];

function inBrowser(name: string, run: Case["run"]): void {
  cases.push({ name, run });
}

async function start(site: Site): Promise<number> {
  const { session } = await startSession(fleetOf(site.endpoint.services), {
    agentRoot: "gardener",
    agentRuntime: "command",
    title: "Plant",
    prompt: "Plant the tulips",
    drivenBy: "runner",
    withToken: false,
  });
  return session.id;
}

inBrowser(
  "categories are added, ordered, frozen, renamed and deleted, and stand on the board",
  async (site, people) => {
    const id = await start(site);
    await leaseTurn(site.db, id);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    const until = (words: string) =>
      untilTrue(
        page,
        `[...document.querySelectorAll(".notices strong")]
           .map((one) => one.innerText).join(" ") === ${JSON.stringify(words)}`,
      );
    await page.goto(`${site.origin}/board`);
    await page.click(".bar a[href='/board/categories']");
    await page.waitForURL(/\/categories$/);
    for (const name of ["Beds", "Trees"]) {
      await page.fill("#name", name);
      await page.click("button[value=create]");
      await until(name === "Beds" ? "Beds" : "Beds Trees");
    }
    await page.fill("#name", "beds");
    await page.fill("#description", HOSTILE);
    await page.click("button[value=create]");
    await untilTrue(page, `document.querySelector('[role="alert"]') !== null`);
    match(await page.innerText('[role="alert"]'), /"beds" already/);
    equal(
      await page.evaluate("document.getElementById('description').value"),
      HOSTILE,
    );
    await page.click('[aria-label="Up: Trees"]');
    await until("Trees Beds");
    await page.click('[aria-label="Freeze: Beds"]');
    await untilTrue(
      page,
      `document.querySelector('[aria-label="Thaw: Beds"]') !== null`,
    );
    await page.click("li:nth-child(2) summary");
    await page.fill("li:nth-child(2) input[name=name]", "Roses");
    await page.click('[aria-label="Save: Beds"]');
    await until("Trees Roses");
    await site.db.write(
      `update sessions set category_id = (select id from categories
         where name = 'Trees') where id = $1`,
      [id],
    );
    await page.goto(`${site.origin}/board`);
    match(await page.innerText("#board"), /Trees\s+1[\s\S]*Plant/);
    await page.goto(`${site.origin}/board/categories`);
    await page.click("li:nth-child(1) summary");
    await page.click('[aria-label="Delete: Trees"]');
    await until("Roses");
    deepEqual(
      await site.db.read("select name, is_frozen from categories"),
      [{ name: "Roses", is_frozen: true }],
    );
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "a session is parked until there is room, and gets a heartbeat",
  async (site, people) => {
    const id = await start(site);
    await leaseTurn(site.db, id);
    await endTurn(site.db, id);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    await page.goto(`${site.origin}/sessions/${id}`);
    await page.click("#h-settings ~ details > summary");
    await page.selectOption("#heartbeat", "on");
    await page.fill("#seconds", "90");
    await page.click("button[value=heartbeat]");
    await untilTrue(
      page,
      "document.getElementById('particulars').innerText.includes('after 90 s of rest')",
    );
    await page.click("#standing button[value=park]");
    await untilTrue(
      page,
      "document.querySelector('#standing button[value=start_now]') !== null",
    );
    equal(
      await page.evaluate(
        "document.querySelector('#standing button[value=park]')",
      ),
      null,
    );
    const [row] = await site.db.read(
      `select status, wait_reason, heartbeat_enabled, heartbeat_interval_seconds
       from sessions where id = $1`,
      [id],
    );
    deepEqual(row, {
      status: "waiting",
      wait_reason: "spot_queue",
      heartbeat_enabled: true,
      heartbeat_interval_seconds: 90,
    });
    equal(
      await page.evaluate(
        `fetch("/sessions/${id}/do", { method: "POST", redirect: "manual",
           body: new URLSearchParams({ do: "heartbeat", value: "on", seconds: "7" }) })
           .then((one) => one.status)`,
      ),
      409,
    );
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "the page of categories shows a reader no form, and fits in every look with hostile words",
  async (site, people) => {
    await site.db.write(
      `insert into categories (name, description, position)
       values ($1, $1, 1), ('Beds', null, 2)`,
      [HOSTILE],
    );
    await using rita = await site.visitSignedIn({}, people.keys.rita);
    await rita.page.goto(`${site.origin}/board/categories`);
    equal(
      await rita.page.evaluate("document.querySelectorAll('main form').length"),
      0,
    );
    for (const look of LOOKS) {
      await using ann = await site.visitSignedIn(look, people.keys.ann);
      await ann.page.goto(`${site.origin}/board/categories`);
      equal(
        await ann.page.evaluate(
          "document.querySelectorAll('main script').length",
        ),
        0,
      );
      await assertAccessible(ann, "/board/categories", look);
    }
  },
);

Deno.test({
  name: `categories and levers of a session in a browser${BROWSER_SKIP_NOTE}`,
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
