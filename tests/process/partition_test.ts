/**
 * Root data in tables that are partitioned by namespace, as the script of
 * `docs/scale.md` makes them: the way to a distributed PostgreSQL.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import partitionByNamespace from "../../deploy/sql/partition_by_namespace.sql" with {
  type: "text",
};
import {
  HAS_DEBIAN_POSTGRES,
  openDebianPostgres,
} from "../support/debian_postgres.ts";
import { backupDatabase, restoreDatabase } from "../../store/transfer/mod.ts";
import { type Db, migrate } from "../../store/pg/mod.ts";
import { openPool } from "../../store/pg/postgres.ts";
import { drift, fill, openWriter } from "../support/root_data.ts";
import { openTestDb, PARTITIONED_VARIABLE } from "../support/test_db.ts";

/** Tests of what root data does, each file as it is. */
const FILES = [
  "root_data/records",
  "root_data/search",
  "root_data/concurrency",
  "root_data/retention",
  "transfer/transfer",
  "root_data/model",
];
/**
 * All but "search uses the GIN index …", which names the indexes of a plan: those
 * of a partition are called otherwise.
 */
const FILTER = "/^([^s]|s[^e])/";
/** Names an index, too. */
const NAMES_INDEX_REGEXP = /^\[case 63\]/;

Deno.test("the store's tests hold on tables partitioned by namespace", async () => {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "-q",
      "--no-prompt",
      "--frozen",
      "-P=test",
      "--no-check",
      "--parallel",
      "--reporter=tap",
      `--filter=${FILTER}`,
      ...FILES.map((name) => `store/${name}_test.ts`),
    ],
    cwd: new URL("../..", import.meta.url).pathname,
    env: { [PARTITIONED_VARIABLE]: "1", NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  const report = decoder.decode(stdout);
  const lines = [...report.matchAll(/^(ok|not ok) [0-9]+ - (.*)$/gm)];
  const failed = lines.filter(([, verdict]) => verdict === "not ok")
    .map(([, , name]) => String(name).replace(/^.* => /, ""))
    .filter((name) => !NAMES_INDEX_REGEXP.test(name));
  ok(lines.length > 60, report + decoder.decode(stderr));
  deepEqual(failed, [], report);
});

/** Converts a database that holds something, and looks at it afterwards. */
async function convert(db: Db): Promise<void> {
  for (let n = 0; n < 40; n++) {
    await fill(db, 50, { namespace: `n${n}`, collection: "many" });
  }
  const writer = await openWriter(db);
  await writer.put("kept", { n: 1 });
  const { record: last } = await writer.append({ n: 2 });
  await db.write("delete from agent_root_records where id = $1", [last.id]);
  await db.write(
    "update agent_root_record_counters set records_count = 1, data_bytes = 7 where namespace = 'garden'",
  );
  const content = async () =>
    await db.read(
      `select md5(string_agg(r::text, ',' order by r.id)) as records,
         (select md5(string_agg(c::text, ',' order by c.namespace)) from agent_root_record_counters c) as counters
       from agent_root_records r`,
    );
  const before = await content();
  await db.transaction((tx) => tx.exec(partitionByNamespace));
  deepEqual(await content(), before);
  deepEqual(await drift(db), []);
  const partitions = await db.read(
    "select tableoid, count(*) from agent_root_records group by tableoid",
  );
  ok(partitions.length > 4, `${partitions.length} partitions hold rows`);
  equal((await writer.put("kept", { n: 3 })).outcome, "replaced");
  ok((await writer.append({ n: 4 })).record.id > last.id);
  // A namespace lies in one partition, and a search looks at no other.
  const plan = await db.read<{ "QUERY PLAN": string }>(
    "explain select * from agent_root_records where namespace = 'garden' and collection = 'notes' and key = 'kept'",
  );
  const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
  equal(new Set(text.match(/agent_root_records_[0-7]/g)).size, 1, text);
  // An export reads what an export read, and a backup restores whole tables.
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  await backupDatabase(
    db,
    new WritableStream({
      write(chunk) {
        chunks.push(chunk);
      },
    }),
  );
  await restoreDatabase(
    db,
    () => Promise.resolve(new Blob(chunks).stream()),
    { isReplacing: true },
  );
  deepEqual(await drift(db), []);
  ok((await writer.append({ n: 5 })).record.id > last.id + 1);
}

Deno.test("partitioning keeps every row and spreads namespaces", async () => {
  await using test = await openTestDb();
  await convert(test.db);
});

Deno.test({
  name: `partitioning works on PostgreSQL 15, too${
    HAS_DEBIAN_POSTGRES
      ? ""
      : " (skipped: Debian's postgresql-15 is not installed)"
  }`,
  ignore: !HAS_DEBIAN_POSTGRES,
  async fn() {
    await using postgres = await openDebianPostgres();
    const db = openPool({ kind: "url", url: postgres.url });
    try {
      await migrate(db);
      await convert(db);
    } finally {
      await db.close();
    }
  },
});
