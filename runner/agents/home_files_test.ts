import { equal } from "node:assert/strict";
import { openFolders } from "../folders.ts";
import { writeHomeFiles } from "./home_files.ts";

const FILES = [{ path: ".agent/settings.json", text: "{}\n" }];
const AGENT = { uid: 64_021, gid: 64_021 };

async function openHome(agentUser?: typeof AGENT) {
  const base = await Deno.makeTempDir({ prefix: "rc-home-files-" });
  const folders = await openFolders(base, agentUser);
  return {
    ...folders,
    [Symbol.asyncDispose]: () => Deno.remove(base, { recursive: true }),
  };
}

Deno.test("an agent finds its files in the home, and what a person changed stays", async () => {
  await using folders = await openHome();
  equal((await writeHomeFiles(FILES, folders)).length, 0);
  const path = `${folders.home}/.agent/settings.json`;
  equal(await Deno.readTextFile(path), "{}\n");
  await Deno.writeTextFile(path, "mine");
  equal((await writeHomeFiles(FILES, folders)).length, 0);
  equal(await Deno.readTextFile(path), "mine");
});

Deno.test({
  name:
    "as root, the agents' user owns its files, and its links lead nowhere that it may not go",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  async fn() {
    await using folders = await openHome(AGENT);
    await writeHomeFiles(FILES, folders);
    for (const path of [".agent", ".agent/settings.json"]) {
      equal((await Deno.stat(`${folders.home}/${path}`)).uid, AGENT.uid);
    }
    await Deno.remove(`${folders.home}/.agent`, { recursive: true });
    await Deno.symlink(folders.spool, `${folders.home}/.agent`);
    const [failed] = await writeHomeFiles(FILES, folders);
    equal(failed, `${folders.home}/.agent/settings.json`);
    equal((await Array.fromAsync(Deno.readDir(folders.spool))).length, 0);
  },
});
