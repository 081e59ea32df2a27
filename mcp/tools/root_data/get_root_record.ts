/**
 * `get_root_record`: one record by key or id.
 *
 * @module
 */
import { getRecord } from "../../../store/root_data/mod.ts";
import { resolveRootData } from "../../caller/calling_root.ts";
import { COLLECTION_INPUT, ID_INPUT, KEY_INPUT, selectorOf } from "./inputs.ts";
import { RECORD, recordShape } from "./shapes.ts";
import { hintAtTypo } from "./typo_hint.ts";
import { inputOf, objectOf, TEXT } from "../../schema.ts";
import { defineTool } from "../tool.ts";

/** The tool. */
export const getRootRecord = defineTool({
  name: "get_root_record",
  title: "Get root record",
  access: "read",
  description:
    "Reads one record of this session's agent root, by key or by id (exactly one of them). A record that does not exist is an error that says how many the collection holds.",
  isDestructive: false,
  isIdempotent: true,
  input: inputOf(
    { collection: COLLECTION_INPUT, key: KEY_INPUT, id: ID_INPUT },
    ["collection"],
  ),
  output: objectOf({ collection: TEXT, record: RECORD }),
  async run(context, args) {
    const selector = selectorOf(args);
    const { db, namespace, sessionId, root } = await resolveRootData(context);
    const { collection } = args;
    const record = await hintAtTypo(
      root,
      collection,
      getRecord(db, { namespace, collection, sessionId }, selector),
    );
    return { collection, record: recordShape(record) };
  },
});
