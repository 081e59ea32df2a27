import { equal } from "node:assert/strict";
import { prepareFolders } from "../folders.ts";
import { logPath, logTail, rotateLog } from "./log_file.ts";
import { TestHome } from "../testdata/test_home.ts";

Deno.test("rotateLog() puts a log of more than 10 MiB aside", async () => {
  await using home = await TestHome.create();
  const folders = await prepareFolders(home.path);
  await Deno.writeFile(logPath(folders), new Uint8Array(1024));
  await rotateLog(folders);
  equal((await Deno.stat(logPath(folders))).size, 1024);
  await Deno.truncate(logPath(folders), 10 * 1024 * 1024 + 1);
  await rotateLog(folders);
  equal((await Deno.stat(`${logPath(folders)}.1`)).size, 10 * 1024 * 1024 + 1);
});

Deno.test("logTail() quotes what was written since, without times", async () => {
  await using home = await TestHome.create();
  const folders = await prepareFolders(home.path);
  const old = "2026-01-01 00:00:00.000 UTC [1] LOG:  old\n";
  await Deno.writeTextFile(
    logPath(folders),
    `${old}2026-01-01 00:00:01.000 UTC [2] FATAL:  new\n`,
  );
  equal(await logTail(folders, old.length), "FATAL:  new");
});
