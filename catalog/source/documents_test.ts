import { deepEqual, equal, match } from "node:assert/strict";

import { openTestServer } from "../test_catalog.ts";
import { Documents, type StoredDocument } from "./documents.ts";
import { hashKey } from "./location.ts";
import { readCatalog } from "./reading.ts";

async function open(kept: string | undefined) {
  const server = openTestServer(() => new Response("", { status: 500 }));
  const url = new URL(`${server.base}/roots.json`);
  const documents = new Documents({
    fetch,
    now: () => 5,
    signal: new AbortController().signal,
  });
  const copies = new Map<string, StoredDocument>();
  if (kept !== undefined) {
    const copy = { text: kept, readAt: 1, validators: {} };
    copies.set(await hashKey(url.href), copy);
  }
  documents.restore(copies);
  const location = { kind: "http", url } as const;
  return {
    read: (isOffline: boolean) =>
      readCatalog(documents, location, { isOffline }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

Deno.test("a kept document is used while the server fails", async () => {
  await using at = await open('{"a":{}}');
  for (const isOffline of [true, false]) {
    const reading = await at.read(isOffline);
    deepEqual(reading.ok && [reading.main, reading.readAt], [{ a: {} }, 1]);
  }
});

Deno.test("a kept document that is no catalog never becomes one", async () => {
  const kept = [
    '{"error":{"message":"out of order","code":500}}',
    '{"errors":{"status":503}}',
    '{"message":"rate limited","code":429}',
    '{"a":1}',
    "[]",
    "<html>",
    "{",
    "",
    undefined,
  ];
  for (const text of kept) {
    await using at = await open(text);
    const offline = await at.read(true);
    equal(offline.ok, false, text);
    const online = await at.read(false);
    match(online.ok ? "" : online.reason, /The server answered 500/);
  }
});

for (const isOfThisProcess of [true, false]) {
  const of = isOfThisProcess ? "this process" : "an earlier one";
  Deno.test(`what a catalog names no more is forgotten, read by ${of} or not`, async () => {
    let roots: readonly string[] = ["own.json", "gone.json"];
    let isDown = false;
    await using server = openTestServer((request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/air.json") return Response.json({ name: "c", roots });
      return isDown && pathname === "/gone.json"
        ? new Response("", { status: 500 })
        : Response.json({ a: {} });
    });
    const documents = new Documents({
      fetch,
      now: () => 5,
      signal: new AbortController().signal,
    });
    const url = new URL(`${server.base}/air.json`);
    const read = () => readCatalog(documents, { kind: "http", url });
    const gone = `${server.base}/gone.json`;
    if (isOfThisProcess) equal((await read()).ok, true);
    else {
      const copy = { text: '{"old":{}}', readAt: 1, validators: {} };
      documents.restore(new Map([[await hashKey(gone), copy]]));
    }
    roots = ["own.json"];
    equal((await read()).ok, true);
    deepEqual([...documents.remoteCopies().keys()], [
      url.href,
      `${server.base}/own.json`,
    ]);
    // Named again, it is what its server says now, or nothing.
    roots = ["own.json", "gone.json"];
    isDown = true;
    const again = await read();
    match(again.ok ? "" : again.reason, /gone\.json": The server answered 500/);
  });
}
