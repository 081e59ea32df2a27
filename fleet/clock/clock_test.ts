import { deepEqual, equal, ok } from "node:assert/strict";
import type { Db } from "../../store/pg/mod.ts";
import { findSession, listMessages } from "../../store/sessions/mod.ts";
import { openTestFleet } from "../../tests/support/fleet.ts";
import { endTurn, leaseTurn } from "../../tests/support/leases.ts";
import { watchedDb } from "../../tests/support/watched_db.ts";
import { UNRESTRICTED } from "../caller.ts";
import type { Fleet } from "../fleet.ts";
import { startSession } from "../sessions/start.ts";
import { wakeLater, wakeOnSession } from "../wakes/arm.ts";
import { startClock } from "./clock.ts";
import { fireDue } from "./due.ts";
import { sweepFleet } from "./handlers.ts";

async function runnerSession(fleet: Fleet): Promise<number> {
  const { session } = await startSession(fleet, {
    agentRoot: "gardener",
    drivenBy: "runner",
    prompt: "begin",
  });
  return session.id;
}

/** Lets all jobs be due now, which waits for nobody. */
async function letTimePass(db: Db): Promise<void> {
  await db.write(
    "update rootcellar_jobs.job set start_after = now() where state = 'created'",
  );
  await db.write(
    "update trigger_conditions set due_at = now() where due_at is not null",
  );
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error("It never came");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

Deno.test("a session at rest wakes the one that watches it, through jobs of two servers, once", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const { db } = test;
  const [watcher, watched] = [
    await runnerSession(fleet),
    await runnerSession(fleet),
  ];
  for (const id of [watcher, watched]) await leaseTurn(db, id);
  const armed = await wakeOnSession(fleet, UNRESTRICTED, {
    sessionId: watcher,
    watchedSessionId: watched,
    eventNames: ["session_needs_input", "session_failed"],
    prompt: "look at it",
  });
  equal(armed.session.pendingSleep, "asleep");
  await endTurn(db, watcher);
  equal((await findSession(db, watcher))?.waitReason, "asleep");
  await endTurn(db, watched);
  await letTimePass(db);
  const errors: unknown[] = [];
  const report = (error: unknown) => void errors.push(error);
  {
    await using _one = startClock(fleet, { report });
    await using _two = startClock(fleet, { report });
    await until(async () => (await listMessages(db, watcher)).length > 0);
    await until(async () => {
      const [left] = await db.read<{ n: number }>(
        "select count(*)::int as n from rootcellar_jobs.job where state in ('created', 'retry', 'active')",
      );
      return left?.n === 0;
    });
  }
  deepEqual(errors, []);
  const messages = await listMessages(db, watcher);
  deepEqual(messages.map(({ content, origin }) => [content, origin]), [
    ["look at it", "wake"],
  ]);
  equal((await findSession(db, watcher))?.waitReason, "queued");
  deepEqual(await db.read("select id from triggers"), []);
});

Deno.test("[behaviour 1] a turn whose lease is over is ended by one of the servers", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  const id = await runnerSession(fleet);
  await leaseTurn(db, id);
  await db.write(
    "update turns set leased_until = now() - interval '1 second' where session_id = $1",
    [id],
  );
  const told: unknown[] = [];
  const report = (error: unknown) => void told.push(error);
  const onLost = (turns: number) => void told.push(turns);
  {
    const durations = { leaseGrace: 0, leases: 0.05 };
    await using _one = startClock(fleet, { report, onLost, durations });
    await using _two = startClock(fleet, { report, onLost, durations });
    await until(async () => (await findSession(db, id))?.status !== "running");
  }
  deepEqual(told, [1]);
  const [turn] = await db.read<{ outcome: string; detail: string }>(
    "select outcome, detail from turns where session_id = $1 order by id limit 1",
    [id],
  );
  deepEqual(turn, { outcome: "lost", detail: "Its lease ran out" });
});

Deno.test("a thousand sessions at rest cost a look no statement and write nothing", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  const written = async () => {
    const [row] = await db.read<{ state: string }>(
      "select md5(string_agg(s::text, '' order by id)) as state from sessions s",
    );
    return row?.state;
  };
  const look = async () => {
    let statements = 0;
    const watched = watchedDb(db, (_text, run) => {
      statements++;
      return run();
    });
    await sweepFleet(watched);
    await fireDue({
      ...fleet,
      store: { ...fleet.store, db: () => Promise.resolve(watched) },
    });
    return statements;
  };
  const without = await look();
  await db.write(
    `insert into sessions (title, status, driven_by, agent_root_key, state_since)
     select 'at rest ' || n, 'needs_input', case n % 2 when 0 then 'runner' else 'client' end,
       'gardener', now() - interval '1 day' from generate_series(1, 1000) n`,
  );
  const before = await written();
  ok(without > 0);
  equal(await look(), without);
  equal(await written(), before);
});

Deno.test("a wake whose job was lost fires by the next look; one that is not due stays", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const { db } = test;
  const id = await runnerSession(fleet);
  await leaseTurn(db, id);
  await endTurn(db, id);
  const year = new Date().getUTCFullYear() + 1;
  const armed = await wakeLater(fleet, UNRESTRICTED, {
    sessionId: id,
    wakeAt: `${year}-07-01T09:30`,
    timezone: "Europe/Berlin",
    prompt: "it is summer",
  });
  deepEqual(armed.dueAt, new Date(`${year}-07-01T07:30:00Z`));
  equal(armed.session.waitReason, "asleep");
  await db.write("delete from rootcellar_jobs.job");
  equal(await fireDue(fleet), 0);
  await letTimePass(db);
  equal(await fireDue(fleet), 1);
  equal(await fireDue(fleet), 0);
  equal((await listMessages(db, id)).length, 1);
});
