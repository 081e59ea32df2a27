/**
 * Search of one collection: containment and beginnings of keys, three orders,
 * pages that stop early and go on by cursor or offset.
 *
 * One round trip a page. With a filter, a function of the database (migration
 * 0004) finds the matching ids first (GIN index, or the collection's own index
 * where that is cheaper) and only the page's rows are read whole; a
 * collection's cap bounds both.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import type { JsonObject } from "../pg/storable.ts";
import { StoreRefusalError } from "../errors.ts";
import { MAX_PAGE_BYTES } from "./limits.ts";
import { assertCollectionName, assertKeyPrefix } from "./names.ts";
import { sessionGone } from "./outcome.ts";
import {
  type CollectionAddress,
  HEAD_COLUMNS,
  storedColumn,
  type StoredRecord,
  toRecord,
} from "./records.ts";
import { placeOfCursor, searchCursor } from "./search_cursor.ts";
import { afterPrefix, serializeFilter } from "./search_filter.ts";
import { type Bind, parameters, type Statement } from "./statement.ts";

/** Orders of a search; ties are broken by id. */
export type SearchOrder = "newest" | "oldest" | "recently_updated";

/** Longest a search may run, on the server too, in milliseconds. */
export const SEARCH_LIMIT_MS = 5_000;

/** What to look for. */
export interface SearchRequest extends CollectionAddress {
  /** Session that asks; one that is named must exist. */
  readonly sessionId?: number | undefined;
  /** Records whose data contains this (PostgreSQL's `@>`); `{}` is everything. */
  readonly filter: JsonObject;
  /** Only records whose key begins with this text. */
  readonly keyPrefix?: string | undefined;
  /** Order of the records. */
  readonly order: SearchOrder;
  /** Records at most, 1 to 100; 0 only counts. */
  readonly limit: number;
  /** Records to skip; 0 with a cursor. */
  readonly offset: number;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
  /** Bytes of records at most. @default {MAX_PAGE_BYTES} */
  readonly maxBytes?: number | undefined;
  /**
   * Bytes of a record as it is sent, never fewer than its data has.
   *
   * @default {the bytes of its data}
   */
  readonly sizeOf?: (record: StoredRecord) => number;
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
  /** Cursor of the page behind this one, where there is more. */
  readonly next?: string;
}

interface Order {
  readonly column: string;
  readonly direction: "asc" | "desc";
}

const ORDERS: Readonly<Record<SearchOrder, Order>> = {
  newest: { column: "created_at", direction: "desc" },
  oldest: { column: "created_at", direction: "asc" },
  recently_updated: { column: "updated_at", direction: "desc" },
};

/** The statement of a page, exported so that its plan can be asserted. */
export function searchStatement(request: SearchRequest): Statement {
  const { order, keyPrefix, cursor } = request;
  const filter = serializeFilter(request.filter);
  const { column, direction } = ORDERS[order];
  const by = `${column} ${direction}, id ${direction}`;
  const { params, bind } = parameters();
  const namespace = bind(request.namespace, "text");
  const collection = bind(request.collection, "text");
  const limit = bind(request.limit, "int");
  const isThere = request.sessionId === undefined
    ? "true"
    : `exists (select from sessions where id = ${
      bind(request.sessionId, "bigint")
    })`;
  const own = `namespace = ${namespace} and collection = ${collection}`;
  const hits = hitsOf({ filter, keyPrefix, bind, namespace, collection });
  const source = hits === undefined
    ? `agent_root_records where ${own}`
    : "hits where true";
  const place = cursor === undefined ? "" : placeIn(request, cursor, bind);
  return {
    params,
    text: `
    with ${hits === undefined ? "" : `hits as materialized (${hits}),`}
    page as (
      select id, created_at, updated_at, data_bytes from ${source} ${place}
      order by ${by} limit ${limit} + 1 offset ${bind(request.offset, "int")}
    ),
    sized as (
      select id, row_number() over w as position, sum(data_bytes) over w as running
      from page window w as (order by ${by} rows unbounded preceding)
    ),
    totals as (
      select ${storedColumn(namespace, collection)} as stored,
        ${isThere} as is_there,
        ${hits === undefined ? "null::bigint" : "(select count(*) from hits)"}
          as matched,
        (select count(*) from page)::int as fetched
    )
    select t.*, r.*
    from totals t left join lateral (
      select s.position, ${
      HEAD_COLUMNS.split(", ").map((column) => `a.${column}`).join(", ")
    }, a.data,
        to_char(a.${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
      from sized s join agent_root_records a on a.namespace = ${namespace} and a.id = s.id
      where s.position <= ${limit} and (s.position = 1 or s.running <= ${
      bind(request.maxBytes ?? MAX_PAGE_BYTES, "int")
    })
    ) r on true
    order by r.position`,
  };
}

/** The query of the records that match; undefined where all of them do. */
function hitsOf({ filter, keyPrefix, bind, namespace, collection }: {
  readonly filter: string;
  readonly keyPrefix: string | undefined;
  readonly bind: Bind;
  readonly namespace: string;
  readonly collection: string;
}): string | undefined {
  const isFiltered = filter !== "{}";
  if (!isFiltered && keyPrefix === undefined) return undefined;
  const contained = isFiltered
    ? `root_data_hits(${namespace}, ${collection}, ${
      bind(filter, "text")
    }::jsonb)`
    : undefined;
  if (keyPrefix === undefined) return `select * from ${contained}`;
  const keyed =
    `r.namespace = ${namespace} and r.collection = ${collection} and ${
      keysFrom(keyPrefix, bind)
    }`;
  const columns = "r.id, r.created_at, r.updated_at, r.data_bytes";
  return contained === undefined
    ? `select ${columns} from agent_root_records r where ${keyed}`
    : `select ${columns} from ${contained} h join agent_root_records r
         on r.id = h.id and ${keyed}`;
}

/** Between two texts, so that the index of keys finds them. */
function keysFrom(prefix: string, bind: Bind): string {
  const end = afterPrefix(prefix);
  return `r.key ~>=~ ${bind(prefix, "text")} and ${
    end === undefined
      ? `starts_with(r.key, ${bind(prefix, "text")})`
      : `r.key ~<~ ${bind(end, "text")}`
  }`;
}

/** What comes behind a cursor. */
function placeIn(request: SearchRequest, cursor: string, bind: Bind): string {
  const { column, direction } = ORDERS[request.order];
  const { time, id } = placeOfCursor(request, cursor);
  return `and (${column}, id) ${direction === "asc" ? ">" : "<"} (${
    bind(time, "text")
  }::timestamptz, ${bind(id, "text")}::bigint)`;
}

/** Finds one page of records. @throws {StoreRefusalError} Bad name or filter. */
export async function searchRecords(
  db: Db,
  request: SearchRequest,
): Promise<SearchPage> {
  const { sessionId, limit, offset } = request;
  assertCollectionName(request.collection);
  if (request.keyPrefix !== undefined) assertKeyPrefix(request.keyPrefix);
  if (request.cursor !== undefined && offset > 0) {
    throw new StoreRefusalError(
      "bad_argument",
      "Pass cursor or offset, not both: each says where the page begins",
    );
  }
  const { text, params } = searchStatement(request);
  const rows = await db.read<Row>(text, params, {
    limitMs: SEARCH_LIMIT_MS,
    signal: request.signal,
  });
  const first = rows[0];
  if (sessionId !== undefined && first?.is_there === false) {
    throw sessionGone(sessionId);
  }
  const found = rows.filter((row) => row.id !== null);
  const records = fitting(found.map(toRecord), request);
  const fetched = Number(first?.fetched ?? 0);
  // A counter that is wrong must not contradict what is shown beside it.
  const stored = Math.max(
    Number(first?.stored ?? 0),
    fetched > 0 ? offset + fetched : 0,
  );
  const hasMore = limit > 0 && fetched > records.length;
  const last = found[records.length - 1];
  return {
    records,
    stored,
    total: first?.matched === null ? stored : Number(first?.matched ?? 0),
    hasMore,
    isTruncated: records.length < Math.min(fetched, limit),
    ...(hasMore && last !== undefined
      ? {
        next: searchCursor(request, {
          time: String(last.place),
          id: String(last.id),
        }),
      }
      : {}),
  };
}

/** The first records within the page's bytes; the first one always is. */
function fitting(
  records: readonly StoredRecord[],
  { sizeOf, maxBytes = MAX_PAGE_BYTES }: SearchRequest,
): readonly StoredRecord[] {
  if (sizeOf === undefined) return records;
  let bytes = 0;
  const over = records.findIndex((record, at) => {
    bytes += sizeOf(record);
    return at > 0 && bytes > maxBytes;
  });
  return over < 0 ? records : records.slice(0, over);
}
