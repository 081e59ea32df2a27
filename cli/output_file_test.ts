import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { openOutputFile } from "./output_file.ts";
import { ConfigError } from "./settings/config.ts";

/** Works in a folder of its own; `left` reads what is in it. */
async function withFolder(
  work: (
    folder: string,
    left: () => Promise<Record<string, string>>,
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const left = async () => {
    const found: Record<string, string> = {};
    for await (const { name } of Deno.readDir(folder)) {
      found[name] = await Deno.readTextFile(`${folder}/${name}`);
    }
    return found;
  };
  try {
    await work(folder, left);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("a file appears whole, under its name, for its owner only", async () => {
  await withFolder(async (folder, left) => {
    {
      await using file = await openOutputFile(`${folder}/out`, "the file");
      await file.write(bytes("a"));
      equal(Object.hasOwn(await left(), "out"), false);
      await file.write(bytes("b"));
      await file.finish();
    }
    deepEqual(await left(), { out: "ab" });
    if (Deno.build.os === "windows") return;
    const { mode } = await Deno.stat(`${folder}/out`);
    equal((mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("what fails before its end leaves nothing, and the old file as it was", async () => {
  await withFolder(async (folder, left) => {
    for (const old of [undefined, "old"]) {
      if (old !== undefined) await Deno.writeTextFile(`${folder}/out`, old);
      const before = await left();
      const failing = async () => {
        await using file = await openOutputFile(`${folder}/out`, "the file");
        await file.write(bytes("half"));
        throw new Error("The source failed");
      };
      await rejects(failing, /The source failed/);
      deepEqual(await left(), before);
    }
  });
});

Deno.test("nothing but a regular file is replaced", async () => {
  await withFolder(async (folder, left) => {
    await Deno.writeTextFile(`${folder}/kept`, "kept");
    await Deno.symlink(`${folder}/kept`, `${folder}/link`);
    for (const path of [folder, `${folder}/link`, "/dev/null"]) {
      await rejects(openOutputFile(path, "the file"), (error: unknown) => {
        match(String(error), /not a regular file/);
        return error instanceof ConfigError;
      });
    }
    deepEqual(await left(), { kept: "kept", link: "kept" });
  });
});
