import {
  deepEqual,
  equal,
  match,
  ok,
  rejects,
  throws,
} from "node:assert/strict";

import { CatalogUnavailableError } from "./errors.ts";
import { openCatalog } from "./loader.ts";
import { openTestFolder, TestClock } from "./test_catalog.ts";
import type { CatalogEvent } from "./events.ts";

Deno.test("openCatalog() serves the example when nothing else is there", async () => {
  await using folder = await openTestFolder();
  await using catalog = openCatalog({ cwd: folder.path });
  const snapshot = await catalog.current();
  equal(snapshot.isExample, true);
  deepEqual([...snapshot.roots.keys()], ["default", "gardener", "librarian"]);
  deepEqual(snapshot.ignored, []);
});

Deno.test("only the example has a root for whoever names none", async () => {
  await using folder = await openTestFolder();
  const events: CatalogEvent[] = [];
  const report = (event: CatalogEvent) => events.push(event);
  await using catalog = openCatalog({ cwd: folder.path, report });
  equal(await catalog.isBuiltIn(), true);
  equal((await catalog.current()).defaultRoot?.name, "default");
  equal(catalog.status().defaultRoot, "default");
  await folder.write("roots.json", { default: {}, mine: {} });
  equal((await catalog.current()).defaultRoot, undefined);
  equal(catalog.status().defaultRoot, undefined);
  equal(await catalog.isBuiltIn(), false);
  deepEqual(
    events.map((event) => event.kind === "loaded" && event.defaultRoot),
    ["default", undefined],
  );
});

Deno.test('the source "built-in" is the example, whatever lies in the folder', async () => {
  await using folder = await openTestFolder({ "roots.json": { mine: {} } });
  await using catalog = openCatalog({ cwd: folder.path, source: "built-in" });
  equal(await catalog.isBuiltIn(), true);
  equal((await catalog.current()).defaultRoot?.name, "default");
});

Deno.test("openCatalog() prefers air.json to roots.json", async () => {
  await using folder = await openTestFolder({
    "air.json": { name: "c", roots: ["./other.json"] },
    "other.json": { a: {} },
    "roots.json": { b: {} },
  });
  await using catalog = openCatalog({ cwd: folder.path });
  deepEqual([...(await catalog.current()).roots.keys()], ["a"]);
});

Deno.test("openCatalog() takes roots.json when there is no air.json", async () => {
  await using folder = await openTestFolder({ "roots.json": { b: {} } });
  await using catalog = openCatalog({ cwd: folder.path });
  const snapshot = await catalog.current();
  deepEqual([...snapshot.roots.keys()], ["b"]);
  equal(snapshot.isExample, false);
});

Deno.test("openCatalog() never puts the example in place of a broken file", async () => {
  await using folder = await openTestFolder({ "air.json": "{" });
  await using catalog = openCatalog({ cwd: folder.path });
  await rejects(catalog.current(), CatalogUnavailableError);
});

Deno.test("openCatalog() finds a file that appears after the example was served", async () => {
  await using folder = await openTestFolder();
  await using catalog = openCatalog({ cwd: folder.path });
  await catalog.current();
  await folder.write("roots.json", { mine: {} });
  const snapshot = await catalog.refresh();
  deepEqual([...snapshot.roots.keys()], ["mine"]);
  equal(snapshot.isExample, false);
});

Deno.test("current() says path and reason when the file cannot be read [case 6]", async () => {
  await using folder = await openTestFolder();
  const source = `${folder.path}/none.json`;
  await using catalog = openCatalog({ source });
  await rejects(catalog.current(), (error) => {
    ok(error instanceof CatalogUnavailableError);
    equal(
      error.message,
      `Cannot read the catalog "${source}": The file does not exist`,
    );
    return true;
  });
  equal(catalog.status().state, "empty");
});

Deno.test("current() says why a source of another kind is not read", async () => {
  await using catalog = openCatalog({ source: "github://me/repo" });
  await rejects(catalog.current(), /"github:" is not read; use a path/);
});

Deno.test("current() recovers once the file is there", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder();
  const source = `${folder.path}/roots.json`;
  await using catalog = openCatalog({ source, now: clock.read });
  await rejects(catalog.current());
  await folder.write("roots.json", { a: {} });
  await rejects(catalog.current(), "the same answer for a moment");
  clock.advance(2);
  equal((await catalog.current()).roots.size, 1);
});

Deno.test("current() answers with the same snapshot until the refresh time", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path, now: clock.read });
  const first = await catalog.current();
  clock.advance(59);
  equal(await catalog.current(), first);
});

Deno.test("current() renews in the background", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path, now: clock.read });
  const first = await catalog.current();
  clock.advance(60);
  equal(await catalog.current(), first, "no call waits for the renewal");
  await catalog.refresh();
  ok(await catalog.current() !== first);
});

Deno.test("current() goes on renewing after the clock was set back", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path, now: clock.read });
  await catalog.current();
  clock.advance(-86_400);
  await catalog.current();
  equal(catalog.status().lastAttemptAt?.getTime(), clock.read());
  await catalog.refresh();
});

Deno.test("refresh() parses again only when the content changed", async () => {
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path });
  const before = (await catalog.current()).roots;
  equal((await catalog.refresh()).roots, before);
  await folder.write("roots.json", { a: {}, b: {} });
  ok((await catalog.refresh()).roots !== before);
});

Deno.test("refresh() keeps the last good file, stale, when it breaks", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path, now: clock.read });
  const { readAt } = await catalog.current();
  for (const broken of ["", "{", "<html>", "[]", '{"error": "down"}', "null"]) {
    clock.advance(10);
    await folder.write("roots.json", broken);
    const snapshot = await catalog.refresh();
    deepEqual([...snapshot.roots.keys()], ["a"], broken);
    equal(snapshot.stale, true);
    deepEqual(snapshot.readAt, readAt);
    ok(snapshot.staleReason);
  }
  await folder.remove("roots.json");
  equal((await catalog.refresh()).staleReason, "The file does not exist");
  const status = catalog.status();
  equal(status.state, "stale");
  equal(status.ageSeconds, 60);
  equal(status.lastError?.reason, "The file does not exist");
});

Deno.test("refresh() takes an emptied catalog as empty", async () => {
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path });
  await catalog.current();
  await folder.write("roots.json", { $schema: "s" });
  const snapshot = await catalog.refresh();
  equal(snapshot.roots.size, 0);
  equal(snapshot.stale, false);
});

Deno.test("refresh() reports each state once", async () => {
  const events: CatalogEvent[] = [];
  const clock = new TestClock();
  await using folder = await openTestFolder({ "roots.json": { a: {}, b: 1 } });
  await using catalog = openCatalog({
    cwd: folder.path,
    now: clock.read,
    report: (event) => {
      events.push(event);
      throw new Error("A listener that fails");
    },
  });
  await catalog.refresh();
  await catalog.refresh();
  await folder.write("roots.json", "{");
  for (let times = 0; times < 3; times++) await catalog.refresh();
  clock.advance(30);
  await folder.write("roots.json", { a: {} });
  await catalog.refresh();
  deepEqual(events.map((event) => event.kind), [
    "loaded",
    "failed",
    "loaded",
    "recovered",
  ]);
  const [loaded, failed, , recovered] = events;
  equal(loaded?.kind === "loaded" && loaded.ignored[0]?.pointer, "/b");
  equal(failed?.kind === "failed" && failed.servesStale, true);
  equal(recovered?.kind === "recovered" && recovered.downSeconds, 30);
});

Deno.test("refresh() reads once for calls at the same time", async () => {
  await using folder = await openTestFolder({ "roots.json": { a: {} } });
  await using catalog = openCatalog({ cwd: folder.path });
  const [first, second] = await Promise.all([
    catalog.refresh(),
    catalog.refresh(),
  ]);
  equal(first, second);
});

Deno.test("status() counts what the snapshot holds", async () => {
  await using folder = await openTestFolder({
    "roots.json": { a: { data_collections: ["x", "y", "Bad"] }, b: {} },
  });
  await using catalog = openCatalog({ cwd: folder.path, refreshSeconds: 5 });
  await catalog.current();
  const { state, roots, collections, ignored, refreshSeconds } = catalog
    .status();
  deepEqual(
    { state, roots, collections, ignored, refreshSeconds },
    { state: "fresh", roots: 2, collections: 2, ignored: 1, refreshSeconds: 5 },
  );
});

Deno.test("findRoot() applies built-in and configured aliases", async () => {
  await using folder = await openTestFolder({
    "roots.json": { "zimmer-orchestrator": {}, new: {} },
  });
  const aliases = { old: "new" };
  await using catalog = openCatalog({ cwd: folder.path, aliases });
  const snapshot = await catalog.current();
  equal(snapshot.findRoot("zimmer-router")?.name, "zimmer-orchestrator");
  equal(snapshot.findRoot("old")?.name, "new");
  equal(snapshot.findRoot("none"), undefined);
});

Deno.test("openCatalog() refuses a refresh time that is no number of seconds", () => {
  for (const refreshSeconds of [-1, NaN]) {
    throws(() => openCatalog({ refreshSeconds }), RangeError);
  }
});

Deno.test("snapshots of a broken reading still check writes [case 26]", async () => {
  await using folder = await openTestFolder({
    "roots.json": {
      a: { data_collections: { n: { schema: { required: ["t"] } } } },
    },
  });
  await using catalog = openCatalog({ cwd: folder.path });
  await catalog.current();
  await folder.write("roots.json", "<html>");
  const snapshot = await catalog.refresh();
  const root = snapshot.findRoot("a");
  ok(root && snapshot.stale);
  equal((await snapshot.checkData(root, "n", { t: 1 })).ok, true);
  equal((await snapshot.checkData(root, "n", {})).ok, false);
});

Deno.test("checkData() refuses a collection the root no longer declares [case 27]", async () => {
  await using folder = await openTestFolder({
    "roots.json": { a: { data_collections: ["n"] } },
  });
  await using catalog = openCatalog({ cwd: folder.path });
  const before = await catalog.current();
  const old = before.findRoot("a");
  ok(old);
  await folder.write("roots.json", { a: {} });
  const after = await catalog.refresh();
  const root = after.findRoot("a");
  ok(root);
  await rejects(after.checkData(root, "n", {}), {
    name: "DeclarationError",
    code: "undeclared",
  });
  equal((await before.checkData(old, "n", {})).ok, true);
});

Deno.test("checkData() names the declaration at fault and reports it once", async () => {
  const events: CatalogEvent[] = [];
  await using folder = await openTestFolder({
    "roots.json": {
      a: { data_collections: { n: { schema: { type: "nonsense" } } } },
    },
  });
  await using catalog = openCatalog({
    cwd: folder.path,
    report: (event) => events.push(event),
  });
  for (let times = 0; times < 2; times++) {
    const snapshot = await catalog.refresh();
    const root = snapshot.findRoot("a");
    ok(root);
    await rejects(snapshot.checkData(root, "n", {}), (error) => {
      ok(error instanceof Error);
      match(error.message, /collection "n" of root "a".*catalog is corrected/);
      ok(error.message.length < 4_200);
      return true;
    });
  }
  const kinds = events.map((event) => event.kind);
  deepEqual(kinds, ["loaded", "declaration_unusable"]);
});
