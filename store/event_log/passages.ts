/**
 * The index of the event log: passages with their terms, behind one GIN index.
 *
 * A term is stored as a lexeme behind a mark of its root, so that a search
 * reads the entries of that root alone, however many share the table.
 *
 * Specification: docs/spec/recall.md section 5.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type {
  LogCandidate,
  LogCandidateRequest,
  LogExcerptRequest,
  LogField,
  LogFrequencies,
  LogFrequencyRequest,
  LogIndexEntry,
  LogPassage,
  LogPlace,
} from "../../cortex/local/port.ts";
import type { Db, Row } from "../pg/db.ts";
import type { LongRow } from "./json_rows.ts";
import { fromWireId, rootOf, toWireId } from "./keys.ts";
import { filterParams } from "./reads.ts";
import { toTime } from "./rows.ts";

/** Characters of a lexeme that stand for its root. */
const MARK_CHARACTERS = 4;
/** Letters under which a tsvector keeps fields apart. */
const LETTERS: Readonly<Record<LogField, string>> = {
  title: "A",
  tags: "B",
  meta: "C",
  text: "D",
};
const FIELDS: Readonly<Record<string, LogField>> = {
  A: "title",
  B: "tags",
  C: "meta",
  D: "text",
};
/** Places of a term that are kept: PostgreSQL keeps no more. */
const MAX_PLACES = 255;

/**
 * An index entry as the database's functions take it, with more of its event.
 * Its first passage has the number `first`.
 */
export function toIndexItem(
  root: string,
  { analyser, passages, known }: LogIndexEntry,
  { more, first = 0 }: {
    readonly more: Readonly<Record<string, unknown>>;
    readonly first?: number;
  },
): LongRow<LogPassage> {
  const mark = markOf(root);
  return {
    row: { ...more, version: analyser, known },
    long: {
      name: "passages",
      parts: passages,
      toPart: ({ from, characters, length, terms }, place) => ({
        part: first + place,
        from_at: from ?? null,
        characters,
        length,
        terms: [...terms].map(([term, places]) => lexeme(mark, term, places))
          .join(" "),
      }),
    },
  };
}

/** How often terms are met. */
export async function readFrequencies(
  db: Db,
  { scopes, queries }: LogFrequencyRequest,
): Promise<LogFrequencies> {
  const root = rootOf(scopes[0] ?? "");
  const mark = markOf(root);
  const [row] = await db.read<Row>(
    `select passages, mean_length, to_jsonb(frequencies) as frequencies
     from cortex_term_frequencies($1, $2::text[], $3::text[], $4::text[], $5::text[]::int[])`,
    [
      root,
      scopes,
      queries.map((terms) => anyOf(mark, terms)),
      queries.flat(),
      queries.flatMap((terms, at) => terms.map(() => String(at + 1))),
    ],
  );
  return {
    passages: Number(row?.passages),
    meanLength: Number(row?.mean_length),
    frequencies: Array.isArray(row?.frequencies)
      ? row.frequencies.map(Number)
      : [],
  };
}

/** The passages that may fit best, best first. */
export async function readCandidates(
  db: Db,
  request: LogCandidateRequest,
): Promise<readonly LogCandidate[]> {
  const { scopes, filter, queries, groups, others } = request;
  const { newest, meanLength, limit } = request;
  const root = rootOf(scopes[0] ?? "");
  const mark = markOf(root);
  const asked = queries.map(({ terms }) => anyOf(mark, terms));
  const sought = groups.map((group) =>
    `(${group.map((place) => `(${asked[place]})`).join("&")})`
  ).join("|");
  const isFiltered = filter.labels.length > 0 || filter.actors.length > 0 ||
    [filter.modality, filter.since, filter.until, filter.recordedBy]
      .some((one) => one !== undefined);
  const rows = await db.read<Row>(
    `select * from cortex_candidates($1, $2::text[], $3, $4::int, $5::text[],
       $6::text[]::float8[], $7::text[], $8::float8, $9::boolean, $10::text[],
       $11::text[], $12, $13::text::timestamptz, $14::text::timestamptz,
       $15::text::timestamptz, $16::int)`,
    [
      root,
      scopes,
      sought === "" ? null : sought,
      newest,
      asked,
      queries.map(({ weight }) => String(weight)),
      [...new Set([...queries.flatMap(({ terms }) => terms), ...others])]
        .map((term) => mark + term),
      meanLength,
      isFiltered,
      ...filterParams(filter),
      limit,
    ],
  );
  return rows.map((row): LogCandidate => ({
    id: toWireId("evt", row.event_id),
    observedAt: toTime(row.observed_at),
    from: row.from_at === null ? undefined : Number(row.from_at),
    characters: Number(row.characters),
    length: Number(row.length),
    terms: toPlaces(row.places),
    head: toPlaces(row.head),
  }));
}

/** Terms of a root that look like a word. */
export async function readSimilarTerms(
  db: Db,
  scope: string,
  word: string,
): Promise<readonly string[]> {
  const rows = await db.read<Row>(
    "select term from cortex_similar_terms($1, $2) term",
    [rootOf(scope), word],
  );
  return rows.map(({ term }) => String(term));
}

/** Stretches of texts, in the order asked; undefined: the event is gone. */
export async function readExcerpts(
  db: Db,
  requests: readonly LogExcerptRequest[],
): Promise<readonly (string | undefined)[]> {
  if (requests.length === 0) return [];
  const rows = await db.read<Row>(
    `select r.place, substr(c.text, r.from_at + 1, r.characters) as text
     from unnest($1::text[]::uuid[], $2::text[]::int[], $3::text[]::int[])
       with ordinality as r(id, from_at, characters, place)
     join cortex_events e on e.id = r.id
     cross join lateral jsonb_to_record(e.content) as c(text text)`,
    [
      requests.map(({ id }) => fromWireId("evt", id) ?? null),
      requests.map(({ from }) => String(from)),
      requests.map(({ characters }) => String(characters)),
    ],
  );
  const found = new Map(rows.map((row) => [Number(row.place), row.text]));
  return requests.map((_, index) => {
    const text = found.get(index + 1);
    return typeof text === "string" ? text : undefined;
  });
}

/** What stands for a root in its lexemes. */
function markOf(root: string): string {
  return createHash("sha256").update(root).digest("base64url")
    .slice(0, MARK_CHARACTERS);
}

function lexeme(
  mark: string,
  term: string,
  places: readonly LogPlace[],
): string {
  const at = places.slice(0, MAX_PLACES)
    .map(({ at, field }) => `${at + 1}${LETTERS[field]}`).join(",");
  return `${quoted(mark + term)}:${at}`;
}

/** A tsquery for any of the terms. */
function anyOf(mark: string, terms: readonly string[]): string {
  return terms.map((term) => quoted(mark + term)).join("|");
}

/** One lexeme as the text form of a tsvector or tsquery has it. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

/** What `cortex_places` answered. */
function toPlaces(value: unknown): ReadonlyMap<string, readonly LogPlace[]> {
  if (value === null || typeof value !== "object") return new Map();
  return new Map(
    Object.entries(value).map(([lexeme, places]) => [
      lexeme.slice(MARK_CHARACTERS),
      readPlaces(places),
    ]),
  );
}

function readPlaces(value: unknown): readonly LogPlace[] {
  if (!Array.isArray(value)) return [];
  const [positions, letters]: readonly unknown[] = value;
  if (!Array.isArray(positions) || typeof letters !== "string") return [];
  return positions.map((at, index) => ({
    at: Number(at) - 1,
    field: FIELDS[letters[index] ?? "D"] ?? "text",
  }));
}
