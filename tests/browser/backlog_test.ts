import { deepEqual, equal } from "node:assert/strict";
import { assertAccessible, LOOKS } from "../support/accessible.ts";
import {
  BROWSER_SKIP_NOTE,
  type BrowserPage,
  HAS_BROWSER,
  openBrowser,
  untilTrue,
} from "../support/browser.ts";
import { makePeople, type PeopleFile } from "../support/people.ts";
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

/** Puts items into the queue, each at its place. */
async function queueUp(
  { db }: Site,
  items: readonly (readonly [key: string, precedence: number])[],
): Promise<void> {
  for (const [key, precedence] of items) {
    await db.write(
      `insert into work_backlog_items
         (key, repo, surface, title, kind, scope_direction, estimated_cost,
          precedence, added_by, added_via, payload)
       values ($1, 'a/garden', 'beds', $2, 'bug', 'convergent', 'small',
         $3::int, 'human', 'api', '{"prompt": "Do it"}')`,
      [key, HOSTILE, precedence],
    );
  }
}

/** Waits until the page shows keys in an order. */
async function untilShown(page: BrowserPage, keys: string): Promise<void> {
  await untilTrue(
    page,
    `[...document.querySelectorAll('tbody strong')]
       .map((one) => one.innerText).join(" ") === ${JSON.stringify(keys)}`,
  );
}

/** Waits until the page says what is wrong. */
async function untilRefused(page: BrowserPage, words: string): Promise<void> {
  await untilTrue(
    page,
    `document.querySelector('[role="alert"]').innerText.includes(${
      JSON.stringify(words)
    })`,
  );
}

/** Drags an item above or below another, with the mouse. */
async function drag(
  page: BrowserPage,
  key: string,
  { side, other }: {
    readonly side: "above" | "below";
    readonly other: string;
  },
): Promise<void> {
  const row = (name: string) => `tr:has(bdi:text-is("${name}"))`;
  const { height }: { height: number } = await page.evaluate(
    `(() => { const { height } = [...document.querySelectorAll("tbody tr")]
       .find((one) => one.querySelector("strong").innerText === ${
      JSON.stringify(other)
    }).getBoundingClientRect(); return { height }; })()`,
  );
  await page.dragAndDrop(`${row(key)} .grip`, row(other), {
    targetPosition: { x: 20, y: side === "above" ? 4 : height - 4 },
  });
}

inBrowser(
  "an item is dragged above and below others, and stays there",
  async (site, people) => {
    await queueUp(site, [["a", 6_000], ["b", 5_990], ["c", 5_980]]);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    await page.goto(`${site.origin}/backlog`);
    await drag(page, "c", { side: "above", other: "b" });
    await untilShown(page, "a c b");
    await drag(page, "a", { side: "below", other: "b" });
    await untilShown(page, "c b a");
    await drag(page, "a", { side: "above", other: "c" });
    await untilShown(page, "a c b");
    deepEqual(
      await site.db.read(
        "select key, precedence, pinned from work_backlog_items order by key",
      ),
      [
        { key: "a", precedence: 6_005, pinned: true },
        { key: "b", precedence: 5_990, pinned: false },
        { key: "c", precedence: 5_995, pinned: true },
      ],
    );
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "where there is no place between two, a drag is refused with what to do, and nothing moves",
  async (site, people) => {
    await queueUp(site, [["a", 6_000], ["b", 5_999], ["c", 5_980]]);
    await using ann = await site.visitSignedIn({}, people.keys.ann);
    const { page } = ann;
    await page.goto(`${site.origin}/backlog`);
    await drag(page, "c", { side: "above", other: "b" });
    await untilRefused(page, "no place left between 6000 and 5999");
    await untilShown(page, "a b c");
    // What it was to stand beside is taken off meanwhile.
    await site.db.write(
      `update work_backlog_items set status = 'removed', removed_at = now(),
         removed_by = 'bob', removal_reason = 'done' where key = 'a'`,
    );
    await drag(page, "c", { side: "above", other: "a" });
    await untilRefused(page, "no longer in line");
    await untilShown(page, "b c");
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "the backlog works without scripts, shows a reader no form, and fits in every look",
  async (site, people) => {
    await queueUp(site, [["a", 6_000], ["b", 5_990]]);
    await using plain = await site.visitSignedIn(
      { javaScriptEnabled: false },
      people.keys.ann,
    );
    await plain.page.goto(`${site.origin}/backlog`);
    await plain.page.click('tr:has(bdi:text-is("b")) summary');
    await plain.page.click('[aria-label="To the top: b"]');
    await plain.page.waitForLoadState();
    await untilShown(plain.page, "b a");
    await using rita = await site.visitSignedIn({}, people.keys.rita);
    await rita.page.goto(`${site.origin}/backlog`);
    equal(
      await rita.page.evaluate(
        "document.querySelectorAll('main :is(form, .grip)').length",
      ),
      0,
    );
    await untilShown(rita.page, "b a");
    for (const look of LOOKS) {
      await using ann = await site.visitSignedIn(look, people.keys.ann);
      await ann.page.goto(`${site.origin}/backlog`);
      equal(
        await ann.page.evaluate(
          "document.querySelectorAll('main script').length",
        ),
        0,
      );
      await assertAccessible(ann, "/backlog", look);
    }
  },
);

Deno.test({
  name: `the backlog in a browser${BROWSER_SKIP_NOTE}`,
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
