import { equal, match, notEqual, ok, rejects } from "node:assert/strict";
import { openCluster } from "./cluster.ts";
import { prepareFolders } from "./folders.ts";
import { ClientProcess, TestHome } from "./testdata/test_home.ts";

const isRoot = Deno.build.os !== "windows" && Deno.uid() === 0;

interface Opened {
  readonly directory: string;
  readonly socket: string;
}

Deno.test("openCluster() keeps home, data, socket and log private", async () => {
  await using home = await TestHome.create();
  await Deno.chmod(home.path, 0o755);
  await using client = await ClientProcess.open(home.path);
  await client.ask("sql", "select 1");
  for (const part of ["", "/data", "/run", "/log", "/pg"]) {
    const { mode } = await Deno.stat(`${home.path}${part}`);
    equal((mode ?? 0) & 0o777, 0o700, part);
  }
});

Deno.test("prepareFolders() leaves the mode of a folder that others filled", async () => {
  await using home = await TestHome.create();
  await Deno.writeTextFile(`${home.path}/note`, "");
  await Deno.chmod(home.path, 0o755);
  await prepareFolders(home.path);
  equal(((await Deno.stat(home.path)).mode ?? 0) & 0o777, 0o755);
});

Deno.test("openCluster() works where the path is too long for a socket", async () => {
  await using home = await TestHome.create();
  const path = `${home.path}/${"long-".repeat(30)}`;
  await Deno.chmod(home.path, 0o755);
  await using client = new ClientProcess(path);
  const { socket } = await client.ask<Opened>("open");
  ok(socket.length < 90, socket);
  await client.ask("sql", "select 1");
  // A cleaner of temporary files takes the link away; the next call mends it.
  await Deno.remove(socket);
  await client.ask("sql", "select 1");
  await client.ask("ensure", "1");
  await client.ask("release");
  await rejects(Deno.lstat(socket), Deno.errors.NotFound);
});

Deno.test({
  name: "openCluster() as root works below a folder closed to others",
  ignore: !isRoot,
  fn: async () => {
    await using home = await TestHome.create("home");
    await using first = new ClientProcess(home.path);
    const { directory } = await first.ask<Opened>("open");
    match(directory, /^\/var\/lib\/rootcellar\/clusters\//);
    equal(await Deno.readLink(`${home.path}/cluster`), directory);
    await first.ask("sql", "create table notes as select 1 as id");
    await first.ask("release");

    await using again = new ClientProcess(home.path);
    equal((await again.ask<Opened>("open")).directory, directory);
    equal((await again.ask<unknown[]>("sql", "select * from notes")).length, 1);
    await again.ask("release");
  },
});

Deno.test({
  name: "prepareFolders() as root gives a home made anew a new cluster folder",
  ignore: !isRoot,
  fn: async () => {
    await using home = await TestHome.create("home");
    const before = await prepareFolders(home.path);
    await Deno.remove(home.path, { recursive: true });
    const after = await prepareFolders(home.path);
    notEqual(after.base, before.base);
    await Deno.remove(before.base, { recursive: true });
  },
});

Deno.test({
  name: "prepareFolders() as root refuses a link whose folder is gone",
  ignore: !isRoot,
  fn: async () => {
    await using home = await TestHome.create("home");
    const { base } = await prepareFolders(home.path);
    await Deno.remove(base, { recursive: true });
    await rejects(prepareFolders(home.path), { code: "missing_cluster" });
  },
});

Deno.test("openCluster() says in one line that a home cannot be written", async () => {
  await using home = await TestHome.create();
  await Deno.writeTextFile(`${home.path}/file`, "");
  await rejects(openCluster({ home: `${home.path}/file/home` }), {
    code: "unwritable_home",
    message:
      /^Cannot write to the home "[^\n]+": a file is in the way; set ROOTCELLAR_HOME [^\n]+ DATABASE_URL$/,
  });
});

Deno.test("openCluster() refuses a path that a shell would change", async () => {
  await using home = await TestHome.create();
  await rejects(openCluster({ home: `${home.path}/$x` }), {
    code: "unusable_home",
  });
});

Deno.test("openCluster() refuses data of another major version", async () => {
  await using home = await TestHome.create();
  await Deno.mkdir(`${home.path}/data`);
  await Deno.writeTextFile(`${home.path}/data/PG_VERSION`, "17\n");
  await rejects(openCluster({ home: home.path }), {
    code: "other_major_version",
    message: /PostgreSQL 17 made it.*DATABASE_URL/,
  });
});
