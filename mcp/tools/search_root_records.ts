/**
 * `search_root_records`: one page of a collection's records.
 *
 * @module
 */
import {
  DEFAULT_PAGE_RECORDS,
  type JsonObject,
  MAX_PAGE_RECORDS,
  MAX_RECORDS_PER_COLLECTION,
  type SearchOrder,
  searchRecords,
} from "../../store/mod.ts";
import { resolveRootData } from "../namespace.ts";
import { COLLECTION_INPUT, recordShape } from "../root_data.ts";
import { defineTool, stringArgument } from "../tool.ts";

/** The tool. */
export const searchRootRecords = defineTool({
  name: "search_root_records",
  title: "Search root records",
  group: "root_data",
  access: "read",
  description:
    'Finds records of one collection of this session\'s agent root. filter is JSON containment: {"status": "open"} matches records whose data has status "open", whatever else they hold; nested objects and arrays match the same way; text is literal and case-sensitive. A page has up to 100 records and stops early at about 200 KB with truncated: true; next_offset continues it.',
  isDestructive: false,
  isIdempotent: true,
  input: {
    type: "object",
    properties: {
      collection: COLLECTION_INPUT,
      filter: {
        type: "object",
        description:
          "Records whose data contains this object; leave it out for all",
      },
      order: {
        type: "string",
        enum: ["newest", "oldest", "recently_updated"],
        description:
          "By creation (newest, the default, or oldest) or last write",
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
    },
    required: ["collection"],
    additionalProperties: false,
  },
  async run(context, args) {
    const { db, namespace, root } = await resolveRootData(context);
    const collection = stringArgument(args, "collection");
    const filter = (args.filter ?? {}) as JsonObject;
    const order = (args.order ?? "newest") as SearchOrder;
    const limit = Number(args.limit ?? DEFAULT_PAGE_RECORDS);
    const offset = Number(args.offset ?? 0);
    const page = await searchRecords(db, {
      namespace,
      collection,
      filter,
      order,
      limit,
      offset,
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
      ...noteOf(page.stored, root.collections.has(collection), collection),
      ...(page.isTruncated
        ? {
          note:
            `This page stopped at about 200 KB of data after ${returned} of up to ${limit} records; call again with offset ${nextOffset} for the rest`,
        }
        : {}),
      records: page.records.map(recordShape),
    };
  },
});

/** Makes a misspelt name visible: reads never consult the declarations. */
function noteOf(
  stored: number,
  isDeclared: boolean,
  collection: string,
): Record<string, string> {
  if (stored > 0) return {};
  return {
    note: isDeclared
      ? `Nothing is stored in "${collection}" yet`
      : `Nothing is stored under "${collection}", and the root does not declare it; list_root_collections shows the names`,
  };
}
