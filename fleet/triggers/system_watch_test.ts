import { deepEqual, equal, match } from "node:assert/strict";
import type { CatalogLoader } from "../../catalog/mod.ts";
import { openTestFleet, type TestFleet } from "../../tests/support/fleet.ts";
import { UNRESTRICTED } from "../caller.ts";
import { doJob } from "../clock/handlers.ts";
import { SYSTEM_EVENTS } from "./conditions.ts";
import { createTrigger } from "./edit.ts";
import { watchSystem } from "./system_watch.ts";

async function watched(): Promise<TestFleet> {
  const opened = await openTestFleet();
  await createTrigger(opened.fleet, UNRESTRICTED, {
    name: "Watch",
    agentRootName: "gardener",
    promptTemplate: "{{event}}: {{text}}",
    triggerType: "system_event",
    configuration: { event_names: SYSTEM_EVENTS },
  });
  return opened;
}

/** Does the jobs there are, twice each, and takes what sessions were told. */
async function told({ fleet, test: { db } }: TestFleet): Promise<string[]> {
  const jobs = await db.write<{ data: { kind: string } }>(
    "delete from rootcellar_jobs.job where data->>'kind' = 'fire_condition' returning data",
  );
  for (const { data } of jobs) {
    await doJob(fleet, data);
    await doJob(fleet, data);
  }
  const rows = await db.read<{ prompt: string }>(
    "select prompt from sessions order by id",
  );
  await db.write("delete from sessions");
  return rows.map(({ prompt }) => prompt);
}

Deno.test("a runner that is lost and comes back is told of once each, by however many servers", async () => {
  await using opened = await watched();
  const { fleet, test: { db } } = opened;
  equal(await watchSystem(fleet), 0);
  await db.write(
    "insert into runners (name, seen_at) values ('shed', now() - interval '3 minutes')",
  );
  await Promise.all([watchSystem(fleet), watchSystem(fleet)]);
  const [lost, ...none] = await told(opened);
  match(lost ?? "", /^runner_lost: Runner \d+ \(shed\) was last seen at 20/);
  deepEqual(none, []);
  equal(await watchSystem(fleet), 0);
  deepEqual(
    (await db.read("select name from system_states")).map(({ name }) => name),
    ["runner_lost"],
  );
  await db.write("update runners set seen_at = now()");
  equal(await watchSystem(fleet), 1);
  match((await told(opened))[0] ?? "", /^runner_back: It is over: Runner/);
  // The next loss is another event.
  await db.write("update runners set seen_at = now() - interval '1 hour'");
  await watchSystem(fleet);
  match((await told(opened))[0] ?? "", /^runner_lost/);
});

Deno.test("a limited login, turns that nobody takes and a sweep behind are told of while they last", async () => {
  await using opened = await watched();
  const { fleet, test: { db } } = opened;
  await db.write(
    `insert into logins (runtime, account, rejected_until)
     values ('claude_code', 'me', now() + interval '1 hour')`,
  );
  await db.write(
    `insert into sessions (status, title, driven_by, wait_reason)
     values ('waiting', 'old', 'runner', 'queued')`,
  );
  await db.write(
    `insert into turns (session_id, ordinal, kind, prompt, queued_at)
     select id, 1, 'start', 'x', now() - interval '11 minutes' from sessions`,
  );
  await db.write(
    `insert into agent_root_records
       (namespace, collection, data, data_bytes, created_at, updated_at, expires_at)
     values ('n', 'c', '{}', 2, now(), now(), now() - interval '2 hours 1 minute')`,
  );
  equal(await watchSystem(fleet), 3);
  const texts = (await told(opened)).filter((text) => text !== null);
  match(texts.join("\n"), /login_limited: The login me of claude_code/);
  match(texts.join("\n"), /queue_backlog: 1 turn\(s\) wait for a runner/);
  match(texts.join("\n"), /sweep_overdue: Records expired more than two hours/);
  await db.write("delete from logins");
  await db.write("delete from agent_root_records");
  equal(await watchSystem(fleet), 0);
  deepEqual(await db.read("select 1 from system_states"), []);
});

Deno.test("a catalog that one server cannot read is broken until no server says so any more", async () => {
  await using opened = await watched();
  const { fleet, test: { db } } = opened;
  const broken = {
    store: fleet.store,
    catalog: {
      ...fleet.catalog,
      status: () => ({
        ...fleet.catalog.status(),
        state: "stale",
        staleReason: "it is no JSON",
      }),
    } as CatalogLoader,
  };
  equal(await watchSystem(broken), 1);
  match((await told(opened))[0] ?? "", /catalog_broken: .* it is no JSON/);
  // Another server that can read it says nothing against that yet.
  equal(await watchSystem(fleet), 0);
  await db.write(
    "update system_states set confirmed_at = now() - interval '2 minutes'",
  );
  equal(await watchSystem(broken), 0);
  equal(await watchSystem(fleet), 0);
  await db.write(
    "update system_states set confirmed_at = now() - interval '2 minutes'",
  );
  equal(await watchSystem(fleet), 1);
  match((await told(opened))[0] ?? "", /catalog_recovered/);
});
