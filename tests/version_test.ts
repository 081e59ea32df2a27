import { equal, match } from "node:assert/strict";
import { VERSION } from "../mcp/version.ts";
import { mainFolder } from "./support/process.ts";

Deno.test("what a registry is told is what the program says of itself", async () => {
  const { version, license, exports } = JSON.parse(
    await Deno.readTextFile(mainFolder("deno.json")),
  );
  equal(version, VERSION);
  match(await Deno.readTextFile(mainFolder("LICENSE")), new RegExp(license));
  equal((await Deno.stat(mainFolder(exports))).isFile, true);
});
