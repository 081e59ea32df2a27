/**
 * `append_root_record`: insert a record without a key.
 *
 * @module
 */
import { appendRecord } from "../../../store/root_data/mod.ts";
import { COLLECTION_INPUT, DATA_INPUT } from "./inputs.ts";
import { prepareWrite } from "./prepare_write.ts";
import { receiptShape, WRITE_RECEIPT } from "./shapes.ts";
import { inputOf } from "../../schema.ts";
import { defineTool } from "../tool.ts";

/** The tool. */
export const appendRootRecord = defineTool({
  name: "append_root_record",
  title: "Append root record",
  access: "write",
  description:
    "Adds a record without a key to a declared collection of this session's agent root: for logs and run history. Every call adds one, also with the same data; after a timeout look with search_root_records before you add it again; put_root_record with a key is safe to repeat. Do not store secrets.",
  isDestructive: false,
  isIdempotent: false,
  input: inputOf({ collection: COLLECTION_INPUT, data: DATA_INPUT }, [
    "collection",
    "data",
  ]),
  output: WRITE_RECEIPT,
  refused: {
    key:
      "An appended record has no key, so key cannot be passed; use put_root_record to store under a key",
  },
  async run(context, args) {
    const { db, request } = await prepareWrite(context, args);
    return receiptShape(request.collection, await appendRecord(db, request));
  },
});
