import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { ClientProcess, TestHome } from "./testdata/test_home.ts";
import { waitUntil } from "./wait.ts";

const START_TIME = "select pg_postmaster_start_time()::text as at";

Deno.test("openCluster() by ten processes on an empty home starts one server", async () => {
  await using home = await TestHome.create();
  await using stack = new AsyncDisposableStack();
  const clients = Array.from(
    { length: 10 },
    () => stack.use(new ClientProcess(home.path)),
  );
  const rows = await Promise.all(clients.map(async (client) => {
    await client.ask("open");
    return await client.ask<[{ at: string }]>("sql", START_TIME);
  }));
  equal(new Set(rows.map(([{ at }]) => at)).size, 1);

  // Ending at the same moment, exactly one of them is the last.
  const times = await Promise.all(clients.map((client) => client.end()));
  ok(Math.max(...times) < 3_000, `ending took ${times} ms`);
  equal(await home.isRunning(), false);
});

Deno.test("a process ends within a second of its input, the server with it", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await client.ask("sql", "select 1");
  const ms = await client.end();
  ok(ms < 1_000, `ending took ${ms} ms`);
  equal(await home.isRunning(), false);
});

Deno.test("release() leaves the server to another process; the last one stops it", async () => {
  await using home = await TestHome.create();
  await using first = await ClientProcess.open(home.path);
  await using second = await ClientProcess.open(home.path);
  await first.ask("release");
  equal(await home.isRunning(), true);
  await second.ask("sql", "select 1");
  await second.ask("release");
  equal(await home.isRunning(), false);
});

Deno.test("release() leaves the server to a tool that is connected", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await client.ask("stranger", "select 1");
  await client.ask("release");
  equal(await home.isRunning(), true);
});

Deno.test("release() ends the use: ensureRunning() then rejects", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await client.ask("release");
  await client.ask("release");
  await rejects(client.ask("ensure", "1"), { code: "released" });
});

Deno.test("detach() leaves the server running for the next process", async () => {
  await using home = await TestHome.create();
  await using first = await ClientProcess.open(home.path);
  await first.ask("detach");
  await using next = await ClientProcess.open(home.path);
  await next.ask("release");
  deepEqual(await next.ask("events"), ["stopped"]);
});

Deno.test("a killed process leaves its server and its rows to the next", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await client.ask("sql", "create table notes as select 7 as id");
  await client.kill();
  equal(await home.isRunning(), true);

  await using next = await ClientProcess.open(home.path);
  deepEqual(await next.ask("sql", "select id from notes"), [{ id: 7 }]);
  await next.ask("release");
  equal(await home.isRunning(), false);
});

Deno.test("a connection of a killed process does not keep the server from stopping", async () => {
  await using home = await TestHome.create();
  await using killed = await ClientProcess.open(home.path);
  await using last = await ClientProcess.open(home.path);
  const sleeping = killed.ask("sql", "select pg_sleep(30)").catch(() => {});
  await waitForQuery(last, "select pg_sleep%");
  await killed.kill();
  await sleeping;
  await last.ask("release");
  equal(await home.isRunning(), false);
});

Deno.test("a process killed at any moment of a first start is not in the way of the next", async (t) => {
  const moments: [string, (home: string) => Promise<boolean>][] = [
    ["unpacking", (home) => hasEntry(`${home}/pg`, "")],
    ["initializing", (home) => hasEntry(home, "data.new-")],
    ["starting", (home) => hasEntry(`${home}/log`, "postgresql.log")],
    ["started", (home) => hasEntry(`${home}/data`, "postmaster.pid")],
  ];
  for (const [name, hasCome] of moments) {
    await t.step(name, async () => {
      await using home = await TestHome.create();
      await using killed = new ClientProcess(home.path);
      const opening = killed.ask("open").catch(() => {});
      ok(await waitUntil(() => hasCome(home.path), 30_000, 2));
      await killed.kill();
      await opening;

      await using next = await ClientProcess.open(home.path);
      await next.ask("sql", "select 1");
      await next.ask("release");
      equal(await home.isRunning(), false);
      equal(await hasEntry(`${home.path}/pg`, "18.4.0-beta.17.new"), false);
    });
  }
});

async function waitForQuery(
  client: ClientProcess,
  pattern: string,
): Promise<void> {
  const isActive = async () =>
    (await client.ask<unknown[]>(
      "sql",
      `select 1 from pg_stat_activity
       where query like '${pattern}' and pid <> pg_backend_pid()`,
    )).length > 0;
  ok(await waitUntil(isActive, 10_000));
}

async function hasEntry(folder: string, start: string): Promise<boolean> {
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (name.startsWith(start)) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
