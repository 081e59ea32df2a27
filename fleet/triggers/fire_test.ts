import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { findSession, listMessages } from "../../store/sessions/mod.ts";
import { readFirings } from "../../store/triggers/mod.ts";
import { openTestFleet, type TestFleet } from "../../tests/support/fleet.ts";
import { endTurn, leaseTurn } from "../../tests/support/leases.ts";
import { UNRESTRICTED } from "../caller.ts";
import { fireDue } from "../clock/due.ts";
import { doJob } from "../clock/handlers.ts";
import { archiveSession } from "../sessions/archive.ts";
import { wakeLater } from "../wakes/arm.ts";
import {
  createTrigger,
  readTrigger,
  toggleTrigger,
  updateTrigger,
} from "./edit.ts";
import { fireTrigger } from "./fire.ts";
import { invokeTrigger } from "./invoke.ts";
import type { TriggerRequest } from "./settings.ts";

const HOURLY = { unit: "hours", interval: 1 };

async function make(
  { fleet }: TestFleet,
  request: Partial<TriggerRequest> = {},
): Promise<number> {
  const { trigger } = await createTrigger(fleet, UNRESTRICTED, {
    name: "Watch the beds",
    agentRootName: "gardener",
    promptTemplate: "Look at {{title}}",
    ...(request.conditions === undefined
      ? { triggerType: "schedule", configuration: HOURLY }
      : {}),
    ...request,
  });
  return trigger.id;
}

/** Lets the schedules of all triggers be due since so many seconds. */
async function letBeDue({ test }: TestFleet, seconds = 1): Promise<void> {
  await test.db.write(
    `update trigger_conditions
     set due_at = date_trunc('milliseconds', now()) - $1 * interval '1 second',
       anchor_at = now() - ($1 + 3600) * interval '1 second'
     where due_at is not null`,
    [seconds],
  );
}

async function sessions({ test }: TestFleet) {
  return await test.db.read<
    { id: string; prompt: string; genesis: string; title: string }
  >("select id, prompt, genesis, title from sessions order by id");
}

async function rest({ test }: TestFleet, id: number): Promise<void> {
  ok(await leaseTurn(test.db, id));
  ok(await endTurn(test.db, id));
}

Deno.test("a schedule that is due starts a session of its root, once, and is due again", async () => {
  await using opened = await openTestFleet();
  const { fleet } = opened;
  const id = await make(opened, { promptTemplate: "It is {{time}} {{event}}" });
  equal(await fireDue(fleet), 0);
  await letBeDue(opened);
  // Two servers at once.
  await Promise.all([fireDue(fleet), fireDue(fleet)]);
  const [session, ...others] = await sessions(opened);
  equal(others.length, 0);
  match(session?.prompt ?? "", /^It is \d\d:\d\d schedule$/);
  equal(session?.genesis, "schedule");
  equal(session?.title, "Watch the beds");
  const { trigger, conditions } = await readTrigger(fleet, UNRESTRICTED, id);
  equal(trigger.sessionsCreatedCount, 1);
  equal(trigger.lastSessionId, Number(session?.id));
  ok((conditions[0]?.dueAt?.getTime() ?? 0) > Date.now() - 60_000);
  equal(await fireDue(fleet), 0);
  const found = await findSession(opened.test.db, Number(session?.id));
  equal(found?.metadata.trigger_id, id);
  equal(found?.waitReason, "queued");
});

Deno.test("[behaviour 24] missed occurrences fire once and say so, or not at all and say so", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const once = await make(opened, { promptTemplate: "{{text}}" });
  const never = await make(opened, {
    configuration: { ...HOURLY, missed: "skip" },
  });
  await letBeDue(opened, 3 * 3_600 + 120);
  equal(await fireDue(fleet), 2);
  const all = await sessions(opened);
  equal(all.length, 1);
  match(all[0]?.prompt ?? "", /4 occurrence\(s\) were missed since/);
  match(
    (await readFirings(test.db, never, 5))[0]?.outcome ?? "",
    /^Not fired: no server ran, 4 occurrence\(s\) were missed/,
  );
  for (const id of [once, never]) {
    const { conditions } = await readTrigger(fleet, UNRESTRICTED, id);
    ok((conditions[0]?.dueAt ?? 0) > new Date(Date.now() - 60_000));
  }
  equal(await fireDue(fleet), 0);
});

Deno.test("a schedule that happens once fires once, and its trigger is off then", async () => {
  await using opened = await openTestFleet();
  const { fleet } = opened;
  const year = new Date().getUTCFullYear() + 1;
  const id = await make(opened, {
    configuration: { scheduled_at: `${year}-03-01T09:30` },
  });
  await letBeDue(opened);
  equal(await fireDue(fleet), 1);
  const { trigger, conditions } = await readTrigger(fleet, UNRESTRICTED, id);
  deepEqual([trigger.status, conditions[0]?.dueAt], ["disabled", null]);
  equal((await sessions(opened)).length, 1);
});

Deno.test("what cannot be started parks the trigger, tells of it, and is armed again", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  const watcher = await make(opened, {
    name: "Tell me",
    promptTemplate: "{{text}}",
    conditions: [{
      type: "system_event",
      configuration: { event_names: ["trigger_failed"] },
    }],
  });
  const made = await createTrigger(fleet, UNRESTRICTED, {
    name: "Broken",
    agentRootName: "nobody",
    promptTemplate: "x",
    triggerType: "schedule",
    configuration: HOURLY,
  });
  match(made.warnings.join(), /no agent root "nobody"/);
  await letBeDue(opened);
  equal(await fireDue(fleet), 1);
  const { id } = made.trigger;
  const broken = await readTrigger(fleet, UNRESTRICTED, id);
  equal(broken.trigger.status, "failed");
  match(broken.trigger.lastError ?? "", /"nobody" is not in the catalog/);
  equal(await fireDue(fleet), 0);
  const [job, ...more] = await test.db.read<{ data: { kind: string } }>(
    "select data from rootcellar_jobs.job where data->>'kind' = 'fire_condition'",
  );
  equal(more.length, 0);
  await doJob(fleet, job?.data ?? { kind: "" });
  await doJob(fleet, job?.data ?? { kind: "" });
  const told = await sessions(opened);
  equal(told.length, 1);
  match(told[0]?.prompt ?? "", /^Trigger \d+ \("Broken"\) is parked: /);
  equal(
    (await readTrigger(fleet, UNRESTRICTED, watcher)).trigger
      .sessionsCreatedCount,
    1,
  );

  await updateTrigger(fleet, UNRESTRICTED, id, { agentRootName: "librarian" });
  const armed = await toggleTrigger(fleet, UNRESTRICTED, id);
  deepEqual([armed.trigger.status, armed.trigger.lastError], ["enabled", null]);
  ok((armed.conditions[0]?.dueAt ?? 0) > new Date(Date.now() - 60_000));
  await letBeDue(opened);
  equal(await fireDue(fleet), 1);
  equal((await sessions(opened)).length, 2);
});

Deno.test("a session is told again where it rests, skipped or queued where it works, and replaced where it cannot be told", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  const id = await make(opened, { reuseSession: true });
  const fire = (title: string) =>
    fireTrigger(fleet, id, { variables: { title }, because: "test" });
  const first = await fire("one");
  equal(first.kind, "started");
  const session = Number(first.sessionId);
  await rest(opened, session);
  const second = await fire("two");
  deepEqual([second.kind, second.sessionId], ["told", session]);
  await leaseTurn(db, session);
  const busy = await fire("three");
  deepEqual([busy.kind, busy.sessionId], ["skipped", session]);
  match(busy.text, /it works, and enqueue_messages is off/);
  await updateTrigger(fleet, UNRESTRICTED, id, { enqueueMessages: true });
  equal((await fire("four")).kind, "told");
  const again = await fire("five");
  equal(again.kind, "skipped");
  match(again.text, /1 message\(s\) wait for it already/);
  deepEqual(
    (await listMessages(db, session)).map(({ content, origin, status }) => [
      content,
      origin,
      status,
    ]),
    [
      ["Look at two", "trigger", "processing"],
      ["Look at four", "trigger", "pending"],
    ],
  );
  await endTurn(db, session);
  await rest(opened, session);

  await db.write("update sessions set paused_by = 'user' where id = $1", [
    session,
  ]);
  const other = await fire("six");
  equal(other.kind, "started");
  match(other.text, /a new one: a person paused its latest one/);
  const next = Number(other.sessionId);
  await rest(opened, next);
  await archiveSession(fleet, next);
  const third = await fire("seven");
  equal(third.kind, "started");
  await rest(opened, Number(third.sessionId));
  await archiveSession(fleet, Number(third.sessionId));
  await updateTrigger(fleet, UNRESTRICTED, id, { resuscitateArchived: true });
  const back = await fire("eight");
  deepEqual([back.kind, back.sessionId], ["told", third.sessionId]);
  equal((await findSession(db, Number(third.sessionId)))?.waitReason, "queued");
});

Deno.test("more than a minute may have makes one notice, then silence, then goes on", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  const id = await make(opened, { maxSessionsPerMinute: 2 });
  const fire = () =>
    fireTrigger(fleet, id, {
      variables: { link: "https://example.org/1" },
      because: "test",
    });
  const kinds = [];
  for (let at = 0; at < 5; at++) kinds.push((await fire()).kind);
  deepEqual(kinds, ["started", "started", "notice", "silent", "silent"]);
  equal((await invokeTrigger(fleet, UNRESTRICTED, id)).kind, "silent");
  const all = await sessions(opened);
  equal(all.length, 3);
  match(
    all[2]?.prompt ?? "",
    /more often than 2 times within a minute[^]*- session \d+\n- session \d+\nThe event that was one too many: https:\/\/example.org\/1/,
  );
  // The minute is over, and so is the silence after it.
  await db.write(
    `update triggers set burst_window_started_at = now() - interval '7 minutes',
       burst_active_until = now() - interval '1 second'`,
  );
  equal((await fire()).kind, "started");
});

Deno.test("firing by hand works on one that is off, counts, fills names, and parks nothing", async () => {
  await using opened = await openTestFleet();
  const { fleet } = opened;
  const id = await make(opened, { status: "disabled" });
  const fired = await invokeTrigger(fleet, UNRESTRICTED, id, {
    title: "{{link}} and [[all]]",
  });
  equal(fired.kind, "started");
  equal(
    (await sessions(opened))[0]?.prompt,
    "Look at {{link}} and [[all]]",
  );
  await updateTrigger(fleet, UNRESTRICTED, id, { agentRootName: "nobody" });
  await rejects(invokeTrigger(fleet, UNRESTRICTED, id), {
    message: /"nobody" is not in the catalog/,
  });
  const { trigger } = await readTrigger(fleet, UNRESTRICTED, id);
  deepEqual([trigger.status, trigger.sessionsCreatedCount], ["disabled", 1]);
});

Deno.test("a wake whose firing fails is parked and named, and wakes once it is armed again", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  const { sessionId } = await fireTrigger(
    fleet,
    await make(opened),
    { variables: {}, because: "test" },
  );
  const id = Number(sessionId);
  await rest(opened, id);
  const year = new Date().getUTCFullYear() + 1;
  const { wakeId } = await wakeLater(fleet, UNRESTRICTED, {
    sessionId: id,
    wakeAt: `${year}-01-01T00:00`,
    prompt: "wake up",
  });
  // Nothing that is no text can be said to a session.
  await db.write("update triggers set prompt_template = '' where id = $1", [
    wakeId,
  ]);
  await letBeDue(opened);
  ok(await fireDue(fleet) >= 1);
  const parked = await readTrigger(fleet, UNRESTRICTED, wakeId);
  equal(parked.trigger.status, "failed");
  const logs = await db.read<{ content: string }>(
    "select content from session_logs where session_id = $1 and level = 'error'",
    [id],
  );
  match(logs[0]?.content ?? "", /^Wake \d+ of session \d+ is parked/);
  equal((await findSession(db, id))?.waitReason, "asleep");

  await db.write("update triggers set prompt_template = 'up' where id = $1", [
    wakeId,
  ]);
  await rejects(
    updateTrigger(fleet, UNRESTRICTED, wakeId, { name: "x" }),
    { message: /is a wake of session/ },
  );
  await toggleTrigger(fleet, UNRESTRICTED, wakeId);
  equal(await fireDue(fleet), 1);
  deepEqual(
    (await listMessages(db, id)).map(({ content }) => content),
    ["up"],
  );
  equal((await findSession(db, id))?.waitReason, "queued");
});

Deno.test("while an operator holds the lanes, nothing that is due fires", async () => {
  await using opened = await openTestFleet();
  const { fleet, test: { db } } = opened;
  await make(opened);
  await letBeDue(opened);
  await db.write(
    "insert into app_settings (queue_recovery_until) values (now() + interval '1 hour')",
  );
  equal(await fireDue(fleet), 0);
  await db.write("update app_settings set queue_recovery_until = now()");
  equal(await fireDue(fleet), 1);
});
