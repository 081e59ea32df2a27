/**
 * `store_memory`: keeps a learning, a document or a conversation.
 *
 * @module
 */
import {
  KINDS,
  MAX_TEXT_CHARACTERS,
  type Node,
  ROOT_NODE,
} from "../../../cortex/words.ts";
import type { Item } from "../../../cortex/mod.ts";
import { ToolError } from "../../errors.ts";
import { type CallerMemory, NODE_INPUT, nodeOf, openMemory } from "./caller.ts";
import {
  DEFAULT_SHARE,
  memoryItem,
  STORE_INPUTS,
  type StoreArguments,
} from "./item.ts";
import {
  inputOf,
  listOf,
  objectOf,
  TEXT,
  type ValueOf,
  wordOf,
} from "../../schema.ts";

import { defineTool } from "../tool.ts";

const OUTPUT = objectOf({
  result: wordOf(["stored", "already_stored"]),
  id: TEXT,
  kind: wordOf(KINDS),
  node: TEXT,
  shared_with: TEXT,
  agent: TEXT,
  scope: TEXT,
}, { thread_id: TEXT, replaces: listOf(TEXT), note: TEXT });

/** The tool. */
export const storeMemory = defineTool({
  name: "store_memory",
  title: "Store memory",
  access: "write",
  description:
    `Keeps something for later sessions. kind learning: one statement worth remembering (text), such as a preference or a fact about the user. kind document: a longer text with an optional title. kind conversation: turns as they were said. Learnings and conversations are shared with all agents of this person, documents stay with this agent; share changes that. One learning a call, in words that stand alone. Where it corrects something, pass the ids of what is no longer so in replaces. Storing the same again changes nothing and is safe after a timeout. Up to ${MAX_TEXT_CHARACTERS} characters. Do not store secrets.`,
  isDestructive: false,
  isIdempotent: true,
  isShownAtOnce: true,
  input: inputOf({
    ...STORE_INPUTS,
    share: {
      type: "string",
      enum: ["everyone", "agent"],
      description:
        "everyone: all agents of this person recall it (default of learnings and conversations). agent: it stays with this agent (default of documents)",
    },
    node: {
      ...NODE_INPUT,
      description:
        "Instead of share: another node of this person's memory to keep it at, such as project:garden",
    },
  }, ["kind"]),
  output: OUTPUT,
  refused: {
    agent_id:
      "Who stores it is the session's agent root; agent_id cannot be passed",
    id: "The id is made from the content; it cannot be passed",
  },
  async run(context, args): Promise<ValueOf<typeof OUTPUT>> {
    const memory = await openMemory(context);
    const item = memoryItem(memory, args, placeOf(memory, args));
    const [receipt] = await memory.engine.store([item]);
    if (receipt === undefined) throw new TypeError("No receipt of the item");
    return {
      result: receipt.isReplay ? "already_stored" : "stored",
      id: receipt.id,
      kind: item.kind,
      node: item.meta.node,
      shared_with: sharedWith(memory, item),
      agent: memory.agent,
      scope: receipt.scope,
      ...(item.meta.threadId === undefined
        ? {}
        : { thread_id: item.meta.threadId }),
      ...(item.meta.replaces === undefined || item.meta.replaces.length === 0
        ? {}
        : { replaces: item.meta.replaces }),
      ...whereNote(memory, item),
    };
  },
});

function placeOf(
  memory: CallerMemory,
  { kind, node, share }: StoreArguments & {
    readonly node?: string | undefined;
    readonly share?: "everyone" | "agent" | undefined;
  },
): Node {
  if (node !== undefined && share !== undefined) {
    throw new ToolError(
      "Pass node or share, not both: each says where it is kept",
    );
  }
  if (node !== undefined) return nodeOf(memory, node);
  if ((share ?? DEFAULT_SHARE[kind]) === "agent") return memory.own;
  return kind === "conversation" ? memory.engine.chatNode : ROOT_NODE;
}

/** An item that a recall without further words does not look at. */
function whereNote(
  { own, engine, layouts }: CallerMemory,
  { kind, meta: { node } }: Item,
): { readonly note?: string } {
  const isRead = layouts.admits({ at: own }, node) ||
    (kind === "conversation" && node === engine.chatNode);
  return isRead ? {} : {
    note:
      `recall_memory and list_memories find it when they are told to look there: node ${node}, or node root with reach below`,
  };
}

function sharedWith(
  { own, engine }: CallerMemory,
  { kind, meta: { node } }: Item,
): string {
  const isChat = kind === "conversation" && node === engine.chatNode;
  if (isChat || node === ROOT_NODE) {
    return "all agents of this person";
  }
  return node === own ? "sessions of this agent" : `readers of node ${node}`;
}
