/**
 * Search of the ledger, newest first.
 *
 * Exact filters have indexes in the order of the answer. Parts of texts are
 * looked for in three ways, each bounded: first in the newest decisions, where
 * common words fill a page at once; then by an index of three characters,
 * where the server has one and the text is that long; otherwise a stretch at a
 * time, and the answer says how far it came and how to go on.
 *
 * @module
 */
import type { Db, Row, Transaction } from "../pg/db.ts";
import { StoreRefusalError, StoreUnavailableError } from "../errors.ts";
import type { Statement } from "../root_data/statement.ts";
import { decisionCursor, placeOfCursor } from "./cursor.ts";
import { type GateDecision, toDecision } from "./decision.ts";
import {
  countStatement,
  type DecisionFilter,
  indexedStatement,
  MAX_COUNTED,
  ONLY_TEXT_INDEX,
  pageStatement,
  type Place,
  stretchStatement,
} from "./search_statement.ts";

/** What to look for. */
export interface DecisionSearch extends DecisionFilter {
  /** Decisions at most. */
  readonly limit: number;
  /** Decisions to skip; 0 with a cursor. */
  readonly offset: number;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
  /** Fires when nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
}

/** One page. */
export interface DecisionPage {
  /** Newest first. */
  readonly decisions: readonly GateDecision[];
  /** How many match; undefined where texts were not looked for everywhere. */
  readonly total: number | undefined;
  /** Whether there are more than `total`. */
  readonly isFloor: boolean;
  /** Goes on behind this page, where there is more or may be. */
  readonly next: string | undefined;
  /** Set where texts were looked for a stretch at a time. */
  readonly scan?: {
    /** Decisions that were looked at. */
    readonly lookedAt: number;
    /** Whether those were all. */
    readonly isComplete: boolean;
  };
}

/** Longest that a search may take on the server, in milliseconds. */
const SEARCH_LIMIT_MS = 5_000;
/** Decisions of a stretch. */
const STRETCH_ROWS = 1_000;
/** Stretches in which a page that fills well is looked for. */
const MAX_FIRST_STRETCHES = 10;
/** How long stretches are looked at, in milliseconds. */
const SCAN_MS = 1_000;
/** Shorter parts of texts are in no index. */
const LEAST_INDEXED_CHARACTERS = 3;

/**
 * Finds a page.
 *
 * @throws {StoreRefusalError} The cursor is not of this search, or an offset
 * cannot be had.
 */
export async function searchDecisions(
  db: Db,
  search: DecisionSearch,
): Promise<DecisionPage> {
  if (search.cursor !== undefined && search.offset > 0) {
    throw new StoreRefusalError(
      "bad_argument",
      "Pass cursor or offset, not both: each says where the page begins",
    );
  }
  const place = search.cursor === undefined
    ? undefined
    : placeOfCursor(search, search.cursor);
  return search.query === undefined && search.artifactQuery === undefined
    ? await exactPage(db, search, place)
    : await textPage(db, search, place);
}

async function exactPage(
  db: Db,
  search: DecisionSearch,
  place: Place | undefined,
): Promise<DecisionPage> {
  const { limit, offset, signal } = search;
  const bounds = { limitMs: SEARCH_LIMIT_MS, signal };
  const page = pageStatement(search, { limit: limit + 1, offset, place });
  const count = countStatement(search);
  const [rows, counted] = await Promise.all([
    db.read<Row>(page.text, page.params, bounds),
    db.read<{ total: number }>(count.text, count.params, bounds),
  ]);
  const total = counted[0]?.total ?? 0;
  return {
    ...cutPage(search, rows),
    total: Math.min(total, MAX_COUNTED),
    isFloor: total > MAX_COUNTED,
  };
}

async function textPage(
  db: Db,
  search: DecisionSearch,
  place: Place | undefined,
): Promise<DecisionPage> {
  if (search.offset > 0) {
    const page = await indexedPage(db, search, place);
    if (page !== undefined) return page;
    throw new StoreRefusalError(
      "bad_argument",
      "This text is looked for a stretch at a time, where no number of decisions can be skipped: go on by next_cursor instead of offset",
    );
  }
  const began = performance.now();
  const wanted = search.limit + 1;
  const found: Row[] = [];
  let at = place;
  let lookedAt = 0;
  let isIndexTried = false;
  for (let stretches = 1;; stretches++) {
    const stretch = await readStretch(db, search, {
      limit: wanted - found.length,
      place: at,
    });
    found.push(...stretch.rows);
    lookedAt += stretch.lookedAt;
    at = stretch.last ?? at;
    if (found.length >= wanted) {
      const scan = { lookedAt, isComplete: false };
      return {
        ...cutPage(search, found),
        total: undefined,
        isFloor: true,
        scan,
      };
    }
    if (stretch.lookedAt < STRETCH_ROWS) {
      const isWhole = place === undefined;
      return {
        ...cutPage(search, found),
        total: isWhole ? found.length : undefined,
        isFloor: false,
        scan: { lookedAt, isComplete: true },
      };
    }
    const fills = found.length * MAX_FIRST_STRETCHES >= wanted * stretches;
    if (!isIndexTried && (!fills || stretches >= MAX_FIRST_STRETCHES)) {
      isIndexTried = true;
      const page = await indexedPage(db, search, place);
      if (page !== undefined) return page;
    }
    if (isIndexTried && performance.now() - began > SCAN_MS) {
      return {
        decisions: found.map(toDecision),
        total: undefined,
        isFloor: true,
        next: at === undefined ? undefined : decisionCursor(search, at),
        scan: { lookedAt, isComplete: false },
      };
    }
  }
}

interface Stretch {
  readonly rows: readonly Row[];
  readonly lookedAt: number;
  readonly last: Place | undefined;
}

async function readStretch(
  db: Db,
  search: DecisionSearch,
  { limit, place }: {
    readonly limit: number;
    readonly place: Place | undefined;
  },
): Promise<Stretch> {
  const { text, params } = stretchStatement(search, {
    limit,
    rows: STRETCH_ROWS,
    place,
  });
  const rows = await db.read<Row>(text, params, {
    limitMs: SEARCH_LIMIT_MS,
    signal: search.signal,
  });
  const first = rows[0];
  const lookedAt = Number(first?.looked_at ?? 0);
  return {
    rows: rows.filter(({ id }) => id !== null),
    lookedAt,
    last: lookedAt === 0
      ? undefined
      : { day: String(first?.last_day), id: String(first?.last_id) },
  };
}

/** Undefined where the index cannot be used, or took too long. */
async function indexedPage(
  db: Db,
  search: DecisionSearch,
  place: Place | undefined,
): Promise<DecisionPage | undefined> {
  const parts = [search.query, search.artifactQuery];
  const isShort = parts.some((part) =>
    part !== undefined && [...part].length < LEAST_INDEXED_CHARACTERS
  );
  if (isShort) return undefined;
  const statement = indexedStatement(search, {
    limit: search.limit + 1,
    offset: search.offset,
    place,
  });
  try {
    const rows = await db.transaction((tx) => readByIndex(tx, statement));
    if (rows === undefined) return undefined;
    const page = cutPage(search, rows);
    const isWhole = place === undefined;
    const total = rows[0] === undefined ? 0 : Number(rows[0].total);
    return { ...page, total: isWhole ? total : undefined, isFloor: false };
  } catch (error) {
    if (error instanceof StoreUnavailableError && error.code === "timeout") {
      return undefined;
    }
    throw error;
  }
}

async function readByIndex(
  tx: Transaction,
  { text, params }: Statement,
): Promise<Row[] | undefined> {
  const settings = {
    ...ONLY_TEXT_INDEX,
    statement_timeout: String(SEARCH_LIMIT_MS / 2),
  };
  const [row] = await tx.read<{ is_there: boolean }>(
    `select to_regclass('gate_decisions_text') is not null as is_there, ${
      Object.entries(settings).map(([name, value]) =>
        `set_config('${name}', '${value}', true)`
      ).join(", ")
    }`,
  );
  return row?.is_there === true ? await tx.read<Row>(text, params) : undefined;
}

/** The page, and where the next one begins. */
function cutPage(
  search: DecisionSearch,
  rows: readonly Row[],
): Pick<DecisionPage, "decisions" | "next"> {
  const page = rows.slice(0, search.limit);
  const last = page.at(-1);
  return {
    decisions: page.map(toDecision),
    next: rows.length > search.limit && last !== undefined
      ? decisionCursor(search, { day: String(last.day), id: String(last.id) })
      : undefined,
  };
}
