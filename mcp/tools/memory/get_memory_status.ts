/**
 * `get_memory_status`: how memory is, and where this agent's lies.
 *
 * @module
 */
import type { Node } from "../../../cortex/words.ts";
import { openMemory } from "./caller.ts";
import { MAX_TEXT, MAX_TURNS } from "./item.ts";
import { MEMORY_KINDS } from "./view.ts";
import { defineTool } from "../tool.ts";

/** The tool. */
export const getMemoryStatus = defineTool({
  name: "get_memory_status",
  title: "Get memory status",
  group: "memory",
  access: "read",
  description:
    "Says whether memory works, which service keeps it, and where this agent's memory lies: its own node, the node that all agents share, the node of conversations, and their scopes.",
  isDestructive: false,
  isIdempotent: true,
  input: {
    type: "object",
    properties: {},
    required: [],
    additionalProperties: false,
  },
  async run(context) {
    const { engine, layouts, agent, own, ownNote, sessionId } =
      await openMemory(
        context,
      );
    const health = await context.services.memory?.health();
    const { layout, chatNode } = engine;
    const scopesAt = (node: Node) =>
      Object.fromEntries(
        MEMORY_KINDS.map((kind) => [kind, layout.render(node, kind)]),
      );
    const check = layout.checkNode(own, "learning");
    return {
      ...health,
      retired_root: layout.retired ?? null,
      agent,
      session_id: sessionId,
      own_node: own,
      shared_node: layouts.ROOT_NODE,
      chat_node: chatNode,
      ...(ownNote === null ? {} : { own_node_note: ownNote }),
      own_node_writable: check.ok ? true : `no: ${check.reason}`,
      scopes: {
        own: scopesAt(own),
        shared: scopesAt(layouts.ROOT_NODE),
        conversations: layout.render(chatNode, "conversation"),
      },
      limits: {
        text_characters: MAX_TEXT,
        conversation_turns: MAX_TURNS,
      },
    };
  },
});
