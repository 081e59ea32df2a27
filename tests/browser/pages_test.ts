import { deepEqual, equal, match, ok } from "node:assert/strict";
import { sweep } from "../../store/root_data/mod.ts";
import {
  BROWSER_SKIP_NOTE,
  type BrowserPage,
  HAS_BROWSER,
  type Look,
  openBrowser,
  untilTrue,
} from "../support/browser.ts";
import { clientPath } from "../support/clients.ts";
import { API_KEY } from "../support/endpoint.ts";
import { expiredCookie, signIn } from "../support/pages.ts";
import { fill, openWriter } from "../support/root_data.ts";
import { HEALTHY_MEMORY, openSite, type Site } from "../support/site.ts";

const RECORDS = "/supervisor/agent_root_records";
const COUNTERS = "/supervisor/agent_root_record_counters";
const PAGES = ["/health", RECORDS, COUNTERS];

/** Set to a folder, it gets a picture of every page in every look. */
const SHOTS = Deno.env.get("PAGE_SHOTS");

/** Colours do not change with the width, nor sizes with the colours. */
const LOOKS: readonly Required<Pick<Look, "colorScheme" | "width">>[] = [
  { colorScheme: "light", width: 1_200 },
  { colorScheme: "dark", width: 360 },
  ...(SHOTS === undefined ? [] : [
    { colorScheme: "light", width: 360 },
    { colorScheme: "dark", width: 1_200 },
  ] as const),
];

/** Markup and texts that would like to be more than texts. */
const HOSTILE = {
  script: `<script>document.title = "owned"</script>`,
  image: `<img src="/nothing" onerror="document.title = 'owned'">`,
  attribute: `"><svg onload=alert(1)>'`,
  end: "</pre></details></li></main>",
  entity: "&lt;b&gt; &amp;",
  rtl: "שלום (1)",
  override: "invoice\u202egpj.exe",
};

interface Case {
  readonly name: string;
  readonly run: (site: Site) => Promise<void>;
}

const cases: Case[] = [];

function inBrowser(name: string, run: Case["run"]): void {
  cases.push({ name, run });
}

/** The word beside a panel's heading. */
async function stateOf(page: BrowserPage, panel: string): Promise<string> {
  return await page.innerText(`#${panel} .state`);
}

/** Presses Tab until an element has the focus. */
async function tabTo(page: BrowserPage, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.matches('${selector}')`)) {
      return;
    }
  }
  throw new Error(`Tab never came to ${selector}`);
}

async function writeHostile(site: Site): Promise<void> {
  const writer = await openWriter(site.db);
  for (const [name, text] of Object.entries(HOSTILE)) {
    await writer.put(text, { [text]: [text, { name }] });
  }
  let deep: unknown = "bottom";
  for (let depth = 0; depth < 30; depth++) deep = { deep };
  await writer.put("deep", deep);
  await writer.put("large", { text: "x".repeat(32_000) });
  await writer.put("k".repeat(200), { n: Array(2_000).fill(1) });
}

inBrowser(
  "nobody gets in without a key, and a key opens the page asked for",
  async (site) => {
    await using visitor = await site.visit();
    const { page } = visitor;
    await page.goto(`${site.origin}${RECORDS}?namespace=garden`);
    equal(await page.title(), "Sign in · Rootcellar");
    await page.fill("#key", "not the key");
    await page.click("main button");
    await page.waitForLoadState();
    match(await page.innerText('[role="alert"]'), /not an API key/);
    deepEqual(await visitor.cookies(), []);
    await page.fill("#key", API_KEY);
    await page.click("main button");
    await page.waitForURL(`${site.origin}${RECORDS}?namespace=garden`);
    equal(await page.title(), "Records · Rootcellar");
    const [cookie] = await visitor.cookies();
    deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, "Lax"]);
    equal(await page.evaluate("document.cookie"), "");
    ok(!cookie?.value.includes(API_KEY));
    deepEqual(visitor.incidents, []);
  },
);

inBrowser(
  "signing in, filtering and signing out need no mouse",
  async (site) => {
    await (await openWriter(site.db)).put("tulips", {});
    await using visitor = await site.visit();
    const { page } = visitor;
    await page.goto(`${site.origin}${RECORDS}`);
    // The field gets the focus by itself, in its own time.
    await untilTrue(page, "document.activeElement.id === 'key'");
    await page.keyboard.type(API_KEY);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site.origin}${RECORDS}`);
    await page.keyboard.press("Tab");
    equal(await page.evaluate("document.activeElement.className"), "skip");
    ok(
      await page.evaluate(
        "document.activeElement.getBoundingClientRect().top >= 0",
      ),
    );
    await page.keyboard.press("Enter");
    await tabTo(page, "#namespace");
    ok(
      await page.evaluate(
        "getComputedStyle(document.activeElement).outlineStyle === 'solid'",
      ),
    );
    await page.keyboard.type("garden");
    await tabTo(page, "#key");
    await page.keyboard.type("tul");
    await page.keyboard.press("Enter");
    await page.waitForURL(/key=tul/);
    equal(await page.innerText(".key"), "tulips");
    await tabTo(page, ".sign-out button");
    await page.keyboard.press("Enter");
    await page.waitForURL(/sign_in/);
    match(await page.innerText('[role="status"]'), /You are signed out/);
    await page.goto(`${site.origin}/health`);
    equal(await page.title(), "Sign in · Rootcellar");
    deepEqual(visitor.incidents, []);
  },
);

inBrowser(
  "tampered and expired cookies lead back to the form",
  async (site) => {
    const good = await signIn(site.endpoint);
    for (
      const cookie of [
        good.replace(/=\d/, "=9"),
        `${good.slice(0, -10)}AAAAAAA%3D`,
        await expiredCookie(API_KEY),
      ]
    ) {
      await using visitor = await site.visit();
      await visitor.setCookie(site.origin, cookie);
      await visitor.page.goto(`${site.origin}/health`);
      equal(await visitor.page.title(), "Sign in · Rootcellar");
      match(await visitor.page.innerText("main"), /sign-in has ended/);
    }
  },
);

inBrowser(
  "the health page says in words what is well and what is not",
  async (site) => {
    await using visitor = await site.visitSignedIn();
    const { page } = visitor;
    const look = async () => {
      await page.goto(`${site.origin}/health`);
      const states: Record<string, string> = {};
      for (const panel of ["root-data", "sweep", "catalog", "memory"]) {
        states[panel] = await stateOf(page, panel);
      }
      return { states, text: await page.innerText("main") };
    };
    await fill(site.db, 30, { namespace: "garden", collection: "runs" });
    await sweep(site.db);
    const fine = await look();
    deepEqual(fine.states, {
      "root-data": "OK",
      sweep: "On time",
      catalog: "Fresh",
      memory: "Healthy",
    });
    match(fine.text, /All is well/);
    match(fine.text, /Records\s+30/);

    await fill(site.db, 9_412, { namespace: "zimmer", collection: "turns" });
    const near = await look();
    equal(near.states["root-data"], "Warning");
    match(near.text, /zimmer \/ turns holds 9,412 of 10,000 records/);
    match(near.text, /Near\s+94 %/);

    await site.db.write(
      `update agent_root_records set expires_at = now() - interval '3 hours'
     where namespace = 'garden'`,
    );
    const behind = await look();
    equal(behind.states.sweep, "Behind");
    match(behind.text, /30 expired more than 2 h ago/);
    match(behind.text, /Oldest of them\s+\d{4}-\d\d-\d\d/);

    await site.endpoint.setRoots({ good: {}, bad: 7 });
    await site.endpoint.setRootsText("<html>");
    const stale = await look();
    equal(stale.states.catalog, "Stale");
    match(
      stale.text,
      /What was read at .* stays in use.*failed: Expected JSON/s,
    );
    match(stale.text, /1 left out/);
    match(stale.text, /\/bad/);

    site.memory = {
      ...HEALTHY_MEMORY,
      state: "down",
      message: "CortexDB does not answer: start it",
    };
    const down = await look();
    equal(down.states.memory, "Down");
    match(down.text, /CortexDB does not answer: start it/);
    match(down.text, /Memory is down/);

    site.isDatabaseGone = true;
    const gone = await look();
    deepEqual([gone.states["root-data"], gone.states.sweep], [
      "Unavailable",
      "Unknown",
    ]);
    equal(gone.states.catalog, "Stale");
    deepEqual(visitor.incidents, []);
  },
);

inBrowser(
  "hostile data is shown as it is, and is nothing but text",
  async (site) => {
    await writeHostile(site);
    await using visitor = await site.visitSignedIn();
    const { page } = visitor;
    const keys = [];
    for (const query of ["?limit=5", "?limit=100"]) {
      await page.goto(`${site.origin}${RECORDS}${query}`);
      equal(await page.title(), "Records · Rootcellar");
      equal(
        await page.evaluate(
          "document.querySelectorAll('main :is(script, svg, img, b > *:not(bdi))').length",
        ),
        0,
      );
      keys.push(
        await page.evaluate(
          "[...document.querySelectorAll('h2.key')].map((one) => one.textContent)",
        ),
      );
    }
    equal(keys[0].length, 5);
    deepEqual(
      keys[1].slice(3).reverse(),
      Object.values(HOSTILE).map((text) => text.replace("\u202e", "\\u202e")),
    );
    // What is shown reads back as what was stored.
    const shown: string[] = await page.evaluate(
      "[...document.querySelectorAll('pre.json')].map((one) => one.textContent)",
    );
    const stored = await site.db.read<{ data: unknown }>(
      "select data from agent_root_records order by created_at desc, id desc",
    );
    deepEqual(
      shown.map((one) => JSON.parse(one)),
      stored.map((row) => row.data),
    );
    ok(!shown.some((one) => one.includes("\u202e")));
    // A filter comes back as text, too.
    const query = encodeURIComponent(HOSTILE.attribute);
    for (const path of [RECORDS, COUNTERS]) {
      await page.goto(`${site.origin}${path}?namespace=${query}`);
      equal(
        await page.evaluate("document.querySelector('#namespace').value"),
        HOSTILE.attribute,
      );
      match(await page.innerText('[role="alert"]'), /cannot exist/);
    }
    await page.goto(`${site.origin}/sign_in?next=${query}`);
    deepEqual(visitor.incidents, []);
  },
);

inBrowser(
  "every page is accessible and fits, in light and dark, wide and narrow",
  async (site) => {
    await writeHostile(site);
    await fill(site.db, 9_500, { namespace: "zimmer", collection: "turns" });
    await site.endpoint.setRoots({ good: {}, bad: 7 });
    await site.endpoint.setRootsText("<html>");
    site.memory = {
      ...HEALTHY_MEMORY,
      state: "down",
      message: "Down: start it",
    };
    const axe = await Deno.readTextFile(
      await clientPath("axe-core/axe.min.js"),
    );
    const paths = [
      ...PAGES.map((path) => `${path}?limit=12`),
      `${COUNTERS}?compare=1&namespace=zimmer`,
      `${RECORDS}?key=x`,
    ];
    for (const look of LOOKS) {
      await using inside = await site.visitSignedIn(look);
      await using outside = await site.visit(look);
      for (const path of ["/sign_in", ...paths]) {
        const { page, incidents } = path === "/sign_in" ? outside : inside;
        await page.goto(`${site.origin}${path}`);
        const place = `${path} ${look.colorScheme} ${look.width}`;
        if (SHOTS !== undefined) {
          const name = place.replaceAll(/[^a-z0-9]+/gi, "-");
          await page.screenshot({
            path: `${SHOTS}/${name}.png`,
            fullPage: true,
          });
        }
        // It looks at every line of every text, so large data stays folded.
        await page.evaluate(axe);
        const violations: string[] = await page.evaluate(
          `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
           nodes.map(({ html, failureSummary }) => id + ": " + html + failureSummary)))`,
        );
        deepEqual(violations.slice(0, 3), [], place);
        await page.evaluate(
          "document.querySelectorAll('details').forEach((one) => one.open = true)",
        );
        const width = await page.evaluate(
          "document.documentElement.scrollWidth",
        );
        equal(width, look.width, place);
        deepEqual(incidents, [], place);
      }
    }
  },
);

Deno.test({
  name: `the pages in a browser${BROWSER_SKIP_NOTE}`,
  ignore: !HAS_BROWSER,
  async fn(t) {
    // It takes seconds to start, so all share one; windows share nothing.
    await using browser = await openBrowser();
    for (const { name, run } of cases) {
      await t.step(name, async () => {
        await using site = await openSite(browser);
        await run(site);
      });
    }
  },
});
