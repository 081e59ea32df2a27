/**
 * All tools, in the order in which `tools/list` shows them.
 *
 * @module
 */
import type { ToolDefinition } from "./tool.ts";
import { appendRootRecord } from "./root_data/append_root_record.ts";
import { deleteRootRecord } from "./root_data/delete_root_record.ts";
import { eraseMemory } from "./memory/erase_memory.ts";
import { forgetMemory } from "./memory/forget_memory.ts";
import { getConversationHistory } from "./memory/get_conversation_history.ts";
import { getMemory } from "./memory/get_memory.ts";
import { getMemoryStatus } from "./memory/get_memory_status.ts";
import { getRootRecord } from "./root_data/get_root_record.ts";
import { getSystemHealth } from "./health/get_system_health.ts";
import { listMemories } from "./memory/list_memories.ts";
import { listMemoryNodes } from "./memory/list_memory_nodes.ts";
import { listRootCollections } from "./root_data/list_root_collections.ts";
import { putRootRecord } from "./root_data/put_root_record.ts";
import { recallMemory } from "./memory/recall_memory.ts";
import { searchRootRecords } from "./root_data/search_root_records.ts";
import { storeMemory } from "./memory/store_memory.ts";

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
