/**
 * `search_root_records`: one page of a collection's records.
 *
 * @module
 */
import { resolveRootData } from "../../caller/calling_root.ts";
import { COLLECTION_INPUT } from "./inputs.ts";
import { RECORD_PAGE, SEARCH_INPUT, searchPage } from "./search_page.ts";
import { inputOf } from "../../schema.ts";
import { defineTool } from "../tool.ts";

/** The tool. */
export const searchRootRecords = defineTool({
  name: "search_root_records",
  title: "Search root records",
  access: "read",
  description:
    'Finds records of one collection of this session\'s agent root. filter is JSON containment: {"status": "open"} matches records whose data has status "open", whatever else they hold; nested objects and arrays match the same way; text is literal and case-sensitive; there are no operators. key_prefix narrows by key, count_only counts. A page stops at its limit or its bytes (truncated: true); pass next_cursor as cursor to go on.',
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    collection: COLLECTION_INPUT,
    ...SEARCH_INPUT,
  }, ["collection"]),
  output: RECORD_PAGE,
  async run(context, args) {
    const { db, namespace, sessionId, root } = await resolveRootData(context);
    const { collection } = args;
    return await searchPage(
      db,
      { namespace, collection, sessionId, signal: context.signal },
      args,
      () =>
        root.collections.has(collection)
          ? `Nothing is stored in "${collection}" yet`
          : `Nothing is stored under "${collection}", and the root does not declare it; list_root_collections shows the names`,
    );
  },
});
