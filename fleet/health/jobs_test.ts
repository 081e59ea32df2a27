import { deepEqual, equal, rejects } from "node:assert/strict";
import type { Db } from "../../store/pg/mod.ts";
import { sendJob } from "../../store/jobs/mod.ts";
import { findSession } from "../../store/sessions/mod.ts";
import { openTestFleet } from "../../tests/support/fleet.ts";
import { endTurn, leaseTurn } from "../../tests/support/leases.ts";
import { watchedDb } from "../../tests/support/watched_db.ts";
import { UNRESTRICTED } from "../caller.ts";
import { startClock } from "../clock/clock.ts";
import { startSession } from "../sessions/start.ts";
import { wakeLater } from "../wakes/arm.ts";
import { backfillUsage, stepBackfill } from "./backfill.ts";
import { discardQueued, haltLanes, openLanes } from "./jobs.ts";

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error("It never came");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function send(db: Db, count: number): Promise<void> {
  await db.transaction(async (tx) => {
    for (let n = 0; n < count; n++) {
      await sendJob(tx, "default", { kind: "of_a_newer_release", n });
    }
  });
}

async function waiting(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number }>(
    "select count(*)::int as n from rootcellar_jobs.job where data ->> 'kind' = 'of_a_newer_release' and state in ('created', 'retry', 'active')",
  );
  return Number(row?.n);
}

Deno.test("recovery mode keeps a server's lanes closed until it ends", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  const errors: unknown[] = [];
  const report = (error: unknown) => void errors.push(error);
  await haltLanes(fleet, UNRESTRICTED, { reason: "look first" });
  await send(db, 3);
  const year = new Date().getUTCFullYear() + 1;
  const { session } = await startSession(fleet, {
    agentRoot: "gardener",
    drivenBy: "runner",
    prompt: "begin",
  });
  await leaseTurn(db, session.id);
  await endTurn(db, session.id);
  await wakeLater(fleet, UNRESTRICTED, {
    sessionId: session.id,
    wakeAt: `${year}-07-01T09:30`,
    timezone: "UTC",
    prompt: "wake",
  });
  await db.write("update trigger_conditions set due_at = now()");
  let looks = 0;
  const watched = watchedDb(db, (text, run) => {
    if (text.includes("queue_recovery_until > now()")) looks++;
    return run();
  });
  await using _clock = startClock({
    ...fleet,
    store: { ...fleet.store, db: () => Promise.resolve(watched) },
  }, { report });
  // Between two looks at the mode, an open lane would have looked for jobs.
  await until(() => Promise.resolve(looks >= 10));
  equal(await waiting(db), 3);
  equal((await findSession(db, session.id))?.waitReason, "asleep");
  equal(await openLanes(fleet, UNRESTRICTED), true);
  await until(async () => await waiting(db) === 0);
  await until(async () =>
    (await findSession(db, session.id))?.waitReason === "queued"
  );
  deepEqual(errors, []);
});

Deno.test("of two that discard what both counted, one does and the other is told", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  await send(db, 5);
  const discard = () =>
    discardQueued(fleet, UNRESTRICTED, {
      jobClass: "of_a_newer_release",
      expected: 5,
    });
  const results = await Promise.allSettled([discard(), discard()]);
  deepEqual(results.map(({ status }) => status).sort(), [
    "fulfilled",
    "rejected",
  ]);
  equal(await waiting(db), 0);
  await rejects(discard(), /expected_count is 5, and 0 jobs wait\./);
});

Deno.test("a backfill reads what turns reported, in steps, once, and joins the one under way", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  await db.write(
    `insert into sessions (title, wait_reason, agent_root_key) values ('s', 'never_started', 'gardener')`,
  );
  // Turns as an earlier release left them, with a report that is none.
  await db.write(
    `insert into turns (session_id, ordinal, kind, phase, ended_at, receipt)
     select s.id, n, 'start', 'ended', now(), jsonb_build_object('usage', case when n = 5
       then '[{"model": "x"}, 7]'::jsonb else jsonb_build_array(jsonb_build_object(
         'request_key', 'k' || n, 'model', 'm', 'output_tokens', n, 'is_partial', false)) end)
     from sessions s, generate_series(1, 7) n`,
  );
  const first = await backfillUsage(fleet);
  const second = await backfillUsage(fleet);
  deepEqual([first.isNew, second.isNew], [true, false]);
  equal(first.backfill.id, second.backfill.id);
  for (let n = 0; n < 4; n++) await stepBackfill(db, 3);
  const [row] = await db.read(
    `select turns_read::int, requests_added::int, finished_at is not null as is_finished
     from token_usage_backfills`,
  );
  deepEqual({ ...row }, {
    turns_read: 7,
    requests_added: 6,
    is_finished: true,
  });
  const [sum] = await db.read(
    "select sum(requests)::int as requests, sum(output_tokens)::int as output from token_usage_totals",
  );
  deepEqual({ ...sum }, { requests: 6, output: 23 });
  equal((await backfillUsage(fleet)).isNew, true);
  await stepBackfill(db, 100);
  const [again] = await db.read(
    "select requests_added::int from token_usage_backfills order by id desc limit 1",
  );
  deepEqual({ ...again }, { requests_added: 0 });
});
