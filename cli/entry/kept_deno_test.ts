import { deepEqual, equal, rejects } from "node:assert/strict";
import { keepDeno } from "./kept_deno.ts";

async function withHome(work: (home: string) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "rc-keep-" });
  try {
    await work(home);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

Deno.test("the copy stays when the cache that it came from is cleared", async () => {
  await withHome(async (home) => {
    for (const cache of ["node_modules/deno", "programs"]) {
      const folder = `${home}/${cache}`;
      await Deno.mkdir(folder, { recursive: true });
      await Deno.writeTextFile(`${folder}/deno`, cache, { mode: 0o755 });
      const kept = await keepDeno(home, `${folder}/deno`);
      equal(kept, `${home}/bin/deno-${Deno.version.deno}`);
      await Deno.remove(folder, { recursive: true });
      equal(await Deno.readTextFile(kept), cache);
      equal(((await Deno.stat(kept)).mode ?? 0) & 0o777, 0o755);
      // What was kept keeps itself.
      equal(await keepDeno(home, kept), kept);
    }
  });
});

Deno.test("many may keep it at once, and nothing else is left", async () => {
  await withHome(async (home) => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => keepDeno(home)),
    );
    equal(new Set(all).size, 1);
    const entries = await Array.fromAsync(Deno.readDir(`${home}/bin`));
    deepEqual(entries.map(({ name }) => name), [`deno-${Deno.version.deno}`]);
  });
});

Deno.test("a copy that a power cut left short is made again", async () => {
  await withHome(async (home) => {
    const kept = await keepDeno(home);
    const { size } = await Deno.stat(kept);
    await Deno.remove(kept);
    await Deno.writeTextFile(kept, "half");
    equal(await keepDeno(home), kept);
    equal((await Deno.stat(kept)).size, size);
  });
});

Deno.test("a home that cannot be written is told, with what to do", async () => {
  await withHome(async (home) => {
    await Deno.writeTextFile(`${home}/file`, "");
    await rejects(
      keepDeno(`${home}/file`),
      /Cannot keep Deno for the client in .*Choose another ROOTCELLAR_HOME/,
    );
  });
});
