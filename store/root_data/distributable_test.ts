/** What tables distributed by namespace refuse is in no function of root data. */
import { deepEqual, match, ok, rejects } from "node:assert/strict";
import distribute from "../../deploy/sql/distribute_by_namespace.sql" with {
  type: "text",
};
import { openTestDb } from "../../tests/support/test_db.ts";

const TABLES = "agent_root_record(?:s|_counters)";
const CLOCK_REGEXP =
  /\b(clock_timestamp|statement_timestamp|random|timeofday)\(/;

/** The script's own check of the tables that it knows. */
function blockOf(script: string): string {
  const begin = script.indexOf("do $do$");
  return script.slice(begin, script.indexOf("end $do$;", begin) + 9);
}

/** The names of a list of texts in SQL. */
function quoted(list: string): string[] {
  return [...list.matchAll(/'(\w+)'/g)].map(([, name]) => String(name));
}

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

Deno.test("what becomes of each table is said, and a table of which nothing is said stops the script", async () => {
  await using test = await openTestDb();
  const block = blockOf(distribute);
  await test.db.write(block);
  const [, list = ""] = /local constant text\[\] := array\[([^\]]*)\]/
    .exec(block) ?? [];
  const there = await test.db.read<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p')
       and relnamespace = 'public'::regnamespace and relname not like 'agent\\_root\\_record%'
     order by 1`,
  );
  deepEqual(quoted(list).sort(), there.map(({ name }) => name).sort());
  await test.db.write("create table newcomers (id bigint)");
  await rejects(
    test.db.write(block),
    ({ cause }: Error) =>
      /does not say what becomes of newcomers/.test(String(cause)),
  );
});

Deno.test("what runs on the node of a namespace names it first, reads no table of the coordinator, and finds there what it calls", async () => {
  await using test = await openTestDb();
  const rows = await test.db.read<
    { name: string; body: string; first: string | null }
  >(
    `select proname as name, prosrc as body, proargnames[1] as first from pg_proc
     where pronamespace = 'public'::regnamespace`,
  );
  const sent = quoted(/p\.proname in \(([^)]*)\)/.exec(distribute)?.[1] ?? "");
  const helpers = [...distribute.matchAll(/'(\w+)\([^)]*\)'/g)]
    .map(([, name]) => String(name));
  // Citus itself brings what an index is made with.
  const indexed = await test.db.read<{ name: string }>(
    `select distinct p.proname as name from pg_depend d
     join pg_proc p on p.oid = d.refobjid
     join pg_index i on i.indexrelid = d.objid
     where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_proc'::regclass
       and i.indrelid = 'agent_root_records'::regclass`,
  );
  const known = [...sent, ...helpers, ...indexed.map(({ name }) => name)];
  ok(sent.includes("root_data_put") && sent.includes("root_data_import"));
  const local = quoted(
    /local constant text\[\] := array\[([^\]]*)\]/.exec(distribute)?.[1] ?? "",
  );
  const there = rows.filter(({ name }) => known.includes(name));
  deepEqual(
    [...new Set(there.map(({ name }) => name))].sort(),
    [...new Set(known)].sort(),
  );
  deepEqual(
    there.filter(({ name }) => sent.includes(name))
      .filter(({ first }) => first !== "p_namespace"),
    [],
  );
  deepEqual(
    there.flatMap(({ name, body }) => [
      ...rows.filter((other) =>
        new RegExp(`\\b${other.name}\\(`).test(body) &&
        !known.includes(other.name)
      ).map((other) => `${name} calls ${other.name}`),
      ...local.filter((table) =>
        new RegExp(`\\b(?:from|join|into|update)\\s+${table}\\b`).test(body)
      ).map((table) => `${name} needs ${table}`),
    ]),
    [],
  );
});

Deno.test("no key leads from a distributed table to one of the coordinator, but the one that is dropped", async () => {
  await using test = await openTestDb();
  const keys = await test.db.read<{ name: string }>(
    `select conname as name from pg_constraint where contype = 'f'
       and (conrelid in ('agent_root_records'::regclass, 'agent_root_record_counters'::regclass)
         or confrelid in ('agent_root_records'::regclass, 'agent_root_record_counters'::regclass))`,
  );
  deepEqual(keys.map(({ name }) => name), [
    "agent_root_records_writing_session_id_fkey",
  ]);
  match(distribute, /drop constraint if exists agent_root_records_writing/);
});

Deno.test("the script speaks of functions that are there", async () => {
  await using test = await openTestDb();
  const helpers = [...distribute.matchAll(/'(root_data_\w+\([^)]*\))'/g)]
    .map(([, signature]) => String(signature));
  ok(helpers.length >= 6);
  for (const signature of helpers) {
    await test.db.read("select $1::text::regprocedure", [signature]);
  }
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
