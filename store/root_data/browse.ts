/**
 * Rows as an operator reads them: records and counters across namespaces, in
 * one fixed order, a page at a time. Nothing here writes.
 *
 * Records come by namespace and collection, newest first. The walk goes from
 * counter to counter and takes at most a page of each collection from its index
 * by creation time, so that no page reads more than it shows; only a key prefix
 * has to look at a namespace's keys. A cursor says where a page ended and holds
 * whatever is written or deleted meanwhile: nothing is shown twice.
 *
 * @module
 */
import { decodeCursor, encodeCursor, isStorableText } from "./browse_cursor.ts";
import type { Db, Row } from "../pg/db.ts";
import { StoreRefusalError } from "../errors.ts";
import {
  MAX_KEY_CHARACTERS,
  MAX_PAGE_BYTES,
  MAX_PAGE_RECORDS,
  RATE_WINDOW_SECONDS,
} from "./limits.ts";
import { assertCollectionName, assertNamespace } from "./names.ts";
import { HEAD_COLUMNS, type StoredRecord, toRecord } from "./records.ts";
import { parameters, type Statement } from "./statement.ts";

/** Which rows to read, and from where. */
export interface BrowseRequest {
  /** Only this namespace. */
  readonly namespace?: string | undefined;
  /** Only collections of this name. */
  readonly collection?: string | undefined;
  /** Cursor of the page before; undefined begins at the front. */
  readonly after?: string | undefined;
  /** Rows at most, 1 to 100. */
  readonly limit: number;
}

/** Which keys a record may have. */
export interface KeyFilter {
  /** The whole key, or its beginning. */
  readonly text: string;
  /** Whether `text` is only the beginning. */
  readonly isPrefix: boolean;
}

/** Which records to read. */
export interface RecordBrowseRequest extends BrowseRequest {
  /** Only records with such a key; needs a namespace. */
  readonly key?: KeyFilter | undefined;
}

/** A record with its address. */
export interface BrowsedRecord extends StoredRecord {
  /** Namespace it lives in. */
  readonly namespace: string;
  /** Collection it lives in. */
  readonly collection: string;
}

/** A page of records. */
export interface RecordBrowsePage {
  /** The records, in order. */
  readonly records: readonly BrowsedRecord[];
  /** Records under the filter's namespace and collection, as counted. */
  readonly stored: number;
  /** Cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
  /** Whether the page stopped early for its size. */
  readonly isTruncated: boolean;
}

/** Which counters to read. */
export interface CounterBrowseRequest extends BrowseRequest {
  /** Whether to count the stored records, too, and so read their rows. */
  readonly isCounted?: boolean;
}

/** A counter. */
export interface BrowsedCounter {
  /** Namespace that it counts in. */
  readonly namespace: string;
  /** Collection that it counts. */
  readonly collection: string;
  /** Records, as counted. */
  readonly records: number;
  /** Bytes of their data, as counted. */
  readonly bytes: number;
  /** Writes accepted in the window that is open now. */
  readonly windowWrites: number;
  /** Last accepted write. */
  readonly lastWriteAt: Date | null;
  /** When a sweep counted anew. */
  readonly recountedAt: Date | null;
  /** What is really stored, where that was asked for. */
  readonly actual:
    | { readonly records: number; readonly bytes: number }
    | undefined;
}

/** A page of counters. */
export interface CounterBrowsePage {
  /** The counters, by namespace and collection. */
  readonly counters: readonly BrowsedCounter[];
  /** Cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
}

/** The statement of a page of records, exported so that plans can be asserted. */
export function browseStatement(request: RecordBrowseRequest): Statement {
  const { namespace, collection, key, after } = request;
  const { params, bind } = parameters();
  const limit = bind(request.limit, "int");
  const walk: string[] = [];
  const within = ["namespace = c.namespace", "collection = c.collection"];
  if (namespace !== undefined) {
    walk.push(`c.namespace = ${bind(namespace, "text")}`);
  }
  if (collection !== undefined) {
    walk.push(`c.collection = ${bind(collection, "text")}`);
  }
  const filter = walk.join(" and ") || "true";
  if (key !== undefined) {
    const text = bind(key.text, "text");
    within.push(key.isPrefix ? `starts_with(key, ${text})` : `key = ${text}`);
  }
  if (after !== undefined) {
    const [atNamespace, atCollection, time, id] = decodeCursor(after, 4);
    const place = `(${bind(atNamespace, "text")}, ${
      bind(atCollection, "text")
    })`;
    walk.push(`(c.namespace, c.collection) >= ${place}`);
    const isThere = `(c.namespace, c.collection) = ${place}`;
    within.push(`(created_at, id) < (
      case when ${isThere} then ${
      bind(time, "text")
    }::timestamptz else 'infinity' end,
      case when ${isThere} then ${bind(id, "text")}::bigint else 0 end)`);
  }
  // Both names given: the counter is not asked whether there is anything.
  const source = namespace !== undefined && collection !== undefined
    ? `(select ${bind(namespace, "text")} as namespace, ${
      bind(collection, "text")
    } as collection)`
    : "agent_root_record_counters";
  return {
    params,
    text: `
    with page as (
      select c.namespace, c.collection, r.*
      from ${source} c cross join lateral (
        select id, created_at, data_bytes from agent_root_records
        where ${within.join(" and ")}
        order by created_at desc, id desc limit ${limit} + 1
      ) r
      where ${walk.join(" and ") || "true"}
      order by c.namespace, c.collection, r.created_at desc, r.id desc
      limit ${limit} + 1
    ),
    sized as (
      select namespace, id, row_number() over w as position,
        sum(data_bytes) over w as running
      from page window w as (order by namespace, collection, created_at desc, id desc
        rows unbounded preceding)
    ),
    totals as (
      select (select count(*) from page)::int as fetched,
        (select coalesce(sum(records_count), 0) from agent_root_record_counters c
          where ${filter}) as stored
    )
    select t.fetched, t.stored, r.*
    from totals t left join lateral (
      select s.position, a.namespace, a.collection, ${
      HEAD_COLUMNS.split(", ").map((column) => `a.${column}`).join(", ")
    }, a.data,
        to_char(a.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
      from sized s join agent_root_records a
        on a.namespace = s.namespace and a.id = s.id
      where s.position <= ${limit}
        and (s.position = 1 or s.running <= ${bind(MAX_PAGE_BYTES, "int")})
    ) r on true
    order by r.position`,
  };
}

/**
 * Reads one page of records.
 *
 * @throws {StoreRefusalError} A filter that nothing can match, or a cursor that
 * no page gave.
 * @throws {StoreUnavailableError} The database could not answer.
 */
export async function browseRecords(
  db: Db,
  request: RecordBrowseRequest,
): Promise<RecordBrowsePage> {
  assertRequest(request);
  assertKeyFilter(request);
  const { text, params } = browseStatement(request);
  const rows = await db.read<Row>(text, params);
  const found = rows.filter((row) => row.id !== null);
  const fetched = Number(rows[0]?.fetched ?? 0);
  const last = found.at(-1);
  return {
    records: found.map((row) => ({
      namespace: String(row.namespace),
      collection: String(row.collection),
      ...toRecord(row),
    })),
    stored: Number(rows[0]?.stored ?? 0),
    next: last !== undefined && fetched > found.length
      ? encodeCursor([last.namespace, last.collection, last.place, last.id])
      : undefined,
    isTruncated: found.length < Math.min(fetched, request.limit),
  };
}

/**
 * Reads one page of counters. Counting what is stored reads the rows of the
 * page's collections, at most their caps.
 *
 * @throws {StoreRefusalError} A filter that nothing can match, or a cursor that
 * no page gave.
 * @throws {StoreUnavailableError} The database could not answer.
 */
export async function browseCounters(
  db: Db,
  request: CounterBrowseRequest,
): Promise<CounterBrowsePage> {
  assertRequest(request);
  const { params, bind } = parameters();
  const limit = bind(request.limit, "int");
  const walk: string[] = [];
  if (request.namespace !== undefined) {
    walk.push(`namespace = ${bind(request.namespace, "text")}`);
  }
  if (request.collection !== undefined) {
    walk.push(`collection = ${bind(request.collection, "text")}`);
  }
  if (request.after !== undefined) {
    const [namespace, collection] = decodeCursor(request.after, 2);
    walk.push(
      `(namespace, collection) > (${bind(namespace, "text")}, ${
        bind(collection, "text")
      })`,
    );
  }
  const isCounted = request.isCounted === true;
  const rows = await db.read<Row>(
    // A table that is distributed by namespace joins groups, and no query that
    // names another namespace for each row.
    `with page as (
       select * from agent_root_record_counters
       where ${walk.join(" and ") || "true"}
       order by namespace, collection limit ${limit} + 1
     )${
      isCounted
        ? `, counted as (
       select r.namespace, r.collection, count(*) as records, sum(r.data_bytes) as bytes
       from agent_root_records r
       where (r.namespace, r.collection) in (select namespace, collection from page)
       group by r.namespace, r.collection
     )`
        : ""
    }
     select c.*, root_data_window_writes(
       row(c.*)::agent_root_record_counters, now(), ${
      bind(RATE_WINDOW_SECONDS, "int")
    }) as writes${
      isCounted
        ? ", coalesce(s.records, 0) as actual_records, coalesce(s.bytes, 0) as actual_bytes"
        : ""
    }
     from page c ${
      isCounted
        ? "left join counted s on s.namespace = c.namespace and s.collection = c.collection"
        : ""
    }
     order by c.namespace, c.collection`,
    params,
  );
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  return {
    counters: shown.map(toCounter),
    next: last !== undefined && rows.length > shown.length
      ? encodeCursor([last.namespace, last.collection])
      : undefined,
  };
}

function toCounter(row: Row): BrowsedCounter {
  return {
    namespace: String(row.namespace),
    collection: String(row.collection),
    records: Number(row.records_count),
    bytes: Number(row.data_bytes),
    windowWrites: Number(row.writes),
    lastWriteAt: row.last_write_at as Date | null,
    recountedAt: row.recounted_at as Date | null,
    actual: row.actual_records === undefined ? undefined : {
      records: Number(row.actual_records),
      bytes: Number(row.actual_bytes),
    },
  };
}

function assertRequest({ namespace, collection, limit }: BrowseRequest): void {
  if (namespace !== undefined) assertNamespace(namespace);
  if (collection !== undefined) assertCollectionName(collection);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_RECORDS) {
    throw new StoreRefusalError(
      "bad_argument",
      `A page has 1 to ${MAX_PAGE_RECORDS} rows; this asks for ${limit}`,
      { limit },
    );
  }
}

function assertKeyFilter({ key, namespace }: RecordBrowseRequest): void {
  if (key === undefined) return;
  if (namespace === undefined) {
    throw new StoreRefusalError(
      "bad_argument",
      "A filter by key needs a namespace: keys are looked up inside one",
    );
  }
  if (!isStorableText(key.text) || [...key.text].length > MAX_KEY_CHARACTERS) {
    throw new StoreRefusalError(
      "bad_argument",
      `No key can match: a key has at most ${MAX_KEY_CHARACTERS} characters, and neither NUL nor half surrogate pairs`,
    );
  }
}
