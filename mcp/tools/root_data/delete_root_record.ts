/**
 * `delete_root_record`: delete one record by key or id.
 *
 * @module
 */
import { deleteRecord } from "../../../store/root_data/mod.ts";
import { resolveRootData } from "../../caller/calling_root.ts";
import {
  COLLECTION_INPUT,
  ID_INPUT,
  KEY_INPUT,
  selectorOf,
} from "./root_data.ts";
import { defineTool, stringArgument } from "../tool.ts";

/** The tool. */
export const deleteRootRecord = defineTool({
  name: "delete_root_record",
  title: "Delete root record",
  group: "root_data",
  access: "write",
  description:
    "Deletes one record of this session's agent root for good, by key or by id (exactly one of them). It counts as a write. Works on collections that the catalog no longer declares, too.",
  isDestructive: true,
  isIdempotent: true,
  input: {
    type: "object",
    properties: { collection: COLLECTION_INPUT, key: KEY_INPUT, id: ID_INPUT },
    required: ["collection"],
    additionalProperties: false,
  },
  async run(context, args) {
    const selector = selectorOf(args);
    const { db, namespace } = await resolveRootData(context);
    const collection = stringArgument(args, "collection");
    const receipt = await deleteRecord(db, { namespace, collection }, selector);
    return {
      result: "deleted",
      collection,
      id: receipt.id,
      key: receipt.key,
      usage: {
        records: receipt.records,
        writes_left_this_minute: receipt.writesLeft,
      },
    };
  },
});
