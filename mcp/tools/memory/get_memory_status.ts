/**
 * `get_memory_status`: how memory is, and where this agent's lies.
 *
 * @module
 */
import {
  KINDS,
  MAX_TEXT_CHARACTERS,
  MAX_TURNS,
  type Node,
  ROOT_NODE,
} from "../../../cortex/words.ts";
import { openMemory } from "./caller.ts";

import { COUNT, NO_INPUT, objectOf, orNull, TEXT } from "../../schema.ts";
import { MEMORY_HEALTH } from "../../watch/health_shape.ts";
import { defineTool } from "../tool.ts";

/** A path for each kind. */
const PATHS = { type: "object", additionalProperties: TEXT } as const;
const OUTPUT = objectOf({
  retired_root: orNull(TEXT),
  agent: TEXT,
  session_id: COUNT,
  own_node: TEXT,
  shared_node: TEXT,
  chat_node: TEXT,
  own_node_writable: { type: ["boolean", "string"] },
  scopes: objectOf({ own: PATHS, shared: PATHS, conversations: TEXT }),
  limits: objectOf({ text_characters: COUNT, conversation_turns: COUNT }),
}, { ...MEMORY_HEALTH.properties, own_node_note: TEXT });

/** The tool. */
export const getMemoryStatus = defineTool({
  name: "get_memory_status",
  title: "Get memory status",
  access: "read",
  description:
    "Says whether memory works, which service keeps it, and where this agent's memory lies: its own node, the node that all agents share, the node of conversations, and their scopes.",
  isDestructive: false,
  isIdempotent: true,
  input: NO_INPUT,
  output: OUTPUT,
  async run(context) {
    const { engine, agent, own, ownNote, sessionId } = await openMemory(
      context,
    );
    const health = await context.services.memory?.health();
    const { layout, chatNode } = engine;
    const scopesAt = (node: Node) =>
      Object.fromEntries(
        KINDS.map((kind) => [kind, layout.render(node, kind)]),
      );
    const check = layout.checkNode(own, "learning");
    return {
      ...health,
      retired_root: layout.retired ?? null,
      agent,
      session_id: sessionId,
      own_node: own,
      shared_node: ROOT_NODE,
      chat_node: chatNode,
      ...(ownNote === null ? {} : { own_node_note: ownNote }),
      own_node_writable: check.ok ? true : `no: ${check.reason}`,
      scopes: {
        own: scopesAt(own),
        shared: scopesAt(ROOT_NODE),
        conversations: layout.render(chatNode, "conversation"),
      },
      limits: {
        text_characters: MAX_TEXT_CHARACTERS,
        conversation_turns: MAX_TURNS,
      },
    };
  },
});
