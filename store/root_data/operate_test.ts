/** What an operator does to records by hand. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  drift,
  fill,
  NOTES,
  openWriter,
} from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { waitUntilBlocked } from "../../tests/support/wait_until_blocked.ts";
import { watchedDb } from "../../tests/support/watched_db.ts";
import { StoreRefusalError } from "../errors.ts";
import {
  countHeld,
  dropNamespace,
  emptyHeld,
  moveHeld,
  planMove,
} from "./operate.ts";
import { getRecord } from "./records.ts";
import { sweep } from "./retention.ts";

const { namespace } = NOTES;
const RUNS = { namespace, collection: "runs" };

Deno.test("[case 77] a collection is emptied, its neighbours are not", async () => {
  await using test = await openTestDb();
  await fill(test.db, 1_203);
  await fill(test.db, 7, RUNS);
  equal(await emptyHeld(test.db, NOTES), 1_203);
  deepEqual(await countHeld(test.db, { namespace }), [
    { collection: "runs", records: 7, bytes: 140 },
  ]);
  deepEqual(await drift(test.db), []);
  equal(await emptyHeld(test.db, NOTES), 0);
});

Deno.test("[case 77] a dropped namespace leaves nothing, and others alone", async () => {
  await using test = await openTestDb();
  await fill(test.db, 501);
  await fill(test.db, 7, RUNS);
  await fill(test.db, 3, { ...NOTES, namespace: "garden2" });
  equal(await dropNamespace(test.db, namespace), 508);
  const counters = await test.db.read(
    "select namespace from agent_root_record_counters",
  );
  deepEqual(counters.map((row) => row.namespace), ["garden2"]);
  equal((await countHeld(test.db, { namespace: "garden2" }))[0]?.records, 3);
  deepEqual(await drift(test.db), []);
});

Deno.test("[case 77] a move keeps records as they are, but for those whose key is taken", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const writer = await openWriter(db);
  await writer.put("a", { from: "garden" }, { retentionDays: 3 });
  await writer.append({ n: 1 });
  await writer.put("taken", { from: "garden" });
  await writer.put("taken", { from: "yard" }, { namespace: "yard" });
  await writer.put("x", {}, { collection: "runs" });
  const before = await getRecord(db, NOTES, { key: "a" });
  const wanted = [
    { collection: "notes", moved: 2, keyTaken: 1, noRoom: 0 },
    { collection: "runs", moved: 1, keyTaken: 0, noRoom: 0 },
  ];
  deepEqual(await planMove(db, { namespace }, "yard"), wanted);
  equal((await getRecord(db, NOTES, { key: "a" })).id, before.id);
  deepEqual(await moveHeld(db, { namespace }, "yard"), wanted);
  const after = await getRecord(db, { ...NOTES, namespace: "yard" }, {
    key: "a",
  });
  deepEqual(after, before);
  const kept = await getRecord(db, { ...NOTES, namespace: "yard" }, {
    key: "taken",
  });
  deepEqual(kept.data, { from: "yard" });
  deepEqual(await countHeld(db, { namespace }), [
    { collection: "notes", records: 1, bytes: 17 },
  ]);
  deepEqual(await drift(db), []);
  await rejects(moveHeld(db, { namespace }, namespace), StoreRefusalError);
});

Deno.test("[case 77] a move holds both caps, and says what stays", async () => {
  await using test = await openTestDb();
  const { db } = test;
  await fill(db, 600);
  await fill(db, 5, RUNS);
  // Other keys, or all of them were taken.
  await fill(db, 9_900, { ...NOTES, namespace: "yard" });
  await db.write(
    "update agent_root_records set key = 'y' || key where namespace = 'yard'",
  );
  for (let n = 0; n < 24; n++) {
    await fill(db, 1, { namespace: "yard", collection: `c${n}` });
  }
  const wanted = [
    { collection: "notes", moved: 100, keyTaken: 0, noRoom: 500 },
    { collection: "runs", moved: 0, keyTaken: 0, noRoom: 5 },
  ];
  deepEqual(await planMove(db, { namespace }, "yard"), wanted);
  deepEqual(await moveHeld(db, { namespace }, "yard"), wanted);
  deepEqual(await drift(db), []);
});

Deno.test("[case 77] two moves against each other and writers beside them neither deadlock nor drift", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const writer = await openWriter(db);
  await fill(db, 1_200);
  await fill(db, 1_200, { ...NOTES, namespace: "yard" });
  await db.write(
    "update agent_root_records set key = 'y' || key where namespace = 'yard'",
  );
  const writes = Array.from(
    { length: 40 },
    (_, n) =>
      n % 2
        ? writer.append({ n })
        : writer.put(`w${n}`, { n }, { namespace: "yard" }),
  );
  await Promise.all([
    moveHeld(db, { namespace }, "yard"),
    moveHeld(db, { namespace: "yard" }, namespace),
    ...writes,
  ]);
  const counted = await Promise.all(
    [namespace, "yard"].map((one) => countHeld(db, { namespace: one })),
  );
  const records = counted.flat().reduce((sum, one) => sum + one.records, 0);
  equal(records, 2_440);
  deepEqual(await drift(db), []);
});

Deno.test("[case 77] a move in either direction takes the counters in one order, so that no two wait for each other", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const { collection } = NOTES;
  const lock = "select root_data_lock_counter($1, $2)";
  for (const [from, to] of [["garden", "yard"], ["yard", "garden"]] as const) {
    await fill(db, 1, { collection, namespace: from });
    let moving: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.read(lock, ["garden", collection]);
      moving = moveHeld(db, { namespace: from }, to);
      moving.catch(() => {}); // Awaited below.
      await waitUntilBlocked(db);
      // Had the move taken this one first, each would wait for the other.
      await tx.write("set local lock_timeout = '10s'");
      await tx.read(lock, ["yard", collection]);
    });
    deepEqual(await moving, [
      { collection, moved: 1, keyTaken: 0, noRoom: 0 },
    ]);
    await dropNamespace(db, to);
  }
});

Deno.test("[case 77] what is written while a collection is emptied stays", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const writer = await openWriter(db);
  await fill(db, 3);
  let isWritten = false;
  const beside = watchedDb(db, async (text, run) => {
    if (text.includes("root_data_empty") && !isWritten) {
      isWritten = true;
      await writer.put("later", { n: 1 });
    }
    return await run();
  });
  equal(await emptyHeld(beside, NOTES), 3);
  equal((await getRecord(db, NOTES, { key: "later" })).key, "later");
  deepEqual(await drift(db), []);
});

Deno.test("[case 77] a namespace is dropped while writers write", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const writer = await openWriter(db);
  await fill(db, 1_200);
  await Promise.all([
    dropNamespace(db, namespace),
    ...Array.from({ length: 20 }, () => writer.append({})),
    dropNamespace(db, namespace),
  ]);
  deepEqual(await drift(db), []);
  const [left] = await countHeld(db, { namespace });
  ok((left?.records ?? 0) <= 20);
});

Deno.test("[case 78] a sweep by hand makes the counters that are missing", async () => {
  await using test = await openTestDb();
  await fill(test.db, 6);
  await test.db.write("delete from agent_root_record_counters");
  await sweep(test.db);
  equal((await drift(test.db)).length, 1);
  await sweep(test.db, { findsMissing: true });
  deepEqual(await drift(test.db), []);
});
