import { deepEqual, equal, match, ok } from "node:assert/strict";
import { changeCategory, updateTitle } from "../../fleet/actions/edits.ts";
import { UNRESTRICTED } from "../../fleet/caller.ts";
import { followUp } from "../../fleet/queue/deliver.ts";
import { startSession } from "../../fleet/sessions/start.ts";
import { fleetOf } from "../../mcp/fleet.ts";
import { assertAccessible, LOOKS } from "../support/accessible.ts";
import {
  BROWSER_SKIP_NOTE,
  type BrowserPage,
  HAS_BROWSER,
  openBrowser,
  untilTrue,
} from "../support/browser.ts";
import { endTurn, leaseTurn } from "../support/leases.ts";
import { makePeople, type PeopleFile } from "../support/people.ts";
import { openSite, type Site } from "../support/site.ts";
import { addSession } from "../support/session_rows.ts";

const HOSTILE = [
  `<script>document.title = "owned"</script>`,
  `"><img src=/nothing onerror="document.title='owned'">`,
  "</a></li></ul></main>",
  "invoice\u202egpj.exe",
];

interface Case {
  readonly name: string;
  readonly run: (site: Site, people: PeopleFile) => Promise<void>;
  /** Whether people sign in by name. */
  readonly isByName: boolean;
}

const cases: Case[] = [];

function inBrowser(name: string, run: (site: Site) => Promise<void>): void {
  cases.push({ name, run, isByName: false });
}

function byName(name: string, run: Case["run"]): void {
  cases.push({ name, run, isByName: true });
}

/** A session whose turn is queued. */
async function start(site: Site, title: string): Promise<number> {
  const { session } = await startSession(fleetOf(site.endpoint.services), {
    agentRoot: "gardener",
    agentRuntime: "command",
    title,
    prompt: "Plant",
    drivenBy: "runner",
    withToken: false,
  });
  return session.id;
}

/** Titles of the cards of a section, as the page has them. */
async function lane(page: BrowserPage, key: string): Promise<string[]> {
  return await page.evaluate(
    `[...document.querySelectorAll('#lane-${key}:not([hidden]) .card > a')]
       .map((one) => one.textContent.replace(/^#\\d+ /, ""))`,
  );
}

/** Waits until a card is in a section. */
async function untilIn(page: BrowserPage, id: number, key: string) {
  await untilTrue(
    page,
    `document.querySelector('#lane-${key} #s${id}') !== null`,
  );
}

inBrowser(
  "a sign-in lands on the board; what needs a person stands first, clients' sessions apart",
  async (site) => {
    const { db } = site;
    const fails = await start(site, "Fails");
    await leaseTurn(db, fails);
    await endTurn(db, fails, { kind: "failed", reason: "out of soil" });
    const rests = await start(site, "Rests");
    await leaseTurn(db, rests);
    await endTurn(db, rests);
    const runs = await start(site, "Runs");
    await leaseTurn(db, runs);
    await start(site, "Waits");
    await addSession(db, { title: "Mine" });
    const [shed] = await db.write<{ id: string }>(
      "insert into categories (name, position) values ('Shed', 1) returning id",
    );
    await changeCategory(
      site.endpoint.services,
      UNRESTRICTED,
      runs,
      Number(shed?.id),
    );
    await using visitor = await site.visitSignedIn();
    const { page } = visitor;
    await page.goto(`${site.origin}/`);
    equal(await page.title(), "Board · Rootcellar");
    deepEqual(await lane(page, "needs"), ["Fails", "Rests"]);
    match(
      // At once: what is live may put another card in its place.
      await page.evaluate(`document.getElementById("s${fails}").innerText`),
      /Failed[\s\S]*out of soil/,
    );
    deepEqual(await lane(page, `c${shed?.id}`), ["Runs"]);
    deepEqual(await lane(page, "c0"), ["Waits"]);
    deepEqual(await lane(page, "clients"), ["Mine"]);
    deepEqual(visitor.incidents, []);
  },
);

inBrowser(
  "what changes moves on every open board, without loading it again",
  async (site) => {
    const { db } = site;
    const id = await start(site, "Moves");
    await using one = await site.visitSignedIn();
    await using two = await site.visitSignedIn();
    for (const { page } of [one, two]) {
      await page.goto(`${site.origin}/board`);
      await untilTrue(page, "live.textContent === 'Live.'");
      deepEqual(await lane(page, "c0"), ["Moves"]);
      await page.evaluate("window.isSame = true");
    }
    await leaseTurn(db, id);
    await untilTrue(
      one.page,
      `document.getElementById('s${id}').innerText.includes('Running')`,
    );
    await endTurn(db, id);
    for (const { page } of [one, two]) await untilIn(page, id, "needs");
    const other = await start(site, "New");
    for (const { page } of [one, two]) await untilIn(page, other, "c0");
    await updateTitle(
      site.endpoint.services,
      UNRESTRICTED,
      id,
      HOSTILE[0] ?? "",
    );
    await untilTrue(
      one.page,
      `document.querySelector('#s${id} a').textContent.includes('<script>')`,
    );
    await followUp(site.endpoint.services, UNRESTRICTED, id, { content: "On" });
    for (const { page } of [one, two]) {
      await untilIn(page, id, "c0");
      equal(await page.evaluate("window.isSame"), true);
      equal(await page.title(), "Board · Rootcellar");
      ok(await page.evaluate("document.getElementById('lane-needs').hidden"));
    }
    deepEqual([...one.incidents, ...two.incidents], []);
  },
);

byName(
  "two people put away and mark what both see, and a reader cannot",
  async (site, people) => {
    const id = await start(site, "Shared");
    const other = await start(site, "Other");
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    await using bob = await site.visitSignedIn({}, people.keys.bob);
    await using rita = await site.visitSignedIn({}, people.keys.rita);
    for (const { page } of [ann, bob, rita]) {
      await page.goto(`${site.origin}/board`);
      await untilTrue(page, "live.textContent === 'Live.'");
    }
    await ann.page.click(`#s${id} .star`);
    await ann.page.waitForURL(`${site.origin}/board`);
    for (const { page } of [bob, rita]) {
      await untilTrue(
        page,
        `document.querySelector('#s${id} .star').ariaPressed === 'true'`,
      );
      deepEqual(await lane(page, "c0"), ["Shared", "Other"]);
    }
    await bob.page.click(`#s${other} summary`);
    await bob.page.click(`#s${other} button[value=day]`);
    await bob.page.waitForURL(`${site.origin}/board`);
    for (const { page } of [ann, rita]) {
      await untilTrue(page, `document.getElementById('s${other}') === null`);
    }
    await ann.page.goto(`${site.origin}/board?away=1`);
    deepEqual(await lane(ann.page, "c0"), ["Other"]);
    await ann.page.click(`#s${other} summary`);
    await ann.page.click(`#s${other} button[value=show]`);
    await ann.page.waitForURL(`${site.origin}/board?away=1`);
    await untilIn(rita.page, other, "c0");
    equal(
      await rita.page.evaluate(
        `getComputedStyle(document.querySelector('#s${id} .sight')).display`,
      ),
      "none",
    );
    equal(await rita.page.evaluate("document.getElementById('new')"), null);
    const refused = await rita.page.evaluate(
      `fetch('/sessions/${id}/sight', { method: 'POST',
       body: new URLSearchParams({ do: 'hide' }) }).then((one) => one.status)`,
    );
    equal(refused, 403);
    deepEqual(await lane(rita.page, "c0"), ["Shared", "Other"]);
    deepEqual([...ann.incidents, ...bob.incidents, ...rita.incidents], []);
  },
);

inBrowser(
  "filters narrow the board, and what is live keeps to them",
  async (site) => {
    const plum = await start(site, "Plum tree");
    const pear = await start(site, "Pear tree");
    await using visitor = await site.visitSignedIn();
    const { page } = visitor;
    await page.goto(`${site.origin}/board`);
    await page.fill("#q", "PLUM");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=PLUM/);
    await untilTrue(page, "live.textContent === 'Live.'");
    deepEqual(await lane(page, "c0"), ["Plum tree"]);
    await leaseTurn(site.db, pear);
    await leaseTurn(site.db, plum);
    await untilTrue(
      page,
      `document.getElementById('s${plum}').innerText.includes('Running')`,
    );
    deepEqual(await lane(page, "c0"), ["Plum tree"]);
    for (
      const [query, expected] of [
        ["status=waiting", []],
        ["status=running&root=gardener", ["Pear tree", "Plum tree"]],
        ["root=nobody", []],
        ["runtime=command&favorites=1", []],
        [`q=${encodeURIComponent(HOSTILE.join(" "))}\u0000`, []],
      ] as const
    ) {
      await page.goto(`${site.origin}/board?${query}`);
      deepEqual((await lane(page, "c0")).sort(), expected, query);
    }
    deepEqual(visitor.incidents, []);
  },
);

inBrowser(
  "on a phone what needs somebody comes before the filter, which keys and scripts are not needed for",
  async (site) => {
    await start(site, "Plum tree");
    await using visitor = await site.visitSignedIn({ width: 360 });
    const { page } = visitor;
    const isShown =
      "document.getElementById('q').checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true })";
    await page.goto(`${site.origin}/board`);
    await untilTrue(page, "live.textContent === 'Live.'");
    equal(await page.evaluate(isShown), false);
    await page.keyboard.press("/");
    await page.keyboard.type("plum");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=plum/);
    // What narrows the board down is seen.
    equal(await page.evaluate(isShown), true);
    deepEqual(visitor.incidents, []);
  },
);

byName(
  "a session is started with what the catalog offers, in its person's name",
  async (site, people) => {
    await using visitor = await site.visitSignedIn({}, people.keys.ann);
    const { page } = visitor;
    await page.goto(`${site.origin}/board`);
    await page.keyboard.press("n"); // Without a mouse.
    await page.waitForURL(`${site.origin}/sessions/new`);
    match(await page.innerText("main"), /No runner was seen lately/);
    await page.selectOption("#agent_root", "librarian");
    await page.fill("#prompt", "Sort the books");
    await page.fill("#goal", "oneword");
    await page.click("main form button");
    await page.waitForLoadState();
    match(await page.innerText('[role="alert"]'), /one word is no sentence/);
    equal(
      await page.evaluate(
        "prompt.value ?? document.querySelector('#prompt').value",
      ),
      "Sort the books",
    );
    await page.fill("#goal", "All books are sorted");
    await page.fill("#model", "small");
    await page.selectOption("#scheduling_class", "spot");
    await page.click("main form button");
    await page.waitForURL(/\/sessions\/\d+$/);
    const [row] = await site.db.read(
      `select s.agent_root_key, s.goal, s.config, s.genesis, s.driven_by,
       s.scheduling_class, m.author, m.content
     from sessions s join human_messages m on m.session_id = s.id`,
    );
    deepEqual(row, {
      agent_root_key: "librarian",
      goal: "All books are sorted",
      config: { model: "small" },
      genesis: "web_ui",
      driven_by: "runner",
      scheduling_class: "spot",
      author: "ann",
      content: "Sort the books",
    });
    deepEqual(visitor.incidents, []);
  },
);

inBrowser("keys go from card to card, and can be turned off", async (site) => {
  await start(site, "Older");
  await start(site, "Newer");
  await using visitor = await site.visitSignedIn();
  const { page } = visitor;
  await page.goto(`${site.origin}/board`);
  await untilTrue(page, "live.textContent === 'Live.'");
  const focused = () => page.evaluate("document.activeElement.textContent");
  await page.keyboard.press("j");
  match(await focused(), /Newer/);
  await page.keyboard.press("j");
  match(await focused(), /Older/);
  await page.keyboard.press("k");
  match(await focused(), /Newer/);
  await page.keyboard.press("/");
  equal(await page.evaluate("document.activeElement.id"), "q");
  await page.keyboard.type("jk");
  equal(await page.evaluate("document.activeElement.value"), "jk");
  await page.click("#keys summary");
  await page.click("#keys-on");
  await page.goto(`${site.origin}/board`);
  await untilTrue(page, "live.textContent === 'Live.'");
  await page.keyboard.press("j");
  equal(await page.evaluate("document.activeElement.tagName"), "BODY");
  deepEqual(visitor.incidents, []);
});

inBrowser(
  "without scripts the board is whole but for what is live",
  async (site) => {
    const id = await start(site, "Still");
    await using visitor = await site.visitSignedIn({
      javaScriptEnabled: false,
    });
    const { page } = visitor;
    await page.goto(`${site.origin}/board`);
    match(await page.innerText("#live"), /Load the page again/);
    await page.click(`#s${id} .star`);
    await page.waitForURL(`${site.origin}/board`);
    equal(await page.innerText(`#s${id} .star`), "★");
    await page.click(`#s${id} summary`);
    await page.click(`#s${id} button[value=hide]`);
    await page.waitForURL(`${site.origin}/board`);
    match(await page.innerText("main"), /No session is here/);
  },
);

inBrowser(
  "the board is accessible and fits, in light and dark, wide and narrow, with hostile titles",
  async (site) => {
    for (const title of HOSTILE) {
      const id = await start(site, title);
      await leaseTurn(site.db, id);
      await endTurn(site.db, id, { kind: "failed", reason: title });
    }
    await start(site, "x".repeat(100));
    for (const look of LOOKS) {
      await using visitor = await site.visitSignedIn(look);
      for (const path of ["/board", "/board?away=1", "/sessions/new"]) {
        await visitor.page.goto(`${site.origin}${path}`);
        await assertAccessible(visitor, path, look);
      }
      equal(
        await visitor.page.evaluate(
          "document.querySelectorAll('main :is(script, img)').length",
        ),
        0,
      );
    }
  },
);

Deno.test({
  name: `the board in a browser${BROWSER_SKIP_NOTE}`,
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using browser = await openBrowser();
    for (const { name, run, isByName } of cases) {
      await t.step(name, async () => {
        await using people = await makePeople();
        await using site = await openSite(
          browser,
          isByName ? { usersFile: people.path } : {},
        );
        await run(site, people);
      });
    }
  },
});
