import { equal, match, ok } from "node:assert/strict";
import {
  judgeSpace,
  LEAST_FREE_BYTES,
  LOW_FREE_BYTES,
  readSpace,
} from "./disk.ts";

Deno.test("room is enough, low or gone, and what is not enough says how much is left", () => {
  const cases: readonly [number, string, RegExp | undefined][] = [
    [LOW_FREE_BYTES, "ok", undefined],
    [LOW_FREE_BYTES - 1, "low", /has 1023 MiB left: make room/],
    [LEAST_FREE_BYTES, "low", /has 64 MiB left/],
    [LEAST_FREE_BYTES - 1, "full", /full, .*\(63 MiB left\): make room/],
    [0, "full", /\(0 MiB left\)/],
  ];
  for (const [freeBytes, state, complaint] of cases) {
    const space = judgeSpace(freeBytes);
    equal(space.state, state);
    if (complaint === undefined) equal(space.complaint, undefined);
    else match(space.complaint ?? "", complaint);
  }
});

Deno.test("the disk of a home is that of its cluster, also where that lies elsewhere", async () => {
  const home = await Deno.makeTempDir({ prefix: "rc-disk-" });
  try {
    ok((await readSpace(home))?.freeBytes);
    if (Deno.build.os === "linux") {
      // A file system without any room.
      await Deno.symlink("/proc", `${home}/cluster`);
      equal((await readSpace(home))?.freeBytes, 0);
    }
  } finally {
    await Deno.remove(home, { recursive: true });
  }
  equal(await readSpace(`${home}/gone`), undefined);
});
