import { deepEqual, equal, match } from "node:assert/strict";

import { decideBy } from "./decide.ts";
import { openCatalog } from "./loader.ts";
import {
  openTestFolder,
  openTestServer,
  TestClock,
  type TestFolder,
} from "./test_catalog.ts";
import type { CatalogLoader } from "./types.ts";

async function names(catalog: CatalogLoader): Promise<string[]> {
  return [...(await catalog.current()).roots.keys()];
}

/** Makes a file look as if it had not changed for a while. */
async function settle(folder: TestFolder, name: string): Promise<void> {
  const past = new Date(Date.now() - 60_000);
  await Deno.utime(`${folder.path}/${name}`, past, past);
}

Deno.test("current() sees an edited file at once, even one of the same size", async () => {
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path });
  deepEqual(await names(catalog), ["a"]);
  for (const name of ["b", "c", "d", "longer"]) {
    await folder.write("roots.json", { [name]: {} });
    deepEqual(await names(catalog), [name]);
  }
});

Deno.test("current() sees an edit that leaves the size and sets the time back", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await settle(folder, "roots.json");
  await using catalog = openCatalog({ cwd: folder.path, now: clock.read });
  await catalog.current();
  await folder.write("roots.json", { b: {} });
  const before = new Date(Date.now() - 90_000);
  await Deno.utime(`${folder.path}/roots.json`, before, before);
  deepEqual(await names(catalog), ["b"]);
});

Deno.test("current() sees a file of the same name moved into its place", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path, now: clock.read });
  await catalog.current();
  const path = await folder.write("new.json", { b: {} });
  const { mtime } = await Deno.stat(`${folder.path}/roots.json`);
  if (mtime !== null) await Deno.utime(path, mtime, mtime);
  await Deno.rename(path, `${folder.path}/roots.json`);
  deepEqual(await names(catalog), ["b"]);
});

Deno.test("current() does not trust the look of a file that was just written", async () => {
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  const path = `${folder.path}/roots.json`;
  const now = new Date();
  await Deno.utime(path, now, now);
  await using catalog = openCatalog({ source: path });
  const first = await catalog.current();
  equal(await catalog.current(), first, "the content is the same");
  for (const name of ["b", "c", "d", "e", "f"]) {
    await folder.write("roots.json", { [name]: {} });
    await Deno.utime(path, now, now);
    deepEqual(await names(catalog), [name]);
  }
});

Deno.test("current() sees an edited index file of roots at once", async () => {
  await using folder = await openTestFolder({
    "air.json": { name: "c", roots: ["./one.json", "./two.json"] },
    "one.json": { a: {} },
    "two.json": { b: {} },
  });
  await using catalog = openCatalog({ cwd: folder.path });
  deepEqual(await names(catalog), ["a", "b"]);
  await folder.write("two.json", { b: {}, c: {} });
  deepEqual(await names(catalog), ["a", "b", "c"]);
  await folder.write("air.json", { name: "c", roots: ["./two.json"] });
  deepEqual(await names(catalog), ["b", "c"]);
});

Deno.test("current() sees at once that a file is broken, gone, and whole again", async () => {
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path });
  await catalog.current();
  await folder.write("roots.json", '{"b": {}');
  const broken = await catalog.current();
  deepEqual([...broken.roots.keys()], ["a"]);
  match(broken.staleReason ?? "", /Not valid JSON/);
  await folder.remove("roots.json");
  match((await catalog.current()).staleReason ?? "", /does not exist/);
  await folder.write("roots.json", { b: {} });
  const whole = await catalog.current();
  deepEqual([...whole.roots.keys(), whole.stale], ["b", false]);
});

Deno.test("current() sees a catalog that appears where the example was", async () => {
  await using folder = await openTestFolder();
  await using catalog = openCatalog({ cwd: folder.path });
  const example = await catalog.current();
  equal(await catalog.current(), example);
  await folder.write("roots.json", { mine: {} });
  deepEqual(await names(catalog), ["mine"]);
});

Deno.test("current() takes an edit over while another reading is under way", async () => {
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path });
  await catalog.current();
  for (let turn = 0; turn < 20; turn++) {
    const earlier = catalog.refresh();
    await folder.write("roots.json", { [`r${turn}`]: {} });
    deepEqual(await names(catalog), [`r${turn}`]);
    await earlier;
  }
});

Deno.test("latest() waits for a remote catalog that is due, current() does not", async () => {
  const clock = new TestClock();
  await using server = openTestServer(() => Response.json({ a: {} }));
  await using catalog = openCatalog({
    source: `${server.base}/roots.json`,
    now: clock.read,
  });
  await catalog.current();
  server.answer(() => Response.json({ b: {} }));
  deepEqual([...(await catalog.latest()).roots.keys()], ["a"], "not due");
  equal(server.hits, 1);
  clock.advance(60);
  deepEqual(await names(catalog), ["a"]);
  deepEqual([...(await catalog.latest()).roots.keys()], ["b"]);
  equal(server.hits, 2);
});

Deno.test("latest() says that a remote catalog does not answer, and waits no longer", async () => {
  const clock = new TestClock();
  const released = Promise.withResolvers<void>();
  await using server = openTestServer(() => Response.json({ a: {} }));
  await using catalog = openCatalog({
    source: `${server.base}/roots.json`,
    now: clock.read,
  });
  await catalog.current();
  server.answer(async () => {
    await released.promise;
    return Response.json({ b: {} });
  });
  clock.advance(60);
  const latest = await catalog.latest();
  deepEqual([...latest.roots.keys()], ["a"]);
  match(latest.staleReason ?? "", /No answer within 2 seconds/);
  equal((await catalog.current()).stale, false, "nothing is known to fail yet");
  released.resolve();
  await catalog.refresh();
  deepEqual(await names(catalog), ["b"]);
});

Deno.test("decideBy() decides again before a refusal, and only where there is news", async () => {
  const clock = new TestClock();
  await using server = openTestServer(() => Response.json({ a: {} }));
  await using catalog = openCatalog({
    source: `${server.base}/roots.json`,
    now: clock.read,
  });
  let asked = 0;
  const find = (name: string) =>
    decideBy(catalog, (snapshot) => {
      asked++;
      const root = snapshot.findRoot(name);
      if (root === undefined) throw new Error("unknown");
      return root.name;
    }).catch((error: unknown) => String(error));
  equal(await find("b"), "Error: unknown");
  equal(asked, 1);
  server.answer(() => Response.json({ a: {}, b: {} }));
  clock.advance(60);
  equal(await find("b"), "b");
  equal(asked, 3);
  clock.advance(60);
  equal(await find("a"), "a");
  equal(asked, 4, "what is allowed waits for nothing");
  await catalog.refresh();
});

Deno.test("status() calls fresh only what was read within the time", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path, now: clock.read });
  await catalog.current();
  clock.advance(75);
  equal(catalog.status().state, "fresh");
  clock.advance(1);
  const { state, staleReason, ageSeconds } = catalog.status();
  deepEqual([state, ageSeconds], ["stale", 76]);
  match(staleReason ?? "", /Nothing has asked for the catalog/);
  equal((await catalog.latest()).stale, false);
  equal(catalog.status().state, "fresh");
});

/**
 * A catalog that was read, of a local file with roots and a remote one; the
 * next reading hangs on that, until it is released.
 */
async function openHanging() {
  const [asked, released] = [0, 1].map(() => Promise.withResolvers<void>());
  let isHeld = false;
  const server = openTestServer(async () => {
    if (isHeld) {
      isHeld = false;
      asked?.resolve();
      await released?.promise;
    }
    return Response.json({ s: {} });
  });
  const folder = await openTestFolder({
    "air.json": {
      name: "c",
      roots: ["./roots.json"],
      mcp: [`${server.base}/mcp.json`],
    },
    "roots.json": { a: {} },
  });
  const catalog = openCatalog({ cwd: folder.path });
  await catalog.current();
  isHeld = true;
  return {
    catalog,
    edit: () => folder.write("roots.json", { edited: {} }),
    /** Resolves when it hangs; what is local was read by then. */
    async hang() {
      await asked?.promise;
      await readOften(`${folder.path}/roots.json`);
    },
    /** Lets it go on; whoever asks for files had time to look at them. */
    async release() {
      await readOften(`${folder.path}/roots.json`);
      released?.resolve();
    },
    async [Symbol.asyncDispose]() {
      await catalog[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Longer than others take that read or look once. */
async function readOften(path: string): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Deno.readTextFile(path);
}

Deno.test("current() does not take a reading that began before the edit for the newest", async () => {
  await using at = await openHanging();
  const earlier = at.catalog.refresh();
  await at.hang();
  await at.edit();
  const later = names(at.catalog);
  await at.release();
  deepEqual(await later, ["edited"]);
  await earlier;
});

Deno.test("current() does not overlook an edit that another call has just begun to read", async () => {
  await using at = await openHanging();
  await at.edit();
  const first = names(at.catalog);
  await at.hang();
  const second = names(at.catalog);
  await at.release();
  deepEqual(await second, ["edited"]);
  deepEqual(await first, ["edited"]);
});

Deno.test("a catalog that names a file which is not there keeps what it had, as old as it is", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder({
    "air.json": { name: "c", roots: ["./roots.json"] },
    "roots.json": { a: {} },
  });
  await using catalog = openCatalog({ cwd: folder.path, now: clock.read });
  const { readAt } = await catalog.current();
  clock.advance(90);
  await folder.write("air.json", { name: "c", roots: ["./gone.json"] });
  const kept = await catalog.current();
  deepEqual([kept.stale, kept.readAt], [true, readAt]);
  deepEqual([...kept.roots.keys()], ["a"]);
});

Deno.test("a catalog is as old as its oldest part", async () => {
  const clock = new TestClock();
  let isDown = false;
  await using server = openTestServer((request) => {
    if (request.url.endsWith("air.json")) {
      return Response.json({ name: "c", roots: ["./r.json"] });
    }
    return isDown
      ? new Response("", { status: 500 })
      : Response.json({ a: {} });
  });
  const source = `${server.base}/air.json`;
  await using catalog = openCatalog({ source, now: clock.read });
  const { readAt } = await catalog.current();
  isDown = true;
  clock.advance(90);
  const stale = await catalog.refresh();
  deepEqual([stale.stale, stale.readAt], [true, readAt]);
});

Deno.test("goals beside the catalog that cannot be read are marked, absent ones are not", async () => {
  await using folder = await openTestFolder({
    "air.json": { name: "c", roots: ["./roots.json"] },
    "roots.json": { a: {} },
  });
  await using catalog = openCatalog({ cwd: folder.path });
  const goals = (await catalog.current()).artifacts("goals");
  equal(goals.incompleteReason, undefined);
  await folder.write("goals.json", "[]");
  const broken = (await catalog.refresh()).artifacts("goals");
  match(broken.incompleteReason ?? "", /goals\.json": Expected a JSON object/);
});
