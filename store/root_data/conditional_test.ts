/** Writes that name the version they replace. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  drift,
  fill,
  NOTES,
  openWriter,
} from "../../tests/support/root_data.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { StoreRefusalError } from "../errors.ts";
import { serializeData } from "./data.ts";
import type { Db } from "../pg/db.ts";
import {
  appendRecord,
  deleteRecord,
  getRecord,
  putRecord,
  type PutRequest,
  type WriteReceipt,
} from "./records.ts";

/** A put of the default place under the key "k". */
function put(
  db: Db,
  request: Partial<PutRequest> & { sessionId: number },
  data: unknown = {},
): Promise<WriteReceipt> {
  return putRecord(db, {
    ...NOTES,
    key: "k",
    data: serializeData(data),
    retentionDays: undefined,
    ...request,
  });
}

/** Whether an error says that the record is in another version, and which. */
function isConflict(updatedAt: string | null) {
  return (error: unknown) => {
    ok(error instanceof StoreRefusalError);
    equal(error.code, "conflict");
    deepEqual(error.data, { updated_at: updatedAt });
    if (updatedAt !== null) ok(error.message.includes(updatedAt));
    match(error.message, /nothing was changed/);
    return true;
  };
}

Deno.test("[case 73] a put with if_updated_at replaces that version and no other", async () => {
  await using test = await openTestDb();
  const { sessionId } = await openWriter(test.db);
  const first = (await put(test.db, { sessionId }, { n: 1 })).record.updatedAt;
  const shown = first.toISOString();
  const second = await put(test.db, { sessionId, ifUpdatedAt: shown }, {
    n: 2,
  });
  equal(second.outcome, "replaced");
  const now = second.record.updatedAt.toISOString();
  await rejects(
    put(test.db, { sessionId, ifUpdatedAt: shown }, { n: 3 }),
    isConflict(now),
  );
  deepEqual((await getRecord(test.db, NOTES, { key: "k" })).data, { n: 2 });
  // The same moment in other words is the same version.
  const other = now.replace("Z", "+00:00");
  await put(test.db, { sessionId, ifUpdatedAt: other }, { n: 3 });
  await rejects(
    put(test.db, { sessionId, ifUpdatedAt: now, key: "absent" }),
    isConflict(null),
  );
  deepEqual(await drift(test.db), []);
});

Deno.test("[case 73] the microseconds of an export name the version, too", async () => {
  await using test = await openTestDb();
  const { sessionId } = await openWriter(test.db);
  await put(test.db, { sessionId });
  const [row] = await test.db.read<{ at: string }>(
    `select to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
     from agent_root_records`,
  );
  const receipt = await put(test.db, { sessionId, ifUpdatedAt: row?.at });
  equal(receipt.outcome, "replaced");
});

Deno.test("[case 73] a put with if_absent only creates", async () => {
  await using test = await openTestDb();
  const { sessionId } = await openWriter(test.db);
  const made = await put(test.db, { sessionId, ifAbsent: true }, { n: 1 });
  equal(made.outcome, "created");
  await rejects(
    put(test.db, { sessionId, ifAbsent: true }, { n: 2 }),
    isConflict(made.record.updatedAt.toISOString()),
  );
  deepEqual((await getRecord(test.db, NOTES, { key: "k" })).data, { n: 1 });
});

Deno.test("[case 73] of ten that create at once, one does", async () => {
  await using test = await openTestDb();
  const { sessionId } = await openWriter(test.db);
  const done = await Promise.allSettled(
    Array.from(
      { length: 10 },
      (_, n) => put(test.db, { sessionId, ifAbsent: true }, { n }),
    ),
  );
  equal(done.filter(({ status }) => status === "fulfilled").length, 1);
});

Deno.test("[case 73] a delete with if_updated_at deletes that version and no other", async () => {
  await using test = await openTestDb();
  const { sessionId } = await openWriter(test.db);
  const first = (await put(test.db, { sessionId })).record;
  const second = (await put(test.db, { sessionId })).record;
  const now = second.updatedAt.toISOString();
  const stale = { ...NOTES, ifUpdatedAt: first.updatedAt.toISOString() };
  for (const selector of [{ key: "k" }, { id: first.id }]) {
    await rejects(deleteRecord(test.db, stale, selector), isConflict(now));
  }
  const gone = await deleteRecord(test.db, { ...NOTES, ifUpdatedAt: now }, {
    id: first.id,
  });
  equal(gone.records, 0);
  await rejects(
    deleteRecord(test.db, { ...NOTES, ifUpdatedAt: now }, { key: "k" }),
    /has no record with key "k"/,
  );
  deepEqual(await drift(test.db), []);
});

Deno.test("[case 73] a refused condition costs no rate budget", async () => {
  await using test = await openTestDb();
  const { sessionId } = await openWriter(test.db);
  const { writesLeft } = await put(test.db, { sessionId });
  const ifUpdatedAt = "2020-01-01T00:00:00Z";
  for (let n = 0; n < 70; n++) {
    await rejects(put(test.db, { sessionId, ifUpdatedAt }));
    await rejects(put(test.db, { sessionId, ifAbsent: true }));
    await rejects(
      deleteRecord(test.db, { ...NOTES, ifUpdatedAt }, { key: "k" }),
    );
  }
  equal((await put(test.db, { sessionId })).writesLeft, writesLeft - 1);
});

Deno.test("[case 73] ten that read, add one and put lose nothing", async () => {
  await using test = await openTestDb();
  const { sessionId } = await openWriter(test.db);
  await put(test.db, { sessionId }, { n: 0 });
  const addOne = async () => {
    // Of ten that try, one gets on: nobody is beaten to it more often.
    for (let tries = 1;; tries++) {
      ok(tries <= 10, "Nobody gets on");
      const { data, updatedAt } = await getRecord(test.db, NOTES, { key: "k" });
      const ifUpdatedAt = updatedAt.toISOString();
      try {
        await put(test.db, { sessionId, ifUpdatedAt }, {
          n: Number(data.n) + 1,
        });
        return;
      } catch (error) {
        if (!(error instanceof StoreRefusalError)) throw error;
        equal(error.code, "conflict");
      }
    }
  };
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 10 }, addOne));
  }
  equal((await getRecord(test.db, NOTES, { key: "k" })).data.n, 50);
});

Deno.test("[case 73] no two versions of a record show the same time", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const { sessionId } = await openWriter(db);
  const times = new Set<string>();
  for (let n = 0; n < 60; n++) {
    times.add((await put(db, { sessionId })).record.updatedAt.toISOString());
  }
  equal(times.size, 60);
  const next = async (before: string | null, now: string) => {
    const [row] = await db.read<{ next: Date }>(
      "select root_data_next_version($1::timestamptz, $2::timestamptz) as next",
      [before, now],
    );
    return row?.next.toISOString();
  };
  const at = "2026-01-01T00:00:00";
  equal(await next(`${at}.0001Z`, `${at}.0009Z`), `${at}.001Z`);
  equal(await next(`${at}.001Z`, `${at}.0009Z`), `${at}.002Z`);
  equal(await next(`${at}.0009Z`, `${at}.001Z`), `${at}.001Z`);
  equal(await next(null, `${at}.001Z`), `${at}.001Z`);
  equal(await next("2027-01-01T00:00:00Z", `${at}.001Z`), `${at}.001Z`);
});

const NO_VERSIONS = [
  ["a word", "yesterday"],
  ["a day", "2026-01-01"],
  ["a time without a zone", "2026-01-01T00:00:00"],
  ["a month that does not exist", "2026-13-01T00:00:00Z"],
  ["a long text", "x".repeat(5_000)],
] as const;

for (const [what, ifUpdatedAt] of NO_VERSIONS) {
  Deno.test(`if_updated_at as ${what} is refused`, async () => {
    await using test = await openTestDb();
    await rejects(
      put(test.db, { sessionId: 1, ifUpdatedAt }),
      (error: Error) => {
        match(error.message, /^if_updated_at must be a record's updated_at/);
        ok(error.message.length < 300);
        return true;
      },
    );
  });
}

Deno.test("a full collection speaks of retention only where something expires", async () => {
  await using test = await openTestDb();
  const { sessionId } = await openWriter(test.db);
  await fill(test.db, 10_000);
  await rejects(put(test.db, { sessionId }), /delete some\. Replacing/);
  await test.db.write(
    "update agent_root_records set expires_at = now() + interval '1 day' where key = 'k7'",
  );
  await rejects(
    put(test.db, { sessionId, key: "new" }),
    /delete some or let retention remove them\./,
  );
});

Deno.test("[case 79] a deleted session reads, writes and deletes nothing", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const { sessionId } = await openWriter(db);
  await put(db, { sessionId });
  const mine = { ...NOTES, sessionId };
  equal((await getRecord(db, mine, { key: "k" })).key, "k");
  await db.write("delete from sessions");
  const gone = new RegExp(`Session ${sessionId} no longer exists`);
  const request = {
    ...mine,
    data: serializeData({}),
    retentionDays: undefined,
  };
  await rejects(getRecord(db, mine, { key: "k" }), gone);
  await rejects(getRecord(db, mine, { key: "absent" }), gone);
  await rejects(deleteRecord(db, mine, { key: "k" }), gone);
  await rejects(put(db, { sessionId }), gone);
  await rejects(appendRecord(db, request), gone);
  equal((await getRecord(db, NOTES, { key: "k" })).key, "k");
});
