/**
 * Export of a namespace as JSON Lines: a header, then one record a line, by
 * collection, creation time and id.
 *
 * One read-only transaction sees one state of the database, and pages are read
 * by key, so that neither size nor concurrent writes matter. Data and times are
 * the database's own text: nothing passes through a JavaScript number or date,
 * which would round them.
 *
 * @module
 */
import type { Db, Row, Transaction } from "../pg/db.ts";
import { StoreUnavailableError } from "../errors.ts";
import { assertCollectionName, assertNamespace } from "../root_data/names.ts";

/** Format of the lines; a reader refuses what it does not know. */
export const EXPORT_VERSION = 1;

/** Records of one page: at most 3.3 MB of data. */
const PAGE_RECORDS = 100;

/** What to export. */
export interface ExportRequest {
  /** Namespace to export. */
  readonly namespace: string;
  /** Only this collection; undefined exports all. */
  readonly collection?: string | undefined;
}

/** What an export wrote. */
export interface ExportReport {
  /** Records, without the header. */
  readonly records: number;
  /** Collections that held them. */
  readonly collections: number;
}

interface LineRow extends Row {
  readonly id: string;
  readonly key: string | null;
  readonly data: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at: string | null;
  readonly writing_session_id: string | null;
}

/** A time column as ISO 8601 UTC with the microseconds that are stored. */
function isoColumn(name: string): string {
  return `to_char(r.${name} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${name}`;
}

const PAGE_STATEMENT = `
  select r.id::text, r.key, r.data::text as data, ${isoColumn("created_at")},
    ${isoColumn("updated_at")}, ${isoColumn("expires_at")},
    r.writing_session_id::text
  from agent_root_records r
  where r.namespace = $1 and r.collection = $2
    and (r.created_at, r.id) > ($3::text::timestamptz, $4::text::bigint)
  order by r.created_at, r.id limit ${PAGE_RECORDS}`;

/**
 * Writes the lines of a namespace, whole lines at a time; waits for each
 * `write` before it reads on.
 *
 * @throws {StoreRefusalError} No namespace or collection can have that name.
 * @throws {StoreUnavailableError} The database failed; what was written is not
 * complete.
 */
export async function exportRecords(
  db: Db,
  request: ExportRequest,
  write: (lines: string) => Promise<void>,
): Promise<ExportReport> {
  assertNamespace(request.namespace);
  if (request.collection !== undefined) {
    assertCollectionName(request.collection);
  }
  let hasWritten = false;
  return await db.transaction(async (tx) => {
    // A transaction whose connection broke is begun again, and lines that are
    // out cannot be taken back.
    if (hasWritten) {
      throw new StoreUnavailableError(
        "failed",
        "The connection to the database broke during the export; what was written is not complete",
      );
    }
    await tx.exec("set transaction isolation level repeatable read, read only");
    const names = await collectionNames(tx, request);
    hasWritten = true;
    await write(await headerLine(tx, request.namespace));
    let records = 0;
    for (const collection of names) {
      records += await exportCollection(tx, request.namespace, {
        collection,
        write,
      });
    }
    return { records, collections: names.length };
  });
}

async function collectionNames(
  tx: Transaction,
  { namespace, collection }: ExportRequest,
): Promise<string[]> {
  const rows = await tx.read<{ collection: string }>(
    `select distinct collection collate "C" as collection
     from agent_root_records
     where namespace = $1 and ($2::text is null or collection = $2)
     order by 1`,
    [namespace, collection ?? null],
  );
  return rows.map((row) => row.collection);
}

async function headerLine(tx: Transaction, namespace: string): Promise<string> {
  const [row] = await tx.read<{ now: Date }>("select now() as now");
  return `${
    JSON.stringify({
      rootcellar_export: EXPORT_VERSION,
      namespace,
      exported_at: row?.now.toISOString(),
    })
  }\n`;
}

async function exportCollection(
  tx: Transaction,
  namespace: string,
  { collection, write }: {
    readonly collection: string;
    readonly write: (lines: string) => Promise<void>;
  },
): Promise<number> {
  const head = JSON.stringify({ namespace, collection }).slice(0, -1);
  let after: readonly [string, string] = ["-infinity", "0"];
  let records = 0;
  for (;;) {
    const page = await tx.read<LineRow>(PAGE_STATEMENT, [
      namespace,
      collection,
      ...after,
    ]);
    const last = page.at(-1);
    if (last === undefined) return records;
    await write(page.map((row) => lineOf(head, row)).join(""));
    records += page.length;
    after = [last.created_at, last.id];
  }
}

function lineOf(head: string, row: LineRow): string {
  const { id, key, data, writing_session_id: writer, ...times } = row;
  const rest = JSON.stringify({
    created_at: times.created_at,
    updated_at: times.updated_at,
    expires_at: times.expires_at,
  }).slice(1, -1);
  return `${head},"key":${
    JSON.stringify(key)
  },"data":${data},${rest},"id":${id},"writing_session_id":${writer}}\n`;
}
