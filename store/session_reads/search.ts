/**
 * Finding sessions by their columns and by a text of their title or metadata.
 *
 * The order of pages is total, and every statement is bounded: hits are counted
 * up to a number, and said to be more beyond it.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import {
  ORDERS,
  rowsOf,
  type SessionOrder,
  type SessionSearch,
  Statement,
} from "./filter.ts";
import { LISTED_COLUMNS, type ListedSession, toListed } from "./listed.ts";

/** Hits that are counted at most: each is a row to be read. */
export const MAX_COUNTED = 1_000;

/** A page of a search. */
export interface SessionSearchPage {
  /** Which text title or metadata must hold. */
  readonly text?: string | undefined;
  /** How hits stand. */
  readonly order: SessionOrder;
  /** Hits of a page at most. */
  readonly limit: number;
  /** Hits before the page. */
  readonly offset: number;
}

/** What a search found. */
export interface FoundSessions {
  /** The page. */
  readonly sessions: readonly ListedSession[];
  /** Hits on all pages. */
  readonly total: number;
  /** Whether there are more than that: counting stopped. */
  readonly totalIsFloor: boolean;
}

/** Finds a page of sessions. */
export async function searchSessions(
  db: Queryable,
  search: SessionSearch,
  page: SessionSearchPage,
): Promise<FoundSessions> {
  const [rows, total] = await Promise.all([
    readPage(db, search, page),
    countHits(db, search, page.text),
  ]);
  return {
    sessions: rows,
    total: Math.min(total, MAX_COUNTED),
    totalIsFloor: total > MAX_COUNTED,
  };
}

/** Whether texts are found by an index: without one, rows have to be read. */
export async function hasTextIndex(db: Queryable): Promise<boolean> {
  const [row] = await db.read<{ there: boolean }>(
    "select to_regclass('sessions_search') is not null as there",
  );
  return row?.there === true;
}

/** Root keys that sessions have, each once, whether the catalog has them. */
export async function listRootKeys(db: Queryable): Promise<readonly string[]> {
  // Jumps from key to key in the index; `distinct` would read it all.
  const rows = await db.read<{ key: string }>(
    `with recursive keys as (
       (select agent_root_key as key from sessions
        where agent_root_key is not null order by agent_root_key limit 1)
       union all
       select (select agent_root_key from sessions
         where agent_root_key > keys.key order by agent_root_key limit 1)
       from keys where keys.key is not null)
     select key from keys where key is not null`,
  );
  return rows.map(({ key }) => key);
}

/** The SQL of a page, for reading it and for looking at its plan. */
export function pageStatement(
  search: SessionSearch,
  { text, order, limit, offset }: SessionSearchPage,
): { readonly sql: string; readonly params: readonly unknown[] } {
  const statement = new Statement();
  const by = ORDERS[order];
  const sql = `select ${LISTED_COLUMNS}
     from ${rowsOf(search, statement, { text, order, most: limit + offset })}
     order by ${by}
     limit ${statement.add(limit)}::int offset ${statement.add(offset)}::int`;
  return { sql, params: statement.params };
}

/**
 * The SQL that counts hits up to a number. Ordered, so that it takes the way of
 * the page: without an order, a few hits among many rows are looked for in all.
 */
export function countStatement(
  search: SessionSearch,
  text?: string,
): { readonly sql: string; readonly params: readonly unknown[] } {
  const statement = new Statement();
  const order = "created_desc";
  const most = MAX_COUNTED + 1;
  const sql = `select count(*)::int as total from (
       select 1 from ${rowsOf(search, statement, { text, order, most })}
       order by ${ORDERS[order]} limit ${most}) hits`;
  return { sql, params: statement.params };
}

async function readPage(
  db: Queryable,
  search: SessionSearch,
  page: SessionSearchPage,
): Promise<readonly ListedSession[]> {
  const { sql, params } = pageStatement(search, page);
  return (await db.read<Row>(sql, params)).map(toListed);
}

async function countHits(
  db: Queryable,
  search: SessionSearch,
  text: string | undefined,
): Promise<number> {
  const { sql, params } = countStatement(search, text);
  const [row] = await db.read<{ total: number }>(sql, params);
  return row?.total ?? 0;
}
