/**
 * `deno task test:citus`: the script of docs/scale.md and root data behind it,
 * on the Citus of `CITUS_URL`, in a database that is emptied.
 *
 * It is no part of the other tests: no Citus can be installed where they run.
 *
 * @module
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { migrate } from "../../store/pg/mod.ts";
import { openPool } from "../../store/pg/postgres.ts";
import {
  browseCounters,
  searchRecords,
  sweep,
} from "../../store/root_data/mod.ts";
import { backupDatabase, restoreDatabase } from "../../store/transfer/mod.ts";
import { drift, fill, openWriter } from "../support/root_data.ts";

const SCRIPT = fileURLToPath(
  new URL("../../deploy/sql/distribute_by_namespace.sql", import.meta.url),
);
const NAMESPACES = 40;

const url = Deno.env.get("CITUS_URL") ?? "";
const say = (line: string) =>
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
if (url === "") {
  say(
    "Nothing was tested: set CITUS_URL to a Citus coordinator, in a database that may be emptied",
  );
  Deno.exit(2);
}

async function distribute(): Promise<void> {
  const { code, stderr } = await new Deno.Command("psql", {
    args: ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", SCRIPT, url],
    stdout: "null",
  }).output();
  equal(code, 0, new TextDecoder().decode(stderr));
}

const db = openPool({ kind: "url", url });
try {
  await migrate(db);
  await db.transaction((tx) =>
    tx.exec("truncate agent_root_records, agent_root_record_counters")
  );
  for (let n = 0; n < NAMESPACES; n++) {
    await fill(db, 50, { namespace: `n${n}`, collection: "many" });
  }
  const content = async () =>
    await db.read(
      "select md5(string_agg(r::text, ',' order by r.id)) as records from agent_root_records r",
    );
  const before = await content();
  await distribute();
  deepEqual(await content(), before);
  say("distributed, every row kept");

  const writer = await openWriter(db);
  for (let n = 0; n < NAMESPACES; n++) {
    const namespace = `n${n}`;
    equal((await writer.put("k1", { n }, { namespace })).outcome, "created");
    equal(
      (await writer.put("k1", { n: 0 }, { namespace })).outcome,
      "replaced",
    );
    const page = await searchRecords(db, {
      namespace,
      collection: "many",
      filter: { even: true },
      order: "newest",
      limit: 100,
      offset: 0,
      maxBytes: 200_000,
      sizeOf: () => 1,
    });
    equal(page.total, 25);
  }
  say("put, replaced and searched in every namespace");

  await db.write(
    "update agent_root_records set expires_at = now() - interval '1 day' where namespace = 'n3' and collection = 'many'",
  );
  const report = await sweep(db, { signal: new AbortController().signal });
  ok(JSON.stringify(report).includes("50"), JSON.stringify(report));
  const { counters } = await browseCounters(db, {
    limit: 100,
    isCounted: true,
  });
  ok(counters.length >= NAMESPACES);
  deepEqual(await drift(db), []);
  say("swept, counted, no counter off");

  const chunks: Uint8Array<ArrayBuffer>[] = [];
  await backupDatabase(
    db,
    new WritableStream({ write: (chunk) => void chunks.push(chunk) }),
  );
  await restoreDatabase(
    db,
    () => Promise.resolve(new Blob(chunks).stream()),
    { isReplacing: true },
  );
  await distribute();
  for (let n = 0; n < NAMESPACES; n++) {
    await writer.append({ n }, { namespace: `n${n}` });
  }
  deepEqual(await drift(db), []);
  say("backed up, restored, distributed again, written to: all holds");
} finally {
  await db.close();
}
