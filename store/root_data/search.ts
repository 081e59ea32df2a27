/**
 * Search of one collection: containment, three orders, pages that stop early.
 *
 * One round trip a page. With a filter, a function of the database (migration
 * 0004) finds the matching ids first (GIN index, or the collection's own index
 * where that is cheaper) and only the page's rows are read whole; a
 * collection's cap bounds both.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import { assertStorable, type JsonObject } from "../pg/storable.ts";
import { MAX_PAGE_BYTES } from "./limits.ts";
import { assertCollectionName } from "./names.ts";
import {
  type CollectionAddress,
  HEAD_COLUMNS,
  type StoredRecord,
  toRecord,
} from "./records.ts";

/** Orders of a search; ties are broken by id. */
export type SearchOrder = "newest" | "oldest" | "recently_updated";

/** Longest a search may run, on the server too, in milliseconds. */
export const SEARCH_LIMIT_MS = 5_000;

/** What to look for. */
export interface SearchRequest extends CollectionAddress {
  /** Records whose data contains this (PostgreSQL's `@>`); `{}` is everything. */
  readonly filter: JsonObject;
  /** Order of the records. */
  readonly order: SearchOrder;
  /** Records at most, 1 to 100. */
  readonly limit: number;
  /** Records to skip. */
  readonly offset: number;
  /** Cancels it. */
  readonly signal?: AbortSignal | undefined;
}

/** One page. */
export interface SearchPage {
  /** The records, in order. */
  readonly records: readonly StoredRecord[];
  /** Records that match, on all pages. */
  readonly total: number;
  /** Records in the collection, whatever the filter. */
  readonly stored: number;
  /** Whether there is more behind this page. */
  readonly hasMore: boolean;
  /** Whether the page stopped early for its size. */
  readonly isTruncated: boolean;
}

const ORDER_BY: Readonly<Record<SearchOrder, string>> = {
  newest: "created_at desc, id desc",
  oldest: "created_at asc, id asc",
  recently_updated: "updated_at desc, id desc",
};

/** The statement behind a search, exported so that its plan can be asserted. */
export function searchStatement(
  order: SearchOrder,
  isFiltered: boolean,
): string {
  const by = ORDER_BY[order];
  const hits = isFiltered
    ? `hits as materialized (
         select * from root_data_hits($1, $2, $6::text::jsonb)
       ),`
    : "";
  const source = isFiltered
    ? "hits"
    : "agent_root_records where namespace = $1 and collection = $2";
  return `
    with ${hits}
    page as (
      select id, created_at, updated_at, data_bytes from ${source}
      order by ${by} limit $3 + 1 offset $4
    ),
    sized as (
      select id, row_number() over w as position, sum(data_bytes) over w as running
      from page window w as (order by ${by} rows unbounded preceding)
    ),
    totals as (
      select
        coalesce((select records_count from agent_root_record_counters
          where namespace = $1 and collection = $2), 0) as stored,
        ${
    isFiltered ? "(select count(*) from hits)" : "null::bigint"
  } as matched,
        (select count(*) from page)::int as fetched
    )
    select t.stored, t.matched, t.fetched, r.*
    from totals t left join lateral (
      select s.position, ${
    HEAD_COLUMNS.split(", ").map((column) => `a.${column}`).join(", ")
  }, a.data
      from sized s join agent_root_records a on a.namespace = $1 and a.id = s.id
      where s.position <= $3 and (s.position = 1 or s.running <= $5)
    ) r on true
    order by r.position`;
}

/** Finds one page of records. @throws {StoreRefusalError} Bad name or filter. */
export async function searchRecords(
  db: Db,
  request: SearchRequest,
): Promise<SearchPage> {
  assertCollectionName(request.collection);
  assertStorable(request.filter, "the filter");
  const isFiltered = Object.keys(request.filter).length > 0;
  const params: unknown[] = [
    request.namespace,
    request.collection,
    request.limit,
    request.offset,
    MAX_PAGE_BYTES,
  ];
  if (isFiltered) params.push(JSON.stringify(request.filter));
  const rows = await db.read<Row>(
    searchStatement(request.order, isFiltered),
    params,
    { limitMs: SEARCH_LIMIT_MS, signal: request.signal },
  );
  const first = rows[0];
  const records = rows.filter((row) => row.id !== null).map(toRecord);
  const stored = Number(first?.stored ?? 0);
  const fetched = Number(first?.fetched ?? 0);
  return {
    records,
    stored,
    total: isFiltered ? Number(first?.matched ?? 0) : stored,
    hasMore: fetched > records.length,
    isTruncated: records.length < Math.min(fetched, request.limit),
  };
}
