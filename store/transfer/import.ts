/**
 * Import of JSON Lines as {@link exportRecords} writes them, under the same
 * limits as any write; only the rate window does not apply. What was written
 * later than a line says stays as it is, so that no import takes back what
 * sessions did since.
 *
 * Lines are written in batches, one transaction a batch and collection: a
 * transaction never holds two counters, so it cannot deadlock with writers. An
 * import that breaks off is run again: what is there already is unchanged.
 *
 * @module
 */
import type { Db } from "../pg/db.ts";
import { StoreRefusalError } from "../errors.ts";
import {
  ExportVersionError,
  type ImportRecord,
  parseImportLine,
} from "./import_line.ts";
import {
  type ImportGroup,
  type ImportItem,
  ImportPlan,
  itemsJson,
} from "./import_plan.ts";
import { readLines } from "./json_lines.ts";
import {
  MAX_COLLECTIONS_PER_NAMESPACE,
  MAX_RECORDS_PER_COLLECTION,
} from "../root_data/limits.ts";
import { accepted, type OutcomeRow } from "../root_data/outcome.ts";

/**
 * Longest line, in bytes. Data at its limit is longest as an export when it is
 * all numbers such as 5e-324, which the database writes out in 326 characters.
 */
export const MAX_LINE_BYTES = 2 * 1024 * 1024;

const BATCH_RECORDS = 200;
const BATCH_BYTES = 2 * 1024 * 1024;

/** How to import. */
export interface ImportOptions {
  /** Namespace of all records, whatever the lines say. */
  readonly namespace?: string | undefined;
  /** Says why a record must not be stored, if so: declaration and schema. */
  readonly check?: (record: ImportRecord) => Promise<string | undefined>;
  /** Told each line that was refused. */
  readonly refuse: (line: number, reason: string) => void;
  /** Replaces records that were written later, too. */
  readonly isOverwrite?: boolean;
  /** Checks everything, writes and locks nothing. */
  readonly isDryRun?: boolean;
}

/** What an import did, or a dry run would have done. */
export interface ImportReport {
  /** Records that are new. */
  readonly imported: number;
  /** Records at whose key there was another. */
  readonly replaced: number;
  /** Records that were there already. */
  readonly unchanged: number;
  /** Records that stayed, since they were written later than the line says. */
  readonly keptNewer: number;
  /** Lines that were refused. */
  readonly refused: number;
}

/**
 * Imports all lines; a line that is refused does not stop the rest.
 *
 * @throws {StoreRefusalError} An export of a version that is not known.
 * @throws {StoreUnavailableError} The database failed; earlier lines are in.
 */
export async function importRecords(
  db: Db,
  input: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportReport> {
  const isOverwrite = options.isOverwrite === true;
  const plan = new ImportPlan(db, isOverwrite);
  return await new Importer(
    options.isDryRun === true
      ? (group) => plan.judge(group)
      : (group) => writeGroup(db, group, isOverwrite),
    options,
  ).run(input);
}

/** Does, or judges, what the lines of one collection ask for, in order. */
type Work = (group: ImportGroup) => Promise<readonly OutcomeRow[]>;

interface Waiting extends ImportItem {
  readonly line: number;
}

class Importer {
  readonly #work: Work;
  readonly #options: ImportOptions;
  readonly #counts = {
    imported: 0,
    replaced: 0,
    unchanged: 0,
    keptNewer: 0,
    refused: 0,
  };
  readonly #copies = new CopyCounter();
  #refused: { readonly line: number; readonly reason: string }[] = [];
  #waiting: Waiting[] = [];
  #waitingBytes = 0;

  constructor(work: Work, options: ImportOptions) {
    this.#work = work;
    this.#options = options;
  }

  async run(input: AsyncIterable<Uint8Array>): Promise<ImportReport> {
    let fallback: string | undefined;
    for await (const line of readLines(input, MAX_LINE_BYTES)) {
      if ("fault" in line) this.#refuse(line.number, line.fault);
      else {
        fallback = await this.#take(line.number, line.text, fallback);
      }
      if (
        this.#waiting.length + this.#refused.length >= BATCH_RECORDS ||
        this.#waitingBytes >= BATCH_BYTES
      ) await this.#flush();
    }
    await this.#flush();
    return this.#counts;
  }

  /** Checks a line; returns the namespace of lines that name none. */
  async #take(
    number: number,
    text: string,
    fallback: string | undefined,
  ): Promise<string | undefined> {
    const { namespace: override, check } = this.#options;
    try {
      const line = parseImportLine(text, { fallback, override });
      if (line.kind === "header") return line.namespace;
      const { record } = line;
      const reason = await check?.(record);
      if (reason !== undefined) this.#refuse(number, reason);
      else {
        const copies = this.#copies.count(record);
        this.#waiting.push({ line: number, record, copies });
        this.#waitingBytes += record.serialized.bytes;
      }
    } catch (error) {
      if (
        !(error instanceof StoreRefusalError) ||
        error instanceof ExportVersionError
      ) throw error;
      this.#refuse(number, error.message);
    }
    return fallback;
  }

  #refuse(line: number, reason: string): void {
    this.#counts.refused++;
    this.#refused.push({ line, reason });
  }

  async #flush(): Promise<void> {
    const groups = Map.groupBy(
      this.#waiting,
      ({ record }) => `${record.namespace}/${record.collection}`,
    );
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const group of groups.values()) await this.#write(group);
    const refused = this.#refused.sort((a, b) => a.line - b.line);
    this.#refused = [];
    for (const { line, reason } of refused) this.#options.refuse(line, reason);
  }

  /** Writes records of one collection, in order. */
  async #write(items: readonly Waiting[]): Promise<void> {
    const [first] = items;
    if (first === undefined) return;
    const { namespace, collection } = first.record;
    const rows = await this.#work({ namespace, collection, items });
    items.forEach(({ line }, at) => this.#settle(line, rows[at], first.record));
  }

  #settle(
    line: number,
    row: OutcomeRow | undefined,
    address: ImportRecord,
  ): void {
    try {
      const { outcome } = accepted(row, address);
      if (outcome === "replaced") this.#counts.replaced++;
      else if (outcome === "unchanged") this.#counts.unchanged++;
      else if (outcome === "kept_newer") this.#counts.keptNewer++;
      else this.#counts.imported++;
    } catch (error) {
      if (!(error instanceof StoreRefusalError)) throw error;
      this.#refuse(line, error.message);
    }
  }
}

/** Writes records of one collection in one transaction. */
async function writeGroup(
  db: Db,
  { namespace, collection, items }: ImportGroup,
  isOverwrite: boolean,
): Promise<OutcomeRow[]> {
  return await db.write<OutcomeRow>(
    "select * from root_data_import($1, $2, $3::text::jsonb, $4, $5, $6)",
    [
      namespace,
      collection,
      itemsJson(items),
      MAX_RECORDS_PER_COLLECTION,
      MAX_COLLECTIONS_PER_NAMESPACE,
      isOverwrite,
    ],
  );
}

/**
 * Counts equal records without a key among neighbours of one creation time: of
 * two that are equal in the file, two must be stored.
 */
class CopyCounter {
  #place = "";
  #seen = new Map<string, number>();

  count(record: ImportRecord) {
    const { key, namespace, collection, serialized } = record;
    // A record that says only when it was written was made then.
    const madeAt = record.createdAt ?? record.updatedAt;
    if (key !== null || madeAt === undefined) return 1;
    const place = `${namespace}/${collection}/${madeAt}`;
    if (
      place !== this.#place || this.#seen.size >= MAX_RECORDS_PER_COLLECTION
    ) {
      this.#place = place;
      this.#seen = new Map();
    }
    const copies = (this.#seen.get(serialized.json) ?? 0) + 1;
    this.#seen.set(serialized.json, copies);
    return copies;
  }
}
