/**
 * What an edit of the catalog's file does to the next call, and what refusals
 * say of the catalog they refuse by.
 */
import { equal, match, ok } from "node:assert/strict";

import {
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";

async function open(entry: unknown) {
  const endpoint = await openEndpoint({ roots: { a: {} } });
  const query = await sessionQuery(endpoint, "a");
  await endpoint.setRootsText(JSON.stringify({ a: entry, other: {} }));
  return { endpoint, query };
}

function put(
  { endpoint, query }: { endpoint: TestEndpoint; query: string },
  collection: string,
  data: unknown = {},
) {
  const args = { collection, key: "k", data };
  return endpoint.call(query, "put_root_record", args);
}

/** Writes the file behind the catalog's back. */
async function edit({ endpoint }: { endpoint: TestEndpoint }, text: string) {
  const { source } = await endpoint.services.catalog.current();
  await Deno.writeTextFile(source, text);
}

Deno.test("a collection that was just declared takes the very next write", async () => {
  const at = await open({ data_collections: ["old"] });
  await using _endpoint = at.endpoint;
  ok((await put(at, "new")).isError);
  await edit(at, '{"a":{"data_collections":["old","new"]}}');
  ok(!(await put(at, "new")).isError);
});

Deno.test("a schema and a retention that were just declared hold for the very next write", async () => {
  const at = await open({ data_collections: ["c"] });
  await using _endpoint = at.endpoint;
  equal((await put(at, "c")).data.record.expires_at, null);
  const schema = { required: ["must"] };
  const c = { schema, retention_days: 7 };
  await edit(at, JSON.stringify({ a: { data_collections: { c } } }));
  match((await put(at, "c")).text, /does not match the schema of "c"/);
  ok((await put(at, "c", { must: 1 })).data.record.expires_at !== null);
});

Deno.test("a namespace that was just changed holds for the very next write", async () => {
  const at = await open({ data_collections: ["c"] });
  await using _endpoint = at.endpoint;
  ok(!(await put(at, "c")).isError);
  await edit(at, '{"a":{"data_namespace":"b","data_collections":["c"]}}');
  const { data } = await at.endpoint.call(at.query, "list_root_collections");
  equal(data.namespace, "b");
  equal(data.collections[0].records, 0);
});

Deno.test("a root that was just added starts a session and takes writes", async () => {
  const at = await open({ data_collections: ["c"] });
  await using endpoint = at.endpoint;
  await edit(at, '{"a":{},"fresh":{"data_collections":["c"]}}');
  const query = await sessionQuery(endpoint, "fresh");
  ok(!(await put({ endpoint, query }, "c")).isError);
});

Deno.test("refusals say that the catalog is stale, since when and why", async () => {
  const schema = { required: ["must"] };
  const bad = { schema: { pattern: "(?=x)" } };
  const at = await open({ data_collections: { c: { schema }, bad } });
  await using endpoint = at.endpoint;
  ok((await put(at, "c")).isError);
  await edit(at, '{"a": {"data_collections": ["c", "newer"]}\n');
  const said =
    /what the catalog said at 2\d{3}-.*Z; .*Not valid JSON: error in line 2/;
  match((await put(at, "newer")).text, said);
  match((await put(at, "c")).text, said);
  match((await put(at, "bad")).text, said);
  const ghost = await sessionQuery(endpoint, "ghost");
  const unknown = await endpoint.call(ghost, "list_root_collections");
  match(unknown.text, /not in the catalog/);
  match(unknown.text, said);
});

Deno.test("refusals name the part of a declaration that was left out", async () => {
  const cases: [unknown, RegExp][] = [
    [{ data_collections: "notes" }, /data_collections: No collection is/],
    [{ data_collections: { notes: true } }, /notes: Collection skipped/],
    [{ data_collections: [["notes"]] }, /data_collections\/0: Collection/],
  ];
  for (const [entry, reason] of cases) {
    const at = await open(entry);
    await using _endpoint = at.endpoint;
    const { text } = await put(at, "notes");
    match(text, reason);
    ok(!text.includes("Add it to"), text);
  }
  const at = await open(true);
  await using _endpoint = at.endpoint;
  match(
    (await put(at, "notes")).text,
    /#\/a: Root skipped: expected an object/,
  );
});
