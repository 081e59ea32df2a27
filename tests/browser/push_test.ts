import { deepEqual, equal, match, ok } from "node:assert/strict";
import { doJob } from "../../fleet/clock/handlers.ts";
import { pushKey } from "../../fleet/mod.ts";
import { fleetOf } from "../../mcp/fleet.ts";
import type { Job } from "../../store/jobs/mod.ts";
import { insertNotice } from "../../store/sessions/notices.ts";
import { assertAccessible, LOOKS } from "../support/accessible.ts";
import {
  BROWSER_SKIP_NOTE,
  HAS_BROWSER,
  openBrowser,
  untilTrue,
  type Visitor,
} from "../support/browser.ts";
import { makePeople, type PeopleFile } from "../support/people.ts";
import { openTestBrowser, type TestBrowser } from "../support/push_service.ts";
import { addSession } from "../support/session_rows.ts";
import { openSite, type Site } from "../support/site.ts";

const ALLOWED = { permissions: ["notifications"] };
const STATE = "document.getElementById('push-state').innerText";

interface Case {
  readonly name: string;
  readonly run: (site: Site, people: PeopleFile) => Promise<void>;
}

const cases: Case[] = [];

function inBrowser(name: string, run: Case["run"]): void {
  cases.push({ name, run });
}

/**
 * A browser's push service is its maker's, out on the internet: one on loopback
 * stands in for it. All else is the browser's own.
 */
async function standIn(
  { page }: Visitor,
  { endpoint, p256dh, auth }: TestBrowser,
): Promise<void> {
  const subscription = JSON.stringify({ endpoint, keys: { p256dh, auth } });
  await page.addInitScript({
    content: `{
      const own = ${subscription};
      const subscription = {
        endpoint: own.endpoint,
        toJSON: () => own,
        async unsubscribe() { localStorage.removeItem("own"); return true; },
      };
      PushManager.prototype.getSubscription = async () =>
        localStorage.getItem("own") === null ? null : subscription;
      PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
        if (!userVisibleOnly || applicationServerKey.length !== 65) throw new Error("refused");
        localStorage.setItem("own", "1");
        return subscription;
      };
    }`,
  });
}

/** Hands a message to the page's worker, as a push service would. */
async function deliver(
  visitor: Visitor,
  origin: string,
  data: string,
): Promise<void> {
  const protocol = await visitor.protocol();
  const registrationId = await new Promise<string>((resolve, reject) => {
    protocol.on("ServiceWorker.workerRegistrationUpdated", (fact) => {
      const [one] = fact.registrations;
      if (one !== undefined) resolve(one.registrationId);
    });
    protocol.send("ServiceWorker.enable").catch(reject);
  });
  await protocol.send("ServiceWorker.deliverPushMessage", {
    origin,
    registrationId,
    data,
  });
}

/** Does the jobs there are. */
async function work(site: Site): Promise<void> {
  const jobs = await site.db.write<{ data: Job }>(
    "delete from rootcellar_jobs.job returning data",
  );
  for (const { data } of jobs) {
    await doJob(fleetOf(site.endpoint.services), data);
  }
  if (jobs.length > 0) await work(site);
}

inBrowser(
  "a browser is told by Web Push, shows what it is told, and is told no more",
  async (site, people) => {
    await using device = await openTestBrowser(() =>
      pushKey(fleetOf(site.endpoint.services))
    );
    await using ann = await site.visitSignedIn(ALLOWED, people.keys.ann);
    await standIn(ann, device);
    const { page } = ann;
    await page.goto(`${site.origin}/notifications`);
    await untilTrue(page, `${STATE} === "This browser is not told."`);
    await page.click("#push-on");
    await untilTrue(page, `${STATE} === "This browser is told."`);
    const sessionId = await addSession(site.db, { title: "Beds" });
    await site.db.transaction((tx) =>
      insertNotice(tx, {
        sessionId,
        type: "session_failed",
        message: "<b>dry</b>",
      })
    );
    await work(site);
    equal(device.received.length, 1);
    await deliver(ann, site.origin, JSON.stringify(device.received[0]));
    const shown = `navigator.serviceWorker.getRegistration("/notifications")
      .then((one) => one.getNotifications())
      .then((all) => all.map(({ title, body, data }) => [title, body, data]))`;
    await untilTrue(page, `${shown}.then((all) => all.length === 1)`);
    deepEqual(await page.evaluate(shown), [
      ["Beds: failed", "<b>dry</b>", `/sessions/${sessionId}`],
    ]);
    await page.click("#push-off");
    await untilTrue(page, `${STATE} === "This browser is not told."`);
    deepEqual(await site.db.read("select id from push_subscriptions"), []);
    deepEqual(ann.incidents, []);
  },
);

inBrowser(
  "a browser that the server forgot says so, and asks anew",
  async (site, people) => {
    await using device = await openTestBrowser(() =>
      pushKey(fleetOf(site.endpoint.services))
    );
    await using ann = await site.visitSignedIn(ALLOWED, people.keys.ann);
    await standIn(ann, device);
    await using other = await site.visitSignedIn({}, people.keys.ann);
    await using bob = await site.visitSignedIn({}, people.keys.bob);
    await ann.page.goto(`${site.origin}/notifications`);
    await ann.page.click("#push-on");
    await untilTrue(ann.page, `${STATE} === "This browser is told."`);
    // What is ann's, bob neither sees nor ends.
    await bob.page.goto(`${site.origin}/notifications`);
    equal(
      await bob.page.evaluate("document.querySelector('#push details')"),
      null,
    );
    const { page } = other;
    await page.goto(`${site.origin}/notifications`);
    match(await page.innerText("#push summary"), /^Your browsers/);
    await page.click("#push summary");
    match(await page.innerText("#push li"), /by 127\.0\.0\.1:\d+, since/);
    ok(!(await page.evaluate("document.body.outerHTML")).includes("secret"));
    await page.click("#push button[value=forget]");
    await untilTrue(page, "document.querySelector('#push li') === null");
    await ann.page.goto(`${site.origin}/notifications`);
    await untilTrue(ann.page, `${STATE} === "This browser is not told."`);
    await ann.page.click("#push-on");
    await untilTrue(ann.page, `${STATE} === "This browser is told."`);
    for (const { incidents } of [ann, other, bob]) deepEqual(incidents, []);
  },
);

inBrowser(
  "who may not be notified is told why; a reader and a page without scripts change nothing",
  async (site, people) => {
    await using bob = await site.visitSignedIn({}, people.keys.bob);
    await bob.page.addInitScript({
      content: `Notification.requestPermission = async () => "denied";`,
    });
    await bob.page.goto(`${site.origin}/notifications`);
    await bob.page.evaluate("document.getElementById('push-on').click()");
    await untilTrue(bob.page, `${STATE}.includes("does not let this page")`);
    deepEqual(bob.incidents, []);
    await using plain = await site.visitSignedIn(
      { javaScriptEnabled: false },
      people.keys.ann,
    );
    await plain.page.goto(`${site.origin}/notifications`);
    match(await plain.page.innerText("#push"), /takes scripts/);
    await using rita = await site.visitSignedIn({}, people.keys.rita);
    await rita.page.goto(`${site.origin}/notifications`);
    equal(
      await rita.page.evaluate("document.getElementById('push')"),
      null,
    );
    await rita.page.goto(`${site.origin}/board`);
    equal(
      await rita.page.evaluate(
        `fetch("/notifications/push", { method: "POST",
           body: new URLSearchParams({ do: "unsubscribe" }) }).then((one) => one.status)`,
      ),
      403,
    );
    for (const look of LOOKS) {
      await using ann = await site.visitSignedIn(look, people.keys.ann);
      await ann.page.goto(`${site.origin}/notifications`);
      await untilTrue(ann.page, `!${STATE}.includes("takes scripts")`);
      await assertAccessible(ann, "/notifications push", look);
    }
  },
);

Deno.test({
  name: `Web Push in a browser${BROWSER_SKIP_NOTE}`,
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
