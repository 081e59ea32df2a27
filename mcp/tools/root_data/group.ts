/**
 * Group `root_data`: the document store of an agent root.
 *
 * @module
 */
import { setByServer, type ToolGroup } from "../group.ts";
import { appendRootRecord } from "./append_root_record.ts";
import { deleteRootRecord } from "./delete_root_record.ts";
import { getRootRecord } from "./get_root_record.ts";
import { listRootCollections } from "./list_root_collections.ts";
import { putRootRecord } from "./put_root_record.ts";
import { searchRootRecords } from "./search_root_records.ts";

/** The group. */
export const rootDataGroup: ToolGroup = {
  name: "root_data",
  kind: "opt_in",
  isSessionDefault: true,
  summary:
    "The document store of the session's agent root: records in collections, by key, by containment, with schemas and retention",
  instructions: {
    read:
      "Root data is a document store shared by all sessions of the same agent root: call list_root_collections first.",
  },
  refused: setByServer(
    "namespace",
    "session_id",
    "writing_session_id",
    "expires_at",
    "retention_days",
  ),
  tools: [
    listRootCollections,
    searchRootRecords,
    getRootRecord,
    putRootRecord,
    appendRootRecord,
    deleteRootRecord,
  ],
};
