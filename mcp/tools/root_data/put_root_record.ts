/**
 * `put_root_record`: insert or replace the record at a key.
 *
 * @module
 */
import { putRecord } from "../../../store/root_data/mod.ts";
import {
  COLLECTION_INPUT,
  DATA_INPUT,
  KEY_INPUT,
  prepareWrite,
  receiptShape,
} from "./root_data.ts";
import { defineTool, stringArgument } from "../tool.ts";

/** The tool. */
export const putRootRecord = defineTool({
  name: "put_root_record",
  title: "Put root record",
  group: "root_data",
  access: "write",
  description:
    "Stores data under a key in a declared collection of this session's agent root, for every later session of the root. An existing record at the key is replaced whole (not merged): it keeps its id and creation time, and its retention starts again. Safe to repeat after a timeout. Do not store secrets.",
  isDestructive: true,
  isIdempotent: true,
  input: {
    type: "object",
    properties: {
      collection: COLLECTION_INPUT,
      key: KEY_INPUT,
      data: DATA_INPUT,
    },
    required: ["collection", "key", "data"],
    additionalProperties: false,
  },
  async run(context, args) {
    const { db, request } = await prepareWrite(context, args);
    const key = stringArgument(args, "key");
    return receiptShape(
      request.collection,
      await putRecord(db, { ...request, key }),
    );
  },
});
