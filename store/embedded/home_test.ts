import { equal, match, notEqual, ok, rejects } from "node:assert/strict";
import { dirname } from "node:path";
import { openCluster } from "./cluster.ts";
import { prepareTarget } from "./endpoint.ts";
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
    // As root PostgreSQL's user passes through, and sees no names.
    const wanted = isRoot && part === "" ? 0o711 : 0o700;
    equal((mode ?? 0) & 0o777, wanted, part);
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

Deno.test("openCluster() leads to a long path through a folder that nobody can guess", async () => {
  await using home = await TestHome.create();
  const path = `${home.path}/${"long-".repeat(30)}`;
  await Deno.chmod(home.path, 0o755);
  const links = new Set<string>();
  for (let round = 0; round < 2; round++) {
    await using client = new ClientProcess(path);
    const { socket } = await client.ask<Opened>("open");
    const { mode, uid, isDirectory } = await Deno.lstat(dirname(socket));
    ok(isDirectory);
    equal(uid, Deno.uid());
    equal((mode ?? 0) & 0o777, 0o700);
    links.add(socket);
    await client.ask("release");
    await rejects(Deno.lstat(dirname(socket)), Deno.errors.NotFound);
    const { linkToken } = (await prepareFolders(path)).files;
    equal(((await Deno.stat(linkToken)).mode ?? 0) & 0o777, 0o600);
    await Deno.remove(linkToken);
  }
  equal(links.size, 2);
});

Deno.test("prepareTarget() leaves a folder of others in the way alone", async (t) => {
  await using home = await TestHome.create();
  await Deno.chmod(home.path, 0o755);
  const folders = await prepareFolders(`${home.path}/${"long-".repeat(30)}`);
  const target = await prepareTarget(folders);
  ok(target.kind === "socket");
  const folder = dirname(target.directory);
  await using _removed = {
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
  await t.step("one in which others write", async () => {
    await Deno.chmod(folder, 0o777);
    await rejects(prepareTarget(folders), { code: "unusable_home" });
    await Deno.chmod(folder, 0o700);
  });
  await t.step({
    name: "as root another user's",
    ignore: !isRoot,
    fn: async () => {
      await Deno.chown(folder, 65534, 65534);
      await rejects(prepareTarget(folders), { code: "unusable_home" });
    },
  });
});

Deno.test("openCluster() removes what a killed first start left beside the data", async () => {
  await using home = await TestHome.create();
  await using client = await ClientProcess.open(home.path);
  await client.ask("release");
  const { base, owner } = await home.folders();
  const left = `${base}/data.new-0123abcd`;
  await Deno.mkdir(left);
  await Deno.writeTextFile(`${left}/PG_VERSION`, "18\n");
  if (owner !== undefined) {
    await Deno.chown(left, owner.uid, owner.gid);
    await Deno.chown(`${left}/PG_VERSION`, owner.uid, owner.gid);
  }
  await using next = await ClientProcess.open(home.path);
  await next.ask("release");
  await rejects(Deno.stat(left), Deno.errors.NotFound);
});

Deno.test({
  name: "openCluster() as root says what to do about a user without a name",
  ignore: !isRoot,
  fn: async () => {
    await using home = await TestHome.create();
    const nameless = 54_321;
    // Its data tells whom PostgreSQL is to run as.
    await Deno.mkdir(`${home.path}/data`, { mode: 0o700 });
    for (const path of [`${home.path}/data`, home.path]) {
      await Deno.chown(path, nameless, 0);
    }
    await rejects(openCluster({ home: home.path }), {
      code: "initdb_failed",
      message:
        /user ID 54321: user does not exist: PostgreSQL needs a user that \/etc\/passwd names; run as one .*DATABASE_URL$/,
    });
  },
});
