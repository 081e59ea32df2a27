import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  drift,
  fill,
  NOTES,
  openWindows,
  openWriter,
  stretchWindows,
} from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { StoreRefusalError } from "../errors.ts";
import { MAX_RECORDS_PER_COLLECTION } from "./limits.ts";
import { deleteRecord, getRecord, listCollections } from "./records.ts";

function refused(code: string, text: RegExp) {
  return (error: unknown) => {
    ok(error instanceof StoreRefusalError, String(error));
    equal(error.code, code);
    match(error.message, text);
    return true;
  };
}

Deno.test("[case 31] put creates, then replaces with id and created_at kept", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const first = await writer.put("cursor", { at: 1 });
  const second = await writer.put("cursor", { at: 2, more: true });
  equal(first.outcome, "created");
  equal(second.outcome, "replaced");
  equal(second.record.id, first.record.id);
  deepEqual(second.record.createdAt, first.record.createdAt);
  equal(second.records, 1);
  const read = await getRecord(test.db, NOTES, { key: "cursor" });
  deepEqual(read.data, { at: 2, more: true });
  deepEqual(await drift(test.db), []);
});

Deno.test("a key in other code points names the record whose key looks the same", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const { record } = await writer.put("caf\u00e9", { at: 1 });
  await rejects(
    getRecord(test.db, NOTES, { key: "cafe\u0301" }),
    refused("not_found", new RegExp(`looks the same.*pass id ${record.id}$`)),
  );
  await rejects(
    deleteRecord(test.db, NOTES, { key: "cafe\u0301" }),
    refused("not_found", new RegExp(`looks the same.*pass id ${record.id}$`)),
  );
  const ifUpdatedAt = record.updatedAt.toISOString();
  await rejects(
    writer.put("cafe\u0301", { at: 2 }, { ifUpdatedAt }),
    refused(
      "conflict",
      new RegExp(
        `Record ${record.id} has a key that looks the same.*put with its key$`,
      ),
    ),
  );
  await rejects(
    deleteRecord(test.db, { ...NOTES, ifUpdatedAt }, { key: "cafe\u0301" }),
    refused("not_found", new RegExp(`Record ${record.id} has a key`)),
  );
  await rejects(
    deleteRecord(test.db, NOTES, { key: "tea" }),
    refused("not_found", /holds 1 record$/),
  );
  // Both are kept as they are written.
  const other = await writer.put("cafe\u0301", { at: 2 });
  equal(other.outcome, "created");
  const read = await getRecord(test.db, NOTES, { key: "cafe\u0301" });
  deepEqual(read.data, { at: 2 });
  await rejects(
    getRecord(test.db, NOTES, { key: "cafe" }),
    refused("not_found", /holds 2 records$/),
  );
});

Deno.test("[case 32] appending the same data twice makes two keyless records", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const first = await writer.append({ step: 1 });
  const second = await writer.append({ step: 1 });
  equal(first.outcome, "appended");
  equal(first.record.key, null);
  ok(second.record.id !== first.record.id);
  equal(second.records, 2);
});

Deno.test("[case 34] a key of 200 characters is accepted, 201 refused, emoji count once", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await writer.put("k".repeat(200), {});
  await writer.put("😀".repeat(200), {});
  await rejects(
    writer.put("k".repeat(201), {}),
    refused("bad_argument", /201 characters; the limit is 200/),
  );
});

Deno.test.each([["", /blank/], [" \t", /blank/], ["a\u0000", /NUL/]])(
  "a key %j is refused",
  async (key, text) => {
    await using test = await openTestDb();
    const writer = await openWriter(test.db);
    await rejects(
      writer.put(key as string, {}),
      (error: Error) => (text as RegExp).test(error.message),
    );
  },
);

Deno.test.each([["Notes"], ["9x"], ["a b"], [""], ["notes\n"], ["a/b"]])(
  "a collection named %j is refused as one that cannot exist",
  async (collection) => {
    await using test = await openTestDb();
    const writer = await openWriter(test.db);
    await rejects(
      writer.append({}, { collection: collection as string }),
      refused("bad_argument", /cannot exist/),
    );
  },
);

Deno.test("[case 38] a full collection refuses a new record and takes a replacement", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await fill(test.db, MAX_RECORDS_PER_COLLECTION);
  await rejects(
    writer.append({}),
    refused("row_cap", /holds 10000 records.*Replacing an existing key/s),
  );
  await rejects(writer.put("new", {}), refused("row_cap", /10000/));
  equal((await writer.put("k1", {})).outcome, "replaced");
  await deleteRecord(test.db, NOTES, { key: "k2" });
  equal((await writer.put("new", {})).records, MAX_RECORDS_PER_COLLECTION);
});

Deno.test("[case 39] a 26th collection is refused by name, and an emptied one frees its slot", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  for (let n = 0; n < 25; n++) {
    await writer.put("k", {}, { collection: `c${n}` });
  }
  await rejects(
    writer.put("k", {}, { collection: "late" }),
    refused("collection_cap", /25 collections that hold records.*c0, c1, c10/s),
  );
  // Other namespaces have slots of their own.
  await writer.put("k", {}, { namespace: "other", collection: "late" });
  await deleteRecord(test.db, { ...NOTES, collection: "c7" }, { key: "k" });
  equal((await writer.put("k", {}, { collection: "late" })).outcome, "created");
});

Deno.test("[case 40] the 61st write in a minute is refused, deletes count, refusals do not", async () => {
  await using test = await openTestDb();
  await stretchWindows(test.db);
  const writer = await openWriter(test.db);
  for (let n = 0; n < 58; n++) await writer.put("k", { n });
  await rejects(
    deleteRecord(test.db, NOTES, { key: "absent" }),
    refused("not_found", /no record with key "absent"; .* holds 1 record$/),
  );
  await deleteRecord(test.db, NOTES, { key: "k" });
  equal((await writer.put("k", {})).writesLeft, 0);
  await rejects(
    writer.put("k", {}),
    refused(
      "rate_limited",
      /60 writes a minute to "notes".*opens in \d+ seconds/,
    ),
  );
  await rejects(
    deleteRecord(test.db, NOTES, { key: "k" }),
    refused("rate_limited", /60 writes/),
  );
  await openWindows(test.db);
  equal((await writer.put("k", {})).writesLeft, 59);
});

Deno.test("[case 41] rate windows are per collection", async () => {
  await using test = await openTestDb();
  await stretchWindows(test.db);
  const writer = await openWriter(test.db);
  for (let n = 0; n < 60; n++) await writer.put("k", { n });
  equal((await writer.put("k", {}, { collection: "runs" })).writesLeft, 59);
});

Deno.test("a clock that was set back does not close the rate window", async () => {
  await using test = await openTestDb();
  await stretchWindows(test.db);
  const writer = await openWriter(test.db);
  for (let n = 0; n < 60; n++) await writer.put("k", { n });
  await test.db.write(
    `update agent_root_record_counters set window_started_at = now() + interval '1 day'`,
  );
  equal((await writer.put("k", {})).writesLeft, 59);
});

Deno.test("[case 47] a deleted session leaves its records, without a writer", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const { record } = await writer.put("k", {});
  equal(record.writingSessionId, writer.sessionId);
  await test.db.write("delete from sessions where id = $1", [writer.sessionId]);
  const read = await getRecord(test.db, NOTES, { key: "k" });
  equal(read.writingSessionId, null);
  await rejects(
    writer.put("k", {}),
    refused("not_found", /Session \d+ no longer exists/),
  );
});

Deno.test("[case 29] a put stamps expires_at anew, also to none", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const { record } = await writer.put("k", {}, { retentionDays: 3 });
  const days = (Number(record.expiresAt) - Number(record.updatedAt)) /
    86_400_000;
  equal(days, 3);
  const again = await writer.put("k", {});
  equal(again.record.expiresAt, null);
});

Deno.test("[case 55] an id of another collection or namespace is not found", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const { record } = await writer.put("k", {});
  const { id } = record;
  equal((await getRecord(test.db, NOTES, { id })).key, "k");
  for (
    const elsewhere of [
      { namespace: "other", collection: "notes" },
      { namespace: "garden", collection: "runs" },
    ]
  ) {
    const pattern = refused("not_found", /has no record with id/);
    await rejects(getRecord(test.db, elsewhere, { id }), pattern);
    await rejects(deleteRecord(test.db, elsewhere, { id }), pattern);
  }
  equal((await getRecord(test.db, NOTES, { id })).key, "k");
});

Deno.test("a delete by the id of another collection's record takes nothing and counts nothing", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const { record } = await writer.put("k", {}, { collection: "runs" });
  await writer.put("k", {});
  await writer.put("k", {}, { namespace: "other" });
  for (const namespace of ["garden", "other"]) {
    await rejects(
      deleteRecord(test.db, { ...NOTES, namespace }, { id: record.id }),
      refused("not_found", /has no record with id/),
    );
  }
  const runs = { ...NOTES, collection: "runs" };
  equal((await getRecord(test.db, runs, { id: record.id })).key, "k");
  deepEqual(await drift(test.db), []);
});

Deno.test("a delete in a collection that never was makes no counter row", async () => {
  await using test = await openTestDb();
  await rejects(
    deleteRecord(test.db, NOTES, { key: "k" }),
    refused("not_found", /holds no records/),
  );
  deepEqual(
    await test.db.read("select 1 from agent_root_record_counters"),
    [],
  );
});

Deno.test("what jsonb holds comes back: odd keys, depth, astral text, doubles", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  const text =
    '{"__proto__":{"constructor":1},"deep":{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":[]}}}}}}}},"text":"𝒳 \\u001f \\\\","n":[0.1,-1e-7,9007199254740991],"":null}';
  await writer.put("k", JSON.parse(text));
  const { data } = await getRecord(test.db, NOTES, { key: "k" });
  deepEqual(
    Object.entries(data).sort(),
    Object.entries(JSON.parse(text)).sort(),
  );
  ok(Object.hasOwn(data, "__proto__"));
});

Deno.test("listCollections shows what is stored, sorted, and no emptied one", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await writer.put("k", { a: 1 }, { collection: "runs" });
  await writer.put("k", {}, { collection: "b-side" });
  await writer.put("k", {}, { collection: "gone" });
  await deleteRecord(test.db, { ...NOTES, collection: "gone" }, { key: "k" });
  const list = await listCollections(test.db, "garden");
  deepEqual(list.map((one) => [one.collection, one.records, one.bytes]), [
    ["b-side", 1, 2],
    ["runs", 1, 7],
  ]);
});

Deno.test("a write beside records without a counter counts them first", async () => {
  await using test = await openTestDb();
  const writer = await openWriter(test.db);
  await fill(test.db, 5);
  await test.db.write("delete from agent_root_record_counters");
  equal((await writer.put("new", {})).records, 6);
  deepEqual(await drift(test.db), []);
});
