import { deepEqual, equal, match, notEqual, rejects } from "node:assert/strict";
import { ConfigError } from "../settings/config.ts";
import { apiKeyPath, apiKeysOf } from "./api_key.ts";
import { StartError } from "./start_error.ts";

const HAS_MODES = Deno.build.os !== "windows";

/** Works with a home that does not exist yet. */
async function withHome(work: (home: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(`${folder}/a/home`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function keysOf(home: string, host = "127.0.0.1", apiKeys: string[] = []) {
  return apiKeysOf({ apiKeys, host, home });
}

async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

Deno.test("a key that is made is its owner's alone, and so is the home made for it", async () => {
  await withHome(async (home) => {
    const [key = ""] = await keysOf(home);
    match(key, /^rck_[\w-]{32}$/);
    const names = (await Array.fromAsync(Deno.readDir(home)))
      .map(({ name }) => `${home}/${name}`);
    deepEqual(names, [apiKeyPath(home)]);
    if (!HAS_MODES) return;
    equal(await modeOf(home), 0o700);
    equal(await modeOf(apiKeyPath(home)), 0o600);
  });
});

Deno.test("a key is made once: all who start at once have the same", async () => {
  await withHome(async (home) => {
    const keys = await Promise.all(
      Array.from({ length: 10 }, () => keysOf(home)),
    );
    equal(new Set(keys.flat()).size, 1);
    deepEqual(await keysOf(home), keys[0]);
  });
  await withHome(async (home) => {
    const [first] = await keysOf(home);
    await Deno.remove(apiKeyPath(home));
    notEqual((await keysOf(home))[0], first);
  });
});

Deno.test("no key is made for other machines, nor beside one that is set", async () => {
  await withHome(async (home) => {
    for (const host of ["0.0.0.0", "::", "127.0.0.1.x", "example.com"]) {
      await rejects(keysOf(home, host), ConfigError);
    }
    deepEqual(await keysOf(home, "0.0.0.0", ["a", "b"]), ["a", "b"]);
    await rejects(Deno.stat(home), Deno.errors.NotFound);
  });
});

Deno.test("an empty key is refused, and opens nothing", async () => {
  await withHome(async (home) => {
    await Deno.mkdir(home, { recursive: true });
    await Deno.writeTextFile(apiKeyPath(home), " \n");
    await rejects(keysOf(home), (error: unknown) => {
      match(String(error), /is empty: delete the file/);
      return error instanceof StartError;
    });
  });
});
