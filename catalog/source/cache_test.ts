import { deepEqual, equal, match } from "node:assert/strict";

import { homeFolder } from "../../store/embedded/home_files.ts";
import { openTestFolder } from "../test_catalog.ts";
import { CatalogCache } from "./cache.ts";

const COPIES = new Map([
  ["https://user:secret@example.org/roots.json", {
    text: '{"a":{}}',
    readAt: 1_000,
    validators: { etag: '"1"' },
  }],
]);

async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

Deno.test({
  name: "write() keeps copies for their owner only, whatever the umask",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await openTestFolder();
    const directory = `${folder.path}/kept`;
    const cache = new CatalogCache(homeFolder(directory), "source");
    equal(await cache.write(COPIES, 2_000), undefined);
    equal(await modeOf(directory), 0o700);
    const names = [...Deno.readDirSync(directory)].map(({ name }) => name);
    equal(names.length, 1);
    match(names[0] ?? "", /^catalog-[0-9a-f]{32}\.json$/);
    equal(await modeOf(`${directory}/${names[0]}`), 0o600);
    const text = await Deno.readTextFile(`${directory}/${names[0]}`);
    equal(text.includes("secret"), false);
  },
});

Deno.test("read() has what was written, as old as its confirmation", async () => {
  await using folder = await openTestFolder();
  const cache = new CatalogCache(homeFolder(folder.path), "source");
  await cache.write(COPIES, 2_000);
  const read = async () => {
    const reading = await new CatalogCache(homeFolder(folder.path), "source")
      .read();
    return reading.ok ? [...reading.copies.values()] : reading.reason;
  };
  const [copy] = [...COPIES.values()];
  deepEqual(await read(), [{ ...copy, readAt: 2_000 }]);
  await cache.confirm(3_000);
  deepEqual(await read(), [{ ...copy, readAt: 3_000 }]);
  await cache.confirm(500);
  deepEqual(await read(), [{ ...copy, readAt: 1_000 }]);
  const other = await new CatalogCache(homeFolder(folder.path), "other").read();
  deepEqual(other, { ok: true, copies: new Map() });
});

Deno.test("read() takes no copy of another form", async () => {
  await using folder = await openTestFolder();
  const cache = new CatalogCache(homeFolder(folder.path), "source");
  await cache.write(COPIES, 2_000);
  const [file] = await Array.fromAsync(Deno.readDir(folder.path));
  const path = `${folder.path}/${file?.name}`;
  for (const text of ["{}", '{"format":2,"copies":{}}', '{"format":1}', "["]) {
    await Deno.writeTextFile(path, text);
    equal((await cache.read()).ok, false, text);
  }
  const odd = { format: 1, copies: { a: 1, b: { text: 5 }, c: { text: "" } } };
  await Deno.writeTextFile(path, JSON.stringify(odd));
  deepEqual(await cache.read(), { ok: true, copies: new Map() });
});
