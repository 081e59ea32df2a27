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
  IF_UPDATED_AT_INPUT,
  KEY_INPUT,
  selectorOf,
} from "./inputs.ts";
import { hintAtTypo } from "./typo_hint.ts";
import {
  COUNT,
  inputOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
  wordOf,
} from "../../schema.ts";
import { defineTool } from "../tool.ts";

const OUTPUT = objectOf({
  result: wordOf(["deleted"]),
  collection: TEXT,
  id: COUNT,
  key: orNull(TEXT),
  usage: objectOf({ records: COUNT, writes_left_this_minute: COUNT }),
});

/** The tool. */
export const deleteRootRecord = defineTool({
  name: "delete_root_record",
  title: "Delete root record",
  access: "write",
  description:
    "Deletes one record of this session's agent root for good, by key or by id (exactly one of them). It counts as a write. Works on collections that the catalog no longer declares, too.",
  isDestructive: true,
  isIdempotent: true,
  input: inputOf(
    {
      collection: COLLECTION_INPUT,
      key: KEY_INPUT,
      id: ID_INPUT,
      if_updated_at: IF_UPDATED_AT_INPUT,
    },
    ["collection"],
  ),
  output: OUTPUT,
  async run(context, args): Promise<ValueOf<typeof OUTPUT>> {
    const selector = selectorOf(args);
    const { db, namespace, sessionId, root } = await resolveRootData(context);
    const { collection, if_updated_at: ifUpdatedAt } = args;
    const request = { namespace, collection, sessionId, ifUpdatedAt };
    const receipt = await hintAtTypo(
      root,
      collection,
      deleteRecord(db, request, selector),
    );
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
