import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";

import { homeFolder } from "../store/embedded/home_files.ts";
import { openCatalog } from "./loader.ts";
import { openTestFolder, openTestServer, TestClock } from "./test_catalog.ts";
import type { CatalogEvent } from "./events.ts";

function json(value: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(value, { headers });
}

/** What a source that is out of order answers, and what is said about it. */
const OUTAGES: readonly [string, () => Response, RegExp][] = [
  ["garbage", () => new Response("\u0000\u0001{{{"), /Not valid JSON/],
  ["HTML", () => new Response("<!doctype html><h1>Oops"), /got HTML/],
  ["500", () => new Response("no", { status: 500 }), /answered 500/],
  ["a redirect loop", () => Response.redirect("http://127.0.0.1:9/"), /./],
  ["an error document", () => json({ error: "x" }), /none of them is an entry/],
  [
    "an error object",
    () => json({ error: { code: 503, message: "x" } }),
    /error message of a server/,
  ],
  ["nothing", () => new Response(""), /empty/],
  ["another type", () => json([]), /got a list/],
  ["bytes", () => new Response(new Uint8Array([255])), /not UTF-8/],
];

Deno.test("refresh() keeps answering through every outage and recovers by itself", async (t) => {
  const events: CatalogEvent[] = [];
  const clock = new TestClock();
  await using server = openTestServer(() => json({ a: {} }));
  await using catalog = openCatalog({
    source: `${server.base}/roots.json`,
    now: clock.read,
    report: (event) => events.push(event),
  });
  const { readAt } = await catalog.current();
  for (const [name, answer, reason] of OUTAGES) {
    await t.step(name, async () => {
      clock.advance(60);
      events.length = 0;
      server.answer((request) =>
        name === "a redirect loop" ? Response.redirect(request.url) : answer()
      );
      const snapshot = await catalog.refresh();
      deepEqual([...snapshot.roots.keys()], ["a"]);
      match(snapshot.staleReason ?? "", reason);
      deepEqual(snapshot.readAt, readAt);
      equal(catalog.status().state, "stale");
      deepEqual(events.map((event) => event.kind), ["failed"]);
    });
  }
  await t.step("recovery", async () => {
    events.length = 0;
    server.answer(() => json({ a: {}, b: {} }));
    clock.advance(60);
    const snapshot = await catalog.refresh();
    equal(snapshot.stale, false);
    equal(snapshot.roots.size, 2);
    equal(catalog.status().state, "fresh");
    const kinds = events.map((event) => event.kind);
    deepEqual(kinds, ["loaded", "recovered"]);
  });
});

Deno.test("refresh() keeps answering while the source is switched off and after", async () => {
  const server = openTestServer(() => json({ a: {} }));
  await using catalog = openCatalog({ source: `${server.base}/roots.json` });
  await catalog.current();
  await server[Symbol.asyncDispose]();
  const snapshot = await catalog.refresh();
  equal(snapshot.roots.size, 1);
  match(snapshot.staleReason ?? "", /connection/);
});

Deno.test("refresh() asks conditionally", async () => {
  const asked: (string | null)[] = [];
  await using server = openTestServer((request) => {
    const etag = request.headers.get("if-none-match");
    asked.push(etag);
    return etag === '"1"'
      ? new Response(null, { status: 304 })
      : json({ a: {} }, { etag: '"1"' });
  });
  await using catalog = openCatalog({ source: `${server.base}/roots.json` });
  const { roots } = await catalog.current();
  const again = await catalog.refresh();
  deepEqual(asked, [null, '"1"']);
  equal(again.roots, roots);
  equal(again.stale, false);
});

Deno.test("current() does not wait for a source that hangs", async () => {
  const clock = new TestClock();
  await using server = openTestServer(() => json({ a: {} }));
  await using catalog = openCatalog({
    source: `${server.base}/roots.json`,
    now: clock.read,
  });
  const first = await catalog.current();
  const hang = Promise.withResolvers<Response>();
  server.answer(() => hang.promise);
  clock.advance(120);
  equal(await catalog.current(), first);
  equal(await catalog.current(), first);
  hang.resolve(json({ b: {} }));
  deepEqual([...(await catalog.refresh()).roots.keys()], ["b"]);
  equal(server.hits, 2, "one renewal at a time");
});

Deno.test("openCatalog() serves the copy on disk when the source is gone at start", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder();
  const cacheFolder = homeFolder(`${folder.path}/cache`);
  const server = openTestServer(() => json({ a: {} }));
  const options = {
    source: `${server.base}/roots.json`,
    cacheFolder,
    now: clock.read,
  };
  {
    await using catalog = openCatalog(options);
    await catalog.current();
  }
  await server[Symbol.asyncDispose]();
  clock.advance(3_600);
  await using catalog = openCatalog(options);
  const first = await catalog.current();
  deepEqual([...first.roots.keys()], ["a"]);
  equal(first.stale, true);
  match(first.staleReason ?? "", /not read since this process started/);
  equal(catalog.status().ageSeconds, 3_600);
  match((await catalog.refresh()).staleReason ?? "", /connection/);
});

Deno.test("openCatalog() takes a copy on disk within the refresh time for fresh", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder();
  await using server = openTestServer(() => json({ a: {} }));
  const options = {
    source: `${server.base}/roots.json`,
    cacheFolder: homeFolder(folder.path),
    now: clock.read,
  };
  {
    await using catalog = openCatalog(options);
    await catalog.current();
  }
  clock.advance(30);
  await using catalog = openCatalog(options);
  equal((await catalog.current()).stale, false);
  equal(server.hits, 1);
});

Deno.test("refresh() keeps the age of the copy on disk when the source confirms it", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder();
  const server = openTestServer((request) =>
    request.headers.has("if-none-match")
      ? new Response(null, { status: 304 })
      : json({ a: {} }, { etag: '"1"' })
  );
  const options = {
    source: `${server.base}/roots.json`,
    cacheFolder: homeFolder(folder.path),
    now: clock.read,
  };
  {
    await using catalog = openCatalog(options);
    await catalog.current();
    clock.advance(600);
    await catalog.refresh();
  }
  await server[Symbol.asyncDispose]();
  clock.advance(100);
  await using catalog = openCatalog(options);
  await catalog.current();
  equal(catalog.status().ageSeconds, 100);
  await catalog.refresh();
});

Deno.test("openCatalog() fails clearly without a copy and without a source", async () => {
  await using folder = await openTestFolder();
  await using server = openTestServer(() => new Response("", { status: 503 }));
  await using catalog = openCatalog({
    source: `${server.base}/roots.json`,
    cacheFolder: homeFolder(folder.path),
  });
  await rejects(catalog.current(), /roots.json": The server answered 503/);
});

Deno.test("openCatalog() survives a damaged copy on disk and says so", async () => {
  const events: CatalogEvent[] = [];
  await using folder = await openTestFolder();
  await using server = openTestServer(() => json({ a: {} }));
  const options = {
    source: `${server.base}/roots.json`,
    cacheFolder: homeFolder(folder.path),
    report: (event: CatalogEvent) => events.push(event),
  };
  {
    await using catalog = openCatalog(options);
    await catalog.current();
  }
  for await (const { name } of Deno.readDir(folder.path)) {
    await folder.write(name, "{ damaged");
  }
  await using catalog = openCatalog(options);
  equal((await catalog.current()).roots.size, 1);
  ok(events.some((event) => event.kind === "cache_failed"));
});

Deno.test("refresh() goes on when the copy cannot be written", async () => {
  const events: CatalogEvent[] = [];
  await using folder = await openTestFolder({ file: "" });
  await using server = openTestServer(() => json({ a: {} }));
  await using catalog = openCatalog({
    source: `${server.base}/roots.json`,
    cacheFolder: homeFolder(`${folder.path}/file`),
    report: (event) => events.push(event),
  });
  equal((await catalog.current()).stale, false);
  await catalog.refresh();
  const faults = events.filter((event) => event.kind === "cache_failed");
  const reasons = faults.map((event) => event.reason.split(": ")[0]);
  deepEqual(reasons, [
    "The kept copy could not be read",
    `The last known good copy could not be kept in "${folder.path}/file"`,
  ]);
  await folder.remove("file");
  await catalog.refresh();
  equal((await Array.fromAsync(Deno.readDir(`${folder.path}/file`))).length, 1);
});

Deno.test("no message, event or file shows a credential of the URL", async () => {
  const events: CatalogEvent[] = [];
  await using folder = await openTestFolder();
  await using server = openTestServer(() => json({ a: {}, b: 1 }));
  const source = server.base.replace("//", "//user:hunter2@") +
    "/roots.json?token=hunter2";
  await using catalog = openCatalog({
    source,
    cacheFolder: homeFolder(folder.path),
    report: (event) => events.push(event),
  });
  const good = await catalog.current();
  server.answer(() => new Response("", { status: 401 }));
  const bad = await catalog.refresh();
  const shown = [good.source, good.ignored, bad.staleReason, catalog.status()];
  ok(!JSON.stringify([shown, events]).includes("hunter2"));
  for await (const { name } of Deno.readDir(folder.path)) {
    const text = await Deno.readTextFile(`${folder.path}/${name}`);
    ok(!text.includes("hunter2") && !name.includes("hunter2"));
  }
});

Deno.test("a remote AIR file and its index files are read, kept and served stale", async () => {
  const clock = new TestClock();
  await using folder = await openTestFolder();
  const documents: Record<string, unknown> = {
    "/c/air.json": { name: "c", roots: ["r/roots.json"], mcp: ["mcp.json"] },
    "/c/r/roots.json": { a: {} },
    "/c/mcp.json": { m: { title: "M" } },
  };
  const server = openTestServer((request) => {
    const document = documents[new URL(request.url).pathname];
    return document === undefined
      ? new Response("", { status: 404 })
      : json(document);
  });
  const options = {
    source: `${server.base}/c/air.json`,
    cacheFolder: homeFolder(folder.path),
    now: clock.read,
  };
  {
    await using catalog = openCatalog(options);
    const snapshot = await catalog.current();
    deepEqual([...snapshot.roots.keys()], ["a"]);
    equal(snapshot.artifacts("mcp").entries.get("m")?.title, "M");
    delete documents["/c/r/roots.json"];
    const stale = await catalog.refresh();
    match(stale.staleReason ?? "", /r\/roots.json": The server answered 404/);
    deepEqual([...stale.roots.keys()], ["a"]);
  }
  await server[Symbol.asyncDispose]();
  clock.advance(3_600);
  await using catalog = openCatalog(options);
  deepEqual([...(await catalog.current()).roots.keys()], ["a"]);
  await catalog.refresh();
});

Deno.test("dispose stops a reading under way", async () => {
  const hang = Promise.withResolvers<Response>();
  await using server = openTestServer(() => hang.promise);
  const catalog = openCatalog({ source: `${server.base}/roots.json` });
  const waiting = catalog.current();
  const refused = rejects(waiting, /Reading was stopped/);
  await catalog[Symbol.asyncDispose]();
  await refused;
  hang.resolve(new Response("{}"));
});
