import { deepEqual, equal, match, ok } from "node:assert/strict";
import { assertAccessible, LOOKS } from "../support/accessible.ts";
import {
  BROWSER_SKIP_NOTE,
  HAS_BROWSER,
  openBrowser,
} from "../support/browser.ts";
import { makePeople, type PeopleFile } from "../support/people.ts";
import { startSession } from "../support/sessions.ts";
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

/** Lets a session remember texts. */
async function remember({ endpoint, db }: Site, texts: readonly string[]) {
  const { session } = await startSession(db, { agentRootKey: "gardener" });
  const query = `?tool_groups=memory&session_id=${session.id}`;
  for (const text of texts) {
    const item = { kind: "learning", text };
    const stored = await endpoint.call(query, "store_memory", item);
    ok(!stored.isError, stored.text);
  }
}

inBrowser(
  "memory is searched by words, and what is marked is forgotten after a look",
  async (site, people) => {
    await remember(site, ["Tulips want sun", "The shed is locked"]);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    await page.goto(`${site.origin}/memory`);
    match(await page.innerText("main"), /Tulips want sun/);
    await page.click(".nodes a");
    await page.waitForURL(/node=/);
    await page.fill("#q", "shed");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=shed/);
    const found = await page.innerText("main");
    ok(!found.includes("Tulips") && !found.includes("Fits best"));
    await page.click(".records label");
    await page.click("button[value=preview]");
    await page.waitForURL(/\/forget$/);
    match(await page.innerText("main"), /for good: 1\s[\s\S]*shed is locked/);
    await page.click("button[value=forget]");
    await page.waitForLoadState();
    match(await page.innerText("main"), /Forgotten: 1/);
    await page.click("main p a");
    await page.waitForURL(/\/memory\?/);
    const rest = await page.innerText("main");
    ok(rest.includes("Tulips") && !rest.includes("shed"));
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "the memory pages are accessible and fit in every look, with hostile words",
  async (site, people) => {
    await remember(site, [
      HOSTILE,
      `**bold** [link](javascript:alert(1)) ${"x".repeat(3_000)}`,
      ...Array.from({ length: 30 }, (_, n) => `Bed ${n} has tulips`),
    ]);
    for (const look of LOOKS) {
      await using visitor = await site.visitSignedIn(look, people.keys.ann);
      const { page } = visitor;
      for (
        const path of [
          "/memory",
          "/memory?q=tulips+in+bed",
          `/memory?q=${encodeURIComponent(HOSTILE)}`,
          `/memory?node=${encodeURIComponent(HOSTILE)}`,
        ]
      ) {
        await page.goto(`${site.origin}${path}`);
        equal(
          await page.evaluate(
            "document.querySelectorAll('main :is(script, b, em, strong)').length",
          ),
          0,
        );
        equal(await page.title(), "Memory · Rootcellar");
        await assertAccessible(visitor, path, look);
      }
      await page.goto(`${site.origin}/memory?q=owned`);
      await page.click(".records label");
      await page.click("button[value=preview]");
      await page.waitForURL(/\/forget$/);
      match(await page.innerText("main"), /<script>document.title/);
      await assertAccessible(visitor, "/memory/forget", look);
    }
  },
);

Deno.test({
  name: `the memory pages in a browser${BROWSER_SKIP_NOTE}`,
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
