/** What tables distributed by namespace refuse is in no function of root data. */
import { deepEqual, match, ok } from "node:assert/strict";
import distribute from "../../deploy/sql/distribute_by_namespace.sql" with {
  type: "text",
};
import { openTestDb } from "../../tests/support/test_db.ts";

const TABLES = "agent_root_record(?:s|_counters)";
const CLOCK_REGEXP =
  /\b(clock_timestamp|statement_timestamp|random|timeofday)\(/;

/** The statements of a body that change a table of root data. */
function changesIn(body: string): string[] {
  const change = new RegExp(
    `\\b(update|delete\\s+from|insert\\s+into)\\s+${TABLES}\\b`,
  );
  return body.split(";").filter((statement) => change.test(statement));
}

Deno.test("no change of root data reads a volatile clock within its statement", async () => {
  await using test = await openTestDb();
  const rows = await test.db.read<{ name: string; body: string }>(
    `select proname as name, prosrc as body from pg_proc
     where pronamespace = 'public'::regnamespace and proname like 'root\\_data\\_%'`,
  );
  ok(rows.length > 10);
  ok(rows.some(({ body }) => changesIn(body).length > 0));
  const refused = rows.filter(({ body }) =>
    changesIn(body).some((statement) => CLOCK_REGEXP.test(statement))
  );
  deepEqual(refused.map(({ name }) => name), []);
});

Deno.test("what changes one namespace names it first, so that its node can be found", async () => {
  await using test = await openTestDb();
  const [, list = ""] = /p\.proname in \(([^)]*)\)/.exec(distribute) ?? [];
  const names = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => String(name));
  ok(names.includes("root_data_put") && names.includes("root_data_import"));
  const rows = await test.db.read<{ name: string; first: string }>(
    `select proname as name, proargnames[1] as first from pg_proc
     where pronamespace = 'public'::regnamespace and proname::text = any ($1::text[])`,
    [names],
  );
  deepEqual(
    rows.map(({ name, first }) => `${name} ${first}`).sort(),
    names.map((name) => `${name} p_namespace`).sort(),
  );
});

Deno.test("the script speaks of functions and keys that are there", async () => {
  await using test = await openTestDb();
  const helpers = [...distribute.matchAll(/'(root_data_\w+\([^)]*\))'/g)]
    .map(([, signature]) => String(signature));
  ok(helpers.length >= 4);
  for (const signature of helpers) {
    await test.db.read("select $1::text::regprocedure", [signature]);
  }
  const [key] = await test.db.read(
    "select conname from pg_constraint where conname = 'agent_root_records_writing_session_id_fkey'",
  );
  ok(key !== undefined);
  match(distribute, /drop constraint if exists agent_root_records_writing/);
});

Deno.test("every key and unique index of root data begins with its namespace", async () => {
  await using test = await openTestDb();
  const rows = await test.db.read<{ name: string; first: string }>(
    `select c.relname as name, a.attname as first
     from pg_index i
     join pg_class c on c.oid = i.indexrelid
     join pg_attribute a on a.attrelid = i.indexrelid and a.attnum = 1
     where i.indisunique and i.indrelid in
       ('agent_root_records'::regclass, 'agent_root_record_counters'::regclass)`,
  );
  ok(rows.length >= 2);
  deepEqual(rows.filter(({ first }) => first !== "namespace"), []);
});
