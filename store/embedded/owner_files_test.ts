/**
 * Many processes that make the same thing at once, as oneself and as an owner.
 *
 * @module
 */
import { deepEqual, equal } from "node:assert/strict";
import {
  type Actor,
  MAKE_FOLDER,
  MAKE_LINKS,
  makeFolder,
  makeFolders,
  makeLinks,
  openOrMakeFile,
  writeOnce,
} from "./owner_files.ts";

const isRoot = Deno.build.os !== "windows" && Deno.uid() === 0;
const NOBODY = { uid: 65534, gid: 65534 };
const AT_ONCE = 24;
const ACTORS: readonly { name: string; actor: Actor; ignore: boolean }[] = [
  { name: "as oneself", actor: undefined, ignore: false },
  { name: "as an owner", actor: NOBODY, ignore: !isRoot },
];

for (const { name, actor, ignore } of ACTORS) {
  Deno.test({
    name: `what many make at once is there once, ${name}`,
    ignore,
    fn: async (t) => {
      const base = await Deno.makeTempDir({ prefix: "rc-" });
      if (actor !== undefined) await Deno.chown(base, actor.uid, actor.gid);
      await t.step("a folder", async () => {
        await allAtOnce(() => makeFolder(`${base}/folder`, actor));
        equal((await Deno.stat(`${base}/folder`)).isDirectory, true);
      });
      await t.step("a folder in folders", async () => {
        await allAtOnce(() => makeFolders(`${base}/a/b/c`, actor));
        equal((await Deno.stat(`${base}/a/b/c`)).isDirectory, true);
      });
      await t.step("links", async () => {
        const links = ["one", "two"].map((at) => ({
          at: `${base}/${at}`,
          to: "folder",
        }));
        await allAtOnce(() => makeLinks(links, actor));
        equal(await Deno.readLink(`${base}/two`), "folder");
      });
      await t.step("a file of one author", async () => {
        await allAtOnce((author) =>
          writeOnce(`${base}/once`, `${author}`, actor)
        );
        equal(Number(await Deno.readTextFile(`${base}/once`)) < AT_ONCE, true);
      });
      await t.step("a file to open", async () => {
        const files = await allAtOnce(() =>
          openOrMakeFile(`${base}/open`, actor)
        );
        for (const file of files) file.close();
      });
      const left = (await Array.fromAsync(Deno.readDir(base))).map((entry) =>
        entry.name
      ).sort();
      deepEqual(left, ["a", "folder", "once", "one", "open", "two"]);
      await Deno.remove(base, { recursive: true });
    },
  });
}

Deno.test({
  name: "whoever comes second between a look and a deed has what is there",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const base = await Deno.makeTempDir({ prefix: "rc-" });
    // The other process does it first; the deed then fails, as it would.
    const first = `mkdir() { command mkdir "$@"; command mkdir "$@"; }
      ln() { command ln "$@"; command ln "$@"; }`;
    for (
      const [script, words] of [
        [MAKE_FOLDER, [`${base}/folder`]],
        [MAKE_LINKS, ["nowhere", `${base}/one`, "nowhere", `${base}/two`]],
      ] as const
    ) {
      const { success } = await new Deno.Command("/bin/sh", {
        args: ["-c", `${first}\n${script}`, "sh", ...words],
        stderr: "null",
      }).output();
      equal(success, true, script);
    }
    equal((await Deno.stat(`${base}/folder`)).isDirectory, true);
    equal(await Deno.readLink(`${base}/two`), "nowhere");
    await Deno.remove(base, { recursive: true });
  },
});

/** Does the same many times at once; every one must succeed. */
function allAtOnce<T>(deed: (number: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, at) => deed(at)));
}
