import { deepEqual } from "node:assert/strict";
import { parsePasswd } from "./user.ts";

Deno.test("parsePasswd() reads ids and folders and leaves odd lines out", () => {
  const text = [
    "root:x:0:0:root:/root:/bin/bash",
    "# comment",
    "+::::::",
    "nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin",
    "",
  ].join("\n");
  deepEqual(parsePasswd(text).map(({ name, uid, gid }) => [name, uid, gid]), [
    ["root", 0, 0],
    ["nobody", 65534, 65533],
  ]);
});
