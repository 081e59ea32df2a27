/**
 * All tools, in the order in which `tools/list` shows them.
 *
 * @module
 */
import type { ToolDefinition } from "./tool.ts";
import { appendRootRecord } from "./tools/append_root_record.ts";
import { deleteRootRecord } from "./tools/delete_root_record.ts";
import { eraseMemory } from "./tools/erase_memory.ts";
import { forgetMemory } from "./tools/forget_memory.ts";
import { getConversationHistory } from "./tools/get_conversation_history.ts";
import { getMemory } from "./tools/get_memory.ts";
import { getMemoryStatus } from "./tools/get_memory_status.ts";
import { getRootRecord } from "./tools/get_root_record.ts";
import { getSystemHealth } from "./tools/get_system_health.ts";
import { listMemories } from "./tools/list_memories.ts";
import { listMemoryNodes } from "./tools/list_memory_nodes.ts";
import { listRootCollections } from "./tools/list_root_collections.ts";
import { putRootRecord } from "./tools/put_root_record.ts";
import { recallMemory } from "./tools/recall_memory.ts";
import { searchRootRecords } from "./tools/search_root_records.ts";
import { storeMemory } from "./tools/store_memory.ts";

/** The registry. */
export const TOOLS: readonly ToolDefinition[] = [
  getSystemHealth,
  listRootCollections,
  searchRootRecords,
  getRootRecord,
  putRootRecord,
  appendRootRecord,
  deleteRootRecord,
  recallMemory,
  storeMemory,
  listMemories,
  getMemory,
  getConversationHistory,
  listMemoryNodes,
  forgetMemory,
  eraseMemory,
  getMemoryStatus,
];
