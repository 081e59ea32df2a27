import { equal, match, ok } from "node:assert/strict";

import { openCatalog } from "./loader.ts";
import { leftOut, staleNote } from "./remarks.ts";
import { openTestFolder } from "./test_catalog.ts";

async function read(document: unknown) {
  await using folder = await openTestFolder({ "roots.json": document });
  await using catalog = openCatalog({ cwd: folder.path });
  return await catalog.current();
}

Deno.test("leftOut() names what was left out of a declaration, and why", async () => {
  const snapshot = await read({
    text: { data_collections: "notes" },
    flag: { data_collections: { a1: true, fine: {} } },
    list: { data_collections: [{ name: "notes" }, "fine"] },
    "odd/~": { data_collections: 5 },
    a: 1,
    good: { data_collections: ["b"], default_skills: 5 },
  });
  const said: [string, string | undefined, RegExp | undefined][] = [
    ["text", "notes", /#\/text\/data_collections: No collection is declared/],
    ["flag", "a1", /#\/flag\/data_collections\/a1: Collection skipped/],
    ["flag", "other", undefined],
    ["list", "notes", /#\/list\/data_collections\/0: Collection skipped/],
    ["odd/~", "x", /#\/odd~1~0\/data_collections: No collection/],
    ["a", undefined, /#\/a: Root skipped/],
    ["text", undefined, undefined],
    ["good", "nope", undefined],
    ["unknown", "x", undefined],
  ];
  for (const [root, collection, expected] of said) {
    const text = leftOut(snapshot, root, collection);
    if (expected === undefined) equal(text, undefined, root);
    else match(text ?? "", expected);
  }
});

Deno.test("leftOut() lists three places and counts the rest", async () => {
  const snapshot = await read({ a: { data_collections: [1, 2, 3, 4, 5] } });
  const text = leftOut(snapshot, "a", "x") ?? "";
  ok(text.includes("data_collections/2"));
  ok(!text.includes("data_collections/3"));
  match(text, /; and 2 more$/);
});

Deno.test("staleNote() says since when and why, and nothing of a fresh catalog", () => {
  const readAt = new Date(0);
  equal(staleNote({ stale: false, readAt }), "");
  match(
    staleNote({ stale: true, readAt, staleReason: "It is gone" }),
    /at 1970-01-01T00:00:00\.000Z; it could not be read since: It is gone$/,
  );
});
