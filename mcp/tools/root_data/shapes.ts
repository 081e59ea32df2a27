/**
 * Root data as tools and REST show it: schemas, and the values that pass them.
 *
 * @module
 */
import {
  MAX_RECORDS_PER_COLLECTION,
  type RecordHead,
  type StoredRecord,
  type WriteReceipt,
} from "../../../store/root_data/mod.ts";
import { isoTime } from "../../render.ts";
import {
  COUNT,
  FREE,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "../../schema.ts";

const HEAD = {
  id: COUNT,
  key: orNull(TEXT),
  bytes: COUNT,
  created_at: TIME,
  updated_at: TIME,
  expires_at: orNull(TIME),
  writing_session_id: orNull(COUNT),
};

/** A record. */
export const RECORD = objectOf({ ...HEAD, data: FREE });

/** What a put or an append answers. */
export const WRITE_RECEIPT = objectOf({
  result: wordOf(["created", "replaced", "appended"]),
  collection: TEXT,
  record: objectOf(HEAD),
  usage: objectOf({
    records: COUNT,
    records_limit: COUNT,
    writes_left_this_minute: COUNT,
  }),
});

/** A record with the field names of the wire. */
export function recordShape(record: StoredRecord): ValueOf<typeof RECORD> {
  const { id, key, ...rest } = headShape(record);
  return { id, key, data: record.data, ...rest };
}

/** A receipt with the field names of the wire. */
export function receiptShape(
  collection: string,
  receipt: WriteReceipt,
): ValueOf<typeof WRITE_RECEIPT> {
  return {
    result: receipt.outcome,
    collection,
    record: headShape(receipt.record),
    usage: {
      records: receipt.records,
      records_limit: MAX_RECORDS_PER_COLLECTION,
      writes_left_this_minute: receipt.writesLeft,
    },
  };
}

function headShape(
  record: RecordHead,
): ValueOf<typeof WRITE_RECEIPT>["record"] {
  return {
    id: record.id,
    key: record.key,
    bytes: record.bytes,
    created_at: isoTime(record.createdAt),
    updated_at: isoTime(record.updatedAt),
    expires_at: isoTime(record.expiresAt),
    writing_session_id: record.writingSessionId,
  };
}
