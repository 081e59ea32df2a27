/**
 * The floor of a store: the very rows that it wrote, inserted once more into
 * tables of the same form, size and indexes, by plain prepared statements in
 * one transaction.
 *
 * What there is to learn of a row is known by then: nothing is analysed, looked
 * up or checked.
 *
 * @module
 */
import type postgres from "postgres";
import type { Db, Row } from "../../../store/pg/mod.ts";
import type { Stage } from "../stage.ts";

/** What a store inserts into, in its order. */
const TABLES = [
  "cortex_keys",
  "cortex_scopes",
  "cortex_events",
  "cortex_passages",
  "cortex_terms_known",
] as const;
/** What it updates a row of. */
const COUNTS = "cortex_passage_counts";
const COUNT_SLOTS = 8;

/** Rows of one table, column by column, as text. */
interface Rows {
  readonly statement: string;
  readonly columns: readonly (readonly (string | null)[])[];
}

/** What one store wrote. */
interface Written {
  readonly inserts: readonly Rows[];
  readonly root: string;
  readonly passages: number;
  readonly length: number;
}

/** The rows of stores, to be inserted again. */
export interface BareRows {
  /** Looks up what has been stored since the last time. */
  learn(): Promise<void>;
  /** Inserts the rows of the next store that was learnt. */
  insert(): Promise<void>;
}

/** Copies the tables as they are now, and takes down what is stored from here. */
export async function openBareRows(
  { db, bare }: Stage,
  schema: string,
): Promise<BareRows> {
  await db.write(`create schema ${schema}`);
  for (const table of [...TABLES, COUNTS]) await copy(db, schema, table);
  const columns = await columnsOf(db);
  const sql = bare();
  let mark = await lastOf(db);
  let next: Written[] = [];
  return {
    async learn() {
      next = await readWritten(db, { schema, mark, columns });
      mark = await lastOf(db);
    },
    async insert() {
      const written = next.shift();
      if (written === undefined) throw new Error("Nothing was stored before");
      await insert(sql, schema, written);
    },
  };
}

async function copy(db: Db, schema: string, table: string): Promise<void> {
  const to = `${schema}.${table}`;
  await db.write(`create table ${to} (like ${table} including all)`);
  const [row] = await db.read<Row>(
    "select array_to_string(reloptions, ', ') as options from pg_class where oid = $1::text::regclass",
    [table],
  );
  if (typeof row?.options === "string") {
    await db.write(`alter table ${to} set (${row.options})`);
  }
  await db.write(
    `insert into ${to} overriding system value select * from ${table}`,
  );
  await db.write(`vacuum analyze ${to}`);
}

interface Column {
  readonly name: string;
  readonly type: string;
}

async function columnsOf(db: Db): Promise<ReadonlyMap<string, Column[]>> {
  const rows = await db.read<Row>(
    `select a.attrelid::regclass::text as table_name, a.attname as name,
       format_type(a.atttypid, null) as type
     from pg_attribute a
     where a.attrelid = any ($1::text[]::regclass[]) and a.attnum > 0
     order by a.attrelid, a.attnum`,
    [TABLES],
  );
  return Map.groupBy(
    rows.map(({ table_name, name, type }) => ({
      table: String(table_name),
      name: String(name),
      type: String(type),
    })),
    ({ table }) => table,
  );
}

async function lastOf(db: Db): Promise<string> {
  const [row] = await db.read<Row>(
    "select coalesce(max(seq), 0)::text as last from cortex_events",
  );
  return String(row?.last);
}

/** Rows of one store carry the same transaction. */
async function readWritten(
  db: Db,
  { schema, mark, columns }: {
    readonly schema: string;
    readonly mark: string;
    readonly columns: ReadonlyMap<string, readonly Column[]>;
  },
): Promise<Written[]> {
  const stores = await db.read<Row>(
    `select e.xmin::text as id, min(e.root) as root, count(*)::int as passages,
       sum(p.length)::int as length
     from cortex_events e join cortex_passages p using (root, seq)
     where e.seq > $1::bigint group by e.xmin order by min(e.seq)`,
    [mark],
  );
  const ids = stores.map(({ id }) => String(id));
  const tables = new Map<string, Map<unknown, Row[]>>();
  for (const table of TABLES) {
    const texts = columns.get(table)?.map(({ name }) => `${name}::text`);
    const rows = await db.read<Row>(
      `select xmin::text as store, ${texts?.join(", ")} from ${table}
       where xmin::text = any ($1::text[])`,
      [ids],
    );
    tables.set(table, Map.groupBy(rows, ({ store }) => store));
  }
  return stores.map((store) => ({
    root: String(store.root),
    passages: Number(store.passages),
    length: Number(store.length),
    inserts: TABLES.flatMap((table) => {
      const rows = tables.get(table)?.get(store.id);
      const own = columns.get(table) ?? [];
      if (rows === undefined) return [];
      return {
        statement: insertOf(`${schema}.${table}`, own),
        columns: own.map(({ name }) =>
          rows.map((row) => row[name] as string | null)
        ),
      };
    }),
  }));
}

function insertOf(table: string, columns: readonly Column[]): string {
  const lists = columns.map(({ type }, at) => `$${at + 1}::text[]::${type}[]`);
  return `insert into ${table} overriding system value
    select * from unnest(${lists.join(", ")})`;
}

async function insert(
  sql: postgres.Sql,
  schema: string,
  { inserts, root, passages, length }: Written,
): Promise<void> {
  const slot = Math.floor(Math.random() * COUNT_SLOTS);
  await sql.begin((tx) => [
    ...inserts.map(({ statement, columns }) =>
      tx.unsafe(statement, columns as never[], { prepare: true })
    ),
    tx.unsafe(
      `update ${schema}.${COUNTS} set passages = passages + $1, length = length + $2
       where root = $3 and slot = $4`,
      [passages, length, root, slot],
      { prepare: true },
    ),
  ]);
}
