/**
 * `put_root_record`: insert or replace the record at a key.
 *
 * @module
 */
import { putRecord } from "../../../store/root_data/mod.ts";
import {
  COLLECTION_INPUT,
  DATA_INPUT,
  IF_ABSENT_INPUT,
  IF_UPDATED_AT_INPUT,
  KEY_INPUT,
} from "./inputs.ts";
import { prepareWrite } from "./prepare_write.ts";
import { receiptShape, WRITE_RECEIPT } from "./shapes.ts";
import { ToolError } from "../../errors.ts";
import { inputOf } from "../../schema.ts";
import { defineTool } from "../tool.ts";

/** The tool. */
export const putRootRecord = defineTool({
  name: "put_root_record",
  title: "Put root record",
  access: "write",
  description:
    "Stores data under a key in a declared collection of this session's agent root, for every later session of the root. An existing record at the key is replaced whole (not merged): it keeps its id and creation time, and its retention starts again. To change what other sessions may change too, read it, change data, put with if_updated_at, and begin again when refused. Safe to repeat after a timeout. Do not store secrets.",
  isDestructive: true,
  isIdempotent: true,
  input: inputOf({
    collection: COLLECTION_INPUT,
    key: KEY_INPUT,
    data: DATA_INPUT,
    if_updated_at: IF_UPDATED_AT_INPUT,
    if_absent: IF_ABSENT_INPUT,
  }, ["collection", "key", "data"]),
  output: WRITE_RECEIPT,
  async run(context, args) {
    const { key, if_updated_at: ifUpdatedAt, if_absent: ifAbsent } = args;
    if (ifUpdatedAt !== undefined && ifAbsent === true) {
      throw new ToolError(
        "Pass if_updated_at or if_absent, not both: the record is there or it is not",
      );
    }
    const { db, request } = await prepareWrite(context, args);
    return receiptShape(
      request.collection,
      await putRecord(db, { ...request, key, ifUpdatedAt, ifAbsent }),
    );
  },
});
