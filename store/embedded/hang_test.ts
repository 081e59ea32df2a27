/**
 * A server that was told to end and does not.
 *
 * @module
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { readPidFile } from "./pid_file.ts";
import { signal } from "./process.ts";
import { livingServer } from "./server.ts";
import { ClientProcess, TestHome } from "./testdata/test_home.ts";
import { waitUntil } from "./wait.ts";

async function tellToEnd(home: TestHome, name: Deno.Signal): Promise<number> {
  const folders = await home.folders();
  const pid = await livingServer(folders);
  ok(pid !== undefined);
  signal(pid, name);
  const isStopping = async () =>
    (await readPidFile(folders))?.isStopping === true;
  ok(await waitUntil(isStopping, 10_000));
  return pid;
}

Deno.test("a start ends a server that waits for a client to leave", async () => {
  await using home = await TestHome.create();
  await using stays = await ClientProcess.open(home.path);
  await stays.ask("sql", "create table notes as select 7 as id");
  await stays.ask("stranger", "select 1");
  await using next = new ClientProcess(home.path);
  const pid = await tellToEnd(home, "SIGTERM");
  const limits = { stoppingMs: 50, immediateMs: 30_000, killMs: 1 };
  equal(await next.ask("revive", JSON.stringify(limits)), "recovered");
  ok(await livingServer(await home.folders()) !== pid);
  await next.ask("open");
  deepEqual(await next.ask("sql", "select id from notes"), [{ id: 7 }]);
});

Deno.test("a start kills a server that waits for a process that hangs", async () => {
  await using home = await TestHome.create();
  await using stays = await ClientProcess.open(home.path);
  await stays.ask("sql", "create table notes as select 7 as id");
  const [row] = await stays.ask<[{ pid: number }]>(
    "stranger",
    "select pg_backend_pid() as pid",
  );
  await using next = new ClientProcess(home.path);
  signal(row.pid, "SIGSTOP");
  const pid = await tellToEnd(home, "SIGINT");
  const limits = { stoppingMs: 50, immediateMs: 1, killMs: 30_000 };
  equal(await next.ask("revive", JSON.stringify(limits)), "recovered");
  ok(await livingServer(await home.folders()) !== pid);
  await next.ask("open");
  deepEqual(await next.ask("sql", "select id from notes"), [{ id: 7 }]);
});
