import { equal, notEqual, rejects } from "node:assert/strict";
import { keepProgram } from "./kept_program.ts";

async function withHome(work: (home: string) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "rc-keep-" });
  try {
    await work(home);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

/** A package: two files, a map and a folder. */
async function makePackage(home: string, text = "1"): Promise<string> {
  const folder = `${home}/cache/node_modules/rootcellar/app`;
  await Deno.mkdir(`${folder}/deep`, { recursive: true });
  await Deno.writeTextFile(`${folder}/main.js`, text);
  await Deno.writeTextFile(`${folder}/deep/chunk.js`, "2");
  return `${folder}/main.js`;
}

Deno.test("Deno and a package stay when their cache is cleared; a checkout is left where it is", async () => {
  await withHome(async (home) => {
    const deno = `${home}/cache/node_modules/deno/deno`;
    const main = await makePackage(home);
    await Deno.mkdir(`${home}/cache/node_modules/deno`);
    await Deno.writeTextFile(deno, "binary", { mode: 0o755 });
    const kept = await keepProgram(home, { deno, main });
    equal(kept.deno, `${home}/bin/deno-${Deno.version.deno}`);
    const checkout = await keepProgram(home, { deno, main: "/src/main.ts" });
    equal(checkout.main, "/src/main.ts");
    await Deno.remove(`${home}/cache`, { recursive: true });
    equal(await Deno.readTextFile(kept.deno), "binary");
    equal(((await Deno.stat(kept.deno)).mode ?? 0) & 0o777, 0o755);
    equal(await Deno.readTextFile(kept.main), "1");
    const chunk = kept.main.replace("main.js", "deep/chunk.js");
    equal(await Deno.readTextFile(chunk), "2");
    // What was kept keeps itself.
    equal((await keepProgram(home, kept)).main, kept.main);
  });
});

Deno.test("many may keep the same at once, and another build has a place of its own", async () => {
  await withHome(async (home) => {
    const deno = Deno.execPath();
    const main = await makePackage(home);
    const all = await Promise.all(
      Array.from({ length: 8 }, () => keepProgram(home, { deno, main })),
    );
    equal(new Set(all.map((kept) => kept.main)).size, 1);
    const names = await Array.fromAsync(Deno.readDir(`${home}/app`));
    equal(names.length, 1);
    await Deno.remove(main);
    const next = await keepProgram(home, {
      deno,
      main: await makePackage(home, "another"),
    });
    notEqual(next.main, all[0]?.main);
    equal(await Deno.readTextFile(next.main), "another");
  });
});

Deno.test("a home that cannot be written is told, with what to do", async () => {
  await withHome(async (home) => {
    await Deno.writeTextFile(`${home}/file`, "");
    const program = { deno: Deno.execPath(), main: "/src/main.ts" };
    await rejects(
      keepProgram(`${home}/file`, program),
      /Cannot keep what the client starts in .*Choose another ROOTCELLAR_HOME/,
    );
  });
});
