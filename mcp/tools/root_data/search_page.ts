/**
 * One page of a collection's records, as the search tool and REST show it.
 *
 * @module
 */
import {
  type CollectionAddress,
  DEFAULT_PAGE_BYTES,
  DEFAULT_PAGE_RECORDS,
  MAX_FILTER_BYTES,
  MAX_FILTER_LEAVES,
  MAX_KEY_CHARACTERS,
  MAX_PAGE_BYTES,
  MAX_PAGE_RECORDS,
  MAX_RECORDS_PER_COLLECTION,
  operatorIn,
  type SearchPage,
  searchRecords,
  type StoredRecord,
  utf8Bytes,
} from "../../../store/root_data/mod.ts";
import type { Db } from "../../../store/pg/mod.ts";
import { ToolError } from "../../errors.ts";
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

/** A longer filter is not repeated in the answer. */
const MAX_ECHO_CHARACTERS = 200;

/** Schemas of what narrows and pages a search. */
export const SEARCH_INPUT = {
  filter: {
    type: "object",
    description:
      `Records whose data contains this object; leave it out for all. No operators: names and values are taken as they are. At most ${
        MAX_FILTER_BYTES / 1024
      } KB and ${MAX_FILTER_LEAVES} values`,
  },
  key_prefix: {
    type: "string",
    maxLength: MAX_KEY_CHARACTERS,
    description:
      "Only records whose key begins with this text, taken literally",
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
  max_bytes: {
    type: "integer",
    minimum: 1,
    maximum: MAX_PAGE_BYTES,
    description:
      `Bytes of records at most, ${DEFAULT_PAGE_BYTES} by default; the first record always comes whole`,
  },
  cursor: {
    type: "string",
    description:
      "Goes on behind the page before: pass its next_cursor, and the rest as it was. Skips and repeats nothing while others write or delete",
  },
  offset: {
    type: "integer",
    minimum: 0,
    maximum: MAX_RECORDS_PER_COLLECTION,
    description:
      "Records to skip, instead of cursor; shifts when others write or delete",
  },
  count_only: {
    type: "boolean",
    description: "true: only counts (total), no records",
  },
} as const;

/** A page. */
export const RECORD_PAGE = objectOf({
  collection: TEXT,
  order: SEARCH_INPUT.order,
  limit: COUNT,
  offset: COUNT,
  total: COUNT,
  returned: COUNT,
  has_more: FLAG,
  next_cursor: orNull(TEXT),
  next_offset: orNull(COUNT),
  truncated: FLAG,
  records: listOf(RECORD),
}, { filter: FREE, key_prefix: TEXT, note: TEXT });

/** What narrows and pages a search. */
type SearchArguments = {
  readonly [K in keyof typeof SEARCH_INPUT]?:
    | ValueOf<typeof SEARCH_INPUT[K]>
    | undefined;
};

/** Whose search it is. */
interface SearchScope extends CollectionAddress {
  /** Calling session, which must exist; REST has none. */
  readonly sessionId?: number;
  /** Fires when nobody waits for the page any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds a page; `noteOfNone` is said where the collection holds nothing, so
 * that a misspelt name is visible: reads never consult the declarations.
 *
 * @throws {StoreRefusalError} Bad name, filter or cursor.
 */
export async function searchPage(
  db: Db,
  scope: SearchScope,
  args: SearchArguments,
  noteOfNone: () => string,
): Promise<ValueOf<typeof RECORD_PAGE>> {
  const { filter = {}, order = "newest", offset = 0, cursor } = args;
  const isCount = args.count_only === true;
  if (isCount && (cursor !== undefined || offset > 0)) {
    throw new ToolError(
      "With count_only all that match are counted: leave out cursor and offset",
    );
  }
  const limit = isCount ? 0 : args.limit ?? DEFAULT_PAGE_RECORDS;
  const maxBytes = args.max_bytes ?? DEFAULT_PAGE_BYTES;
  const page = await searchRecords(db, {
    ...scope,
    filter,
    keyPrefix: args.key_prefix,
    order,
    limit,
    offset,
    cursor,
    maxBytes,
    sizeOf: sentBytes,
  });
  const returned = page.records.length;
  const notes = [
    ...(page.stored > 0 ? [] : [noteOfNone()]),
    ...(page.isTruncated
      ? [
        `This page stopped at ${maxBytes} bytes after ${returned} of up to ${limit} records; pass next_cursor for the rest`,
      ]
      : []),
    ...operatorNote(operatorIn(filter)),
  ];
  return {
    collection: scope.collection,
    ...(JSON.stringify(filter).length > MAX_ECHO_CHARACTERS ? {} : { filter }),
    ...(args.key_prefix === undefined ? {} : { key_prefix: args.key_prefix }),
    order,
    limit,
    offset,
    total: page.total,
    returned,
    has_more: page.hasMore,
    next_cursor: page.next ?? null,
    next_offset: nextOffset(page, cursor === undefined ? offset : undefined),
    truncated: page.isTruncated,
    ...(notes.length === 0 ? {} : { note: notes.join(". ") }),
    records: page.records.map(recordShape),
  };
}

/** A record's share of the answer, with the comma behind it. */
function sentBytes(record: StoredRecord): number {
  return utf8Bytes(JSON.stringify(recordShape(record))) + 1;
}

/** A page behind a cursor has no number of records before it. */
function nextOffset(
  { hasMore, records }: SearchPage,
  offset: number | undefined,
): number | null {
  return hasMore && offset !== undefined ? offset + records.length : null;
}

function operatorNote(name: string | undefined): string[] {
  return name === undefined ? [] : [
    `There are no operators: a filter matches what data contains, and "${
      name.slice(0, MAX_ECHO_CHARACTERS)
    }" was looked for as the name of a member. Compare ranges yourself`,
  ];
}
