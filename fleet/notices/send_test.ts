import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { Job } from "../../store/jobs/mod.ts";
import { markRead } from "../../store/around_sessions/mod.ts";
import { insertNotice, staleNotices } from "../../store/sessions/mod.ts";
import { openTestFleet, type TestFleet } from "../../tests/support/fleet.ts";
import { endTurn, leaseTurn } from "../../tests/support/leases.ts";
import {
  openTestBrowser,
  type TestBrowser,
} from "../../tests/support/push_service.ts";
import { togglePush } from "../actions/edits.ts";
import { UNRESTRICTED } from "../caller.ts";
import { doJob } from "../clock/handlers.ts";
import type { Fleet } from "../fleet.ts";
import { outsideConcerns } from "../health/outside.ts";
import { startSession } from "../sessions/start.ts";
import {
  forgetBrowser,
  listBrowsers,
  pushKey,
  subscribe,
  unsubscribe,
} from "./subscribe.ts";

/** Does all jobs there are, whenever they would be due; what was rejected. */
async function work(fleet: Fleet): Promise<string[]> {
  const db = await fleet.store.db();
  const problems: string[] = [];
  for (;;) {
    const jobs = await db.write<{ data: Job }>(
      "delete from rootcellar_jobs.job returning data",
    );
    if (jobs.length === 0) return problems;
    for (const { data } of jobs) {
      await doJob(fleet, data).catch((error) => problems.push(error.message));
    }
  }
}

async function session({ fleet }: TestFleet): Promise<number> {
  const { session } = await startSession(fleet, {
    agentRoot: "gardener",
    drivenBy: "runner",
    prompt: "begin",
    title: "Beds",
  });
  return session.id;
}

async function notice(
  { test: { db } }: TestFleet,
  sessionId: number,
  message?: string,
): Promise<number> {
  const id = await db.transaction((tx) =>
    insertNotice(tx, { sessionId, type: "message", message })
  );
  return Number(id);
}

async function browserOf(
  { fleet }: TestFleet,
  owner: string | null = null,
): Promise<TestBrowser> {
  const browser = await openTestBrowser(() => pushKey(fleet));
  await subscribe(fleet, browser, owner);
  return browser;
}

Deno.test("a rest is told of once: to a browser that can read it, and to an address", async () => {
  await using opened = await openTestFleet();
  const posted: Record<string, unknown>[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      posted.push(await request.json());
      return new Response("ok");
    },
  );
  await using browser = await browserOf(opened);
  const fleet: Fleet = {
    ...opened.fleet,
    outside: { notifyUrl: `http://127.0.0.1:${server.addr.port}/topic` },
  };
  const { db } = opened.test;
  const id = await session(opened);
  await togglePush(fleet, UNRESTRICTED, id);
  await leaseTurn(db, id);
  await endTurn(db, id);
  deepEqual(await work(fleet), []);
  deepEqual(
    browser.received.map(({ type, session_id }) => [type, session_id]),
    [["session_needs_input", id]],
  );
  equal(browser.received[0]?.title, "Beds: needs input");
  deepEqual(posted, browser.received);
  deepEqual(await work(fleet), []);
  equal(posted.length, 1);
});

Deno.test("what is no longer so, or was read, is sent to nobody", async () => {
  await using opened = await openTestFleet();
  await using browser = await browserOf(opened);
  const { fleet, test: { db } } = opened;
  const id = await session(opened);
  await notice(opened, id, "stale");
  await db.transaction((tx) => staleNotices(tx, id));
  const read = await notice(opened, id, "read");
  await db.transaction((tx) => markRead(tx, read));
  await notice(opened, id, "x".repeat(5_000));
  deepEqual(await work(fleet), []);
  equal(browser.received.length, 1);
  match(String(browser.received[0]?.message), /^x{500}… \(4500 more/);
});

Deno.test("a target that fails is said in health, tried again by its job, and got over; one that is gone is forgotten", async () => {
  await using opened = await openTestFleet();
  await using failing = await browserOf(opened);
  await using fine = await browserOf(opened);
  const { fleet, test: { db } } = opened;
  const id = await session(opened);
  const concerns = async () =>
    (await outsideConcerns(db)).filter((text) => text.startsWith("Notices"));
  failing.trouble.push(500);
  await notice(opened, id, "one");
  const problems = await work(fleet);
  equal(problems.length, 1);
  match(problems[0] ?? "", /not sent to push:\d+: it answers 500/);
  equal(fine.received.length, 1);
  match((await concerns())[0] ?? "", /not sent to push:\d+, 1 tries in a row/);
  ok(!JSON.stringify(await concerns()).includes("secret-path"));
  await notice(opened, id, "two");
  deepEqual(await work(fleet), []);
  deepEqual(await concerns(), []);
  failing.trouble.push(410);
  await notice(opened, id, "three");
  deepEqual(await work(fleet), []);
  await notice(opened, id, "four");
  await work(fleet);
  deepEqual(
    [failing, fine].map(({ received }) => received.map((one) => one.message)),
    [["two"], ["one", "two", "three", "four"]],
  );
});

Deno.test("an address that nobody listens at is said without what is secret in it", async () => {
  await using opened = await openTestFleet();
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const fleet: Fleet = {
    ...opened.fleet,
    outside: { notifyUrl: `http://127.0.0.1:${port}/secret-topic` },
  };
  await notice(opened, await session(opened), "one");
  const problems = await work(fleet);
  deepEqual(problems, [
    "A notice was not sent to notify_url: it cannot be reached",
  ]);
  const concerns = await outsideConcerns(opened.test.db);
  match(concerns.join(), /not sent to NOTIFY_URL, 1 tries in a row/);
  ok(!concerns.join().includes("secret-topic"));
});

Deno.test("all servers have one key; what is no subscription is refused, and one can be ended", async () => {
  await using opened = await openTestFleet();
  const { fleet } = opened;
  const keys = await Promise.all([1, 2, 3].map(() => pushKey(fleet)));
  equal(new Set(keys).size, 1);
  await using browser = await openTestBrowser(() => pushKey(fleet));
  const { endpoint, p256dh, auth } = browser;
  for (
    const [wrong, message] of [
      [{ endpoint: "http://example.org/x", p256dh, auth }, /https address/],
      [{ endpoint: "file:///etc/passwd", p256dh, auth }, /https address/],
      [{ endpoint, p256dh: "abc", auth }, /p256dh has 65 bytes/],
      [{ endpoint, p256dh, auth: "!" }, /auth 16/],
    ] as const
  ) await rejects(subscribe(fleet, wrong, null), { message });
  const first = await subscribe(fleet, browser, null);
  equal(await subscribe(fleet, browser, null), first);
  const ended = () => unsubscribe(fleet, endpoint, null);
  deepEqual([await ended(), await ended()], [true, false]);
});

Deno.test("a person's browser is told as long as that person is known, and seen and ended by them alone", async () => {
  await using opened = await openTestFleet();
  let known: ReadonlySet<string> | undefined = new Set(["ann", "bob"]);
  const fleet = { ...opened.fleet, people: () => Promise.resolve(known) };
  await using anns = await browserOf(opened, "ann");
  await using bobs = await browserOf(opened, "bob");
  await using nobodys = await browserOf(opened);
  const id = await session(opened);
  const told = async () => {
    await notice(opened, id, "dry");
    deepEqual(await work(fleet), []);
    return [anns, bobs, nobodys].map(({ received }) =>
      received.splice(0).length
    );
  };
  const seenBy = async (by: string | null) =>
    (await listBrowsers(fleet, by)).map(({ owner }) => owner);
  deepEqual(await told(), [1, 1, 1]);
  deepEqual(await seenBy("ann"), ["ann", null]);
  deepEqual(await seenBy(null), ["ann", "bob", null]);
  const [, other] = await listBrowsers(fleet, null);
  await rejects(forgetBrowser(fleet, other?.id ?? 0, "ann"), {
    message: /No browser \d+ of yours/,
  });
  equal(await unsubscribe(fleet, bobs.endpoint, "ann"), false);

  // A file that cannot be read names nobody, and ends nothing.
  known = undefined;
  deepEqual(await told(), [0, 0, 1]);
  known = new Set(["ann", "bob"]);
  deepEqual(await told(), [1, 1, 1]);

  // What was on its way when somebody was removed does not arrive.
  await notice(opened, id);
  const [job] = await opened.test.db.write<{ data: Job }>(
    "delete from rootcellar_jobs.job returning data",
  );
  if (job !== undefined) await doJob(fleet, job.data);
  known = new Set(["ann"]);
  deepEqual(await work(fleet), []);
  deepEqual(
    [anns, bobs, nobodys].map(({ received }) => received.splice(0).length),
    [1, 0, 1],
  );
  deepEqual(await told(), [1, 0, 1]);
  deepEqual(await seenBy(null), ["ann", null]);
  // Whoever asks last in a browser has it.
  await subscribe(fleet, anns, null);
  deepEqual(await seenBy("bob"), [null, null]);
  equal(await unsubscribe(fleet, anns.endpoint, "bob"), true);
  deepEqual(await told(), [0, 0, 1]);
});
