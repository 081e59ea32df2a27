import { deepEqual, rejects } from "node:assert/strict";
import { openTestDb } from "../../tests/support/test_db.ts";
import { backupDatabase } from "../transfer/backup.ts";
import { restoreDatabase } from "../transfer/restore.ts";
import { MANY, recorded } from "./testdata/recorded.ts";
import { insertFeedback } from "./insert.ts";

Deno.test("the database itself refuses to change, delete or empty the ledger, also to a replica", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const { id } = await recorded(db);
  await insertFeedback(db, {
    decisionId: id,
    verdict: "should-have-held",
    note: null,
    author: null,
    channel: "web_ui",
  });
  const both = ["gate_decisions", "gate_decision_feedbacks"];
  for (const table of both) {
    for (
      const statement of [
        `update ${table} set payload = '{"x": 1}'`,
        `update ${table} set id = default`,
        `delete from ${table}`,
        `truncate ${table} cascade`,
        `insert into ${table} select * from ${table} on conflict (id) do update set payload = '{}'`,
        `merge into ${table} t using ${table} s on t.id = s.id when matched then delete`,
      ]
    ) {
      await rejects(db.write(statement), statement);
      await rejects(
        db.transaction(async (tx) => {
          await tx.exec("set local session_replication_role = replica");
          await tx.write(statement);
        }),
        statement,
      );
    }
  }
  const [left] = await db.read(
    `select (select count(*)::int from gate_decisions where payload = '{"title": "T"}') as decisions,
       (select count(*)::int from gate_decision_feedbacks where payload = '{}') as feedbacks`,
  );
  deepEqual({ ...left }, { decisions: 1, feedbacks: 1 });
});

Deno.test("a session that is deleted leaves its number in the ledger", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const [session] = await db.write<{ id: string }>(
    "insert into sessions (title, wait_reason) values ('x', 'never_started') returning id",
  );
  const { writingSessionId } = await recorded(db, {
    writingSessionId: Number(session?.id),
  });
  deepEqual(writingSessionId, Number(session?.id));
  await db.write("delete from sessions");
  const [row] = await db.read(
    "select writing_session_id::int as id from gate_decisions",
  );
  deepEqual(row?.id, writingSessionId);
});

Deno.test("a backup of the ledger is restored whole, and the restored one only grows as well", async () => {
  await using test = await openTestDb();
  await using other = await openTestDb();
  await test.db.write(MANY, [50]);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  await backupDatabase(
    test.db,
    new WritableStream({ write: (part) => void parts.push(part) }),
  );
  await restoreDatabase(
    other.db,
    () => Promise.resolve(ReadableStream.from(parts)),
    { isReplacing: true },
  );
  const all = "select * from gate_decisions order by id";
  deepEqual(await other.db.read(all), await test.db.read(all));
  await rejects(other.db.write("delete from gate_decisions"));
  deepEqual((await recorded(other.db)).id, 51);
});
