import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { homeFolder } from "./home_files.ts";
import { runAsOwner } from "./process.ts";

const isRoot = Deno.build.os !== "windows" && Deno.uid() === 0;
const NOBODY = { uid: 65534, gid: 65534 };
const TEXT = "kept\n";

/** A folder of another user's, and a file of root's beside it. */
async function withTheirs(
  work: (theirs: string, victim: string) => Promise<void>,
): Promise<void> {
  const base = await Deno.makeTempDir({ prefix: "rc-home-files-" });
  try {
    await Deno.chmod(base, 0o755);
    const [theirs, victim] = [`${base}/theirs`, `${base}/victim`];
    await Deno.mkdir(theirs);
    await Deno.chown(theirs, NOBODY.uid, NOBODY.gid);
    await Deno.writeTextFile(victim, "secret\n", { mode: 0o600 });
    const before = await Deno.stat(victim);
    await work(theirs, victim);
    const after = await Deno.stat(victim);
    deepEqual([after.uid, after.mode, after.mtime], [
      before.uid,
      before.mode,
      before.mtime,
    ]);
    equal(await Deno.readTextFile(victim), "secret\n");
    deepEqual(
      (await Array.fromAsync(Deno.readDir(base))).map(({ name }) => name)
        .sort(),
      ["theirs", "victim"],
    );
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

async function asNobody(script: string, ...args: string[]): Promise<void> {
  const { ok: isDone, output } = await runAsOwner(NOBODY, "/bin/sh", [
    "-c",
    script,
    "sh",
    ...args,
  ]);
  ok(isDone, output);
}

Deno.test("a file is written once, replaced as a whole, private, and as old as is said", async () => {
  const base = await Deno.makeTempDir({ prefix: "rc-home-files-" });
  try {
    const folder = homeFolder(`${base}/a/home`);
    equal(await folder.read("x"), undefined);
    await folder.writeOnce("x", TEXT);
    await folder.writeOnce("x", "another");
    equal((await folder.read("x"))?.text, TEXT);
    await folder.replace("x", "new");
    const at = new Date("2026-01-02T03:04:05Z");
    await folder.setWrittenAt("x", at);
    deepEqual(await folder.read("x"), { text: "new", writtenAt: at });
    const names = await Array.fromAsync(Deno.readDir(`${base}/a/home`));
    deepEqual(names.map(({ name }) => name), ["x"]);
    if (Deno.build.os === "windows") return;
    const { mode } = await Deno.stat(`${base}/a/home/x`);
    equal((mode ?? 0) & 0o777, 0o600);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test({
  name: "as root what is kept in another user's folder is that user's",
  ignore: !isRoot,
  fn: () =>
    withTheirs(async (theirs) => {
      const folder = homeFolder(`${theirs}/home/kept`);
      await folder.writeOnce("once", TEXT);
      // More than an argument of a program may hold.
      const long = "x".repeat(300_000);
      await folder.replace("long", long);
      const at = new Date("2026-01-02T03:04:05Z");
      await folder.setWrittenAt("long", at);
      deepEqual(await folder.read("long"), { text: long, writtenAt: at });
      for (const name of ["", "/kept", "/kept/once", "/kept/long"]) {
        const { uid, mode } = await Deno.lstat(`${theirs}/home${name}`);
        equal(uid, NOBODY.uid, name);
        equal((mode ?? 0) & 0o077, 0, name);
      }
    }),
});

Deno.test({
  name: "as root nothing happens to what a link in another's folder leads to",
  ignore: !isRoot,
  fn: () =>
    withTheirs(async (theirs, victim) => {
      const folder = homeFolder(theirs);
      await asNobody('ln -s "$2" "$1/file"', theirs, victim);
      await rejects(folder.read("file"), { code: "unusable_home" });
      await folder.writeOnce("file", TEXT);
      await folder.setWrittenAt("file", new Date(0));
      await rejects(folder.read("file"), { code: "unusable_home" });
      await folder.replace("file", TEXT);
      equal((await folder.read("file"))?.text, TEXT);
      // The folder itself as a link, and a pipe that nobody writes to.
      await asNobody('ln -s "$2" "$1/kept"', theirs, `${theirs}/..`);
      await rejects(homeFolder(`${theirs}/kept`).replace("file", TEXT));
      await asNobody('mkfifo "$1/pipe"', theirs);
      await rejects(folder.read("pipe"), { code: "unusable_home" });
    }),
});

Deno.test({
  name:
    "as root a file of root's is read where it was made, not where it was put",
  ignore: !isRoot,
  fn: () =>
    withTheirs(async (theirs) => {
      // As a home is that was given to another user after root had used it.
      await Deno.writeTextFile(`${theirs}/own`, TEXT, { mode: 0o600 });
      const folder = homeFolder(theirs);
      equal((await folder.read("own"))?.text, TEXT);
      await Deno.link(`${theirs}/own`, `${theirs}/second`);
      await rejects(folder.read("own"), { code: "unusable_home" });
    }),
});

Deno.test({
  name: "as root a folder that anybody may replace is not used",
  ignore: !isRoot,
  fn: async () => {
    const base = await Deno.makeTempDir({ prefix: "rc-home-files-" });
    try {
      await Deno.chmod(base, 0o777);
      await Deno.mkdir(`${base}/home`);
      const folder = homeFolder(`${base}/home`);
      const works = [
        () => folder.read("x"),
        () => folder.writeOnce("x", TEXT),
      ];
      for (const work of works) {
        await rejects(work, (error: Error) => {
          match(error.message, /another user may put something else/);
          return true;
        });
      }
    } finally {
      await Deno.remove(base, { recursive: true });
    }
  },
});
