/**
 * The form of a backup: gzip around JSON Lines.
 *
 * The first line says what it is, each further one is a row
 * (`{"sessions":{…}}`), and the last one counts the rows and carries a digest of
 * all lines before it. So a file that lacks its end, or was changed by accident,
 * is known as such before anything is done with it. Rows stay the database's own
 * text: nothing passes through a JavaScript number, which would round it.
 *
 * @module
 */
import { createHash, type Hash } from "node:crypto";
import { BackupError } from "../errors.ts";
import { isJsonObject } from "../pg/storable.ts";
import { readLines } from "./json_lines.ts";

/** Form of the lines; a reader refuses what it does not know. */
export const BACKUP_VERSION = 1;
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const ROW_REGEXP = /^\{"(\w+)":(\{.*\})\}$/s;

/** First line of a backup. */
export interface BackupHead {
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** Ids of the migrations that the database had. */
  readonly migrations: readonly string[];
}

/** Where a column that counts by itself stands. */
export interface SequenceState {
  readonly table: string;
  readonly column: string;
  /** Last value, as text: it may pass 2^53. */
  readonly last: string;
  /** Whether that value has been given out. */
  readonly isUsed: boolean;
}

/** What a backup holds. */
export interface BackupContent extends BackupHead {
  readonly rows: Readonly<Record<string, number>>;
  readonly sequences: readonly SequenceState[];
  /** SHA-256 of all lines before the last one. */
  readonly sha256: string;
}

/** Writes the lines of a backup and keeps count. */
export class BackupWriter {
  readonly #write: (text: string) => Promise<void>;
  readonly #hash: Hash = createHash("sha256");
  readonly #rows: Record<string, number> = {};

  constructor(write: (text: string) => Promise<void>) {
    this.#write = write;
  }

  async begin({ createdAt, migrations }: BackupHead): Promise<void> {
    await this.#add(
      `${
        JSON.stringify({
          rootcellar_backup: BACKUP_VERSION,
          created_at: createdAt,
          migrations,
        })
      }\n`,
    );
  }

  /** Adds rows of a table, each the JSON text of an object. */
  async add(table: string, rows: readonly string[]): Promise<void> {
    this.#rows[table] = (this.#rows[table] ?? 0) + rows.length;
    await this.#add(rows.map((row) => `{"${table}":${row}}\n`).join(""));
  }

  /** Ends the backup; the rows that it holds. */
  async end(
    sequences: readonly SequenceState[],
  ): Promise<Readonly<Record<string, number>>> {
    const end = {
      rows: this.#rows,
      sequences,
      sha256: this.#hash.digest("hex"),
    };
    await this.#write(`${JSON.stringify({ rootcellar_backup_end: end })}\n`);
    return this.#rows;
  }

  async #add(text: string): Promise<void> {
    this.#hash.update(text);
    await this.#write(text);
  }
}

/**
 * Reads a backup to its end and checks that it is whole; calls `take` for each
 * row on the way.
 *
 * @throws {BackupError} It is no backup, one of a newer form, or damaged.
 */
export async function readBackup(
  file: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (table: string, row: string) => Promise<void> = () => Promise.resolve(),
): Promise<BackupContent> {
  const hash = createHash("sha256");
  const rows: Record<string, number> = {};
  let head: BackupHead | undefined;
  let last: string | undefined;
  const lines = readLines(
    file.pipeThrough(new DecompressionStream("gzip")),
    MAX_LINE_BYTES,
  );
  for await (const text of texts(lines)) {
    if (head === undefined) {
      head = toHead(text);
      last = "";
      hash.update(`${text}\n`);
      continue;
    }
    if (last !== "") throw damaged("it goes on after its end");
    const row = ROW_REGEXP.exec(text);
    const [, table, json] = row ?? [];
    if (
      table === undefined || json === undefined ||
      table === "rootcellar_backup_end"
    ) {
      last = text;
      continue;
    }
    hash.update(`${text}\n`);
    rows[table] = (rows[table] ?? 0) + 1;
    await take(table, json);
  }
  if (head === undefined) throw notABackup();
  if (!last) throw damaged("its end is missing");
  const content = { ...head, ...toEnd(last) };
  const isWhole = content.sha256 === hash.digest("hex") &&
    sameCounts(content.rows, rows);
  if (!isWhole) throw damaged("its digest does not fit what it holds");
  return content;
}

/** The lines' texts; a file that gzip cannot read is named as what it is. */
async function* texts(
  lines: ReturnType<typeof readLines>,
): AsyncGenerator<string> {
  let isFirst = true;
  try {
    for await (const line of lines) {
      if ("fault" in line) throw damaged(line.fault);
      yield line.text;
      isFirst = false;
    }
  } catch (error) {
    // Decompression says what is wrong in a TypeError; so says a file that
    // cannot be read, in an error of its own.
    if (!(error instanceof TypeError)) throw error;
    throw isFirst ? notABackup() : damaged("it is cut off or was changed");
  }
}

function toHead(text: string): BackupHead {
  const value = parse(text);
  if (!isJsonObject(value) || !("rootcellar_backup" in value)) {
    throw notABackup();
  }
  if (value.rootcellar_backup !== BACKUP_VERSION) {
    throw new BackupError(
      "newer",
      `Cannot read the backup: its form is ${
        String(value.rootcellar_backup)
      }, and this program reads ${BACKUP_VERSION}; use a newer Rootcellar`,
    );
  }
  const { created_at: createdAt, migrations } = value;
  if (typeof createdAt !== "string" || !isTexts(migrations)) {
    throw damaged("its first line is incomplete");
  }
  return { createdAt, migrations };
}

function toEnd(text: string): Omit<BackupContent, keyof BackupHead> {
  const line = parse(text);
  const end = isJsonObject(line) ? line.rootcellar_backup_end : undefined;
  if (!isJsonObject(end)) throw damaged("a line is no row");
  const { rows, sequences, sha256 } = end;
  if (
    !isJsonObject(rows) || !Array.isArray(sequences) ||
    typeof sha256 !== "string" || !sequences.every(isSequence)
  ) throw damaged("its last line is incomplete");
  return { rows: rows as Record<string, number>, sequences, sha256 };
}

function isSequence(value: unknown): value is SequenceState {
  return isJsonObject(value) && typeof value.table === "string" &&
    typeof value.column === "string" && typeof value.last === "string" &&
    typeof value.isUsed === "boolean";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) &&
    value.every((item) => typeof item === "string");
}

function sameCounts(
  said: Readonly<Record<string, number>>,
  read: Readonly<Record<string, number>>,
): boolean {
  return [...new Set([...Object.keys(said), ...Object.keys(read)])]
    .every((table) => (said[table] ?? 0) === (read[table] ?? 0));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notABackup(): BackupError {
  return new BackupError(
    "not_a_backup",
    "Cannot restore: the file is no backup of Rootcellar",
  );
}

function damaged(how: string): BackupError {
  return new BackupError(
    "damaged",
    `Cannot restore: the backup is damaged, ${how}; nothing was changed`,
  );
}
