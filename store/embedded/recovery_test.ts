import {
  deepEqual,
  equal,
  match,
  notEqual,
  ok,
  rejects,
} from "node:assert/strict";
import { isAlive, serverPids } from "./process.ts";
import type { ClusterStatus, StopReport } from "./status.ts";
import { ClientProcess, TestHome } from "./testdata/test_home.ts";
import { waitUntil } from "./wait.ts";

Deno.test("a killed server is started by the next statement, with every acknowledged row", async () => {
  await using home = await TestHome.create();
  await using writer = await ClientProcess.open(home.path);
  await using reader = await ClientProcess.open(home.path);
  await writer.ask("sql", "create table notes (id int primary key)");
  const acknowledged: number[] = [];
  const writing = (async () => {
    for (let id = 1; id <= 300; id++) {
      await writer.ask("sql", `insert into notes values (${id})`)
        .then(() => acknowledged.push(id), () => {});
    }
  })();
  ok(await waitUntil(() => acknowledged.length > 20, 10_000, 1));
  await home.killServer();
  await writing;

  const rows = await reader.ask<{ id: number }[]>(
    "sql",
    "select id from notes",
  );
  const found = new Set(rows.map(({ id }) => id));
  deepEqual(acknowledged.filter((id) => !found.has(id)), []);
  ok(acknowledged.includes(300), "Writing did not go on");
});

Deno.test("ensureRunning() by many callers after a crash makes one attempt", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await home.killServer();
  await client.ask("ensure", "20");
  const events = await client.ask<string[]>("events");
  deepEqual(events.slice(4), ["starting", "recovered"]);
});

Deno.test("five processes after a crash start one server", async () => {
  await using home = await TestHome.create();
  await using stack = new AsyncDisposableStack();
  const clients = Array.from(
    { length: 5 },
    () => stack.use(new ClientProcess(home.path)),
  );
  await Promise.all(clients.map((client) => client.ask("open")));
  await home.killServer();
  const rows = await Promise.all(
    clients.map((client) =>
      client.ask<[{ at: string }]>(
        "sql",
        "select pg_postmaster_start_time()::text as at",
      )
    ),
  );
  equal(new Set(rows.map(([{ at }]) => at)).size, 1);
});

Deno.test("ensureRunning() gets past a child of the killed server that computes on", async () => {
  await using home = await TestHome.create();
  await using busy = await ClientProcess.open(home.path);
  await using client = await ClientProcess.open(home.path);
  const long = busy.ask(
    "sql",
    "do $$ begin for i in 1..2000000000 loop end loop; end $$",
  ).catch(() => {});
  const isBusy = async () =>
    (await client.ask<unknown[]>(
      "sql",
      "select 1 from pg_stat_activity where query like 'do $$%'",
    )).length > 0;
  ok(await waitUntil(isBusy, 10_000));
  const pid = await home.killServer();
  await busy.kill();
  await client.ask("ensure", "1");
  await client.ask("sql", "select 1");
  ok(!(await serverPids(await home.folders())).includes(pid));
  await long;
});

Deno.test("ensureRunning() replaces a server whose socket was removed", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await Deno.remove(`${home.path}/run/.s.PGSQL.5432`);
  await client.ask("ensure", "1");
  await client.ask("sql", "select 1");
});

Deno.test("openCluster() gets past a pid file that names an unrelated process", async () => {
  await using home = await TestHome.create();
  {
    await using client = await ClientProcess.open(home.path);
    await client.ask("release");
  }
  const { data, run, owner } = await home.folders();
  const stranger = new Deno.Command("sleep", { args: ["60"], ...owner })
    .spawn();
  try {
    for (
      const path of [`${data}/postmaster.pid`, `${run}/.s.PGSQL.5432.lock`]
    ) {
      await Deno.writeTextFile(path, `${stranger.pid}\n${data}\n1\n5432\n`);
      if (owner !== undefined) await Deno.chown(path, owner.uid, owner.gid);
    }
    await using client = await ClientProcess.open(home.path);
    await client.ask("sql", "select 1");
    ok(isAlive(stranger.pid));
  } finally {
    stranger.kill("SIGKILL");
    await stranger.status;
  }
});

Deno.test("openCluster() gets past an empty pid file", async () => {
  await using home = await TestHome.create();
  {
    await using client = await ClientProcess.open(home.path);
    await client.ask("release");
  }
  await Deno.writeTextFile(`${home.path}/data/postmaster.pid`, "");
  await using client = await ClientProcess.open(home.path);
  await client.ask("sql", "select 1");
});

Deno.test("stopCluster() stops a server in use; the next call starts it again", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await client.ask("sql", "select 1");
  const report = await client.ask<StopReport>("stop");
  equal(report.wasRunning, true);
  equal(await home.isRunning(), false);
  await client.ask("sql", "select 1");
});

Deno.test("clusterStatus() tells absent, running and stopped apart", async () => {
  await using home = await TestHome.create();
  await using client = new ClientProcess(home.path);
  equal((await client.ask<ClusterStatus>("status")).state, "absent");
  await client.ask("open");
  await client.ask("sql", "select 1");
  const status = await client.ask<ClusterStatus>("status");
  equal(status.state, "running");
  equal(status.clients, 1);
  match(status.version ?? "", /^18\.\d+$/);
  ok((await serverPids(await home.folders())).includes(status.pid ?? 0));
  await client.ask("release");
  equal((await client.ask<ClusterStatus>("status")).state, "stopped");
});

Deno.test("ensureRunning() refuses to start empty when the home was removed", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await home.killServer();
  await Deno.remove(`${home.path}/data`, { recursive: true });
  await rejects(client.ask("ensure", "1"), { code: "missing_cluster" });
});

Deno.test("the server is out of reach of the signals of its starter's terminal", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  const [pid] = await serverPids(await home.folders());
  // Session and group, as the process list of the system has them.
  const { stdout } = await new Deno.Command("ps", {
    args: ["-o", "sid=,pgid=", "-p", String(pid)],
  }).output();
  const [sid, pgid] = new TextDecoder().decode(stdout).trim().split(/ +/);
  const mine = await new Deno.Command("ps", {
    args: ["-o", "sid=,pgid=", "-p", String(Deno.pid)],
  }).output();
  const [mySid, myPgid] = new TextDecoder().decode(mine.stdout).trim()
    .split(/ +/);
  notEqual(sid, mySid);
  notEqual(pgid, myPgid);
  await client.ask("release");
});

Deno.test("openCluster() quotes the server's log when it cannot start", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await client.ask("release");
  const { data } = await home.folders();
  await Deno.writeTextFile(
    `${data}/postgresql.conf`,
    "\nno_such_setting = 1\n",
    {
      append: true,
    },
  );
  await rejects(client.ask("open"), {
    code: "start_failed",
    message: /^ClusterError: Cannot start PostgreSQL: .*no_such_setting.*$/,
  });
});
