/**
 * Group `memory`: what all agents of one person remember.
 *
 * @module
 */
import { setByServer, type ToolGroup } from "../group.ts";
import { eraseMemory } from "./erase_memory.ts";
import { forgetMemory } from "./forget_memory.ts";
import { getConversationHistory } from "./get_conversation_history.ts";
import { getMemory } from "./get_memory.ts";
import { getMemoryStatus } from "./get_memory_status.ts";
import { listMemories } from "./list_memories.ts";
import { listMemoryNodes } from "./list_memory_nodes.ts";
import { recallMemory } from "./recall_memory.ts";
import { storeMemory } from "./store_memory.ts";

/** The group. */
export const memoryGroup: ToolGroup = {
  name: "memory",
  kind: "opt_in",
  isSessionDefault: true,
  summary:
    "What all agents of one person remember: learnings, documents and conversations",
  instructions: {
    read:
      "Memory is shared by all agents of one person: call recall_memory when a task begins.",
    write: "Call store_memory for what later sessions should know.",
  },
  refused: setByServer("namespace", "session_id"),
  tools: [
    recallMemory,
    storeMemory,
    listMemories,
    getMemory,
    getConversationHistory,
    listMemoryNodes,
    forgetMemory,
    eraseMemory,
    getMemoryStatus,
  ],
};
