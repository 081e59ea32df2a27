/**
 * Many memories, filled in by the server itself from a template: events that
 * were really stored, with all the rows that a store writes.
 *
 * What the rows of a root are found by is made anew for another root; words,
 * places and counts are those of the template.
 *
 * @module
 */
import type { Db, Row } from "../../../store/pg/mod.ts";

/** Which events are copied, and how often. */
interface Copies {
  /** The root of the template. */
  readonly from: string;
  /** How many copies there are to be. */
  readonly count: number;
}

/** What a column has in copy `n` of row `t`. */
type Anew = Readonly<Record<string, string>>;

const INDEXED = ["cortex_events", "cortex_passages"];
const SCOPE_MARK = 8;
const ROOT_MARK = 4;

/** Stores a root's events many times over, in that root. */
export async function multiply(db: Db, { from, count }: Copies): Promise<void> {
  await withoutIndexes(db, async () => {
    const seq = await seqsOf(db, from);
    await copyRows(db, { from, count }, {
      cortex_events: {
        seq,
        id: `md5('${from}/' || ${seq})::uuid`,
        idempotency_key: "null",
      },
      cortex_passages: { seq },
    });
  });
  await db.write(
    `update cortex_passage_counts set passages = passages * $2::int, length = length * $2::int
     where root = $1`,
    [from, count + 1],
  );
}

/** Gives so many other persons the events of a root. */
export async function addPersons(
  db: Db,
  { from, count }: Copies,
): Promise<void> {
  const root = "('org:person-' || n)";
  const inRoot = (path: string) =>
    `${root} || substr(${path}, length(t.root) + 1)`;
  await withoutIndexes(db, async () => {
    const seq = await seqsOf(db, from);
    const id = `md5(${root} || '/' || t.seq)::uuid`;
    await copyRows(db, { from, count }, {
      cortex_events: {
        root,
        seq,
        id,
        scope: inRoot("t.scope"),
        terms: remarked(scopeMark("t.scope"), scopeMark(inRoot("t.scope"))),
      },
      cortex_passages: {
        root,
        seq,
        scope: inRoot("t.scope"),
        terms: remarked(rootMark("t.root"), rootMark(root)),
      },
      cortex_scopes: { root, path: inRoot("t.path") },
      cortex_terms_known: { root },
      cortex_passage_counts: { root },
      cortex_term_counts: { root },
      cortex_term_marks: {
        root,
        after_seq: seq.replace("t.seq", "t.after_seq"),
      },
    });
    await db.write(
      `insert into cortex_keys (root, key, body_hash, event_id, written_at)
       select root, idempotency_key, 'copied', id, recorded_at from cortex_events
       where root like 'org:person-%'`,
    );
  });
}

/** Places in the log behind all that there are. */
async function seqsOf(db: Db, from: string): Promise<string> {
  const [row] = await db.read<Row>(
    `select max(seq)::text as last,
       (max(seq) filter (where root = $1))::text as top from cortex_events`,
    [from],
  );
  return `${row?.last}::bigint + (n - 1) * ${row?.top}::bigint + t.seq`;
}

async function copyRows(
  db: Db,
  { from, count }: Copies,
  tables: Readonly<Record<string, Anew>>,
): Promise<void> {
  for (const [table, anew] of Object.entries(tables)) {
    const rows = await db.read<Row>(
      `select attname as name from pg_attribute
       where attrelid = $1::text::regclass and attnum > 0 and not attisdropped
       order by attnum`,
      [table],
    );
    const columns = rows.map(({ name }) => String(name));
    await db.write(
      `insert into ${table} (${columns.join(", ")}) overriding system value
       select ${columns.map((name) => anew[name] ?? `t.${name}`).join(", ")}
       from generate_series(1, $2::int) n cross join (
         select * from ${table} where root = $1) t`,
      [from, count],
    );
  }
}

/** Filling an index row by row takes ten times as long as making it. */
async function withoutIndexes(
  db: Db,
  work: () => Promise<void>,
): Promise<void> {
  const indexes = await db.read<Row>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = any ($1::text[]) and indexname not like '%_pkey'`,
    [INDEXED],
  );
  for (const { name } of indexes) await db.write(`drop index ${name}`);
  await work();
  await db.write(
    `select setval(pg_get_serial_sequence('cortex_events', 'seq'),
       (select max(seq) from cortex_events))`,
  );
  await db.transaction(async (tx) => {
    await tx.write("set local maintenance_work_mem = '1GB'");
    for (const { definition } of indexes) await tx.write(String(definition));
  });
  await db.write("vacuum analyze");
}

/** What stands for a scope in the lexemes of its labels. */
function scopeMark(scope: string): string {
  return `cortex_digest(${scope}, ${SCOPE_MARK})`;
}

/** What stands for a root in the lexemes of its passages. */
function rootMark(root: string): string {
  return `left(translate(encode(sha256(convert_to(${root}, 'UTF8')), 'base64'), '+/', '-_'), ${ROOT_MARK})`;
}

/** Lexemes of a row behind another mark. */
function remarked(mark: string, other: string): string {
  return `replace(t.terms::text, '''' || ${mark}, '''' || ${other})::tsvector`;
}
