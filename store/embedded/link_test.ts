/**
 * As root: what a lesser user puts into the home in place of what is there.
 *
 * @module
 */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { openCluster } from "./cluster.ts";
import { ClusterError } from "./errors.ts";
import { prepareFolders } from "./folders.ts";
import { locateBinaries } from "./binaries/locate.ts";
import { NAMES, NEW_DATA_PREFIX } from "./names.ts";
import { runAsOwner } from "./process.ts";
import { clusterStatus, stopCluster } from "./status.ts";
import { TestHome } from "./testdata/test_home.ts";
import type { Owner } from "./user.ts";

const isRoot = Deno.build.os !== "windows" && Deno.uid() === 0;
const FOLDERS: readonly string[] = [
  NAMES.pg,
  NAMES.data,
  NAMES.run,
  NAMES.log,
];
/** What `postmaster.pid` says after a crash. */
const STALE_PID = "2147483646\n";
const NOBODY = { uid: 65534, gid: 65534 };

/** Things of root that a link may lead to, and how they looked. */
class Victims implements AsyncDisposable {
  readonly base: string;
  readonly file: string;
  readonly folder: string;
  /** A name that is not taken. */
  readonly absent: string;
  #before: unknown;

  private constructor(base: string) {
    this.base = base;
    this.file = `${base}/victim`;
    this.folder = `${base}/folder`;
    this.absent = `${base}/absent`;
  }

  static async create(): Promise<Victims> {
    const victims = new Victims(await Deno.makeTempDir({ prefix: "rc-" }));
    // Within reach: nothing but their own modes protects them.
    await Deno.chmod(victims.base, 0o755);
    await Deno.writeTextFile(victims.file, "18\n", { mode: 0o600 });
    await Deno.mkdir(victims.folder, { mode: 0o755 });
    for (const name of ["start.lock", "clients.lock", "postmaster.pid"]) {
      const path = `${victims.folder}/${name}`;
      await Deno.writeTextFile(path, STALE_PID, { mode: 0o600 });
    }
    victims.#before = await victims.#look(victims.base);
    return victims;
  }

  async assertUntouched(): Promise<void> {
    deepEqual(await this.#look(this.base), this.#before);
  }

  async #look(path: string): Promise<unknown[]> {
    const { uid, gid, mode, ino, isFile, mtime } = await Deno.lstat(path);
    const content = isFile ? await Deno.readTextFile(path) : "";
    const looks: unknown[] = [[path, uid, gid, mode, ino, content, mtime]];
    if (isFile) return looks;
    for await (const { name } of Deno.readDir(path)) {
      looks.push(...await this.#look(`${path}/${name}`));
    }
    return looks;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.base, { recursive: true });
  }
}

async function as(owner: Owner, script: string, ...args: string[]) {
  const words = ["-c", script, "sh", ...args];
  const { ok: isDone, output } = await runAsOwner(owner, "/bin/sh", words);
  ok(isDone, output);
}

/** All that a verb may do; a refusal is for the operator. */
async function useAll(home: string): Promise<void> {
  const steps = [
    () => clusterStatus(home),
    async () => {
      await using _cluster = await openCluster({ home });
    },
    () => stopCluster(home),
  ];
  for (const step of steps) {
    await step().catch((error: unknown) => {
      ok(error instanceof ClusterError, String(error));
    });
  }
}

Deno.test({
  name: "as root nothing happens to what a link in the cluster leads to",
  ignore: !isRoot,
  fn: async (t) => {
    await using home = await TestHome.create();
    await (await openCluster({ home: home.path })).release();
    const { owner, files } = await home.folders();
    ok(owner !== undefined);
    // A home of theirs: then even its own names are.
    equal((await Deno.stat(home.path)).uid, 0);
    await Deno.chown(home.path, owner.uid, owner.gid);
    const { version } = await locateBinaries();
    const names = [
      ...Object.values(NAMES),
      `${NEW_DATA_PREFIX}00000000`,
      `${NAMES.pg}/${version}`,
      `${NAMES.pg}/${version}.new-00000000`,
      "cluster",
    ];
    for (const name of names) {
      const path = `${home.path}/${name}`;
      const targets = FOLDERS.includes(name)
        ? ["folder"] as const
        : ["file", "folder", "absent"] as const;
      for (const target of targets) {
        await t.step(`${name} to ${target}`, async () => {
          await using victims = await Victims.create();
          // A crash comes first: the next start then does most.
          if (name !== NAMES.pidFile) {
            const script = 'rm -rf "$1"; printf %s "$2" > "$1"';
            await as(owner, script, files.pidFile, STALE_PID);
          }
          const plant = '[ ! -e "$1" ] || mv "$1" "$1.aside"; ln -s "$2" "$1"';
          await as(owner, plant, path, victims[target]);
          try {
            await useAll(home.path);
            await victims.assertUntouched();
          } finally {
            const restore =
              '[ ! -e "$1.aside" ] || { rm -rf "$1"; mv "$1.aside" "$1"; }';
            await as(owner, `[ ! -L "$1" ] || rm "$1"; ${restore}`, path);
          }
        });
      }
    }
    // Not root's: the owner uses them, too.
    for (const path of [files.startLock, files.clientsLock]) {
      equal((await Deno.stat(path)).uid, owner.uid);
    }
    // After all that it still is a cluster.
    await (await openCluster({ home: home.path })).release();
    equal((await clusterStatus(home.path)).state, "stopped");
  },
});

Deno.test({
  name:
    "as root a home below another user's folder is made with that user's rights",
  ignore: !isRoot,
  fn: async () => {
    await using home = await TestHome.create();
    await using victims = await Victims.create();
    await Deno.chmod(home.path, 0o755);
    const theirs = `${home.path}/theirs`;
    await Deno.mkdir(theirs);
    await Deno.chown(theirs, NOBODY.uid, NOBODY.gid);
    await as(NOBODY, 'ln -s "$2" "$1/link"', theirs, victims.folder);
    await rejects(prepareFolders(`${theirs}/link/home`), {
      code: "unwritable_home",
    });
    await victims.assertUntouched();
    const { owner } = await prepareFolders(`${theirs}/home`);
    equal(owner?.uid, NOBODY.uid);
    equal((await Deno.stat(`${theirs}/home/run`)).uid, NOBODY.uid);
  },
});

Deno.test({
  name: "as root a home that another user can replace is not given away",
  ignore: !isRoot,
  fn: async (t) => {
    await using home = await TestHome.create();
    await using victims = await Victims.create();
    await Deno.chmod(home.path, 0o755);
    const theirs = `${home.path}/theirs`;
    const shared = `${home.path}/shared`;
    await Deno.mkdir(`${theirs}/home`, { recursive: true, mode: 0o700 });
    await Deno.chown(theirs, NOBODY.uid, NOBODY.gid);
    await Deno.mkdir(`${shared}/home`, { recursive: true, mode: 0o700 });
    await Deno.chmod(shared, 0o777);
    await Deno.chmod(`${victims.base}/folder`, 0o700);
    await as(NOBODY, 'ln -s "$2" "$1/link"', shared, `${shared}/home`);
    await Deno.chmod(shared, 0o1777);
    for (
      const path of [`${theirs}/home`, `${shared}/link`]
    ) {
      await t.step(path.replace(home.path, ""), async () => {
        await rejects(prepareFolders(path), { code: "unusable_home" });
        equal((await Deno.stat(path)).uid, 0);
      });
    }
  },
});

Deno.test({
  name: "as root another user's link in place of the cluster's is refused",
  ignore: !isRoot,
  fn: async () => {
    await using home = await TestHome.create();
    await using other = await TestHome.create("home");
    const { base } = await prepareFolders(other.path);
    const { owner } = await prepareFolders(home.path);
    ok(owner !== undefined);
    await Deno.chown(home.path, owner.uid, owner.gid);
    await as(owner, 'ln -s "$2" "$1/cluster"', home.path, base);
    await rejects(prepareFolders(home.path), {
      code: "unusable_home",
      message: /is not root's/,
    });
  },
});

/** Files that change others by name, with the right to, and what they use. */
const CHANGERS: Readonly<Record<string, readonly string[]>> = {
  // The home itself, and folders where only root makes names.
  "folders.ts": ["chmod", "chown", "mkdir", "remove", "symlink"],
  // A folder among the temporary files that is this process's own.
  "endpoint.ts": ["mkdir", "remove", "symlink"],
  // A new folder, given where only root makes names; a sync of the base.
  "initdb.ts": ["chown", "open", "remove", "writeTextFile"],
  // Where no other user owns the cluster.
  "binaries/unpack.ts": ["copyFile", "mkdir"],
  "owner_files.ts": [
    "chmod",
    "link",
    "mkdir",
    "open",
    "remove",
    "rename",
    "symlink",
    "utime",
    "writeTextFile",
  ],
};

Deno.test("only owner_files.ts changes what lies in a cluster's folder", async () => {
  const found: Record<string, readonly string[]> = {};
  const folder = new URL(".", import.meta.url);
  const names: string[] = [];
  for (const room of ["", "binaries/"]) {
    for await (const { name, isFile } of Deno.readDir(new URL(room, folder))) {
      if (isFile && !name.endsWith("_test.ts")) names.push(room + name);
    }
  }
  for (const name of names) {
    const text = await Deno.readTextFile(new URL(name, folder));
    const calls = text.matchAll(
      /Deno\.(open|create|write\w+|chmod|chown|mkdir|remove|rename|symlink|link|copyFile|truncate|utime)\(/g,
    );
    const used = new Set([...calls].flatMap(([, call]) => call ?? []));
    if (used.size > 0) found[name] = [...used].sort();
  }
  deepEqual(found, CHANGERS);
});
