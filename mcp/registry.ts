/**
 * All tools, in the order in which `tools/list` shows them.
 *
 * @module
 */
import type { ToolDefinition } from "./tool.ts";
import { appendRootRecord } from "./tools/append_root_record.ts";
import { deleteRootRecord } from "./tools/delete_root_record.ts";
import { getRootRecord } from "./tools/get_root_record.ts";
import { getSystemHealth } from "./tools/get_system_health.ts";
import { listRootCollections } from "./tools/list_root_collections.ts";
import { putRootRecord } from "./tools/put_root_record.ts";
import { searchRootRecords } from "./tools/search_root_records.ts";

/** The registry. */
export const TOOLS: readonly ToolDefinition[] = [
  getSystemHealth,
  listRootCollections,
  searchRootRecords,
  getRootRecord,
  putRootRecord,
  appendRootRecord,
  deleteRootRecord,
];
