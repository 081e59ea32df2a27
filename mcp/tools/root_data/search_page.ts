/**
 * One page of a collection's records, as the search tool and REST show it.
 *
 * @module
 */
import {
  type CollectionAddress,
  DEFAULT_PAGE_RECORDS,
  MAX_PAGE_RECORDS,
  MAX_RECORDS_PER_COLLECTION,
  searchRecords,
} from "../../../store/root_data/mod.ts";
import type { Db } from "../../../store/pg/mod.ts";
import { RECORD, recordShape } from "./shapes.ts";
import {
  COUNT,
  FLAG,
  FREE,
  listOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
} from "../../schema.ts";

/** Schemas of what narrows and pages a search. */
export const SEARCH_INPUT = {
  filter: {
    type: "object",
    description:
      "Records whose data contains this object; leave it out for all",
  },
  order: {
    type: "string",
    enum: ["newest", "oldest", "recently_updated"],
    description: "By creation (newest, the default, or oldest) or last write",
  },
  limit: {
    type: "integer",
    minimum: 1,
    maximum: MAX_PAGE_RECORDS,
    description: `Records at most, ${DEFAULT_PAGE_RECORDS} by default`,
  },
  offset: {
    type: "integer",
    minimum: 0,
    maximum: MAX_RECORDS_PER_COLLECTION,
    description: "Records to skip; pass next_offset of the page before",
  },
} as const;

/** A page. */
export const RECORD_PAGE = objectOf({
  collection: TEXT,
  filter: FREE,
  order: SEARCH_INPUT.order,
  limit: COUNT,
  offset: COUNT,
  total: COUNT,
  returned: COUNT,
  has_more: FLAG,
  next_offset: orNull(COUNT),
  truncated: FLAG,
  records: listOf(RECORD),
}, { note: TEXT });

/** Where to search, and for how long somebody waits. */
interface SearchPlace extends CollectionAddress {
  readonly signal?: AbortSignal | undefined;
}

/** What narrows and pages a search. */
type SearchArguments = {
  readonly [K in keyof typeof SEARCH_INPUT]?:
    | ValueOf<typeof SEARCH_INPUT[K]>
    | undefined;
};

/**
 * Finds a page; `noteOfNone` is said where the collection holds nothing, so
 * that a misspelt name is visible: reads never consult the declarations.
 *
 * @throws {StoreRefusalError} Bad name or filter.
 */
export async function searchPage(
  db: Db,
  { namespace, collection, signal }: SearchPlace,
  {
    filter = {},
    order = "newest",
    limit = DEFAULT_PAGE_RECORDS,
    offset = 0,
  }: SearchArguments,
  noteOfNone: () => string,
): Promise<ValueOf<typeof RECORD_PAGE>> {
  const page = await searchRecords(db, {
    namespace,
    collection,
    filter,
    order,
    limit,
    offset,
    signal,
  });
  const returned = page.records.length;
  const nextOffset = page.hasMore ? offset + returned : null;
  return {
    collection,
    filter,
    order,
    limit,
    offset,
    total: page.total,
    returned,
    has_more: page.hasMore,
    next_offset: nextOffset,
    truncated: page.isTruncated,
    ...(page.stored > 0 ? {} : { note: noteOfNone() }),
    ...(page.isTruncated
      ? {
        note:
          `This page stopped at about 200 KB of data after ${returned} of up to ${limit} records; call again with offset ${nextOffset} for the rest`,
      }
      : {}),
    records: page.records.map(recordShape),
  };
}
